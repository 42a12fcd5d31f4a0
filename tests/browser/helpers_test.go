package browser

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// serve runs the program by a configuration, and returns once its page answers.
func serve(t *testing.T, config string, port int) string {
	t.Helper()
	command := exec.Command(binary, "serve", "--config", config)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(syscall.SIGTERM)
		command.Wait()
	})
	address := fmt.Sprintf("http://127.0.0.1:%d/", port)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if answer, err := http.Get(address + "readyz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return address
			}
		}
	}
	t.Fatal("the program is not ready")
	return ""
}

// hoverOverMap moves the pointer to the middle of the map.
func (t *tab) hoverOverMap(ctx context.Context, target *chromedp.Target) error {
	box := value[[]float64](t, `(() => {
		const {x, y, width, height} = document.getElementById('canvas').getBoundingClientRect();
		return [x + width / 2, y + height / 3];
	})()`)
	_, err := chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0], box[1])(ctx, target)
	return err
}
