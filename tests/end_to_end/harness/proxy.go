package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"
)

// Proxy stands between Gangplan and the API server and can hold Bindings back, patches or evictions, as
// an overloaded API server does. Everything else passes.
type Proxy struct {
	server  *http.Server
	url     string
	mutex   sync.Mutex
	allowed int // Bindings that may still pass; negative: all
	stalled int
	resume  chan struct{} // closed by Resume
	writes  []Write
	held    string // patches and evictions of paths with these words are held back
	passing int    // but so many
}

// Write is one Binding that was passed on to the API server.
type Write struct {
	Pod string
	At  time.Time
}

func startProxy(c *ControlPlane) (*Proxy, error) {
	root, err := os.ReadFile(c.authority.rootFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(root) {
		return nil, errors.New("unreadable root certificate")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{url: "https://" + listener.Addr().String(), allowed: -1,
		resume: make(chan struct{})}
	target, err := url.Parse(c.url())
	if err != nil {
		return nil, err
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1 // watches
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool},
		MaxIdleConnsPerHost: 256}
	p.server = &http.Server{
		ErrorLog:     proxy.ErrorLog,
		Handler:      p.before(proxy),
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // HTTP/1.1 only
	}
	go p.server.ServeTLS(listener, c.authority.certificateFile, c.authority.keyFile)
	return p, nil
}

func (p *Proxy) stop() { p.server.Close() }

func (p *Proxy) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.Method == http.MethodPost && strings.HasSuffix(request.URL.Path, "/binding") {
			// Only once the body is read does the server see that a client goes.
			body, err := io.ReadAll(request.Body)
			if err != nil || !p.pass(request.Context(), path.Base(path.Dir(request.URL.Path))) {
				panic(http.ErrAbortHandler) // the client has gone: nothing is written any more
			}
			request.Body = io.NopCloser(bytes.NewReader(body))
		}
		evicts := request.Method == http.MethodPost && strings.HasSuffix(request.URL.Path, "/eviction")
		if request.Method == http.MethodPatch || evicts {
			body, err := io.ReadAll(request.Body)
			writes := !bytes.Contains(body, []byte(`"dryRun"`))
			if err != nil || writes && p.holds(request.URL.Path) && !p.wait(request.Context()) {
				panic(http.ErrAbortHandler)
			}
			request.Body = io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(w, request)
	})
}

// pass returns when the Binding may go on, or false when its client has gone meanwhile.
func (p *Proxy) pass(ctx context.Context, pod string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for p.allowed == 0 {
		if !p.stall(ctx) {
			return false
		}
	}
	if p.allowed > 0 {
		p.allowed--
	}
	p.writes = append(p.writes, Write{pod, time.Now()})
	return true
}

// holds is whether this write is to be held back.
func (p *Proxy) holds(path string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.held == "" || !strings.Contains(path, p.held) {
		return false
	}
	p.passing--
	return p.passing < 0
}

// wait returns at the next Resume, or false when the client has gone meanwhile.
func (p *Proxy) wait(ctx context.Context) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.stall(ctx)
}

// stall is wait for who holds the mutex, which is free meanwhile.
func (p *Proxy) stall(ctx context.Context) bool {
	resume := p.resume
	p.stalled++
	p.mutex.Unlock()
	select {
	case <-resume:
	case <-ctx.Done():
	}
	p.mutex.Lock()
	p.stalled--
	return ctx.Err() == nil
}

// HoldWrites holds back patches, and evictions that are carried out, of paths with these words, but for
// the first `count`.
func (p *Proxy) HoldWrites(words string, count int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.held, p.passing = words, count
}

// StallAfter lets that many more Bindings pass and holds back the others.
func (p *Proxy) StallAfter(count int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.allowed = count
}

// Stalled is how many writes are held back now.
func (p *Proxy) Stalled() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.stalled
}

// Resume lets everything pass, first of all what is held back and has its client still.
func (p *Proxy) Resume() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.allowed = -1
	p.held = ""
	close(p.resume)
	p.resume = make(chan struct{})
}

// Writes is every Binding that was passed on, in its order.
func (p *Proxy) Writes() []Write {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]Write(nil), p.writes...)
}
