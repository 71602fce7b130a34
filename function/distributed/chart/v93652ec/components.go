package v93652ec

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// Components of the version, with the resources of values.dev.yaml.
func Components(frontendConfig, workerConfig *chart.Config) []chart.Component {
	return []chart.Component{
		frontend(frontendConfig),
		sysdb(),
		logService(workerConfig),
		queryService(workerConfig),
		compactionService(workerConfig),
		garbageCollector(workerConfig),
		workQueue(workerConfig),
		fnConsumer(workerConfig),
	}
}

func frontend(config *chart.Config) chart.Component {
	return chart.Component{
		Name: chart.Frontend, Kind: chart.Deployment, Workload: "rust-frontend-service",
		Image: "rust-frontend-service-oss", Tier: chart.TierFrontend,
		Fields:   chart.Fields{Replicas: true, NodeSelector: true, Tolerations: true},
		Replicas: 1, Limits: resources("100m", "768Mi"), Requests: resources("100m", "256Mi"),
		ServiceAccount: "rust-frontend-service-serviceaccount",
		// values.dev.yaml goes around the image's entrypoint. It also sets CHROMA_ALLOW_RESET, which lets whoever
		// reaches the frontend delete all data, and is left out. The odd value is a slip of its quotes.
		Command: func(chart.Values) []string { return []string{"chroma", "run", "$(CONFIG_PATH)"} },
		Environment: environment(
			chart.ConfigPath(),
			chart.Variable("RUST_BACKTRACE", `value: "1"`),
		),
		Ports: ports(applycorev1.ContainerPort().WithContainerPort(8000)),
		Readiness: everySecond().WithHTTPGet(applycorev1.HTTPGetAction().
			WithPath("/api/v2/healthcheck").WithPort(intstr.FromInt32(8000))),
		Config:  &chart.ConfigFile{Name: "rust-frontend-service-config", Content: config},
		Service: &chart.Service{Type: corev1.ServiceTypeClusterIP, Port: servicePort("server-port", 8000)},
	}
}

func logService(config *chart.Config) chart.Component {
	return chart.Component{
		Name: chart.LogService, Kind: chart.StatefulSet, Workload: "rust-log-service",
		Image: "rust-log-service", Tier: chart.TierLog,
		Fields:   chart.Fields{Replicas: true, NodeSelector: true, Tolerations: true, Affinity: true},
		Replicas: 1, Limits: resources("200m", "768Mi"), Requests: resources("200m", "512Mi"),
		ServiceAccount: "rust-log-service-serviceaccount",
		Environment: s3Environment(
			chart.ConfigPath(),
			chart.VariableFromField("CHROMA_LOG_SERVICE__MY_MEMBER_ID", "metadata.name"),
		),
		Ports:       ports(applycorev1.ContainerPort().WithContainerPort(50051)),
		Readiness:   everySecond().WithPeriodSeconds(5).WithGRPC(applycorev1.GRPCAction().WithPort(50051)),
		Config:      &chart.ConfigFile{Name: "rust-log-service-config", Content: config},
		Cache:       "/local/cache/chroma-log-service",
		MemberType:  "rust-log-service",
		MemberList:  "rust-log-service-memberlist",
		ServiceName: "rust-log-service",
		Service:     &chart.Service{Headless: true, Type: corev1.ServiceTypeClusterIP, Port: servicePort("server-port", 50051)},
	}
}

func queryService(config *chart.Config) chart.Component {
	return chart.Component{
		Name: chart.QueryService, Kind: chart.StatefulSet, Workload: "query-service",
		Image: "query-service", Tier: chart.TierWorkers,
		Fields:   chart.Fields{Replicas: true, NodeSelector: true, Tolerations: true, Affinity: true},
		Replicas: 2, Limits: resources("100m", "1Gi"), Requests: resources("100m", "512Mi"),
		ServiceAccount: "query-service-serviceaccount",
		Environment: s3Environment(
			chart.ConfigPath(),
			backtrace(),
			heapProfile(),
			chart.VariableFromField("CHROMA_QUERY_SERVICE__MY_MEMBER_ID", "metadata.name"),
		),
		Ports:          ports(applycorev1.ContainerPort().WithContainerPort(50051), profilePort()),
		Readiness:      everySecond().WithGRPC(applycorev1.GRPCAction().WithPort(50051).WithService("chroma.QueryExecutor")),
		Config:         &chart.ConfigFile{Name: "query-service-config", Content: config},
		Cache:          "/local/cache/chroma-query-service",
		MemberType:     "query-service",
		MemberList:     "query-service-memberlist",
		ServiceName:    "query-service",
		UpdateStrategy: "RollingUpdate",
		Service:        &chart.Service{Headless: true, Type: corev1.ServiceTypeClusterIP, Port: servicePort("query-service-server-port", 50051)},
	}
}

func compactionService(config *chart.Config) chart.Component {
	return chart.Component{
		Name: chart.CompactionService, Kind: chart.StatefulSet, Workload: "compaction-service",
		Image: "compactor-service", Tier: chart.TierWorkers,
		Fields:   chart.Fields{Replicas: true, NodeSelector: true, Tolerations: true, Affinity: true},
		Replicas: 2, Limits: resources("200m", "1536Mi"), Requests: resources("200m", "768Mi"),
		ServiceAccount: "compaction-service-serviceaccount",
		Environment: s3Environment(
			chart.ConfigPath(),
			backtrace(),
			chart.VariableFromField("CHROMA_COMPACTION_SERVICE__MY_MEMBER_ID", "metadata.name"),
		),
		Ports:      ports(applycorev1.ContainerPort().WithContainerPort(50051), profilePort()),
		Readiness:  everySecond().WithGRPC(applycorev1.GRPCAction().WithPort(50051)),
		Config:     &chart.ConfigFile{Name: "compaction-service-config", Content: config},
		Cache:      "/local/cache/chroma-compaction-service",
		MemberType: "compaction-service",
		MemberList: "compaction-service-memberlist",
	}
}

