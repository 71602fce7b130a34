package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// valuesKey of a component in the chart's values.
func valuesKey(component string) string {
	keys := map[string]string{
		chart.Frontend:   "rustFrontendService",
		chart.LogService: "rustLogService",
		chart.WorkQueue:  "workQueueService",
	}
	if key, ok := keys[component]; ok {
		return key
	}
	return component
}

// helmValues are what a Chroma decides, as values of the chart.
func (u upstream) helmValues(version chart.Version, values chart.Values) ([]byte, error) {
	worker, err := editConfig(u.worker, values, workerAdditions())
	if err != nil {
		return nil, fmt.Errorf("cannot edit the worker's config file: %w", err)
	}
	frontend, err := editConfig(u.frontend, values, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot edit the frontend's config file: %w", err)
	}
	// The sysdb written in Rust is not among the published images. values.dev.yaml starts one.
	derived := map[string]any{"namespace": values.Namespace, "rustSysdbService": map[string]any{"replicaCount": 0}}
	for _, component := range version.Components {
		fields, err := specified(values.Components[component.Name])
		if err != nil {
			return nil, err
		}
		fields["image"] = image(values.Registry, component.Image, version.Commit)
		switch component.Name {
		case chart.SysDB:
			fields["flags"] = flags(values)
		case chart.Frontend:
			fields["configuration"] = frontend
		default:
			fields["configuration"] = worker
		}
		if err := u.environment(fields, component.Name, values); err != nil {
			return nil, err
		}
		derived[valuesKey(component.Name)] = fields
	}
	derived["sysdbMigration"] = map[string]any{
		"image":  image(values.Registry, version.Migration.Image, version.Commit),
		"netloc": values.Postgres.Host, "port": values.Postgres.Port, "dbName": values.Postgres.Database, "sslmode": values.Postgres.SSLMode,
		"username": "$(POSTGRES_USERNAME)", "password": "$(POSTGRES_PASSWORD)",
	}
	text, err := yaml.Marshal(derived)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the derived values: %w", err)
	}
	return text, nil
}

func image(registry, repository, tag string) map[string]any {
	return map[string]any{"repository": registry + "/" + repository, "tag": tag}
}

// specified fields of a component under the chart's names.
func specified(values chart.ComponentValues) (map[string]any, error) {
	fields := map[string]any{}
	if values.Specified == nil {
		return fields, nil
	}
	raw, err := json.Marshal(values.Specified)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a component: %w", err)
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("cannot decode a component: %w", err)
	}
	if replicas, ok := fields["replicas"]; ok {
		fields["replicaCount"] = replicas
		delete(fields, "replicas")
	}
	return fields, nil
}

// flags of the sysdb. The Go client takes the keys of the bucket from the environment when its flags are empty.
func flags(values chart.Values) map[string]any {
	return map[string]any{
		"kubernetes-namespace": values.Namespace,
		"db-address":           values.Postgres.Host,
		"read-db-address":      values.Postgres.Host,
		"db-port":              values.Postgres.Port,
		"db-name":              values.Postgres.Database,
		"ssl-mode":             values.Postgres.SSLMode,
		"username":             "$(POSTGRES_USERNAME)",
		"password":             "$(POSTGRES_PASSWORD)",
		"bucket-name":          values.S3.Bucket,
		"s3-endpoint":          values.S3.Endpoint,
		"s3-region":            values.S3.Region,
		"s3-access-key-id":     "", "s3-secret-access-key": "",
		"s3-force-path-style":         values.S3.ForcePathStyle(),
		"create-bucket-if-not-exists": false,
	}
}

// environment of a component: the chart's own, since a list replaces a list in Helm, and the credentials. The templates
// of frontend and log take text, the others a list whose values are text below their name.
func (u upstream) environment(fields map[string]any, component string, values chart.Values) error {
	defaults := u.defaults[valuesKey(component)]
	switch component {
	case chart.Frontend:
		var variables []map[string]any
		if err := yaml.Unmarshal(fmt.Append(nil, defaults["otherEnvConfig"]), &variables); err != nil {
			return fmt.Errorf("cannot read otherEnvConfig of the frontend: %w", err)
		}
		// It lets whoever reaches the frontend delete all data.
		variables = slices.DeleteFunc(variables, func(variable map[string]any) bool { return variable["name"] == "CHROMA_ALLOW_RESET" })
		return setText(fields, variables)
	case chart.LogService:
		var variables []map[string]any
		for _, added := range s3Client(values) {
			variables = append(variables, merged(map[string]any{"name": added.name}, added.value))
		}
		return setText(fields, variables)
	case chart.SysDB:
		return setList(fields, defaults, values, slices.Concat(credentials("POSTGRES_USERNAME", values.Postgres.Secret, "username"),
			credentials("POSTGRES_PASSWORD", values.Postgres.Secret, "password"), s3Credentials(values)))
	}
	return setList(fields, defaults, values, s3Client(values))
}

// A variable whose value is {value: …} or {valueFrom: …}.
type variable struct {
	name  string
	value map[string]any
}

func credentials(name, secret, key string) []variable {
	return []variable{{name, map[string]any{"valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": secret, "key": key}}}}}
}

func s3Credentials(values chart.Values) []variable {
	return slices.Concat(credentials("AWS_ACCESS_KEY_ID", values.S3.Secret, "accessKeyId"),
		credentials("AWS_SECRET_ACCESS_KEY", values.S3.Secret, "secretAccessKey"))
}

func s3Client(values chart.Values) []variable {
	variables := append(s3Credentials(values), variable{"AWS_REGION", map[string]any{"value": values.S3.Region}})
	if values.S3.Endpoint != "" {
		variables = append(variables, variable{"AWS_ENDPOINT_URL", map[string]any{"value": values.S3.Endpoint}})
	}
	return variables
}

func setText(fields map[string]any, variables []map[string]any) error {
	text, err := yaml.Marshal(variables)
	if err != nil {
		return fmt.Errorf("cannot encode otherEnvConfig: %w", err)
	}
	fields["otherEnvConfig"] = string(text)
	return nil
}

func setList(fields, defaults map[string]any, values chart.Values, added []variable) error {
	var list []any
	existing, _ := defaults["env"].([]any)
	for _, entry := range existing {
		own, _ := entry.(map[string]any)
		text := strings.ReplaceAll(fmt.Sprint(own["value"]), "otel-collector.chroma.svc.cluster.local:4317", values.Collector())
		list = append(list, map[string]any{"name": own["name"], "value": text})
	}
	for _, variable := range added {
		text, err := yaml.Marshal(variable.value)
		if err != nil {
			return fmt.Errorf("cannot encode %s: %w", variable.name, err)
		}
		list = append(list, map[string]any{"name": variable.name, "value": strings.TrimSpace(string(text))})
	}
	fields["env"] = list
	return nil
}

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
