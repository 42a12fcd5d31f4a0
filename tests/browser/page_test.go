package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestFirstView(t *testing.T) {
	page := open(t, demo)
	page.await("document.querySelectorAll('.row').length >= 4")
	page.has("#summary", "320 nodes")
	page.has("#summary", "2,560 gpu")
	page.has("#levels", "rack")
	page.has("#legend", "held for a gang")
	page.has("#capacity", "largest gang now")
	page.await("document.getElementById('live').textContent === 'live'")
	// Its frame comes when the browser likes.
	page.await(`(() => {
		const {canvas, context} = gangplan.map.painter;
		const {data} = context.getImageData(0, 0, canvas.width, canvas.height);
		return new Set(new Uint32Array(data.buffer)).size >= 5;
	})()`)
	page.shoot("first")
	page.quiet()
}

func TestGangThatCannotStartIsExplained(t *testing.T) {
	page := open(t, demo)
	page.await("document.querySelectorAll('.row').length >= 4")
	page.key("/")
	page.await("document.activeElement.id === 'filter'")
	// The protocol sends the letter apart from its key, so that it comes although the key is taken.
	value[string](page, "document.activeElement.value = ''")
	page.key("default/giant")
	page.await("document.querySelectorAll('.row').length === 1")
	page.key(kb.ArrowDown)
	page.key(kb.Enter)
	page.await("document.querySelector('#why .evidence') !== null")
	page.has("#why", "96 members must share one block")
	page.has("#why", "gangplan explain default/giant")
	page.has("#why", "kubectl -n default describe job giant")
	page.await("location.hash === '#gang=default/giant&filter=default/giant'")
	page.shoot("explained")
	page.key("/")
	page.key(kb.Escape)
	page.key(kb.Escape)
	page.await("location.hash === '' && document.querySelector('#why h2').textContent.startsWith('No')")
	page.quiet()
}

func TestLinkRestoresTheView(t *testing.T) {
	page := open(t, demo+"#gang=default/finetune&level=rack&at=block-2")
	page.await("document.querySelector('#path').innerText.includes('block-2')")
	page.await("document.querySelector('#why .place') !== null")
	page.has("#why h2", "default/finetune")
	pressed := value[string](page, `document.querySelector('#levels [aria-pressed=true]').innerText`)
	if pressed != "rack" {
		t.Errorf("the level is %s", pressed)
	}
	page.shoot("link")
	page.key("l")
	page.await("location.hash === '#gang=default/finetune&at=block-2'")
	page.key("l")
	page.await("location.hash === '#gang=default/finetune&level=block&at=block-2'")
	page.quiet()
}

// Whoever changes the address, or goes back, is shown what it says.
func TestLinkIsFollowed(t *testing.T) {
	page := open(t, demo+"#gang=default/finetune&level=rack&at=block-2")
	page.await("document.querySelector('#why h2').innerText === 'default/finetune'")
	for _, link := range []string{"#gang=default/giant", "#gang=default/finetune&level=block&at=block-1"} {
		value[string](page, fmt.Sprintf("location.hash = %q", link))
		gang := strings.Split(strings.TrimPrefix(link, "#gang="), "&")[0]
		page.await(fmt.Sprintf("document.querySelector('#why h2').innerText === %q", gang))
		page.await(fmt.Sprintf("location.hash === %q", link))
	}
	page.await("document.querySelector('#levels [aria-pressed=true]').innerText === 'block'")
	value[string](page, "location.hash = ''")
	page.await("document.querySelector('#why h2').innerText.startsWith('No gang')")
	page.await("location.hash === '' && gangplan.map.at === null && gangplan.map.level === -1")
	page.quiet()
}

