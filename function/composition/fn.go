// Package composition is the composition function: it conducts one call from the request to the response.
package composition

import (
	"context"
	"fmt"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/apis/definition"
	vald "github.com/function-chroma/function-chroma/apis/vald/v1"
	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/observe"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/previous"
	"github.com/function-chroma/function-chroma/function/respond"
	"github.com/function-chroma/function-chroma/function/schema"
	"github.com/function-chroma/function-chroma/function/settings"
	"github.com/function-chroma/function-chroma/function/singlenode"
	"github.com/function-chroma/function-chroma/function/vald/config"
	"github.com/function-chroma/function-chroma/function/vald/lifecycle"
)

// remembered Pods: those of some hundred Chromas, in a few megabytes.
const remembered = 500

// Function composes Chroma and Vald. It is a pure decision over what it is shown: the same request gives the same
// response. Clock and settings come in as parameters.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log         logging.Logger
	environment settings.Environment
	defaults    definition.Defaults
	now         func() time.Time
	previous    *previous.Memory
	inputs      inputs
	checker     Checker
	readFile    func(path string) ([]byte, error)
}

// Checker of what a distributed Chroma needs outside the cluster. It answers in time, if need be that it does not know
// yet. It is a function, so that the plugin, which imports this package, does not link the clients it takes.
type Checker func(ctx context.Context, request pass.Request, targets distributed.Targets) distributed.Checks

// New function.
func New(log logging.Logger, environment settings.Environment, now func() time.Time) (*Function, error) {
	defaults, err := definition.NewDefaults()
	if err != nil {
		return nil, fmt.Errorf("cannot read the definitions of the API: %w", err)
	}
	return &Function{log: log, environment: environment, defaults: defaults, now: now, previous: previous.NewMemory(remembered)}, nil
}

// CheckWith a Checker. Without one nothing outside the cluster is asked, and its checks stay pending.
func (f *Function) CheckWith(checker Checker) { f.checker = checker }

// ReadWith a reader of files: the Vald operator's configuration can name one with its default template.
func (f *Function) ReadWith(readFile func(path string) ([]byte, error)) { f.readFile = readFile }

// RunFunction answers one call. A Fatal result makes Crossplane change nothing and write no status: it is for requests
// that cannot be read, and for nothing else.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	log := f.log.WithValues("tag", req.GetMeta().GetTag())
	rsp, err := f.run(ctx, req)
	if err != nil {
		log.Info("Cannot answer", "error", err.Error())
		rsp = response.To(req, response.DefaultTTL)
		response.Fatal(rsp, err)
		return rsp, nil
	}
	log.Debug("Answered", "resources", len(rsp.GetDesired().GetResources()))
	return rsp, nil
}

func (f *Function) run(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	with, err := f.inputs.read(req, f.environment)
	if err != nil {
		return nil, err
	}
	request, err := observe.Request(req, with, f.now())
	if err != nil {
		return nil, err
	}
	request.Previous = f.previous
	// An XR can arrive without the defaults of the API: from render and lint, or older than a field.
	f.defaults.Default(request.XR.Object)
	answer, err := f.decide(ctx, request)
	if err != nil {
		return nil, err
	}
	if answer, err = schema.Fit(request, answer); err != nil {
		return nil, err
	}
	return respond.To(req, request, answer)
}

// decide by kind and mode.
func (f *Function) decide(ctx context.Context, request pass.Request) (pass.Answer, error) {
	gvk := request.XR.GroupVersionKind()
	switch {
	case gvk.Group == vald.Group && gvk.Kind == vald.Kind:
		return f.decideVald(request)
	case gvk.Group == chroma.Group && (gvk.Kind == chroma.Kind || gvk.Kind == chroma.KindXChroma):
		if mode, _, _ := unstructured.NestedString(request.XR.Object, "spec", "mode"); mode == string(chroma.ModeDistributed) {
			return distributed.Decide(request, f.check(ctx, request))
		}
		return singlenode.Answer(request)
	}
	return pass.Answer{}, fmt.Errorf("cannot compose %s: this function composes Chroma and ValdOperatorRelease", gvk)
}

func (f *Function) decideVald(request pass.Request) (pass.Answer, error) {
	if f.readFile != nil {
		var err error
		vald := &request.Settings.Vald
		if vald.DefaultTemplateFile, err = config.ReadTemplate(vald.Config, vald.Environment, f.readFile); err != nil {
			return pass.Answer{}, err
		}
	}
	return lifecycle.Decide(request)
}

// check what a distributed Chroma needs outside the cluster.
func (f *Function) check(ctx context.Context, request pass.Request) distributed.Checks {
	targets, ok := distributed.Ask(request)
	if !ok || f.checker == nil {
		return distributed.Checks{}
	}
	return f.checker(ctx, request, targets)
}