func garbageCollector(config *chart.Config) chart.Component {
	return chart.Component{
		Name: chart.GarbageCollector, Kind: chart.StatefulSet, Workload: "garbage-collector",
		Labels: map[string]string{"app": "garbage-collector"},
		Image:  "garbage-collector-service", Tier: chart.TierWorkers,
		Fields:   chart.Fields{NodeSelector: true, Tolerations: true, Affinity: true},
		Replicas: 1, Limits: resources("100m", "1Gi"), Requests: resources("100m", "512Mi"),
		ServiceAccount: "garbage-collector-serviceaccount",
		Environment: s3Environment(
			heapProfile(),
			chart.ConfigPath(),
			chart.VariableFromField("CHROMA_GC_MY_MEMBER_ID", "metadata.name"),
		),
		Ports:      ports(profilePort()),
		Readiness:  everySecond().WithGRPC(applycorev1.GRPCAction().WithPort(50055)),
		Config:     &chart.ConfigFile{Name: "garbage-collector-config", Content: config},
		Cache:      "/local/cache/chroma-garbage-collector",
		MemberType: "garbage-collection-service",
		MemberList: "garbage-collection-service-memberlist",
	}
}

func workQueue(config *chart.Config) chart.Component {
	return chart.Component{
		Name: chart.WorkQueue, Kind: chart.StatefulSet, Workload: "work-queue-service",
		Image: "work-queue-service", Tier: chart.TierWorkers,
		Replicas: 1, Limits: resources("200m", "512Mi"), Requests: resources("200m", "256Mi"),
		ServiceAccount: "work-queue-service-serviceaccount",
		Environment:    s3Environment(chart.ConfigPath(), backtrace()),
		Ports:          ports(grpcPort()),
		Readiness:      everySecond().WithGRPC(applycorev1.GRPCAction().WithPort(50051).WithService("chroma.WorkQueueService")),
		Config:         &chart.ConfigFile{Name: "work-queue-service-config", Content: config},
		Service:        &chart.Service{Port: servicePort("grpc", 50051)},
	}
}

func fnConsumer(config *chart.Config) chart.Component {
	return chart.Component{
		Name: chart.FnConsumer, Kind: chart.Deployment, Workload: "fn-consumer",
		Image: "fn-consumer-service", Tier: chart.TierWorkers,
		Replicas: 1, Limits: resources("200m", "768Mi"), Requests: resources("200m", "384Mi"),
		ServiceAccount: "fn-consumer-service-account",
		Environment:    s3Environment(chart.ConfigPath(), backtrace()),
		Ports:          ports(grpcPort()),
		Readiness:      everySecond().WithGRPC(applycorev1.GRPCAction().WithPort(50051)),
		Config:         &chart.ConfigFile{Name: "fn-consumer-config", Content: config},
		Service:        &chart.Service{Port: servicePort("grpc", 50051)},
	}
}

func resources(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

func environment(variables ...*applycorev1.EnvVarApplyConfiguration) func(chart.Values) []*applycorev1.EnvVarApplyConfiguration {
	return func(chart.Values) []*applycorev1.EnvVarApplyConfiguration { return variables }
}

// s3Environment of a service that reads and writes the bucket.
func s3Environment(variables ...*applycorev1.EnvVarApplyConfiguration) func(chart.Values) []*applycorev1.EnvVarApplyConfiguration {
	return func(values chart.Values) []*applycorev1.EnvVarApplyConfiguration {
		return slices.Concat(variables, chart.S3Client(values))
	}
}

func backtrace() *applycorev1.EnvVarApplyConfiguration { return chart.Variable("RUST_BACKTRACE", "1") }

func heapProfile() *applycorev1.EnvVarApplyConfiguration {
	return chart.Variable("_RJEM_MALLOC_CONF", "prof:true,prof_active:true,lg_prof_sample:19")
}

func ports(ports ...*applycorev1.ContainerPortApplyConfiguration) []*applycorev1.ContainerPortApplyConfiguration {
	return ports
}

func grpcPort() *applycorev1.ContainerPortApplyConfiguration {
	return applycorev1.ContainerPort().WithName("grpc").WithContainerPort(50051).WithProtocol(corev1.ProtocolTCP)
}

func profilePort() *applycorev1.ContainerPortApplyConfiguration {
	return applycorev1.ContainerPort().WithName("pprof").WithContainerPort(6060).WithProtocol(corev1.ProtocolTCP)
}

func servicePort(name string, port int32) *applycorev1.ServicePortApplyConfiguration {
	return applycorev1.ServicePort().WithName(name).WithPort(port).WithTargetPort(intstr.FromInt32(port))
}

// everySecond is how all but the log service are probed.
func everySecond() *applycorev1.ProbeApplyConfiguration {
	return applycorev1.Probe().WithPeriodSeconds(1).WithFailureThreshold(30)
}