func TestNodesOfAGangAreLitWithTheirRanks(t *testing.T) {
	page := open(t, demo+"#gang=default/finetune&at=block-2/rack-3")
	page.await("gangplan.map.ranks.size === 8")
	lit := value[int](page, "gangplan.map.lit.reduce((sum, one) => sum + (one > 0 ? 1 : 0), 0)")
	if lit != 8 {
		t.Errorf("%d nodes are lit", lit)
	}
	if ranks := value[string](page, "[...gangplan.map.ranks.values()][0]"); ranks != "0–7" {
		t.Errorf("the first node has the ranks %s", ranks)
	}
	page.shoot("ranks")
	// Under the pointer another gang is lit.
	page.do(chromedp.Func(page.hoverOverMap))
	page.await("!document.getElementById('tip').hidden")
	page.has("#tip", "gpu")
	page.quiet()
	large := open(t, demo+"#gang=default/pretrain-next")
	large.await("gangplan.map.ranks.size === 41")
	large.shoot("lit")
}

func TestKeys(t *testing.T) {
	page := open(t, demo)
	page.await("document.querySelectorAll('.row').length >= 4")
	page.key(kb.ArrowDown)
	page.key("j")
	page.await("document.querySelectorAll('.row.cursor').length === 1")
	before := value[float64](page, "gangplan.map.camera.scale")
	page.key("+")
	page.await(fmt.Sprintf("gangplan.map.camera.scale > %f", before*1.3))
	page.key("-")
	page.key("0")
	page.await(fmt.Sprintf("Math.abs(gangplan.map.camera.scale - %f) < 0.01", before))
	page.key("m")
	page.key(kb.ArrowRight)
	page.key(kb.ArrowRight)
	page.await("!document.getElementById('tip').hidden")
	page.has("#tip", "block-2")
	page.key(kb.Enter)
	page.await("document.querySelector('#path').innerText.includes('block-2')")
	page.key(kb.ArrowRight)
	page.key(kb.Enter)
	page.await("document.querySelector('#path').innerText.includes('rack-')")
	page.shoot("keys")
	page.key("?")
	page.await("document.getElementById('keys').open")
	page.shoot("help")
	page.key(kb.Escape)
	page.await("!document.getElementById('keys').open")
	page.quiet()
}

func TestDarkAndLight(t *testing.T) {
	page := open(t, demo)
	ground := "getComputedStyle(document.body).backgroundColor"
	light := value[string](page, ground)
	page.scheme("dark")
	page.await(fmt.Sprintf("%s !== %q", ground, light))
	page.shoot("dark")
	page.key("t")
	page.key("t")
	page.await(fmt.Sprintf("%s === %q", ground, light))
	page.has("#theme", "Light")
	page.key("t")
	page.quiet()
}

func TestChangesComeByThemselves(t *testing.T) {
	page := open(t, demo)
	page.await("document.getElementById('live').textContent === 'live'")
	before := value[int](page, "gangplan.store.generation")
	page.await(fmt.Sprintf("gangplan.store.generation > %d", before))
	page.await("[...gangplan.store.gangs.values()].some((gang) => gang.name.startsWith('vision/'))")
	page.quiet()
}

// With as many streams open as there may be, the page asks now and then, and says so.
func TestWithoutAStreamThePageAsks(t *testing.T) {
	for i := 0; ; i++ {
		answer, err := http.Get(demo + "figures/live")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode == http.StatusServiceUnavailable {
			break
		}
		if i > 100 {
			t.Fatal("there is no limit")
		}
	}
	page := open(t, demo)
	page.await("document.getElementById('live').textContent.startsWith('asked')")
	before := value[int](page, "gangplan.store.generation")
	page.await(fmt.Sprintf("gangplan.store.generation > %d", before))
}

const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`

func pod(name, group string) string {
	return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":%q,"namespace":"ml","uid":%q,
		"annotations":{"gangplan.io/group":%q,"gangplan.io/size":"9"}},
		"spec":{"schedulerName":"gangplan","containers":[]},"status":{"phase":"Pending"}}`, name, name, group)
}

