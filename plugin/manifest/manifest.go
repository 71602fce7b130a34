// Package manifest reads Kubernetes objects from files, folders and standard input, with the code kubectl reads them with.
package manifest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"
)

// standardInput is the file name that means it, as for kubectl.
const standardInput = "-"

// An Object and where it was read from.
type Object struct {
	*unstructured.Unstructured
	Source string
}

// String names the object for messages.
func (o Object) String() string {
	name := o.GetName()
	if o.GetNamespace() != "" {
		name = o.GetNamespace() + "/" + name
	}
	return fmt.Sprintf("%s: %s %s", o.Source, o.GetKind(), name)
}

// Read the objects in files and folders, "-" for standard input. It reads on after an error, and reports all of them.
func Read(stdin io.Reader, recursive bool, names ...string) ([]Object, error) {
	builder := resource.NewLocalBuilder().Unstructured().ContinueOnError().Flatten()
	var files []string
	for _, name := range names {
		switch {
		case name == standardInput:
			builder = builder.Stream(stdin, "standard input")
		case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
			return nil, fmt.Errorf("cannot read %s: addresses are not followed; download the file first", name)
		default:
			files = append(files, name)
		}
	}
	if len(files) > 0 {
		builder = builder.FilenameParam(false, &resource.FilenameOptions{Filenames: files, Recursive: recursive})
	}

	var out []Object
	err := builder.Do().Visit(func(info *resource.Info, err error) error {
		if err != nil {
			return err
		}
		object, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("%s: cannot read a %T", info.Source, info.Object)
		}
		if object.GetName() == "" {
			return fmt.Errorf("%s: %s has no name: set metadata.name", info.Source, object.GetKind())
		}
		out = append(out, Object{Unstructured: object, Source: info.Source})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the objects: %w", err)
	}
	if len(out) == 0 {
		return nil, errors.New("cannot read the objects: the files have none")
	}
	return out, nil
}
