// Command generate writes everything that follows from the Go types of the API: the deep copies, the XRDs and
// Compositions, and the schema of the composition step's Input.
//
//	go generate ./apis/...
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run .

func main() {
	if err := run(filepath.Join("..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run writes the generated files below the root of the module.
func run(root string) error {
	files, err := Files(root)
	if err != nil {
		return err
	}
	for path, content := range files {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return fmt.Errorf("cannot make the folder of %s: %w", path, err)
		}
		if err := os.WriteFile(full, content, 0o644); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
	}
	return nil
}
