//go:build e2e && linux

package e2e

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// Exit codes of the plugin.
const (
	fine      = 0
	misused   = 2
	refused   = 3
	unhealthy = 4
)

// pluginProgram of this module, built when it is first needed.
func (e *environment) pluginProgram(ctx context.Context) (string, error) {
	e.plugin.Do(func() {
		folder, err := os.MkdirTemp("", "e2e-plugin-")
		if err != nil {
			e.pluginError = fmt.Errorf("cannot make the plugin's folder: %w", err)
			return
		}
		e.pluginPath = filepath.Join(folder, "kubectl-chroma")
		e.pluginError = e.goBuild(ctx, e.pluginPath, "./plugin")
	})
	return e.pluginPath, e.pluginError
}

// run kubectl chroma in the scene's namespace. It has to exit with a code.
func (s *scene) chromaCommand(code int, arguments ...string) string {
	s.Helper()
	program, err := s.pluginProgram(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	began := time.Now()
	output, err := s.run(s.Context(), nil, program, append(arguments, "-n", s.namespace)...)
	got := 0
	if exited := (*exec.ExitError)(nil); errors.As(err, &exited) {
		got = exited.ExitCode()
	} else if err != nil {
		s.Fatal(err)
	}
	s.sayf("%s: kubectl chroma %s: exit code %d after %.1f s", s.Name(), strings.Join(arguments, " "), got, time.Since(began).Seconds())
	if got != code {
		s.Fatalf("kubectl chroma %s exits with %d, not %d:\n%s", strings.Join(arguments, " "), got, code, output)
	}
	return output
}

// says fails when the output lacks one of the texts.
func (s *scene) says(output string, texts ...string) {
	s.Helper()
	for _, text := range texts {
		if !strings.Contains(output, text) {
			s.Errorf("the output lacks %q:\n%s", text, output)
		}
	}
}

// TestPlugin leads one Chroma through its life with the plugin alone.
func TestPlugin(t *testing.T) {
	s := newScene(t, 2)
	s.apply(manifest("demo", "1.4.1", nil))
	s.says(s.chromaCommand(fine, "status", "demo", "-w"), "demo  Ready", "1.4.1")
	s.write("demo")

	t.Log("Looking")
	s.says(s.chromaCommand(fine, "status", "-A"), s.namespace, "1.4.1", "Ready")
	status := map[string]any{}
	if err := json.Unmarshal([]byte(s.chromaCommand(fine, "status", "demo", "-o", "json")), &status); err != nil || status["kind"] == nil {
		t.Errorf("status -o json: %v: %v", err, status)
	}
	s.says(s.chromaCommand(fine, "explain", "demo"), "PodReady")
	s.says(s.chromaCommand(fine, "explain", "DowngradeChangesFormat"), "reads another data format")
	s.says(s.chromaCommand(fine, "check", "demo"), "a collection was created, written to and removed", "Rights of Crossplane")
	s.says(s.chromaCommand(fine, "endpoint", "demo"), chroma.Endpoint("demo", s.namespace))
	s.says(s.chromaCommand(fine, "tree", "demo"), chroma.PodName("demo"), chroma.ServiceName("demo"), chroma.ClaimName("demo"))
	s.says(s.chromaCommand(fine, "logs", "demo"), "Connect to")
	s.says(s.chromaCommand(fine, "events", "demo"), chroma.PodName("demo"))
	s.says(s.chromaCommand(fine, "version"), "unction")
	s.forward("demo", "/api/v2/heartbeat", "heartbeat")

	t.Log("Upgrading")
	s.says(s.chromaCommand(fine, "upgrade", "check", "demo", "--image", image("1.5.9")), "1.5.9")
	s.says(s.chromaCommand(refused, "upgrade", "check", "demo", "--image", image("1.1.1")), "DowngradeChangesFormat")
	s.says(s.chromaCommand(refused, "upgrade", "plan", "demo", "--image", image("1.1.1")), "DowngradeChangesFormat")
	s.chromaCommand(refused, "upgrade", "apply", "demo", "--image", image("1.1.1"), "--yes")
	s.says(s.chromaCommand(fine, "upgrade", "apply", "demo", "--image", image("1.5.9"), "--wait", "--yes"), "1.5.9")
	s.settledNow("demo", "1.5.9")
	s.verify("demo")

	t.Log("Restarting")
	before := s.pod("demo").UID
	s.chromaCommand(fine, "restart", "demo", "--yes")
	s.wait("another Pod", patience, func() (string, bool) {
		pod := s.pod("demo")
		return "", pod != nil && pod.UID != before
	})
	s.waitReady("demo", "1.5.9")

	t.Log("Going back")
	s.apply(manifest("demo", "1.5.0", nil))
	s.waitCondition("demo", "UpgradeBlocked", "True", "Downgrade")
	s.says(s.chromaCommand(fine, "status", "demo"), "Downgrade", "kubectl chroma allow downgrade -n "+s.namespace+" demo")
	s.chromaCommand(fine, "allow", "downgrade", "demo", "--yes")
	s.waitReady("demo", "1.5.0")
	s.chromaCommand(fine, "allow", "downgrade", "demo", "--revoke")
	if got := s.chroma("demo").Annotations[chroma.AnnotationAllowDowngrade]; got != "" {
		t.Errorf("the permission is not revoked: %q", got)
	}
	s.verify("demo")

	t.Log("An incident")
	s.kubectl("set", "image", "pod/"+chroma.PodName("demo"), "chroma="+repository+":latest")
	s.wait("an incident", patience, func() (string, bool) {
		got := s.chroma("demo").Status.DataVersionUnknownIncident
		return got, got != ""
	})
	s.says(s.chromaCommand(fine, "incident", "list", "-A"), s.namespace, "demo")
	s.says(s.chromaCommand(fine, "incident", "show", "demo"), s.chroma("demo").Status.DataVersionUnknownIncident)
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitCondition("demo", "UpgradeBlocked", "True", "DataVersionUnknown")
	s.chromaCommand(fine, "incident", "declare", "demo", "--version", "1.5.9", "--yes")
	s.waitReady("demo", "1.5.9")
	s.verify("demo")

	t.Log("A report")
	archive := filepath.Join(t.TempDir(), "report.zip")
	s.chromaCommand(fine, "report", "demo", "-f", archive)
	s.checkReport(archive, "chroma-demo", "pod-demo-1")

	t.Log("Deleting, and taking the claim again")
	uid := s.claim("demo").UID
	s.says(s.chromaCommand(fine, "delete", "demo", "--keep-data", "--wait", "--yes"), chroma.ClaimName("demo"))
	if claim := s.claim("demo"); claim == nil || claim.UID != uid || s.chroma("demo") != nil {
		t.Fatal("the claim is lost, or the Chroma is there")
	}
	s.waitGone("demo") // The Pod still holds the claim.
	s.says(s.chromaCommand(fine, "claims", "--unused"), chroma.ClaimName("demo"), "1.5.9")
	s.chromaCommand(fine, "adopt", chroma.ClaimName("demo"), "--as", "demo", "--yes")
	s.apply(manifest("demo", "1.5.9", nil))
	s.waitReady("demo", "1.5.9")
	s.verify("demo")

	t.Log("Losing the claim")
	s.kubectl("delete", "pvc", chroma.ClaimName("demo"), "--wait=false")
	s.kubectl("delete", "pod", chroma.PodName("demo"), "--wait=false")
	s.waitCondition("demo", "ServerReady", "False", "ClaimLost")
	s.chromaCommand(fine, "accept-claim", "demo", "--new", "--yes")
	s.waitReady("demo", "1.5.9")
	s.says(s.chromaCommand(fine, "delete", "demo", "--delete-data", "--wait", "--yes"), chroma.ClaimName("demo"))
	// It is on its way out until the Pod has ended.
	s.wait("claim gone", time.Minute, func() (string, bool) { return "it is there", s.claim("demo") == nil })
}

// settledNow fails unless the Chroma is Ready with a version: a command has said so.
func (s *scene) settledNow(name, version string) {
	s.Helper()
	if seen, settled := s.settled(name, image(version)); !settled {
		s.Errorf("%s is not Ready with %s: %s", name, version, seen)
	}
}

// TestInstall has the API server check what kubectl chroma install prints, without changing anything.
func TestInstall(t *testing.T) {
	s := newScene(t, 0)
	program, err := s.pluginProgram(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"install"}, {"install", "--claims"}} {
		text, err := s.run(t.Context(), nil, program, append(arguments, "--version", release)...)
		if err != nil {
			t.Fatal(err)
		}
		output, err := s.run(t.Context(), []byte(text), "kubectl", "apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-")
		if err != nil {
			t.Error(err)
		}
		s.says(output, "clusterrole.rbac.authorization.k8s.io/function-chroma:crossplane", "validatingadmissionpolicy", "configuration.pkg.crossplane.io/configuration-chroma", "deploymentruntimeconfig")
	}
}

