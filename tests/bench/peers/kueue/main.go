// Command kueue times the placement call of Kueue itself, through its exported API, on a uniform
// cluster in memory. It reads requests from its input, one a line, and answers each with a line of
// JSON; package ask has the words of both.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"gangplan.io/tests/bench/peers/ask"
)

func main() {
	var s shape
	flag.IntVar(&s.blocks, "blocks", 4, "blocks of the cluster")
	flag.IntVar(&s.racks, "racks", 10, "racks of a block")
	flag.IntVar(&s.hosts, "hosts", 16, "nodes of a rack")
	flag.Uint64Var(&s.usedPermille, "used-permille", 0, "of 1,000 nodes, how many carry load")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "kueue:", err)
		os.Exit(1)
	}
}

func run(s shape) error {
	ctrl.SetLogger(logr.Discard())
	ctx := ctrl.LoggerInto(context.Background(), logr.Discard())
	hosts := s.cluster()
	cache, err := fill(ctx, hosts)
	if err != nil {
		return err
	}
	b := &bench{ctx: ctx, cache: cache, nodes: len(hosts), cluster: digest(hosts)}
	out := json.NewEncoder(os.Stdout)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		request, err := ask.Parse(in.Text())
		if err != nil {
			return err
		}
		answer, err := b.answer(request)
		if err != nil {
			return fmt.Errorf("%s: %w", request, err)
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}
