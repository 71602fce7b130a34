# Everything that is done with this project. `make help` lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# CACHE keeps built tools between runs, by the content they are made from.
CACHE ?= $(CURDIR)/.cache
BIN := $(CACHE)/bin
# VERSION and REGISTRY of the packages.
VERSION ?= v0.1.0
REGISTRY ?= ghcr.io/function-chroma
# FUZZTIME of each fuzz target.
FUZZTIME ?= 10s
# SIM_ACTIONS that the simulation plays at least.
SIM_ACTIONS ?= 200000
# SIM_SEQUENCES that are played with a distributed Chroma.
SIM_SEQUENCES ?= 8
# SIM_LEAST that each disturbance and each outcome has to come.
SIM_LEAST ?= 100

# The race detector needs a C compiler, and a machine with nothing but Go has none.
RACE := $(if $(shell command -v $${CC:-gcc} 2>/dev/null),-race)

# module FOLDER,PATH: the folder of a module's sources, at the version that FOLDER's go.mod has.
module = $$(cd $(1) && go mod download $(2) && go list -m -f '{{.Dir}}' $(2))

.PHONY: help
help: ## Show this.
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 22

.PHONY: test
test: ## Run every test that needs no built tools, with the race detector.
	@$(if $(RACE),,echo 'There is no C compiler here: testing without the race detector.')
	go test $(RACE) -timeout 30m $$(go list ./... | grep -v /test/simulation)
	@# A simulated cluster does one thing after the other: under the race detector it only takes ten times as long.
	go test -timeout 30m ./test/simulation/...

.PHONY: demo
demo: $(BIN)/kubectl-chroma ## Render every example offline and show the passes.
	@for example in examples/*.yaml; do \
	  printf '\n=== %s\n' "$$example"; \
	  $(BIN)/kubectl-chroma render --trace -f "$$example"; \
	done

.PHONY: lint
lint: $(BIN)/golangci-lint ## Run golangci-lint. Each linter that is off says why in .golangci.yml.
	$(BIN)/golangci-lint run --build-tags e2e ./...

.PHONY: vet
vet: ## Run go vet.
	go vet ./...

.PHONY: generate
generate: ## Generate deep copies, definitions and Compositions from the Go types.
	go generate ./...

.PHONY: bench
bench: ## Run the benchmarks.
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: fuzz
fuzz: ## Fuzz each parser for FUZZTIME (10s).
	@grep -rE '^func Fuzz' --include='*_test.go' . | sed -E 's/^(.*)\/[^/]*:func (Fuzz[A-Za-z0-9_]*).*/\1 \2/' | while read -r folder target; do \
	  echo "$$folder $$target"; \
	  go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "$$folder" </dev/null; \
	done

.PHONY: render-test
render-test: $(BIN)/crossplane $(BIN)/crossplane-core $(BIN)/function ## Render the examples with the real Crossplane. UPDATE=1 writes the golden files.
	CROSSPLANE_CLI=$(BIN)/crossplane CROSSPLANE_CORE=$(BIN)/crossplane-core FUNCTION=$(BIN)/function \
	  CROSSPLANE_CRDS=$(call module,test/tools,github.com/crossplane/crossplane/v2)/cluster/crds \
	  PROVIDER_KUBERNETES_CRDS=$(call module,test/tools/provider-kubernetes,github.com/crossplane-contrib/provider-kubernetes)/package/crds \
	  UPDATE=$(UPDATE) go test -count=1 -v ./test/render

