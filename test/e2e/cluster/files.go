//go:build linux

package cluster

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

//go:embed files/*
var templates embed.FS

// values of the components' configuration files.
type values struct {
	Folder, Node, Address, Registry string
	ServiceRange, PodRange, DNS     string
	CgroupRoot, ContainerdSocket    string
	CgroupV1                        bool
}

// writeFiles that configure the components.
func writeFiles(folder string) error {
	parsed, err := template.ParseFS(templates, "files/*")
	if err != nil {
		return fmt.Errorf("cannot read the configuration files: %w", err)
	}
	with := values{
		Folder: folder, Node: NodeName, Address: Address, Registry: Registry,
		ServiceRange: serviceRange, PodRange: podRange, DNS: dnsAddress,
		CgroupRoot: "/" + cgroupName(folder), ContainerdSocket: containerdSocket, CgroupV1: !unified(),
	}
	for name, path := range map[string]string{
		"audit.yaml":      "audit.yaml",
		"containerd.toml": "containerd.toml",
		"hosts.toml":      "registries/_default/hosts.toml",
		"kubelet.yaml":    "kubelet.yaml",
		"network.json":    "network/10-e2e.conflist",
		"proxy.yaml":      "proxy.yaml",
		"resolv.conf":     "resolv.conf",
	} {
		if err := write(parsed.Lookup(name), with, filepath.Join(folder, path)); err != nil {
			return err
		}
	}
	return nil
}

func write(from *template.Template, with values, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot make the folder of a configuration file: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("cannot make a configuration file: %w", err)
	}
	if err := from.Execute(file, with); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}
