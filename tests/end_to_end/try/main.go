// A Kubernetes to try Gangplan on: etcd, an API server, a stock kube-scheduler and Gangplan on this
// machine's loopback, and 500 nodes whose kubelets KWOK plays. Says how to reach it, and stays until
// Ctrl-C, or for so many seconds; then it ends whatever it has started.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"gangplan.io/tests/end_to_end/harness"
)

func main() {
	seconds := flag.Int("for", 0, "end after so many seconds; 0: stay until Ctrl-C")
	flag.Parse()
	if flag.NArg() > 0 || *seconds < 0 {
		fmt.Fprintln(os.Stderr, "try: it takes --for SECONDS alone")
		os.Exit(2)
	}
	harness.Deadline = 3 * time.Minute // of a machine that may compile something else meanwhile
	env, err := harness.LoadPlainEnvironment()
	if err == nil {
		err = run(env, time.Duration(*seconds)*time.Second)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "try: %v\nlogs: %s\n", err, env.Directory)
		os.Exit(1)
	}
	os.RemoveAll(env.Directory)
}

// run starts everything, shows it, stays, and ends everything.
func run(env harness.Environment, stay time.Duration) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM,
		syscall.SIGHUP)
	defer stop()
	t := &trial{env: env}
	defer t.end()
	start := time.Now()
	for _, step := range t.steps() {
		if err := inTime(step.what, step.do); err != nil || ctx.Err() != nil {
			return err
		}
	}
	fmt.Printf("All of it took %.1f s.\n", time.Since(start).Seconds())
	if err := t.show(); err != nil {
		return err
	}
	if stay > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, stay)
		defer cancel()
	}
	return t.stay(ctx)
}

// inTime says what was done in which time; meanwhile, every ten seconds, that it goes on.
func inTime(what string, do func() error) error {
	start, done := time.Now(), make(chan error, 1)
	go func() { done <- do() }()
	for {
		select {
		case err := <-done:
			if err == nil {
				fmt.Printf("%5.1f s  %s\n", time.Since(start).Seconds(), what)
			}
			return err
		case <-time.After(10 * time.Second):
			fmt.Printf("  still at it after %.0f s: %s\n", time.Since(start).Seconds(), what)
		}
	}
}
