package scenarios

import (
	"fmt"
	"testing"

	"gangplan.io/tests/end_to_end/harness"
)

const podSetPlaceWord = "gangplan.io/pod-set-place"

// role is one Job of a gang of several: its size, and where it may go by itself.
type role struct {
	name  string
	count int
	gpus  int
	place string
}

// createRoles makes the Jobs of one gang, which all ask for one block.
func (s scenario) createRoles(group string, roles []role) {
	s.Helper()
	sets := ""
	for i, one := range roles {
		if i > 0 {
			sets += ","
		}
		sets += fmt.Sprintf("%s=%d", one.name, one.count)
	}
	for _, one := range roles {
		words := map[string]string{
			"gangplan.io/group":    group,
			"gangplan.io/pod-sets": sets,
			"gangplan.io/pod-set":  one.name,
			harness.PlaceKey:       "block=pack!",
		}
		if one.place != "" {
			words[podSetPlaceWord] = one.place
		}
		s.must(plane.CreateJob(harness.WordedJob(group+"-"+one.name, one.gpus, words), one.count))
	}
}

// domainsOf are the different ones in which the pods of a batch are.
func domainsOf(name string, of func(string) string) map[string]bool {
	found := map[string]bool{}
	for _, pod := range view.Bound(name) {
		found[of(pod.Spec.NodeName)] = true
	}
	return found
}

// Three roles with rules of their own and one for the whole: placed, kept when members are lost and
// Gangplan starts anew, and a set that cannot keep its rule keeps all of them waiting.
func TestRolesWithRulesOfTheirOwn(t *testing.T) {
	s := begin(t, harness.Options{})
	roles := []role{{"driver", 1, 1, ""}, {"loaders", 6, 1, "node=spread!"},
		{"workers", 24, 2, "rack=pack!"}}
	s.createRoles("ring", roles)
	check := func(when string) {
		s.Helper()
		blocks := map[string]bool{}
		for _, one := range roles {
			s.waitBound("ring-"+one.name, one.count)
			for block := range domainsOf("ring-"+one.name,
				func(node string) string { return domain(node)[0] }) {
				blocks[block] = true
			}
		}
		if len(blocks) != 1 {
			s.Errorf("%s: the gang is in %d blocks: %v", when, len(blocks), blocks)
		}
		if racks := domainsOf("ring-workers", rackOf); len(racks) != 1 {
			s.Errorf("%s: the workers are in %d racks: %v", when, len(racks), racks)
		}
		if nodes := domainsOf("ring-loaders", nodeOf); len(nodes) != 6 {
			s.Errorf("%s: six loaders are on %d nodes: %v", when, len(nodes), nodes)
		}
	}
	check("at the start")
	s.checkExplain("ring", "block=pack!; of loaders: node=spread!; of workers: rack=pack!")

	s.Gangplan.Kill()
	s.must(s.StartGangplan())
	for _, name := range []string{"ring-workers", "ring-loaders"} {
		lost := view.Bound(name)[0]
		s.must(plane.DeletePod(lost.Name))
		view.Wait(s, "a pod of "+name+" is made anew and bound", func() (bool, string) {
			for _, pod := range view.Bound(name) {
				if pod.UID == lost.UID {
					return false, lost.Name + " is still there"
				}
			}
			return true, ""
		})
	}
	check("after members were lost")

	// No rack holds as many workers, though a block does.
	wide := []role{{"driver", 1, 1, ""}, {"workers", 50, 2, "rack=pack!"}}
	s.createRoles("wide", wide)
	s.waitTold("wide-workers", 50, "workers: rack=pack!")
	s.waitTold("wide-driver", 1, "workers: rack=pack!")
}

// The example, as people apply it.
func TestRolesExample(t *testing.T) {
	s := begin(t, harness.Options{})
	s.must(plane.ApplyExample("roles.yaml", ""))
	s.waitBound("ring-workers", 16)
	s.waitBound("ring-loaders", 4)
	s.waitBound("ring-driver", 1)
	if racks := domainsOf("ring-workers", rackOf); len(racks) != 1 {
		s.Errorf("the workers are in %d racks: %v", len(racks), racks)
	}
	if nodes := domainsOf("ring-loaders", nodeOf); len(nodes) != 4 {
		s.Errorf("four loaders are on %d nodes: %v", len(nodes), nodes)
	}
}
