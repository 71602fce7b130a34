// Command generate writes schema.json from the CustomResourceDefinition of ValdRelease:
//
//	go run ./function/vald/release/generate valdrelease.yaml > function/vald/release/schema.json
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("cannot choose a CustomResourceDefinition: give one file")
	}
	crd, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("cannot read the CustomResourceDefinition: %w", err)
	}
	schema, err := encode(crd)
	if err != nil {
		return err
	}
	if _, err := os.Stdout.Write(schema); err != nil {
		return fmt.Errorf("cannot write the schema: %w", err)
	}
	return nil
}
