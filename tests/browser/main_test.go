// Package browser tests the page as people use it: a real program, a headless Chromium, keys and
// pointer. Each test has a tab of its own; a picture of each view is left for people to look at.
package browser

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

const patience = 60 * time.Second

var (
	binary  = os.Getenv("GANGPLAN_BINARY")
	shots   = os.Getenv("GANGPLAN_SHOTS")
	browser context.Context
	demo    string // the address of the demo's page, which all tests share
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.WindowSize(1440, 900))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	var close context.CancelFunc
	browser, close = chromedp.NewContext(allocator)
	defer close()
	if err := chromedp.Do(browser, chromedp.Navigate("about:blank")); err != nil {
		fmt.Fprintln(os.Stderr, "Chromium does not start:", err)
		return 1
	}
	address, stop, err := start("demo", "--serve", "--no-color")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer stop()
	demo = address
	return m.Run()
}

var page = regexp.MustCompile(`http://127\.0\.0\.1:\d+/?`)

// start runs the program and returns the address of the page that it tells.
func start(arguments ...string) (string, func(), error) {
	command := exec.Command(binary, arguments...)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop := func() {
		command.Process.Signal(syscall.SIGINT)
		command.Wait()
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address := page.FindString(lines.Text()); address != "" {
			go func() {
				for lines.Scan() {
				}
			}()
			return strings.TrimSuffix(address, "/") + "/", stop, nil
		}
	}
	stop()
	return "", nil, fmt.Errorf("gangplan %s told no address", strings.Join(arguments, " "))
}

// tab is one page in the browser, and what its console has said.
type tab struct {
	*testing.T
	context.Context
	mutex sync.Mutex
	said  []string
}

func open(t *testing.T, address string) *tab {
	t.Helper()
	ctx, close := chromedp.NewContext(browser)
	ctx, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(func() { cancel(); close() })
	opened := &tab{T: t, Context: ctx}
	opened.do(chromedp.Navigate("about:blank"))
	messages := chromedp.Console(ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			opened.mutex.Lock()
			opened.said = append(opened.said, fmt.Sprintf("%+v", message))
			opened.mutex.Unlock()
		}
	}()
	opened.do(chromedp.Navigate(address))
	opened.await("window.gangplan?.map.firstPaint !== undefined")
	return opened
}

// quiet fails when the page has told its console anything, such as a breach of its policy.
func (t *tab) quiet() {
	t.Helper()
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.said) > 0 {
		t.Errorf("the console says %q", t.said)
	}
}

func (t *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.Context, actions...); err != nil {
		t.Fatal(err)
	}
}

// await waits until a JavaScript expression is true.
func (t *tab) await(condition string) {
	t.Helper()
	if _, err := chromedp.Run(t.Context, chromedp.Poll[bool](condition)); err != nil {
		told, _ := chromedp.Run(t.Context, chromedp.Evaluate[string]("document.body.innerText"))
		t.Fatalf("%v: never %s; the page says %q", err, condition, told)
	}
}

func value[V any](t *tab, expression string) V {
	t.Helper()
	result, err := chromedp.Run(t.Context,
		chromedp.Evaluate[V](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return result
}

func (t *tab) text(selector string) string {
	t.Helper()
	return value[string](t, fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

func (t *tab) has(selector, part string) {
	t.Helper()
	if told := t.text(selector); !strings.Contains(told, part) {
		t.Errorf("%s says %q; expected %q in it", selector, told, part)
	}
}

func (t *tab) key(keys string) {
	t.Helper()
	t.do(chromedp.KeyEvent(keys))
}

func (t *tab) scheme(scheme string) {
	t.Helper()
	_, err := chromedp.Call(t.Context, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	if err != nil {
		t.Fatal(err)
	}
}

// shoot leaves a picture of the page as it is, once all that moves has arrived.
func (t *tab) shoot(name string) {
	t.Helper()
	t.await("gangplan.map.camera.move === null && !gangplan.map.wanted")
	picture, err := chromedp.Run(t.Context, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shots, "page-"+name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}
