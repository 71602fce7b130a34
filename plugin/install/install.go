// Package install is kubectl chroma install: what a package of Crossplane cannot carry, and the packages.
package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/function-chroma/function-chroma/package/cluster"
	"github.com/function-chroma/function-chroma/plugin/change"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/factory"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// Where the packages are by default.
const (
	registry      = "ghcr.io/function-chroma"
	configuration = "configuration-chroma"
	claimsSuffix  = "-claims"
	function      = "function-chroma"
)

type options struct {
	change.Options
	factory  factory.Factory
	apply    bool
	claims   bool
	registry string
	version  string
	output   string
}

// New command.
func New(f factory.Factory) *cobra.Command {
	o := &options{factory: f, Options: change.Options{Streams: f.Streams}}
	command := &cobra.Command{
		Use:   "install",
		Short: "Print or apply what an installation needs",
		Long: `Print what an installation needs, in the order in which it is applied: what a package of Crossplane cannot carry (rights of
Crossplane and of provider-kubernetes, the admission policy that guards claims, the function's runtime, the MemberList
definition), the Configuration, which brings the Function along, when --version is given, and the provider's configuration.
With --apply it is applied, after a question: rights and a policy of the whole cluster change, and what somebody else set in
these objects is taken over. The provider's configuration is refused until the provider is healthy: apply again then.

--namespace is that of Crossplane where it is not crossplane-system.

` + exit.Help,
		Example: `  # Look, then apply with kubectl
  kubectl chroma install --version v0.1.0 > install.yaml
  kubectl apply --server-side -f install.yaml

  # For clusters that use claims
  kubectl chroma install --claims --version v0.1.0 --apply

  # In a script
  kubectl chroma install --version v0.1.0 --apply --yes`,
		Args: factory.Arguments(0, 0, "no arguments"),
		RunE: func(command *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			if o.output != terminal.YAML {
				return exit.Errorf(exit.Usage, "--output must be yaml, not %q", o.output)
			}
			if !o.apply && o.DryRun != change.None {
				return exit.Errorf(exit.Usage, "--dry-run needs --apply: without it nothing is done but printing")
			}
			return o.run(command.Context())
		},
	}
	flags := command.Flags()
	flags.BoolVar(&o.apply, "apply", false, "apply it instead of printing it")
	flags.BoolVar(&o.claims, "claims", false, "Chroma as the claim of XChroma, for clusters that use claims")
	flags.StringVar(&o.registry, "registry", registry, "where the packages are")
	flags.StringVar(&o.version, "version", "", "version of the packages, like v0.1.0; without it no package is among the manifests")
	flags.StringVarP(&o.output, "output", "o", terminal.YAML, "yaml")
	o.AddFlags(flags)
	return command
}

func (o *options) run(ctx context.Context) error {
	manifests, err := cluster.Render(cluster.Parameters{Namespace: o.factory.NamespaceFlag(), FunctionRepository: o.registry + "/" + function})
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	text := bytes.Join([][]byte{manifests.Before, o.packages(), manifests.After}, nil)
	if !o.apply {
		_, err := o.Streams.Out.Write(text)
		return err
	}
	return o.applyAll(ctx, text)
}

// packages of Crossplane, none without a version.
func (o *options) packages() []byte {
	if o.version == "" {
		return nil
	}
	name := configuration
	if o.claims {
		name += claimsSuffix
	}
	return fmt.Appendf(nil, "---\napiVersion: pkg.crossplane.io/v1\nkind: Configuration\nmetadata:\n  name: %s\nspec:\n  package: %s/%s:%s\n", name, o.registry, name, o.version)
}

func (o *options) applyAll(ctx context.Context, text []byte) error {
	objects, err := read(text)
	if err != nil {
		return err
	}
	client, err := o.factory.Client()
	if err != nil {
		return err
	}
	if !o.Yes && o.DryRun == change.None {
		for _, object := range objects {
			_, _ = fmt.Fprintf(o.Streams.ErrOut, "%s %s\n", object.GetKind(), nameOf(object))
		}
	}
	if err := o.Confirm(fmt.Sprintf("Apply these %d objects, and take over what others set in them?", len(objects))); err != nil {
		return err
	}
	var refused []error
	for _, object := range objects {
		// One refusal, as that of a kind that comes with the provider, does not keep the others from being applied.
		if err := o.Options.Apply(ctx, client, object, true); err != nil {
			refused = append(refused, err)
		}
	}
	if count := len(refused); count > 0 {
		refused = append(refused, fmt.Errorf("%d of %d objects could not be applied: apply again, the provider's configuration once the provider is healthy", count, len(objects)))
	}
	return errors.Join(refused...)
}

// read the objects of the manifests.
func read(text []byte) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the manifests: %w", err)
		}
		if object.GetKind() != "" {
			out = append(out, object)
		}
	}
}

// nameOf an object with its namespace, where it has one.
func nameOf(object *unstructured.Unstructured) string {
	if object.GetNamespace() == "" {
		return object.GetName()
	}
	return object.GetNamespace() + "/" + object.GetName()
}
