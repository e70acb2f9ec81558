# Needs Go 1.26, gcc, make and git. Tools are built from pinned versions into .cache/bin.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Each step uses all cores by itself, and generate, tidy and fmt rewrite what others read:
# with -j, steps would only be in each other's way.
.NOTPARALLEL:

# The same as dist.build_tags in builder-config.yaml, which ocb does not hand to this
# build; manifest_test.go keeps the two equal.
BUILD_TAGS := remove_all_sd,enable_kubernetes_sd,enable_dns_sd,enable_consul_sd

# Modules written by hand. distribution/otelcol-inference is generated.
MODULES := . cmd/inferctl tests tests/bench docs/instrument/go

FUZZTIME ?= 10m
BENCH ?= .
BENCHTIME ?= 1s
DEMO ?= 1
# More flags for go test, such as -v or -run.
TESTFLAGS ?=
# Flags of nvml-check: --duration 60s, --library PATH, --nvidia-smi PATH.
NVML_CHECK ?=

BIN := $(CURDIR)/bin
CACHE := $(CURDIR)/.cache
TOOLS := $(CACHE)/bin
BUILDER := $(TOOLS)/builder
MDATAGEN := $(TOOLS)/mdatagen
GOLANGCI_LINT := $(TOOLS)/golangci-lint

DISTRIBUTION := distribution/otelcol-inference
BUILD_FLAGS := -trimpath -ldflags "-s -w"
PROGRESS := $(CURDIR)/scripts/progress.sh

# No version stamp from git: with it every commit links anew, and a checkout that belongs
# to another user does not build at all.
export GOFLAGS := $(filter-out -buildvcs%,$(shell go env GOFLAGS 2>/dev/null)) -buildvcs=false
# The NVML binding calls functions that its header calls deprecated; drivers in the field have
# no others. Go's own default comes first.
export CGO_CFLAGS := -g -O2 -Wno-deprecated-declarations
# Where tests that start the real binaries find them.
export OTELCOL_INFERENCE := $(BIN)/otelcol-inference
export INFERCTL := $(BIN)/inferctl

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' Makefile

##@ Build

.PHONY: requirements
requirements:
	@for tool in go gcc git; do command -v $$tool >/dev/null || \
		{ echo "$$tool is missing: this needs Go 1.26, gcc, make and git" >&2; exit 1; }; done

.PHONY: build
build: requirements build-inferctl build-collector ## Build bin/otelcol-inference and bin/inferctl (the first time takes long)

.PHONY: build-collector
build-collector:
	@mkdir -p $(BIN)
	CGO_ENABLED=1 $(PROGRESS) "building otelcol-inference (the first build takes 10 minutes and more, later ones seconds)" \
		go -C $(DISTRIBUTION) build $(BUILD_FLAGS) -tags $(BUILD_TAGS) -o $(OTELCOL_INFERENCE) .

.PHONY: build-inferctl
build-inferctl:
	@mkdir -p $(BIN)
	$(PROGRESS) "building inferctl" go -C cmd/inferctl build $(BUILD_FLAGS) -o $(INFERCTL) .

.PHONY: run
run: build ## Build, start the collector with a demo, show the phase table; DEMO=0: the collector alone
	@DEMO=$(DEMO) scripts/run.sh

.PHONY: clean
clean: ## Remove what was built; the tools and back-ends in .cache stay
	rm -rf $(BIN) coverage.* cover.out

.PHONY: distclean
distclean: clean ## Remove .cache as well
	rm -rf $(CACHE)

##@ Generated files

.PHONY: generate
generate: generate-code generate-distribution generate-inferctl ## Regenerate all: mdatagen, the distribution by ocb, what inferctl makes

# doc.go of each component holds the line "//go:generate mdatagen metadata.yaml".
.PHONY: generate-code
generate-code: $(MDATAGEN)
	PATH="$(TOOLS):$$PATH" go generate ./...

# ocb runs go mod tidy in the distribution itself. It skips its check that all components
# have its own version unless told not to.
.PHONY: generate-distribution
generate-distribution: $(BUILDER)
	$(PROGRESS) "generating the distribution" \
		$(BUILDER) --config builder-config.yaml --skip-compilation --skip-strict-versioning=false

# After the distribution: the catalog of metrics reads which components it has.
.PHONY: generate-inferctl
generate-inferctl:
	go -C cmd/inferctl generate ./...

.PHONY: check-generated
check-generated: ## Fail with the difference when something generated is stale
	MAKE="$(MAKE)" scripts/check-generated.sh

.PHONY: tidy
tidy: ## go mod tidy in every module; make generate does it for the distribution
	for module in $(MODULES) internal/tools tests/bench-newest tests/backends tests/backends/jaeger tests/backends/prometheus; do go -C $$module mod tidy; done

##@ Checks

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## Format the Go code (gofumpt, goimports)
	$(GOLANGCI_LINT) fmt ./...

