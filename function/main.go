// The function that composes Chroma and Vald, as a gRPC server for Crossplane.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	function "github.com/crossplane/function-sdk-go"

	// The image has no files but this program, so the roots that S3 endpoints are verified by come with it.
	_ "golang.org/x/crypto/x509roots/fallback"

	"github.com/function-chroma/function-chroma/function/composition"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/checks"
	"github.com/function-chroma/function-chroma/function/observe"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/server"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/singlenode"
	"github.com/function-chroma/function-chroma/function/vald/config"
)

// bytesPerMB as --max-recv-message-size of Crossplane's own functions counts.
const bytesPerMB = 1024 * 1024

// gracePeriod leaves room in the 30 seconds that Kubernetes gives a Pod to end.
const gracePeriod = 25 * time.Second

// maxConcurrentCalls of one Crossplane, which asks for up to a hundred XRs at once. A call takes a millisecond or two of
// processor time, and seconds only where a check waits for a database.
const maxConcurrentCalls = 16

// checksDisabled is the value of --checks that connects to nothing.
const checksDisabled = "Disabled"

// CLI has the flags of the function and what its environment sets.
type CLI struct {
	Debug bool `help:"Emit debug logs in addition to info logs." short:"d"`

	Network            string `default:"tcp"   help:"Network on which to listen for gRPC connections."`
	Address            string `default:":9443" help:"Address at which to listen for gRPC connections."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR" help:"Directory with the server's certificate (tls.key, tls.crt) and the CA of its clients (ca.crt)."`
	Insecure           bool   `help:"Run without mTLS. --tls-certs-dir is then ignored."`
	MaxRecvMessageSize int    `default:"64"    help:"Maximum size of received messages in MB. A request can carry every Pod of a namespace."`
	MetricsAddress     string `default:":8080" help:"Address at which to listen for scrapes of Prometheus metrics. Empty: none."`

	Checks string `default:"Enabled" enum:"Enabled,Disabled" help:"Whether the function connects to the Postgres and the bucket of a distributed Chroma to check them."`

	DefaultImage  string   `env:"CHROMA_DEFAULT_IMAGE"  help:"Image of a Chroma without spec.image, unless the composition's Input names one."`
	AllowedImages []string `env:"CHROMA_ALLOWED_IMAGES" help:"Repositories of images that may run, unless the composition's Input names them."`

	DefaultVRSPath       string `env:"DEFAULT_VRS_PATH"       help:"File with the ValdRelease that the computed ones are laid over, unless the composition's Input names one."`
	RequireNodePoolMatch string `env:"REQUIRE_NODEPOOL_MATCH" help:"Whether a ValdRelease is only generated where a general node pool is found, unless the composition's Input says."`
	NodePoolLabelPrefix  string `env:"NODEPOOL_LABEL_PREFIX"  help:"Prefix of the labels of node pools, unless the composition's Input says."`
}

// Run the server until it is told to stop.
func (c *CLI) Run() error {
	log, err := function.NewLogger(c.Debug)
	if err != nil {
		return fmt.Errorf("cannot make a logger: %w", err)
	}

	creds, err := server.Credentials(c.TLSCertsDir, c.Insecure)
	if err != nil {
		return err
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	environment := settings.Environment{
		DefaultImage: c.DefaultImage, AllowedImages: c.AllowedImages, ChecksDisabled: c.Checks == checksDisabled,
		Vald: config.Environment{DefaultVRSPath: c.DefaultVRSPath, RequireNodePoolMatch: c.RequireNodePoolMatch, NodePoolLabelPrefix: c.NodePoolLabelPrefix},
	}
	// Said once here, where it would otherwise be the answer to each call.
	if _, err := settings.Parse(nil, environment); err != nil {
		return fmt.Errorf("cannot use the environment: %w", err)
	}

	fn, err := composition.New(log, environment, time.Now)
	if err != nil {
		return err
	}
	fn.CheckWith(checker())
	fn.ReadWith(os.ReadFile)

	s, err := server.New(ctx, fn, server.Options{
		Network:            c.Network,
		Address:            c.Address,
		MetricsAddress:     c.MetricsAddress,
		Credentials:        creds,
		MaxReceiveBytes:    c.MaxRecvMessageSize * bytesPerMB,
		MaxConcurrentCalls: maxConcurrentCalls,
		Narrow:             observe.NewNarrower(singlenode.ReadOfAnswers()).Append,
		GracePeriod:        gracePeriod,
	}, log)
	if err != nil {
		return err
	}

	return s.Run(ctx)
}

// checker of Postgres and the bucket of a distributed Chroma.
func checker() composition.Checker {
	c := checks.New(checks.Environment{Now: time.Now, Resolver: net.DefaultResolver, Search: checks.SearchDomains()}, checks.DefaultLimits())
	return func(ctx context.Context, request pass.Request, targets distributed.Targets) distributed.Checks {
		return c.Check(ctx, checks.Question{Namespace: request.Namespace, Targets: targets, Settings: request.Settings.Checks})
	}
}

func main() {
	ctx := kong.Parse(&CLI{}, kong.Description("A Crossplane composition function for Chroma and Vald."))
	ctx.FatalIfErrorf(ctx.Run())
}