// serveFile runs the program on a saved cluster; settings: more of its configuration.
func serveFile(t *testing.T, objects []string, settings string) string {
	t.Helper()
	folder := t.TempDir()
	cluster, config := filepath.Join(folder, "cluster.json"), filepath.Join(folder, "config.yaml")
	port := freePort(t)
	for path, text := range map[string]string{
		cluster: fmt.Sprintf(`{"kind":"List","items":[%s]}`, strings.Join(objects, ",")),
		config: fmt.Sprintf("apiVersion: gangplan.io/v1alpha1\nkind: ExtenderConfiguration\n"+
			"server: {port: 0, probePort: %d}\ncluster: {source: file, file: %s}\n%s",
			port, cluster, settings),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return serve(t, config, port)
}

const rings = `topologies:
- {name: racks, nodes: {matchLabels: {net: racks}}, levels: [{name: rack, label: rack}]}
- {name: rings, nodes: {matchLabels: {net: rings}}, levels: [{name: ring, label: ring}]}
`

// netNode has GPUs, and stands in the domain d of its topology.
func netNode(name, net, level, gpus string) string {
	return fmt.Sprintf(`{"kind":"Node","metadata":{"name":%q,"labels":{"net":%q,%q:"d",
		"kubernetes.io/hostname":%q}},"status":{"allocatable":{"cpu":"9","pods":"9","nvidia.com/gpu":%q},
		"conditions":[{"type":"Ready","status":"True"}]}}`, name, net, level, name, gpus)
}

// netPod is one of a gang that goes to the rings; node: where it runs, "" if it waits.
func netPod(group string, rank, size int, place, node string) string {
	return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"%[1]s-%[2]d","namespace":"ml","uid":"%[1]s-%[2]d",
		"annotations":{"gangplan.io/group":%[1]q,"gangplan.io/size":"%[3]d","gangplan.io/place":%[4]q,
		"gangplan.io/topology":"rings"}},"spec":{"schedulerName":"gangplan","nodeName":%[5]q,"containers":[
		{"name":"c","resources":{"limits":{"nvidia.com/gpu":"8"}}}]},"status":{"phase":%[6]q}}`,
		group, rank, size, place, node, map[bool]string{true: "Pending", false: "Running"}[node == ""])
}

func TestSeveralTopologies(t *testing.T) {
	objects := []string{netNode("a", "racks", "rack", "8"), netNode("b", "rings", "ring", "8"),
		netNode("c", "rings", "ring", "0"), netPod("runs", 0, 1, "ring=pack!", "b")}
	for rank := range 2 {
		objects = append(objects, netPod("never", rank, 2, "ring=pack!", ""),
			netPod("later", rank, 2, "ring=pack! | after 8h: any", ""))
	}
	page := open(t, serveFile(t, objects, rings)+"#gang=ml/runs")
	page.await("document.querySelector('#why .place') !== null")
	page.do(chromedp.Click(chromedp.CSS("#why .place")))
	page.await("gangplan.map.mark !== null")
	page.await("gangplan.store.tree.path(gangplan.map.mark.level, gangplan.map.mark.index) === 'rings/d/b'")
	page.await("location.hash === '#gang=ml/runs&at=rings/d'")
	page.has("#legend", "has none")
	page.shoot("rings")
	for name, why := range map[string][2]string{
		"later": {"Waiting", "WHY IT WAITS"}, "never": {"Cannot start", "WHY IT CAN NEVER START"}} {
		value[string](page, fmt.Sprintf("location.hash = '#gang=ml/%s'", name))
		page.await(fmt.Sprintf("document.querySelector('#why h2').innerText === 'ml/%s'", name))
		page.await("document.querySelector('#why .reason') !== null")
		if told := strings.ToUpper(page.text("#why")); !strings.Contains(told, why[1]) {
			t.Errorf("of %s it says %q", name, told)
		}
		if reason := page.text("#why .reason"); !strings.HasPrefix(reason, "2 members must share one ring") {
			t.Errorf("the reason of %s is %q", name, reason)
		}
		label := fmt.Sprintf("[...document.querySelectorAll('.row')].find((row) => "+
			"row.title.startsWith('ml/%s:')).querySelector('.sign').ariaLabel", name)
		if told := value[string](page, label); told != why[0] {
			t.Errorf("%s has the sign %q", name, told)
		}
	}
	page.quiet()
}

// Of two gangs of one name each row explains its own, and a link leads to the newest.
func TestOlderGangOfAName(t *testing.T) {
	member := func(uid, node string) string {
		text := netPod("train", 0, 1, "ring=pack!", node)
		text = strings.ReplaceAll(text, `"train-0"`, fmt.Sprintf("%q", "train-0-"+uid))
		text = strings.Replace(text, `"gangplan.io/group":"train",`, "", 1)
		return strings.Replace(text, `"annotations"`, fmt.Sprintf(`"ownerReferences":[{"apiVersion":"batch/v1",`+
			`"kind":"Job","name":"train","uid":%q,"controller":true}],"annotations"`, uid), 1)
	}
	page := open(t, serveFile(t, []string{netNode("b", "rings", "ring", "8"), netNode("a", "racks", "rack", "8"),
		member("old", "b"), member("new", "")}, rings)+"#gang=ml/train")
	page.await("document.querySelectorAll('.row').length === 2")
	page.await("document.querySelector('#why .reason') !== null")
	page.has("#why .badge", "Blocked")
	older := value[int](page, "[...gangplan.store.gangs.values()].find((gang) => gang.bound === 1).id")
	page.do(chromedp.Click(chromedp.CSS(fmt.Sprintf(".row[data-id='%d']", older))))
	page.await("document.querySelector('#why .badge').innerText.includes('Running')")
	page.await("document.querySelector('#why .place') !== null")
	page.has("#why .places", "d/b")
	if value[bool](page, "document.querySelector('#why .reason') !== null") {
		t.Errorf("of the one that runs it says why it waits: %s", page.text("#why .reason"))
	}
	page.quiet()
}

// Names that are markup are shown as the letters that they are.
func TestNamesAreText(t *testing.T) {
	node := `{"kind":"Node","metadata":{"name":"n1","labels":{"kubernetes.io/hostname":"n1",
		"example.com/block":"b","example.com/rack":"<b>r"}},
		"status":{"allocatable":{"cpu":"4","pods":"10"},"conditions":[{"type":"Ready","status":"True"}]}}`
	page := open(t, serveFile(t, []string{node, pod("a", hostile)}, ""))
	page.await("document.querySelectorAll('.row').length === 1")
	page.has("#list", hostile)
	page.do(chromedp.Click(chromedp.CSS(".row")))
	page.await("document.querySelector('#why h2').textContent.includes('onerror')")
	page.await("document.querySelector('#why code') !== null")
	page.has("#why", "gangplan explain 'ml/<img")
	page.shoot("names")
	if value[bool](page, "window.hacked !== undefined || document.querySelector('#list img') !== null") {
		t.Error("a name has become markup")
	}
	page.quiet()
}

// Below another path, as kubectl proxy serves an aggregated API, the page works as at the root.
func TestBelowAnotherPath(t *testing.T) {
	const prefix = "/apis/gangplan.io/v1alpha1/page"
	target, err := url.Parse(strings.TrimSuffix(demo, "/"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(request *httputil.ProxyRequest) {
		request.SetURL(target)
	}}
	server := httptest.NewServer(http.StripPrefix(prefix, proxy))
	defer server.CloseClientConnections()
	page := open(t, server.URL+prefix+"/#gang=default/giant")
	page.await("document.getElementById('live').textContent === 'live'")
	page.await("document.querySelector('#why .evidence') !== null")
	page.quiet()
}

func TestPageIsSmall(t *testing.T) {
	total := 0
	for _, name := range []string{"", "page/main.js", "page/map.js", "page/paint.js", "page/page.css"} {
		answer, err := http.Get(demo + name)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.Header.Get("ETag") == "" || len(body) == 0 {
			t.Errorf("%q has %d bytes and the version %q", name, len(body), answer.Header.Get("ETag"))
		}
		total += len(body)
	}
	t.Logf("the five largest files of the page: %d bytes", total)
}
