//go:build e2e && linux

package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// auditedNamespace is the one whose writes the audit log has with what came of them.
const auditedNamespace = "e2e-audited"

// A write that the API server took, as its audit log tells it.
type write struct {
	Verb string `json:"verb"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	Object struct {
		Resource    string `json:"resource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
		APIGroup    string `json:"apiGroup"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	Response struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	// Answer is what the API server sent back, where the policy has it logged.
	Answer struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	} `json:"responseObject"`
	URI string           `json:"requestURI"`
	At  metav1.MicroTime `json:"stageTimestamp"`
}

// written in the scene's namespace since a time, oldest first. Dry runs and what was refused are left out.
func (s *scene) written(since time.Time) []write {
	s.Helper()
	file, err := os.Open(filepath.Join(s.node.Folder(), "log", "audit.log"))
	if err != nil {
		s.Fatalf("cannot read the audit log: %v", err)
	}
	defer file.Close()
	var out []write
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		w := write{}
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			continue // The line that is being written.
		}
		if w.Object.Namespace == s.namespace && w.Response.Code < http.StatusBadRequest && w.At.After(since) && !strings.Contains(w.URI, "dryRun=") {
			out = append(out, w)
		}
	}
	if err := lines.Err(); err != nil {
		s.Fatalf("cannot read the audit log: %v", err)
	}
	return out
}