.PHONY: lint
lint: $(GOLANGCI_LINT) ## go vet and golangci-lint in every module; shellcheck where installed
	for module in $(MODULES); do \
		echo "lint: $$module"; \
		go -C $$module vet ./...; \
		(cd $$module && $(PROGRESS) "golangci-lint in $$module" $(GOLANGCI_LINT) run ./...); \
	done
	if command -v shellcheck >/dev/null; then shellcheck scripts/*.sh .ci/run; fi

.PHONY: test
test: test-unit test-binary ## Unit, golden and property tests (race detector on), then tests of the built binaries

.PHONY: test-unit
test-unit: requirements ## The part of test that needs no binary
	CGO_ENABLED=1 $(PROGRESS) "testing the components" go test -race -timeout 15m $(TESTFLAGS) ./...
	CGO_ENABLED=1 $(PROGRESS) "testing inferctl" go -C cmd/inferctl test -race -timeout 15m $(TESTFLAGS) ./...
	CGO_ENABLED=1 $(PROGRESS) "testing nvml-check" go -C tests test -race -timeout 15m $(TESTFLAGS) ./nvmlcheck/...

# -count=1 here and below: go test's cache does not know the binaries that these tests start.
.PHONY: test-binary
test-binary: build ## The part of test that starts the built binaries
	go -C tests test -count=1 -timeout 15m $(TESTFLAGS) ./binary/...

.PHONY: nvml-check
nvml-check: requirements ## Compare the nvml receiver with nvidia-smi on a machine with a GPU (NVML_CHECK="--duration 60s")
	CGO_ENABLED=1 go -C tests run ./nvmlcheck $(NVML_CHECK)

.PHONY: backends
backends:
	scripts/backends.sh

.PHONY: e2e
e2e: build backends-logs backends-alerts ## Tests with real back-ends and of the examples in docs; gets all it needs by itself
	set -a; . $(CACHE)/backends.env; set +a; \
		go -C tests test -count=1 -timeout 20m $(TESTFLAGS) -p 1 ./e2e/... ./instrument/... ./e2elogs/... ./e2ealerts/... ./dashboards/...

.PHONY: backends-logs
backends-logs: backends
	scripts/backend.sh victoria-logs

.PHONY: backends-alerts
backends-alerts: backends
	scripts/backend.sh alertmanager

.PHONY: backends-traces
backends-traces: backends
	scripts/backend.sh jaeger

.PHONY: backends-native
backends-native: backends
	scripts/backend.sh prometheus
	scripts/backend.sh promtool

.PHONY: e2e-full
e2e-full: build backends-logs backends-alerts backends-traces backends-native ## The same with the long ones, and under load (E2E_FULL=1)
	set -a; . $(CACHE)/backends.env; set +a; \
		E2E_FULL=1 go -C tests test -count=1 -timeout 90m $(TESTFLAGS) -p 1 ./e2e/... ./instrument/... ./e2elogs/... ./e2ealerts/... ./dashboards/... ./load/...

.PHONY: e2e-logs
e2e-logs: build ## The part of e2e-full that sends logs to a VictoriaLogs
	scripts/backend.sh victoria-logs
	set -a; . $(CACHE)/backends.env; set +a; \
		go -C tests test -count=1 -timeout 20m $(TESTFLAGS) ./e2elogs/...

.PHONY: e2e-alerts
e2e-alerts: build backends-alerts backends-native ## The part of e2e-full about rules and alerts
	set -a; . $(CACHE)/backends.env; set +a; \
		E2E_FULL=1 go -C tests test -count=1 -timeout 30m $(TESTFLAGS) ./e2ealerts/...

# Needs a headless Chromium: CHROMIUM, or /usr/bin/chromium.
.PHONY: dashboards-pictures
dashboards-pictures: build backends ## Draw the dashboards from what a real Prometheus answers: docs/dashboards/*.png (6 minutes)
	set -a; . $(CACHE)/backends.env; set +a; \
		DASHBOARD_PICTURES=$(CURDIR)/docs/dashboards go -C tests test -count=1 -v -timeout 20m $(TESTFLAGS) -run TestDashboards ./dashboards

.PHONY: load
load: build ## Agents and gateways beside the same binary without our components: the tables of docs/operations.md
	E2E_FULL=1 go -C tests test -count=1 -v -timeout 20m $(TESTFLAGS) ./load

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (10m) each
	FUZZTIME=$(FUZZTIME) scripts/fuzz.sh $(MODULES)

.PHONY: bench
bench: ## Run the benchmarks, then those beside other components (BENCH=<regexp>, BENCHTIME=1s, TESTFLAGS=-count=5)
	go test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) $(TESTFLAGS) ./...
	for module in tests/bench tests/bench-newest; do \
		go -C $$module test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) -timeout 30m $(TESTFLAGS) .; \
	done

##@ Tools

# A tool is built again only when its versions change.
TOOL_VERSIONS := internal/tools/go.mod internal/tools/go.sum

$(BUILDER): $(TOOL_VERSIONS)
	$(call build-tool,go.opentelemetry.io/collector/cmd/builder)

$(MDATAGEN): $(TOOL_VERSIONS)
	$(call build-tool,go.opentelemetry.io/collector/cmd/mdatagen)

$(GOLANGCI_LINT): $(TOOL_VERSIONS)
	$(call build-tool,github.com/golangci/golangci-lint/v2/cmd/golangci-lint)

define build-tool
@mkdir -p $(TOOLS)
$(PROGRESS) "building $(@F)" go -C internal/tools build -o $@ $(1)
@touch $@
endef

.PHONY: tools
tools: $(BUILDER) $(MDATAGEN) $(GOLANGCI_LINT) ## Build the pinned tools into .cache/bin
