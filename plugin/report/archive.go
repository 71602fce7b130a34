package report

import (
	"archive/zip"
	"fmt"
	"path"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// archive writes files into the zip.
type archive struct {
	zip *zip.Writer
	now time.Time
	redactor
}

func (a archive) file(name string, content []byte) error {
	writer, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.now})
	if err != nil {
		return fmt.Errorf("cannot add %s to the archive: %w", name, err)
	}
	_, err = writer.Write(content)
	return err
}

func (a archive) document(name string, value any) error {
	text, err := yaml.Marshal(value)
	if err != nil {
		return fmt.Errorf("cannot encode %s: %w", name, err)
	}
	return a.file(name, text)
}

// objects in a folder, without what can be secret.
func (a archive) objects(folder string, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		name := strings.ToLower(object.GetKind()) + "-" + object.GetName() + ".yaml"
		if err := a.document(path.Join(folder, name), a.object(object).Object); err != nil {
			return err
		}
	}
	return nil
}
