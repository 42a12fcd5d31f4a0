package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
)

// Download reads a whole list as JSON and keeps nothing of it: the bytes of its bodies. Pages are of
// `limit` items; 0 asks for one page of all.
func (c *ControlPlane) Download(ctx context.Context, path string, limit int) (int64, error) {
	client, err := c.plainClient()
	if err != nil {
		return 0, err
	}
	defer client.CloseIdleConnections()
	total, next := int64(0), ""
	for {
		query := url.Values{}
		if limit > 0 {
			query.Set("limit", fmt.Sprint(limit))
		}
		if next != "" {
			query.Set("continue", next)
		}
		size, more, err := c.page(ctx, client, path+"?"+query.Encode())
		total += size
		if err != nil || more == "" {
			return total, err
		}
		next = more
	}
}

// plainClient is HTTP/1.1 without compression.
func (c *ControlPlane) plainClient() (*http.Client, error) {
	root, err := os.ReadFile(c.authority.rootFile)
	if err != nil {
		return nil, err
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(root) {
		return nil, errors.New("the root certificate cannot be read")
	}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted}, DisableCompression: true}}, nil
}

// page is how long it is, and the token of the next one.
func (c *ControlPlane) page(ctx context.Context, client *http.Client, target string) (int64, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url()+target, nil)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Authorization", "Bearer "+adminToken)
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, "", fmt.Errorf("%s: status %d", target, response.StatusCode)
	}
	head := make([]byte, 4096)
	start, err := io.ReadFull(response.Body, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return int64(start), "", err
	}
	rest, err := io.Copy(io.Discard, response.Body)
	return int64(start) + rest, continueToken(head[:start]), err
}

// continueToken is in the list's metadata, which stand before its items.
func continueToken(head []byte) string {
	_, rest, found := bytes.Cut(head, []byte(`"metadata":`))
	if !found {
		return ""
	}
	var metadata struct {
		Continue string `json:"continue"`
	}
	json.NewDecoder(bytes.NewReader(rest)).Decode(&metadata) // what cannot be read has no token
	return metadata.Continue
}
