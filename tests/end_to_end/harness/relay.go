package harness

import (
	"io"
	"net"
	"sync"
)

// Relay passes connections on to another address of this machine, until it is cut: then those that
// are open end, and no other one begins, as between two machines without a network.
type Relay struct {
	listener net.Listener
	target   string
	mutex    sync.Mutex
	cut      bool
	open     map[net.Conn]bool
}

func startRelay(target string) (*Relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{listener: listener, target: target, open: map[net.Conn]bool{}}
	go r.accept()
	return r, nil
}

func (r *Relay) address() string { return r.listener.Addr().String() }

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.pass(client)
	}
}

func (r *Relay) pass(client net.Conn) {
	server, err := net.Dial("tcp", r.target)
	if err != nil {
		client.Close()
		return
	}
	if !r.keep(client, server) {
		return
	}
	var both sync.WaitGroup
	both.Add(2)
	copyTo := func(to, from net.Conn) {
		defer both.Done()
		io.Copy(to, from)
		to.Close()
	}
	go copyTo(server, client)
	go copyTo(client, server)
	both.Wait()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.open, client)
	delete(r.open, server)
}

// keep is false, and both are closed, where nothing passes.
func (r *Relay) keep(connections ...net.Conn) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, one := range connections {
		if r.cut {
			one.Close()
		} else {
			r.open[one] = true
		}
	}
	return !r.cut
}

// Cut ends all connections, and every new one until Mend.
func (r *Relay) Cut() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.cut = true
	for one := range r.open {
		one.Close()
	}
	clear(r.open)
}

// Mend lets new connections pass again.
func (r *Relay) Mend() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.cut = false
}

func (r *Relay) stop() {
	r.listener.Close()
	r.Cut()
}