// forward a port with the plugin and ask the server through it. Its answer has to have a text.
func (s *scene) forward(name, path, text string) {
	s.Helper()
	program, err := s.pluginProgram(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	cmd := s.command(ctx, program, "port-forward", name, "--port", "0", "--address", "127.0.0.1", "-n", s.namespace)
	output, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	found := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line)
	if err != nil || found == "" {
		s.Fatalf("port-forward says %q: %v", line, err)
	}
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DialContext: s.dial, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+found+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		s.Fatalf("cannot reach the server through %s: %v", found, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), text) {
		s.Errorf("through the forwarded port the server answers %s %q: %v", response.Status, body, err)
	}
	cancel()
	_ = cmd.Wait() // It was killed.
	s.sayf("%s: asked the server through %s", s.Name(), found)
}

// dial as commands do: from the node, where there is one.
func (e *environment) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if e.node != nil {
		return e.node.DialContext(ctx, network, address)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// checkReport opens the archive: it has what a person would ask for, the given files among it, and no secret.
func (s *scene) checkReport(archive string, files ...string) {
	s.Helper()
	reader, err := zip.OpenReader(archive)
	if err != nil {
		s.Fatalf("cannot open the report: %v", err)
	}
	defer reader.Close()
	var names []string
	for _, file := range reader.File {
		names = append(names, file.Name)
		content, err := fs.ReadFile(reader, file.Name)
		if err != nil {
			s.Fatalf("cannot read the report: %v", err)
		}
		for _, secret := range []string{postgresPassword, storeKey, storeSecret} {
			if strings.Contains(string(content), secret) {
				s.Errorf("%s of the report has the secret %s", file.Name, secret)
			}
		}
	}
	s.says(strings.Join(names, "\n"), append(files, "status.txt", "events.yaml", "version.yaml")...)
	s.sayf("%s: the report has %d files", s.Name(), len(names))
}
