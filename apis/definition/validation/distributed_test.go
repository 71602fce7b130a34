package validation

import (
	"strings"
	"testing"
)

// distributed is the smallest spec of a distributed Chroma, with these lines added to spec.distributed.
func distributed(lines string) string {
	return distributedWith("52ce844", "postgres", "", lines)
}

// distributedWith is a spec with this version and host, lines added to postgres and to spec.distributed.
func distributedWith(version, host, postgres, lines string) string {
	spec := `mode: distributed
distributed:
  version: "` + version + `"
  postgres:
    host: "` + host + `"
    credentialsSecret: {name: chroma-postgres}
`
	if postgres != "" {
		spec += "    " + postgres + "\n"
	}
	if !strings.Contains(lines, "objectStorage:") {
		lines = "objectStorage: {s3: {credentialsSecret: {name: chroma-storage}}}\n" + lines
	}
	for line := range strings.Lines(lines) {
		spec += "  " + strings.TrimRight(line, "\n") + "\n"
	}
	return spec
}

// s3 is a spec with these fields of the bucket.
func s3(fields string) string {
	return distributed("objectStorage: {s3: {credentialsSecret: {name: chroma-storage}, " + fields + "}}")
}

func TestDistributed(t *testing.T) {
	checkRules(t, map[string]ruleCase{
		"Smallest":   {reason: "The rest has defaults.", spec: distributed("")},
		"WholeHash":  {reason: "The other form of a version.", spec: distributedWith(strings.Repeat("0a", 20), "postgres", "", "")},
		"Uppercase":  {reason: "Git writes lowercase.", spec: distributedWith("52CE844", "postgres", "", ""), want: "first 7 hexadecimal"},
		"Eight":      {reason: "Images are tagged with 7 characters.", spec: distributedWith("52ce8441", "postgres", "", ""), want: "first 7 hexadecimal"},
		"Release":    {reason: "A release is no commit.", spec: distributedWith("1.5.9", "postgres", "", ""), want: "first 7 hexadecimal"},
		"NoVersion":  {reason: "Nothing says which images to run.", spec: "mode: distributed\ndistributed: {postgres: {host: a, credentialsSecret: {name: a}}, objectStorage: {s3: {credentialsSecret: {name: a}}}}", want: "distributed.version: Required"},
		"NoPostgres": {reason: "The sysdb needs one.", spec: "mode: distributed\ndistributed: {version: 52ce844, objectStorage: {s3: {credentialsSecret: {name: a}}}}", want: "distributed.postgres: Required"},
		"NoBucket":   {reason: "The data need one.", spec: "mode: distributed\ndistributed: {version: 52ce844, postgres: {host: a, credentialsSecret: {name: a}}}", want: "distributed.objectStorage: Required"},
		"NoSecret":   {reason: "Nobody gets in without.", spec: "mode: distributed\ndistributed: {version: 52ce844, postgres: {host: a}, objectStorage: {s3: {credentialsSecret: {name: a}}}}", want: "credentialsSecret: Required"},

		"Registry":          {reason: "A mirror.", spec: distributed("imageRegistry: mirror.example.com:5000/chroma/oss")},
		"RegistryHost":      {reason: "A registry without a path.", spec: distributed("imageRegistry: mirror.example.com")},
		"RegistrySlash":     {reason: "The name of the image follows after a slash of its own.", spec: distributed("imageRegistry: docker.io/chromadb/"), want: "imageRegistry must be"},
		"RegistryTag":       {reason: "The version is the tag.", spec: distributed("imageRegistry: docker.io/chromadb:1"), want: "imageRegistry must be"},
		"RegistryScheme":    {reason: "An image has no scheme.", spec: distributed("imageRegistry: https://docker.io/chromadb"), want: "imageRegistry must be"},
		"RegistryUppercase": {reason: "Repositories are lowercase.", spec: distributed("imageRegistry: docker.io/ChromaDB"), want: "imageRegistry must be"},
		"RegistryEmpty":     {reason: "Leave it out for the default.", spec: distributed(`imageRegistry: ""`), want: "imageRegistry must be"},
	})
}

