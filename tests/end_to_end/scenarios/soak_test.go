package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gangplan.io/tests/end_to_end/harness"
)

const (
	soakCalls    = 2000 // filter calls a second
	soakNames    = 500  // nodes that each offers
	soakCallers  = 16
	soakGangs    = 4 // that come and go side by side
	soakSample   = 2 * time.Second
	soakPatience = 2 * time.Minute // for a gang: faults come meanwhile
	soakSpare    = 512             // threads that are kept for connections to come
)

// For as many minutes as GANGPLAN_SOAK_MINUTES says: gangs come and go, the scheduler is killed, the
// API server is cut off, nodes are cordoned and go, while filter calls come as from a busy scheduler.
// Each gang runs in the end, whole; the process keeps neither memory nor files nor threads.
func TestSoak(t *testing.T) {
	minutes := fromEnvironment(t, "GANGPLAN_SOAK_MINUTES", 0)
	if minutes == 0 {
		t.Skip("GANGPLAN_SOAK_MINUTES says for how long; ./dev soak sets it")
	}
	s := begin(t, harness.Options{Relay: true, Unrecorded: true})
	k := &soak{scenario: s, stop: make(chan struct{})}
	k.must(plane.CreateJob(harness.GangJob("never", 8, "rack=pack!"), 11)) // a rack has ten nodes
	view.Wait(s, "the gang that never fits", func() (bool, string) {
		pods, _ := view.Count("never")
		return pods == 11, fmt.Sprint(pods)
	})
	k.must(plane.CreatePods(harness.Foreign("foreign", 1), 0, 10))
	before := k.usage()
	begun, third := time.Now(), time.Duration(minutes)*time.Minute/3
	k.begin(k.sample)
	for i := range soakGangs {
		k.begin(func() { k.gangs(i) })
	}
	k.begin(k.faults)
	for i := range soakCallers {
		k.begin(func() { k.calls(i, func() int { return min(2, int(time.Since(begun)/third)) }) })
	}
	time.Sleep(time.Duration(minutes) * time.Minute)
	close(k.stop)
	k.tasks.Wait()
	k.report(before)
}

type soak struct {
	scenario
	stop    chan struct{}
	tasks   sync.WaitGroup
	started atomic.Int64 // gangs
	struck  atomic.Int64
	failed  atomic.Int64 // filter calls without an answer: none may
	mutex   sync.Mutex
	took    [3][]time.Duration // of filter calls, in each third of the time
	samples []usage
}

// usage is what the process has at one moment.
type usage struct {
	memory         uint64 // bytes
	files, threads int
}

func (k *soak) begin(task func()) {
	k.tasks.Add(1)
	go func() {
		defer k.tasks.Done()
		task()
	}()
}

// rest is false when it is over.
func (k *soak) rest(how time.Duration) bool {
	select {
	case <-k.stop:
		return false
	case <-time.After(how):
		return true
	}
}

func (k *soak) usage() usage {
	memory, _, err := k.Gangplan.Memory()
	if err != nil {
		k.Error(err)
	}
	files, threads, err := k.Gangplan.Open()
	if err != nil {
		k.Error(err)
	}
	return usage{memory, files, threads}
}

func (k *soak) sample() {
	for k.rest(soakSample) {
		now := k.usage()
		k.mutex.Lock()
		k.samples = append(k.samples, now)
		k.mutex.Unlock()
	}
}

// gangs makes one after the other and waits until each runs.
func (k *soak) gangs(worker int) {
	random := rand.New(rand.NewSource(int64(worker)))
	for round := 0; k.rest(0); round++ {
		name := fmt.Sprintf("soak-%d-%d", worker, round)
		size, place := 8+random.Intn(72), "rack=pack!"
		if random.Intn(3) == 0 {
			size, place = 80+random.Intn(200), "block=pack!"
		}
		if err := plane.CreateJob(harness.GangJob(name, 1, place), size); err != nil {
			k.Error(err)
			return
		}
		if k.awaits(fmt.Sprintf("%s: %d pods bound", name, size), func() (bool, string) {
			_, bound := view.Count(name)
			return bound == size, fmt.Sprintf("%d bound", bound)
		}) {
			k.started.Add(1)
		}
		k.rest(time.Duration(random.Intn(3000)) * time.Millisecond)
		if err := plane.DeleteJob(name); err != nil {
			k.Error(err)
		}
		if !k.awaits("no pod of "+name, func() (bool, string) {
			pods, _ := view.Count(name)
			return pods == 0, fmt.Sprintf("%d pods", pods)
		}) {
			return
		}
	}
}

