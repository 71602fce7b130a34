package objects

import (
	"fmt"

	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/yaml"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// The configuration file of the server.
const (
	// ConfigKey is the key of the ConfigMap that has the file.
	ConfigKey = "config.yaml"
	// ConfigPath is where Chroma's image reads it: its command is `chroma run /config.yaml`.
	ConfigPath = "/config.yaml"
	// DataPath is where the volume is mounted.
	DataPath = "/data"
	// Port of the server.
	Port = 8000
)

// file is the part of Chroma's configuration that we write. Chroma ignores unknown keys in silence, so that a slip of
// the pen here would show nowhere: the test with the real server holds it.
type file struct {
	Port             int32    `json:"port"`
	PersistPath      string   `json:"persist_path"`
	StdoutTracing    bool     `json:"stdout_tracing"`
	MaxPayloadSize   *int64   `json:"max_payload_size_bytes,omitempty"`
	CORSAllowOrigins []string `json:"cors_allow_origins,omitempty"`
}

// ConfigFile is the content of the configuration file.
func ConfigFile(config *chroma.Config) (string, error) {
	// Without stdout_tracing a server prints nothing but its banner and panics: not even the errors it answers with.
	content := file{Port: Port, PersistPath: DataPath, StdoutTracing: true}
	if config != nil {
		content.MaxPayloadSize = config.MaxPayloadSizeBytes
		content.CORSAllowOrigins = config.CORSAllowOrigins
	}
	out, err := yaml.Marshal(content)
	if err != nil {
		return "", fmt.Errorf("cannot write the configuration file: %w", err)
	}
	return string(out), nil
}

// ConfigMap with the configuration file.
func ConfigMap(name, namespace, content string) *applycorev1.ConfigMapApplyConfiguration {
	return applycorev1.ConfigMap(chroma.ConfigName(name), namespace).
		WithLabels(Labels(name)).
		WithData(map[string]string{ConfigKey: content})
}
