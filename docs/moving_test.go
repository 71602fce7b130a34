package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var jsonName = regexp.MustCompile(`json:"([a-zA-Z]+)`)

// theirs are the names that the original operator documents.
func theirs() map[string][]string {
	return map[string][]string{
		"condition": {"Ready", "Reconciled", "UpgradeBlocked", "PostgresReady", "ObjectStorageReady", "Repaired"},
		"reason": {
			"PodReady", "NameConflict", "PodRefused", "ServiceRefused", "CrashLoopBackOff", "Downgrade", "ImageNotAllowed", "UnknownProduct", "ProductMismatch",
			"ProductChange", "ProductChangeNotKnown", "ProductChangeAllowed", "UpgradeNotKnown", "DataVersionUnknown", "ApiError", "Error",
			"DistributedNamespaceTaken", "SecretNotFound", "KeyMissing", "Unreachable", "AuthenticationFailed", "DatabaseNotFound", "BucketNotFound",
			"AccessDenied", "VirtualHostNotResolvable", "WorkQueueRestarted", "SysdbLeaderLost",
		},
		"annotation": {"allow-downgrade", "allow-product-change", "declared-data-version", "data-product", "admitted-image"},
		"finalizer":  {"claimfinalizer"},
		"setting":    {"CHROMA_DEFAULT_IMAGE", "CHROMA_ALLOWED_IMAGES", "chroma-operator-leader"},
		"field": {
			"mode", "image", "product", "imagePullPolicy", "storage.size", "storage.storageClass", "resources", "config", "service", "pvcDeletionPolicy",
			"nodeSelector", "tolerations", "priorityClassName", "distributed", "phase", "dataVersion", "dataProduct", "recoveryImage", "dataVersionUnknown",
			"dataVersionUnknownIncident", "endpoint", "pod", "pvc", "observedGeneration", "version", "versionHistory", "components",
		},
	}
}

// parsed source of the API's types.
func parsed(t *testing.T, name string) *ast.File {
	t.Helper()
	out, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "apis", "chroma", "v1alpha1", name), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// annotationsOf the API: constants that begin with Annotation and are made of the group and a name.
func annotationsOf(t *testing.T) []string {
	t.Helper()
	var out []string
	ast.Inspect(parsed(t, "metadata.go"), func(n ast.Node) bool {
		declared, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range declared.Names {
			if !strings.HasPrefix(name.Name, "Annotation") {
				continue
			}
			if sum, ok := declared.Values[i].(*ast.BinaryExpr); ok {
				text, err := strconv.Unquote(sum.Y.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, strings.TrimPrefix(text, "/"))
			}
		}
		return true
	})
	return out
}

// fieldsOf a type, as they are written in a manifest.
func fieldsOf(t *testing.T, file, kind string) []string {
	t.Helper()
	var out []string
	ast.Inspect(parsed(t, file), func(n ast.Node) bool {
		declared, ok := n.(*ast.TypeSpec)
		if !ok || declared.Name.Name != kind {
			return true
		}
		for _, field := range declared.Type.(*ast.StructType).Fields.List {
			out = append(out, jsonName.FindStringSubmatch(field.Tag.Value)[1])
		}
		return true
	})
	return out
}

// TestThePageForPeopleWhoMoveHasEveryName: those of the original operator, and every annotation and field of ours.
func TestThePageForPeopleWhoMoveHasEveryName(t *testing.T) {
	page, err := os.ReadFile("moving.md")
	if err != nil {
		t.Fatal(err)
	}
	names := theirs()
	names["annotation of ours"] = annotationsOf(t)
	names["field of our spec"] = fieldsOf(t, "chroma.go", "ChromaSpec")
	names["field of our status"] = fieldsOf(t, "status.go", "ChromaStatus")
	for kind, list := range names {
		if len(list) == 0 {
			t.Errorf("no %s was found", kind)
		}
		for _, name := range list {
			if name == "conditions" {
				continue // They have a table of their own.
			}
			// Names stand alone, before a value, or at the head of a path.
			if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(page), "`"+name+": ") && !strings.Contains(string(page), "`"+name+".") {
				t.Errorf("the page lacks the %s %s", kind, name)
			}
		}
	}
}
