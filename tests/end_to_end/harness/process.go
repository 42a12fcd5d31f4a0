package harness

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is one program of the run. It is ended by its own id and its log stays behind.
type Process struct {
	Name   string
	Log    string
	cmd    *exec.Cmd
	exited chan struct{}
}

func startProcess(name, log string, argv ...string) (*Process, error) {
	file, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = file, file
	// Whatever ends us ends our programs too; but a Ctrl-C at the terminal is ours alone.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	process := &Process{Name: name, Log: log, cmd: cmd, exited: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(process.exited)
	}()
	return process, nil
}

// Running is false once the program has ended, by itself or by us.
func (p *Process) Running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Kill ends the program without a chance to say good-bye and returns when it is gone.
func (p *Process) Kill() {
	if p != nil {
		p.cmd.Process.Kill()
		<-p.exited
	}
}

// Stop asks the program to end, insists after ten seconds, and returns its exit code.
func (p *Process) Stop() int {
	if p == nil {
		return 0
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(10 * time.Second):
		p.Kill()
	}
	return p.cmd.ProcessState.ExitCode()
}

// CPU is the processor time that the program has used so far, in user and kernel together.
func (p *Process) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The second field is the name in parentheses and may hold spaces; utime and stime are the
	// fields 14 and 15, in ticks of 10 ms.
	_, rest, found := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if !found || len(fields) < 13 {
		return 0, errors.New("unreadable /proc/PID/stat")
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	kernel, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+kernel) * 10 * time.Millisecond, err
}

// Memory is how much of the program is in memory now, and at most so far, in bytes.
func (p *Process) Memory() (now, most uint64, err error) {
	status, err := p.proc("status", "VmRSS:", "VmHWM:")
	return status["VmRSS:"] << 10, status["VmHWM:"] << 10, err
}

// Open is how many files the program has open now, and how many threads it has.
func (p *Process) Open() (files, threads int, err error) {
	status, err := p.proc("status", "Threads:")
	if err != nil {
		return 0, 0, err
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
	return len(entries), int(status["Threads:"]), err
}

// BytesRead is what the program has read so far, from files and by read() from connections: what
// comes over TLS, with its frames.
func (p *Process) BytesRead() (uint64, error) {
	io, err := p.proc("io", "rchar:")
	return io["rchar:"], err
}

// proc reads numbers behind these words, each at the beginning of a line, of a file in /proc/PID.
func (p *Process) proc(file string, words ...string) (map[string]uint64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, file))
	if err != nil {
		return nil, err
	}
	found := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !slices.Contains(words, fields[0]) {
			continue
		}
		if found[fields[0]], err = strconv.ParseUint(fields[1], 10, 64); err != nil {
			return nil, err
		}
	}
	if len(found) != len(words) {
		return nil, fmt.Errorf("/proc/PID/%s lacks one of %v", file, words)
	}
	return found, nil
}

// lastLines is the end of the program's log, for messages.
func (p *Process) lastLines(count int) string {
	text, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}