func TestPostgres(t *testing.T) {
	host := func(host string) string { return distributedWith("52ce844", host, "", "") }
	with := func(field string) string { return distributedWith("52ce844", "postgres", field, "") }
	name := "host must be a host name"
	checkRules(t, map[string]ruleCase{
		"Service":     {reason: "A Service of the cluster.", spec: host("postgres.databases.svc.cluster.local")},
		"Cloud":       {reason: "A host of a cloud.", spec: host("my-db.abc123.eu-west-1.rds.amazonaws.com")},
		"Uppercase":   {reason: "Names are compared without case.", spec: host("DB.example.com")},
		"IPv4":        {reason: "An address.", spec: host("10.0.0.5")},
		"NoIPv4":      {reason: "It looks like one.", spec: host("256.1.1.1"), want: name},
		"ThreeParts":  {reason: "Some programs read it as an address, others do not.", spec: host("10.0.5"), want: name},
		"IPv6":        {reason: "It cannot stand in both forms.", spec: host("fd00::5"), want: "IPv6 addresses do not work"},
		"IPv6Bracket": {reason: "Nor with brackets.", spec: host("[fd00::5]"), want: "IPv6 addresses do not work"},
		"Port":        {reason: "The port has its own field.", spec: host("postgres:5432"), want: "the port has its own field"},
		"Empty":       {reason: "No host.", spec: host(""), want: name},
		"Shell":       {reason: "The host reaches a shell.", spec: host("a;reboot"), want: name},
		"Dollar":      {reason: "The host reaches a shell.", spec: host("$(id)"), want: name},
		"Backquote":   {reason: "The host reaches a shell.", spec: host("`id`"), want: name},
		"Space":       {reason: "The host reaches a DSN.", spec: host("a user=b"), want: name},
		"Newline":     {reason: "The host reaches a shell.", spec: host(`a\nb`), want: name},
		"At":          {reason: "The host reaches a URL.", spec: host("a@b"), want: name},
		"Slash":       {reason: "The host reaches a URL.", spec: host("a/b"), want: name},
		"Hyphen":      {reason: "It would be read as an option.", spec: host("-h"), want: name},
		"TooLong":     {reason: "No host name has 254 characters.", spec: host(strings.Repeat("a", 254)), want: "may not be more than 253"},

		"Database":       {reason: "A database.", spec: with("database: chroma_sysdb-2")},
		"DatabaseShell":  {reason: "It reaches a shell.", spec: with(`database: "a&b"`), want: "database may contain only"},
		"DatabaseQuery":  {reason: "It reaches a URL.", spec: with(`database: "a?sslmode=disable"`), want: "database may contain only"},
		"DatabaseHyphen": {reason: "It would be read as an option.", spec: with(`database: "-a"`), want: "database may contain only"},
		"DatabaseEmpty":  {reason: "Leave it out for the default.", spec: with(`database: ""`), want: "database may contain only"},

		"SSLMode":      {reason: "A mode that both clients know.", spec: with("sslMode: verify-full")},
		"SSLModeOther": {reason: "Only one of the clients knows it.", spec: with("sslMode: prefer"), want: "supported values"},
		"SSLModeShell": {reason: "It reaches a shell.", spec: with(`sslMode: "disable; id"`), want: "supported values"},
		"Port5433":     {reason: "Another port.", spec: with("port: 5433")},
		"PortZero":     {reason: "No port.", spec: with("port: 0"), want: "greater than or equal to 1"},
		"PortHigh":     {reason: "No port.", spec: with("port: 65536"), want: "less than or equal to 65535"},
		"PortText":     {reason: "A port is a number.", spec: with(`port: "5432"`), want: "must be of type integer"},
	})
}

func TestObjectStorage(t *testing.T) {
	endpoint := func(url string) string { return s3(`endpoint: "` + url + `"`) }
	secret := "name of a Secret"
	checkRules(t, map[string]ruleCase{
		"AWS":              {reason: "Empty means AWS.", spec: endpoint("")},
		"IPv4":             {reason: "A Service inside the cluster.", spec: endpoint("http://10.43.119.132:8333")},
		"Name":             {reason: "A store elsewhere.", spec: endpoint("https://s3.example.com")},
		"Slash":            {reason: "A slash at the end harms nothing.", spec: endpoint("https://s3.example.com/")},
		"Path":             {reason: "Some stores have one.", spec: endpoint("https://x.example.com/storage/v1/s3")},
		"NoScheme":         {reason: "The clients need one.", spec: endpoint("10.43.119.132:8333"), want: "must begin with http"},
		"OtherScheme":      {reason: "No such store.", spec: endpoint("ftp://10.43.119.132"), want: "endpoint must"},
		"IPv6":             {reason: "Its brackets reach a shell.", spec: endpoint("http://[fd00::5]:8333"), want: "IPv6 addresses do not work"},
		"User":             {reason: "Credentials belong into the Secret.", spec: endpoint("http://user:pass@10.0.0.5"), want: "without user"},
		"Query":            {reason: "No part of an endpoint.", spec: endpoint("http://10.0.0.5/?a=b"), want: "without user"},
		"Shell":            {reason: "It reaches a shell.", spec: endpoint("http://10.0.0.5;id"), want: "reaches a shell"},
		"Dollar":           {reason: "It reaches a shell.", spec: endpoint("http://$(id)"), want: "reaches a shell"},
		"Newline":          {reason: "It reaches a shell.", spec: endpoint(`http://10.0.0.5\n`), want: "reaches a shell"},
		"Bucket":           {reason: "A bucket.", spec: s3("bucket: my-bucket")},
		"BucketDots":       {reason: "Some buckets have dots.", spec: s3("bucket: My.bucket_1")},
		"BucketShort":      {reason: "No store takes it.", spec: s3("bucket: ab"), want: "bucket must be"},
		"BucketShell":      {reason: "It reaches a shell.", spec: s3(`bucket: "a|b|c"`), want: "bucket must be"},
		"BucketSlash":      {reason: "A prefix is no part of a bucket.", spec: s3("bucket: a/bc"), want: "bucket must be"},
		"BucketDotDot":     {reason: "It reaches a URL.", spec: s3("bucket: a..b"), want: "bucket must be"},
		"Region":           {reason: "A region.", spec: s3("region: eu-central-1")},
		"RegionShell":      {reason: "It reaches a shell.", spec: s3(`region: "a b"`), want: "region must be"},
		"RegionEmpty":      {reason: "Leave it out for the default.", spec: s3(`region: ""`), want: "region must be"},
		"Secret":           {reason: "Names of Secrets may have dots.", spec: distributed("objectStorage: {s3: {credentialsSecret: {name: my.secret-1}}}")},
		"SecretEmpty":      {reason: "No Secret.", spec: distributed(`objectStorage: {s3: {credentialsSecret: {name: ""}}}`), want: secret},
		"SecretUnderscore": {reason: "No name of Kubernetes.", spec: distributed("objectStorage: {s3: {credentialsSecret: {name: my_secret}}}"), want: secret},
	})
}