// awaits is false, and the test has failed, where the condition does not come to hold.
func (k *soak) awaits(what string, condition func() (bool, string)) bool {
	err := view.Await(what, soakPatience, condition)
	if err != nil {
		k.Error(err)
	}
	return err == nil
}

func (k *soak) faults() {
	random := rand.New(rand.NewSource(99))
	names := shape.NodeNames()
	for k.rest(time.Duration(3+random.Intn(8)) * time.Second) {
		var err error
		switch node := names[random.Intn(len(names))]; random.Intn(4) {
		case 0:
			k.Scheduler.Kill()
			err = k.StartScheduler()
		case 1:
			k.Relay.Cut()
			time.Sleep(time.Duration(random.Intn(3000)) * time.Millisecond)
			k.Relay.Mend()
		case 2:
			err = plane.Cordon(node, true)
			k.rest(time.Second)
			if err == nil {
				err = plane.Cordon(node, false)
			}
		case 3:
			if k.isUsed(node) {
				continue
			}
			if err = plane.DeleteNode(node); err == nil {
				k.rest(time.Second)
				err = plane.CreateNodes(shape, node)
			}
		}
		if err != nil {
			k.Error(err)
		}
		k.struck.Add(1)
	}
}

func (k *soak) isUsed(node string) bool {
	return slices.ContainsFunc(view.Pods(""), func(pod *corev1.Pod) bool { return pod.Spec.NodeName == node })
}

// calls asks for pods that wait, as a scheduler would that is faster than this one; third: of the time, which it is.
func (k *soak) calls(worker int, third func() int) {
	random := rand.New(rand.NewSource(int64(worker)))
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}, Timeout: 30 * time.Second}
	pods := append(view.Pods("never"), view.Pods("foreign")...)
	names := shape.NodeNames()
	every := time.NewTicker(time.Second * soakCallers / soakCalls)
	defer every.Stop()
	var took [3][]time.Duration
	for k.rest(0) {
		<-every.C
		from := random.Intn(len(names) - soakNames)
		body, err := json.Marshal(map[string]any{"Pod": pods[random.Intn(len(pods))],
			"NodeNames": names[from : from+soakNames]})
		if err != nil {
			k.Error(err)
			return
		}
		start := time.Now()
		response, err := client.Post(k.VerbsURL()+"/v1/extender/filter", "application/json", bytes.NewReader(body))
		if err != nil {
			k.failed.Add(1)
			continue
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			k.failed.Add(1)
		}
		now := third()
		took[now] = append(took[now], time.Since(start))
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for i := range took {
		k.took[i] = append(k.took[i], took[i]...)
	}
}

// report tells the figures, and is where the bounds stand: a fifth and 16 MiB more memory in the
// last third of the time than in the first, of a hundred calls the slowest three times and 10 ms slower; after the end, when nothing is open, 64 files and
// threads more than before it, but for the spare ones.
func (k *soak) report(before usage) {
	all := slices.Concat(k.took[:]...)
	k.Logf("%d gangs started, %d faults; %d filter calls, p50 %s, p99 %s, longest %s; %d without an answer",
		k.started.Load(), k.struck.Load(), len(all), quantile(all, 0.5), quantile(all, 0.99), quantile(all, 1),
		k.failed.Load())
	early, late := quantile(k.took[0], 0.99), quantile(k.took[2], 0.99)
	k.Logf("p99 %s in the first third, %s in the last", early, late)
	if late > 3*early+10*time.Millisecond {
		k.Errorf("filter calls become slower: p99 %s, then %s", early, late)
	}
	if k.failed.Load() > 0 {
		k.Errorf("%d calls were not answered", k.failed.Load())
	}
	third := len(k.samples) / 3
	first, last := mostMemory(k.samples[:third]), mostMemory(k.samples[2*third:])
	k.Logf("memory: %d MiB before, at most %d MiB in the first third, %d MiB in the last",
		before.memory>>20, first>>20, last>>20)
	if last > first+first/5+16<<20 {
		k.Errorf("memory grows")
	}
	var after usage
	k.awaits("what was open is closed", func() (bool, string) {
		after = k.usage()
		return after.files <= before.files+64 && after.threads <= before.threads+soakSpare+64,
			fmt.Sprintf("%d files, %d threads", after.files, after.threads)
	})
	k.Logf("files: %d before, %d after; threads: %d before, %d after", before.files, after.files,
		before.threads, after.threads)
}

func quantile(took []time.Duration, part float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(took))[int(float64(len(took)-1)*part)]
}

func mostMemory(samples []usage) uint64 {
	most := uint64(0)
	for _, one := range samples {
		most = max(most, one.memory)
	}
	return most
}
