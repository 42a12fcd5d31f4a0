package scenarios

import (
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

// The scheduler calls under mutual TLS, and goes on when Gangplan's certificate is renewed. Its calls
// share connections (HTTP/2), also those that are held.
func TestMutualTLS(t *testing.T) {
	s := begin(t, harness.Options{TLS: true})
	s.must(plane.CreateJob(harness.GangJob("before", 1, "rack=pack!"), 10))
	s.runs("before", 10)
	if s.AskAsStranger() == nil {
		t.Error("who has no certificate is answered")
	}
	s.must(s.RenewCertificate())
	s.must(plane.CreateJob(harness.GangJob("after", 1, "rack=pack!"), 20))
	s.runs("after", 20)
	metrics, err := s.Metrics()
	s.must(err)
	for _, count := range []struct{ name, result string }{
		{"gangplan_tls_handshakes_total", "done"}, {"gangplan_tls_handshakes_total", "failed"},
		{"gangplan_tls_reloads_total", "done"},
	} {
		if metrics.Sum(count.name, "result", count.result) == 0 {
			t.Errorf("no %s of result %s", count.name, count.result)
		}
	}
	if done := metrics.Sum("gangplan_tls_handshakes_total", "result", "done"); done > 10 {
		t.Errorf("%v handshakes for 30 pods", done)
	}
}
