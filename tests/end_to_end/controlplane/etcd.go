package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

// runEtcd serves one member until it is told to stop. Nothing is synced to disk: the data lives as
// long as the test run.
func runEtcd(args []string) int {
	flags := flag.NewFlagSet("etcd", flag.ContinueOnError)
	directory := flags.String("data-dir", "", "where the data goes")
	client := flags.String("client-url", "", "the URL that clients use, with its port")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := serveEtcd(*directory, *client); err != nil {
		fmt.Fprintf(os.Stderr, "etcd: %v\n", err)
		return 1
	}
	return 0
}

func serveEtcd(directory, client string) error {
	clientURL, err := url.Parse(client)
	if err != nil {
		return err
	}
	peerURL := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config := embed.NewConfig()
	config.Name = "only"
	config.Dir = directory
	config.LogLevel = "error" // every slow request is a warning
	config.UnsafeNoFsync = true
	config.ListenClientUrls = []url.URL{*clientURL}
	config.AdvertiseClientUrls = []url.URL{*clientURL}
	config.ListenPeerUrls = []url.URL{peerURL}
	config.AdvertisePeerUrls = []url.URL{peerURL}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	select {
	case err := <-server.Err():
		return err
	case <-stop:
		return nil
	}
}
