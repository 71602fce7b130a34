// Package v93652ec is Chroma at commit 93652ec with its chart 0.1.92.
package v93652ec

import (
	_ "embed" // The config files are compiled in.

	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// Commit of Chroma whose images run.
const Commit = "93652ec"

// Chroma's rust/frontend/sample_configs/distributed.yaml and rust/worker/chroma_config.yaml at this commit, keys and
// values only, with three kinds of changes: what a Chroma decides is a tag; credentials are AWS, so that the services
// take them from their environment; and host and port are repeated in compaction_service.work_queue,
// fn_consumer_service.fn_consumer.work_queue and query_service.mcmr_sysdb, where the services read them. Upstream they
// stand one level deeper, below grpc, and the services fall back to defaults in a namespace called chroma.
var (
	//go:embed frontend.yaml
	frontendFile string
	//go:embed worker.yaml
	workerFile string
)

// Version with its objects, images, field table and config files.
func Version() chart.Version {
	return chart.Version{
		Commit:     Commit,
		Chart:      "0.1.92",
		Components: Components(chart.MustConfig(frontendFile), Worker()),
		Migration:  migration(),
		Roles:      roles(),
		Bindings:   bindings(),
	}
}

// Worker is the config file that all Rust services but the frontend share.
func Worker() *chart.Config { return chart.MustConfig(workerFile) }
