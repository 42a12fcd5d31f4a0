package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Recorder stands between the scheduler and Gangplan, passes every call on, and keeps what was
// asked: a witness of its own of how often, for whom and when Gangplan was called.
type Recorder struct {
	server *http.Server
	url    string
	mutex  sync.Mutex
	calls  []*Call
}

// Call is one call of a verb.
type Call struct {
	Verb    string
	Pod     string
	Node    string // of bind
	Offered int    // names in a filter call
	Started time.Time
	Ended   time.Time // zero while it is open
	Answer  string    // of bind and preempt: the body
}

// startRecorder passes the calls on to the address.
func startRecorder(target string) (*Recorder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Recorder{url: "http://" + listener.Addr().String()}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: target})
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	// As kube-scheduler's own client: two idle connections, as many open ones as it takes.
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 2, IdleConnTimeout: 90 * time.Second}
	proxy.ModifyResponse = r.keepAnswer
	r.server = &http.Server{Handler: r.around(proxy), ErrorLog: proxy.ErrorLog}
	go r.server.Serve(listener)
	return r, nil
}

func (r *Recorder) stop() { r.server.Close() }

// Post calls the verb as a scheduler does, and returns the answer.
func (r *Recorder) Post(verb, body string) (string, error) {
	response, err := http.Post(r.url+"/v1/extender/"+verb, "application/json", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return string(answer), err
}

type callKey struct{}

func withCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

func callOf(ctx context.Context) *Call { return ctx.Value(callKey{}).(*Call) }

func (r *Recorder) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		call := r.open(path.Base(request.URL.Path), body)
		defer r.close(call) // also when the proxy panics because a client has gone
		next.ServeHTTP(w, request.WithContext(withCall(request.Context(), call)))
	})
}

func (r *Recorder) open(verb string, body []byte) *Call {
	var asked struct {
		Pod struct {
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		}
		NodeNames     []string
		PodName, Node string
	}
	json.Unmarshal(body, &asked) // what cannot be read stays empty, and Gangplan judges it
	call := &Call{Verb: verb, Pod: asked.Pod.Metadata.Name + asked.PodName, Node: asked.Node,
		Offered: len(asked.NodeNames), Started: time.Now()}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.calls = append(r.calls, call)
	return call
}

func (r *Recorder) close(call *Call) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	call.Ended = time.Now()
}

func (r *Recorder) keepAnswer(response *http.Response) error {
	call := callOf(response.Request.Context())
	if call.Verb != "bind" && call.Verb != "preempt" {
		return nil
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	r.mutex.Lock()
	defer r.mutex.Unlock()
	call.Answer = string(body)
	return nil
}

// Calls is a copy of every call so far of one verb for pods of one batch, in their order.
func (r *Recorder) Calls(verb, batch string) []Call {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var found []Call
	for _, call := range r.calls {
		if call.Verb == verb && belongs(call.Pod, batch) {
			found = append(found, *call)
		}
	}
	return found
}

// Held is how many pods of one batch have a bind call open now.
func (r *Recorder) Held(batch string) int {
	open := map[string]bool{}
	for _, call := range r.Calls("bind", batch) {
		if call.Ended.IsZero() {
			open[call.Pod] = true
		}
	}
	return len(open)
}

// HeldNodes is the nodes that the open bind calls of one batch name, each once, in order.
func (r *Recorder) HeldNodes(batch string) []string {
	var nodes []string
	for _, call := range r.Calls("bind", batch) {
		if call.Ended.IsZero() {
			nodes = append(nodes, call.Node)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// belongs is true for the pods of a batch: NAME-INDEX, or NAME-INDEX-SUFFIX of a Job.
func belongs(pod, batch string) bool {
	return batch == "" || len(pod) > len(batch) && pod[:len(batch)] == batch && pod[len(batch)] == '-'
}