func TestComponents(t *testing.T) {
	const affinity = "affinity: {nodeAffinity: {}}"
	const placed = "nodeSelector: {a: b}, tolerations: [{operator: Exists}]"
	all := func(component string) string {
		return distributed(component + ": {replicas: 2, resources: {limits: {cpu: 1}}, " + placed + ", " + affinity + "}")
	}
	checkRules(t, map[string]ruleCase{
		"Log":                {reason: "It has every field.", spec: all("logService")},
		"Query":              {reason: "It has every field.", spec: all("queryService")},
		"Compaction":         {reason: "It has every field.", spec: all("compactionService")},
		"Frontend":           {reason: "All but affinity.", spec: distributed("frontend: {replicas: 2, " + placed + "}")},
		"FrontendAffinity":   {reason: "The chart ignores it.", spec: all("frontend"), want: "the frontend has no affinity"},
		"SysDB":              {reason: "All but replicas and affinity.", spec: distributed("sysdb: {" + placed + "}")},
		"SysDBReplicas":      {reason: "There is one.", spec: distributed("sysdb: {replicas: 2}"), want: "the sysdb runs as one replica"},
		"SysDBOneReplica":    {reason: "The field is not there, whatever its value.", spec: distributed("sysdb: {replicas: 1}"), want: "remove replicas"},
		"SysDBAffinity":      {reason: "The chart ignores it.", spec: distributed("sysdb: {" + affinity + "}"), want: "the sysdb has no affinity"},
		"Collector":          {reason: "All but replicas.", spec: distributed("garbageCollector: {" + placed + ", " + affinity + "}")},
		"CollectorReplicas":  {reason: "There is one.", spec: distributed("garbageCollector: {replicas: 2}"), want: "the garbage collector runs as one replica"},
		"WorkQueue":          {reason: "Only resources.", spec: distributed("workQueue: {resources: {requests: {memory: 1Gi}}}")},
		"WorkQueueReplicas":  {reason: "Two would overwrite each other's state.", spec: distributed("workQueue: {replicas: 2}"), want: "the work queue has only resources"},
		"WorkQueueSelector":  {reason: "The chart ignores it.", spec: distributed("workQueue: {nodeSelector: {a: b}}"), want: "the work queue has only resources"},
		"WorkQueueTolerate":  {reason: "The chart ignores it.", spec: distributed("workQueue: {tolerations: [{operator: Exists}]}"), want: "the work queue has only resources"},
		"WorkQueueAffinity":  {reason: "The chart ignores it.", spec: distributed("workQueue: {" + affinity + "}"), want: "the work queue has only resources"},
		"FnConsumer":         {reason: "Newer versions place it.", spec: distributed("fnConsumer: {" + placed + ", " + affinity + "}")},
		"FnConsumerReplicas": {reason: "No version has them.", spec: distributed("fnConsumer: {replicas: 2}"), want: "the fn-consumer runs as one replica"},
		"ZeroReplicas":       {reason: "A component cannot be left out.", spec: distributed("queryService: {replicas: 0}"), want: "greater than or equal to 1"},
		"OtherResource":      {reason: "The chart would drop it.", spec: distributed("queryService: {resources: {requests: {ephemeral-storage: 1Gi}}}"), want: "only cpu and memory"},
		"OtherLimit":         {reason: "The chart would drop it.", spec: distributed("sysdb: {resources: {limits: {example.com/gpu: 1}}}"), want: "only cpu and memory"},
		"RequestAbove":       {reason: "The API refuses such a Pod.", spec: distributed("queryService: {resources: {requests: {cpu: 2}, limits: {cpu: 1}}}"), want: "requests must not be above limits"},
	})
}
