package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"gangplan.io/tests/bench/peers/ask"
)

// peer is a running program with a cluster of its own.
type peer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func start(program string, s size, usedPermille int) (*peer, error) {
	command := exec.Command(program, "--blocks", strconv.Itoa(s.blocks),
		"--racks", strconv.Itoa(s.racks), "--hosts", strconv.Itoa(s.hosts),
		"--used-permille", strconv.Itoa(usedPermille))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peer{command, in, bufio.NewReader(out)}, command.Start()
}

func (p *peer) ask(r ask.Request) (ask.Answer, error) {
	var answer ask.Answer
	if _, err := fmt.Fprintln(p.in, r); err != nil {
		return answer, fmt.Errorf("%s takes no request: %w", p.command.Path, err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return answer, fmt.Errorf("%s answered nothing to %q: %w", p.command.Path, r, err)
	}
	return answer, json.Unmarshal(line, &answer)
}

// stop lets the program see the end of its input and waits for it.
func (p *peer) stop() error {
	p.in.Close()
	return p.command.Wait()
}
