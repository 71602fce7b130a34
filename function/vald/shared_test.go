package vald

import (
	"os"
	"path/filepath"
	"testing"
)

// shared is the folder with recordings of the Vald Operator: beside the repository, or where CHROMA_SHARED says.
func shared(tb testing.TB) string {
	tb.Helper()
	folder := os.Getenv("CHROMA_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared")
	}
	folder = filepath.Join(folder, "vald")
	if _, err := os.Stat(folder); err != nil {
		tb.Skipf("the recordings of the Vald Operator are not here: %v", err)
	}
	return folder
}
