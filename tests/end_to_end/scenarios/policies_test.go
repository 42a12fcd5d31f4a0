package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"

	"gangplan.io/tests/end_to_end/harness"
)

const policiesPath = "/apis/admissionregistration.k8s.io/v1/"

// needsPolicies skips where the server does not know admission policies that change objects.
func needsPolicies(t *testing.T) {
	t.Helper()
	if !servesPolicies(t) {
		t.Skip("admission policies that change objects are served by default from 1.36 on")
	}
}

func servesPolicies(t *testing.T) bool {
	t.Helper()
	version, err := plane.Client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	return version.Minor >= "36"
}

// applyPolicy makes what a file of examples/ says, until the test ends or the function that it
// returns is called. It is in force a while later: see inForce.
func (s scenario) applyPolicy(file string) func() {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(plane.Env.Examples, file))
	s.must(err)
	return s.applyPolicies(text)
}

// applyPolicies is applyPolicy of what such a file says.
func (s scenario) applyPolicies(text []byte) func() {
	s.Helper()
	client := plane.Client.AdmissionregistrationV1().RESTClient()
	var made []string
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var object map[string]any
		if err := documents.Decode(&object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			s.Fatal(err)
		}
		resource := map[string]string{
			"MutatingAdmissionPolicy":          "mutatingadmissionpolicies",
			"MutatingAdmissionPolicyBinding":   "mutatingadmissionpolicybindings",
			"ValidatingAdmissionPolicy":        "validatingadmissionpolicies",
			"ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
		}[object["kind"].(string)]
		body, err := json.Marshal(object)
		s.must(err)
		s.must(client.Post().AbsPath(policiesPath + resource).Body(body).Do(context.Background()).Error())
		name := object["metadata"].(map[string]any)["name"].(string)
		made = append(made, policiesPath+resource+"/"+name)
	}
	remove := func() {
		for _, path := range made {
			client.Delete().AbsPath(path).Do(context.Background())
		}
		made = nil
	}
	s.Cleanup(remove)
	return remove
}

// inForce waits until what is tried shows the policy, or that it is gone.
func (s scenario) inForce(what string, try func() (bool, error)) {
	s.Helper()
	s.must(harness.Eventually(what, func() error {
		there, err := try()
		if err == nil && !there {
			err = errors.New("not yet")
		}
		return err
	}))
}