.PHONY: package
package: $(BIN)/crossplane ## Build the packages into dist/, for VERSION and REGISTRY.
	go run ./package/build -crossplane $(BIN)/crossplane -output dist -version $(VERSION) -registry $(REGISTRY)
	@sha256sum dist/*.xpkg

.PHONY: package-test
package-test: $(BIN)/crossplane ## Build the packages twice, compare their bytes, push them to a registry in memory.
	CROSSPLANE_CLI=$(BIN)/crossplane go test -count=1 -v -run TestBuildAndPush ./package/build

.PHONY: push
push: $(BIN)/crossplane ## Push the packages in dist/ to REGISTRY, as they were built by make package.
	go run ./package/build -crossplane $(BIN)/crossplane -output dist -version $(VERSION) -registry $(REGISTRY) -push

.PHONY: plugin-apiserver
plugin-apiserver: $(BIN)/etcd $(BIN)/kube-apiserver ## Run the plugin's commands against a real API server.
	E2E_BIN=$(BIN) go test -count=1 -v ./plugin/apiserver

.PHONY: plugin-scale
plugin-scale: $(BIN)/etcd $(BIN)/kube-apiserver ## Print what the plugin takes for a table of 5,000 Chromas.
	PLUGIN_SCALE=5000 E2E_BIN=$(BIN) go test -count=1 -v -run TestScale ./plugin/apiserver

.PHONY: plugin-release
plugin-release: ## Build the plugin for every platform into dist/plugin, for VERSION, with checksums and Krew's manifest.
	go run ./plugin/release -version $(VERSION) -output dist/plugin

.PHONY: chart-parity
chart-parity: $(BIN)/chart-render ## Compare with Chroma's chart: CHART=<checkout of Chroma> VERSION=93652ec.
	go run ./test/chartparity -checkout '$(CHART)' -version '$(VERSION)' -render $(BIN)/chart-render

.PHONY: sim
sim: ## Play SIM_ACTIONS (200000) random actions against the decision. Each disturbance and outcome has to come SIM_LEAST (100) times.
	GOGC=400 SIM_ACTIONS=$(SIM_ACTIONS) SIM_LEAST=$(SIM_LEAST) go test -count=1 -v -timeout 120m -run TestSimulation ./test/simulation

# What a node runs, and what installs the packages on it.
E2E_TOOLS := etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl coredns helm crossplane crossplane-core provider-kubernetes versitygw

.PHONY: e2e
e2e: $(addprefix $(BIN)/,$(E2E_TOOLS)) ## Test on a real cluster, made for it. RUN=TestName runs one test.
	E2E_BIN=$(BIN) go test -tags e2e -count=1 -v -timeout 60m -p 1 $(if $(RUN),-run '$(RUN)') ./test/e2e/cluster ./test/e2e

# What CI has the time for: each kind of promise once, without what waits for minutes.
E2E_CI := TestLeavesNothing|TestExample|TestImageSize|TestDataStays|TestDeletion|TestRetain|TestRefusals|TestWebhook|TestDistributedObjects|TestVald|TestPlan|TestPlugin(Claims|Distributed|Vald)|TestFaults

.PHONY: e2e-tools
e2e-tools: $(addprefix $(BIN)/,$(E2E_TOOLS)) ## Build what the tests on a real cluster need: a quarter of an hour when the Go caches are cold.

.PHONY: e2e-ci
e2e-ci: ## Run those of the tests on a real cluster that CI runs.
	@$(MAKE) e2e RUN='$(E2E_CI)'

.PHONY: e2e-soak
e2e-soak: ## Kill each part of the system ten times while servers are upgraded.
	E2E_ROUNDS=10 $(MAKE) e2e RUN=TestFaults

.PHONY: e2e-stop
e2e-stop: ## End the cluster that E2E_KEEP=1 E2E_DIR=… make e2e has kept.
	kill "$$(cat "$${E2E_DIR:?}"/supervisor.pid)"

.PHONY: trial
trial: ## Try a Chroma on data of another: FROM=1.4.1 TO=1.5.9. With RUNTIME=docker also container images.
	go run ./test/trial/cmd -from '$(FROM)' -to '$(TO)' -runtime '$(RUNTIME)'

.PHONY: trials
trials: ## Try every pair of Chroma's servers that npm has: some 20 minutes, 3.5 GB in the cache.
	go run ./test/trial/cmd -all

.PHONY: clean
clean: ## Remove what was built, the cached tools included.
	rm -rf dist $(CACHE)

# Tools at pinned versions, built once: build.sh compares what they are made from.
$(sort $(addprefix $(BIN)/,$(E2E_TOOLS) golangci-lint chart-render)): FORCE
	@test/tools/build.sh $(BIN) $(@F)

$(BIN)/function: FORCE
	go build -o $@ ./function

$(BIN)/kubectl-chroma: FORCE
	go build -o $@ ./plugin

.PHONY: FORCE
FORCE:
