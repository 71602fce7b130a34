//go:build e2e && linux

package e2e

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	packagecluster "github.com/function-chroma/function-chroma/package/cluster"
	"github.com/function-chroma/function-chroma/test/e2e/cluster"
	"github.com/function-chroma/function-chroma/test/e2e/images"
)

//go:embed manifests/*.yaml
var manifests embed.FS

const (
	crossplaneNamespace = "crossplane-system"
	providerRepository  = "crossplane-contrib/provider-kubernetes"
	providerVersion     = "v1.3.1"
	// release of the packages under test.
	release = "v0.1.0"
)

// chromaVersions with three data formats. The last three share one.
func chromaVersions() []string { return []string{"1.1.1", "1.4.1", "1.5.0", "1.5.9"} }

// install everything, the way a person does.
func (e *environment) install(ctx context.Context) error {
	registry := os.Getenv("E2E_REGISTRY")
	if e.node != nil {
		registry = cluster.Registry
		installed, err := e.installed(ctx)
		if err != nil {
			return err
		}
		if installed {
			e.sayf("took over the cluster that was kept, with the packages that it has")
			return nil
		}
		if err := e.installNode(ctx); err != nil {
			return err
		}
	}
	if registry == "" {
		return fmt.Errorf("cannot install the packages: set E2E_REGISTRY to where they can be pushed and pulled")
	}
	if err := e.installCrossplane(ctx, registry); err != nil {
		return err
	}
	return e.installPackages(ctx, registry)
}

// installed tells whether a kept cluster has the packages already.
func (e *environment) installed(ctx context.Context) (bool, error) {
	list, err := e.client.Resource(kindFunction.resource).List(ctx, listAll)
	if apierrors.IsNotFound(err) {
		return false, nil // Crossplane is not there either.
	}
	if err != nil {
		return false, fmt.Errorf("cannot list functions: %w", err)
	}
	return len(list.Items) > 0, nil
}

// installNode fills the registry of the node, and what a cluster has from the start.
func (e *environment) installNode(ctx context.Context) error {
	if err := e.pushImages(ctx); err != nil {
		return err
	}
	base, err := manifests.ReadFile("manifests/coredns.yaml")
	if err != nil {
		return fmt.Errorf("cannot read the manifests: %w", err)
	}
	if err := e.applyText(ctx, base); err != nil {
		return err
	}
	return e.untilDeployed(ctx, "kube-system", "coredns")
}

// pushImages to the node's registry.
func (e *environment) pushImages(ctx context.Context) error {
	pause := filepath.Join(e.node.Folder(), "pause")
	if err := e.goBuild(ctx, pause, "./test/e2e/pause"); err != nil {
		return err
	}
	core, err := e.module(ctx, "test/tools", "github.com/crossplane/crossplane/v2")
	if err != nil {
		return err
	}
	all := map[string]images.Image{
		"pause:1":   images.Program(pause, nil),
		"coredns:1": images.Program(filepath.Join(e.binaries, "coredns"), func(c *v1.Config) { c.User = "" }),
		"crossplane/crossplane:" + filepath.Base(core)[len("v2@"):]: images.Crossplane(filepath.Join(e.binaries, "crossplane-core"), filepath.Join(core, "cluster")),
	}
	for _, version := range chromaVersions() {
		if all["chromadb/chroma:"+version], err = images.Chroma(ctx, version); err != nil {
			return err
		}
	}
	all["chromadb/chroma:latest"] = all["chromadb/chroma:1.5.9"] // Its version cannot be told.
	all[strings.TrimPrefix(vectura, "ghcr.io/")] = all["chromadb/chroma:1.5.9"]
	for name, from := range all {
		image, err := from.Build()
		if err != nil {
			return err
		}
		if err := images.Push(ctx, image, cluster.Registry+"/"+name, e.node.Transport()); err != nil {
			return err
		}
	}
	e.sayf("pushed %d images", len(all))
	return nil
}

// installCrossplane with its own chart.
func (e *environment) installCrossplane(ctx context.Context, registry string) error {
	core, err := e.module(ctx, "test/tools", "github.com/crossplane/crossplane/v2")
	if err != nil {
		return err
	}
	version := filepath.Base(core)[len("v2@"):]
	// First, since the API serves a definition only some time after it was made.
	if _, err := e.run(ctx, nil, "kubectl", "apply", "--server-side", "-f", filepath.Join(core, "cluster", "crds")); err != nil {
		return err
	}
	_, err = e.run(ctx, nil, "helm", "upgrade", "--install", "crossplane", filepath.Join(core, "cluster", "charts", "crossplane"),
		"--namespace", crossplaneNamespace, "--create-namespace", "--wait", "--timeout", "5m",
		"--set", "image.repository="+registry+"/crossplane/crossplane", "--set", "image.tag="+version,
		"--set", "resourcesCrossplane.limits.cpu=2")
	if err != nil {
		return err
	}
	e.sayf("Crossplane %s runs", version)
	return nil
}

// installPackages builds, pushes and installs the packages, and what goes beside them.
func (e *environment) installPackages(ctx context.Context, registry string) error {
	if err := e.pushPackages(ctx, registry); err != nil {
		return err
	}
	parts, err := packagecluster.Render(packagecluster.Parameters{
		FunctionRepository: registry + "/function-chroma",
		ProviderRepository: registry + "/" + providerRepository,
	})
	if err != nil {
		return err
	}
	if err := e.applyText(ctx, parts.Before); err != nil {
		return err
	}
	// A cluster without a way out takes packages from a mirror.
	if err := e.applyText(ctx, []byte(fmt.Sprintf(`
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: {name: mirror}
spec:
  matchImages: [{type: Prefix, prefix: xpkg.crossplane.io}]
  rewriteImage: {prefix: %q}
---
apiVersion: pkg.crossplane.io/v1
kind: Configuration
metadata: {name: configuration-chroma}
spec:
  package: %s/configuration-chroma:%s
`, registry, registry, release))); err != nil {
		return err
	}
	for _, kind := range []kind{kindConfiguration, kindProvider, kindFunction} {
		if err := e.untilHealthy(ctx, kind); err != nil {
			return err
		}
	}
	if err := e.applyText(ctx, parts.After); err != nil {
		return err
	}
	e.sayf("the packages are healthy")
	return nil
}

// pushPackages of this project, and of provider-kubernetes.
func (e *environment) pushPackages(ctx context.Context, registry string) error {
	folder, err := os.MkdirTemp("", "e2e-packages-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for packages: %w", err)
	}
	defer os.RemoveAll(folder)

	builder := filepath.Join(folder, "build")
	if err := e.goBuild(ctx, builder, "./package/build"); err != nil {
		return err
	}
	crossplane := filepath.Join(e.binaries, "crossplane")
	arguments := []string{"-root", e.root, "-crossplane", crossplane, "-output", filepath.Join(folder, "dist"), "-version", release, "-registry", registry, "-native"}
	if output, err := exec.CommandContext(ctx, builder, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the packages: %w: %s", err, output)
	}
	if _, err := e.run(ctx, nil, builder, append(arguments, "-push")...); err != nil {
		return err
	}
	provider := filepath.Join(folder, "provider.xpkg")
	if err := e.buildProvider(ctx, folder, provider); err != nil {
		return err
	}
	_, err = e.run(ctx, nil, crossplane, "xpkg", "push", "--package-files="+provider, registry+"/"+providerRepository+":"+providerVersion)
	return err
}

// buildProvider makes the package of provider-kubernetes out of its module and its binary.
func (e *environment) buildProvider(ctx context.Context, folder, provider string) error {
	module, err := e.module(ctx, "test/tools/provider-kubernetes", "github.com/crossplane-contrib/provider-kubernetes")
	if err != nil {
		return err
	}
	image, err := images.Program(filepath.Join(e.binaries, "provider-kubernetes"), nil).Build()
	if err != nil {
		return err
	}
	archive := filepath.Join(folder, "provider.tar")
	if err := images.Save(image, archive); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(e.binaries, "crossplane"), "xpkg", "build",
		"--package-root="+filepath.Join(module, "package"), "--examples-root="+filepath.Join(folder, "none"),
		"--embed-runtime-image-tarball="+archive, "--package-file="+provider)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the package of provider-kubernetes: %w: %s", err, output)
	}
	return nil
}

// goBuild a program of this module, statically.
func (e *environment) goBuild(ctx context.Context, output, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", output, path)
	cmd.Dir, cmd.Env = e.root, append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build %s: %w: %s", path, err, said)
	}
	return nil
}

// module is the folder of a module's sources, at the version that a folder's go.mod has.
func (e *environment) module(ctx context.Context, folder, path string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", path)
	cmd.Dir = filepath.Join(e.root, folder)
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cannot find the sources of %s: %w", path, err)
	}
	return strings.TrimSpace(string(output)), nil
}

// untilDeployed waits until every replica of a Deployment is ready.
func (e *environment) untilDeployed(ctx context.Context, namespace, name string) error {
	return e.until(ctx, "Deployment "+name, 3*time.Minute, func(ctx context.Context) (string, bool) {
		object, err := e.get(ctx, kindDeployment, namespace, name)
		if err != nil || object == nil {
			return fmt.Sprint(err), false
		}
		ready, _, _ := unstructured.NestedInt64(object.Object, "status", "readyReplicas")
		wanted, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas")
		return fmt.Sprintf("%d of %d replicas are ready", ready, wanted), ready == wanted && wanted > 0
	})
}

// untilHealthy waits until every package of a kind is, and there is one.
func (e *environment) untilHealthy(ctx context.Context, of kind) error {
	return e.until(ctx, "healthy "+of.resource.Resource, 5*time.Minute, func(ctx context.Context) (string, bool) {
		list, err := e.client.Resource(of.resource).List(ctx, listAll)
		if err != nil {
			return err.Error(), false
		}
		var waiting []string
		for i := range list.Items {
			for _, condition := range []string{"Installed", "Healthy"} {
				if status, reason, message := conditionOf(&list.Items[i], condition); status != "True" {
					waiting = append(waiting, fmt.Sprintf("%s %s=%s %s %s", list.Items[i].GetName(), condition, status, reason, message))
				}
			}
		}
		return strings.Join(waiting, "; "), len(waiting) == 0 && len(list.Items) > 0
	})
}
