package main

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// An addition to a section of a config file, as YAML. Keys that exist are kept, and added to where they are maps.
type addition struct{ section, keys string }

// workerAdditions are what the services read flat and the file nests below grpc, so that they would fall back to
// addresses in the namespace chroma, and the credentials of the garbage collector, which the file leaves out.
func workerAdditions() []addition {
	return []addition{
		{"compaction_service", "work_queue: {host: work-queue-service.chroma, port: 50051}"},
		{"fn_consumer_service", "fn_consumer: {work_queue: {host: work-queue-service.chroma, port: 50051}}"},
		{"query_service", "mcmr_sysdb: {host: sysdb.chroma, port: 50051}"},
		{"garbage_collector", "storage_config: {s3: {credentials: AWS}}"},
	}
}

// editConfig of Chroma for a Chroma. It edits nodes, not text, since crate names and paths have the same words as hosts,
// and not decoded values, since 1.0 would turn into 1.
func editConfig(text []byte, values chart.Values, additions []addition) (string, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return "", fmt.Errorf("cannot read it: %w", err)
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return "", errors.New("cannot read it: it is not a map")
	}
	config := document.Content[0]
	for _, added := range additions {
		var keys yaml.Node
		if err := yaml.Unmarshal([]byte(added.keys), &keys); err != nil {
			return "", fmt.Errorf("cannot add to %s: %w", added.section, err)
		}
		section := child(config, added.section)
		if section == nil {
			return "", fmt.Errorf("cannot add to %s: there is no such section", added.section)
		}
		add(section, keys.Content[0])
	}
	edit(config, "", values)
	edited, err := yaml.Marshal(&document)
	if err != nil {
		return "", fmt.Errorf("cannot encode it: %w", err)
	}
	return string(edited), nil
}

// child of a map. Nil: it has none of that name.
func child(parent *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(parent.Content); i += 2 {
		if parent.Content[i].Value == name {
			return parent.Content[i+1]
		}
	}
	return nil
}

// add the keys of one map to another.
func add(to, from *yaml.Node) {
	for i := 0; i+1 < len(from.Content); i += 2 {
		existing := child(to, from.Content[i].Value)
		switch {
		case existing == nil:
			to.Content = append(to.Content, from.Content[i], from.Content[i+1])
		case existing.Kind == yaml.MappingNode && from.Content[i+1].Kind == yaml.MappingNode:
			add(existing, from.Content[i+1])
		}
	}
}

// edit what depends on the Chroma, in the value of a key and below.
func edit(node *yaml.Node, key string, values chart.Values) {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			edit(node.Content[i+1], node.Content[i].Value, values)
		}
	case yaml.SequenceNode:
		for _, item := range node.Content {
			edit(item, key, values)
		}
	case yaml.ScalarNode:
		if edited := editScalar(key, node.Value, values); edited != node.Value {
			node.SetString(edited)
		}
	case yaml.DocumentNode, yaml.AliasNode:
	}
}

func editScalar(key, text string, values chart.Values) string {
	switch key {
	case "kube_namespace":
		return values.Namespace
	case "bucket":
		return values.S3.Bucket
	case "credentials":
		return "AWS"
	}
	if text == "http://otel-collector.chroma.svc.cluster.local:4317" {
		return "http://" + values.Collector()
	}
	for _, service := range []string{"sysdb", "rust-sysdb-service", "rust-log-service", "work-queue-service"} {
		if text == service+".chroma" {
			return values.Host(service)
		}
	}
	return text
}
