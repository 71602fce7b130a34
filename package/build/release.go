package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/google/go-containerregistry/pkg/name"
)

// functionPackage is where the Function package of an architecture lies.
func (r Release) functionPackage(architecture string) string {
	return filepath.Join(r.Output, "function-chroma-"+architecture+".xpkg")
}

// configurationPackage is where a Configuration package lies.
func (r Release) configurationPackage(c Configuration) string {
	return filepath.Join(r.Output, c.Name+".xpkg")
}

// Build every package of the release.
func (r Release) Build(ctx context.Context) error {
	if _, err := semver.NewVersion(r.Version); err != nil || !strings.HasPrefix(r.Version, "v") {
		return fmt.Errorf("cannot release version %q: want one like v0.1.0", r.Version)
	}

	if err := os.MkdirAll(r.Output, 0o755); err != nil {
		return fmt.Errorf("cannot make the output folder: %w", err)
	}

	for _, architecture := range r.Architectures {
		err := staged(func(folder string) error {
			if err := r.stageFunction(folder); err != nil {
				return err
			}

			return staged(func(images string) error {
				archive, err := r.runtimeImage(ctx, architecture, images)
				if err != nil {
					return err
				}

				return r.pack(ctx, folder, r.functionPackage(architecture), "--embed-runtime-image-tarball="+archive)
			})
		})
		if err != nil {
			return err
		}
	}

	for _, c := range configurations() {
		err := staged(func(folder string) error {
			if err := r.stageConfiguration(c, folder); err != nil {
				return err
			}

			return r.pack(ctx, folder, r.configurationPackage(c))
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// Push every package of the release to the registry of the function.
func (r Release) Push(ctx context.Context) error {
	var functions []string
	for _, architecture := range r.Architectures {
		functions = append(functions, r.functionPackage(architecture))
	}

	if err := r.push(ctx, r.Function, functions...); err != nil {
		return err
	}

	for _, c := range configurations() {
		beside, err := name.NewRepository(strings.TrimSuffix(r.Function.Name(), "function-chroma")+c.Name, name.StrictValidation)
		if err != nil {
			return fmt.Errorf("cannot name the package %s: %w", c.Name, err)
		}

		if err := r.push(ctx, beside, r.configurationPackage(c)); err != nil {
			return err
		}
	}

	return nil
}

// pack a folder as a package.
func (r Release) pack(ctx context.Context, folder, path string, flags ...string) error {
	// No examples: this project's are not there to be read by machines.
	args := append([]string{"xpkg", "build", "--package-root=" + folder, "--examples-root=" + filepath.Join(folder, "examples"), "--package-file=" + path}, flags...)

	return r.crossplane(ctx, args...)
}

// push package files, one per architecture, under one tag.
func (r Release) push(ctx context.Context, to name.Repository, files ...string) error {
	return r.crossplane(ctx, "xpkg", "push", "--package-files="+strings.Join(files, ","), to.Tag(r.Version).Name())
}

// crossplane runs the CLI.
func (r Release) crossplane(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, r.Crossplane, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr

	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cannot run crossplane %s: %w", strings.Join(args, " "), err)
	}

	return nil
}

// staged runs with a folder that is gone afterwards.
func staged(with func(folder string) error) error {
	folder, err := os.MkdirTemp("", "package-")
	if err != nil {
		return fmt.Errorf("cannot make a folder: %w", err)
	}
	return errors.Join(with(folder), os.RemoveAll(folder))
}
