// Command generate writes docs/compatibility.md from the tables of package compatibility.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	document, err := render()
	if err == nil {
		err = os.WriteFile(os.Args[1], document, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot write the document:", err)
		os.Exit(1)
	}
}
