package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// lists answers as an API server would that holds the nodes of a shape and pods on them:
// lists in pages, made while they are read, and watches in which nothing happens. For clusters that
// are too large to be stored on this machine.
type lists struct {
	shape Shape
	names []string
	pods  int
}

// ServeLists is a control plane of which this program is the API server; it has no other part, and
// refuses all writes.
func ServeLists(env Environment, shape Shape, pods int) (*ControlPlane, error) {
	c := &ControlPlane{Env: env}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	all := lists{shape, shape.NodeNames(), pods}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/nodes", all.serve("NodeList", len(all.names), all.node))
	mux.HandleFunc("GET /api/v1/pods", all.serve("PodList", pods, all.pod))
	c.lists = &http.Server{Addr: fmt.Sprintf("127.0.0.1:%d", c.port), Handler: mux,
		ErrorLog: log.New(io.Discard, "", 0)}
	go c.lists.ListenAndServeTLS(c.authority.certificateFile, c.authority.keyFile)
	return c, nil
}

const listVersion = "1000000"

func (l lists) serve(kind string, count int, item func(int) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		first, last := pageOf(r, count)
		body, err := page(kind, first, last, count, item)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
}

// pageOf is which items are asked for; the token is the number of the first.
func pageOf(r *http.Request, count int) (first, last int) {
	first, _ = strconv.Atoi(r.URL.Query().Get("continue"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	if limit == 0 {
		limit = count
	}
	return first, min(first+limit, count)
}

func page(kind string, first, last, count int, item func(int) (any, error)) ([]byte, error) {
	next := ""
	if last < count {
		next = fmt.Sprintf(`,"continue":"%d"`, last)
	}
	var body bytes.Buffer
	fmt.Fprintf(&body, `{"kind":"%s","apiVersion":"v1","metadata":{"resourceVersion":"%s"%s},"items":[`,
		kind, listVersion, next)
	encoder := json.NewEncoder(&body)
	for i := first; i < last; i++ {
		if i > first {
			body.WriteByte(',')
		}
		object, err := item(i)
		if err == nil {
			err = encoder.Encode(object)
		}
		if err != nil {
			return nil, err
		}
	}
	body.WriteString("]}")
	return body.Bytes(), nil
}

func (l lists) node(i int) (any, error) {
	node, err := l.shape.node(l.names[i])
	if err != nil {
		return nil, err
	}
	node.UID, node.ResourceVersion = types.UID(fmt.Sprintf("node-%032d", i)), strconv.Itoa(1+i)
	node.CreationTimestamp = metav1.Now()
	node.Status = l.shape.status()
	return node, nil
}

func (l lists) pod(i int) (any, error) {
	template := PodSpec{Name: "running", Node: l.names[i%len(l.names)],
		Scheduler: ForeignScheduler}.template()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name, pod.Namespace = fmt.Sprintf("running-%06d", i), Namespace
	pod.UID, pod.ResourceVersion = types.UID(fmt.Sprintf("pod-%032d", i)), strconv.Itoa(100_000+i)
	pod.CreationTimestamp = metav1.Now()
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, QOSClass: corev1.PodQOSGuaranteed,
		Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.Now()}}}
	return pod, nil
}
