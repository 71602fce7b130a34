package server

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// CacheVariable names the environment variable with the folder that installed servers are kept in.
const CacheVariable = "CHROMA_TEST_CACHE"

const npmPackage = "chromadb-js-bindings-linux-x64-gnu"

// ErrUnavailable says that a server cannot be had on this machine: Node, npm or apt is not there or reaches nothing.
var ErrUnavailable = errors.New("no Chroma server on this machine")

//go:embed run.js
var runScript string

// Install makes the server of a Chroma release ready to run, from the cache when it is there. Its error is an
// ErrUnavailable when the machine is at fault.
func Install(ctx context.Context, version string) (Program, error) {
	binding, err := BindingOf(version)
	if err != nil {
		return nil, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("cannot find Node: %w: %w", ErrUnavailable, err)
	}
	cache, err := cacheFolder()
	if err != nil {
		return nil, err
	}
	modules, err := fetchBinding(ctx, cache, binding)
	if err != nil {
		return nil, err
	}
	loader, err := libcLoader(ctx, cache)
	if err != nil {
		return nil, err
	}
	signals := "SIGTERM,SIGINT"
	if binding.Abrupt {
		signals = "SIGINT"
	}
	return native{
		version: version,
		words:   append(loader, node, "-e", runScript, "--", filepath.Join(modules, "node_modules", npmPackage), signals),
	}, nil
}

// cacheFolder gives the folder of the cache, which exists afterwards.
func cacheFolder() (string, error) {
	folder := os.Getenv(CacheVariable)
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("cannot find a folder for servers, set %s: %w", CacheVariable, err)
		}
		folder = filepath.Join(user, "function-chroma")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("cannot find the folder of %s: %w", CacheVariable, err)
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return "", fmt.Errorf("cannot make a folder for servers: %w", err)
	}
	return folder, nil
}

// fetchBinding installs a package with npm, which checks the archive against the lock file, and returns the folder.
func fetchBinding(ctx context.Context, cache string, binding Binding) (string, error) {
	return once(cache, "binding-"+binding.Package, func(folder string) error {
		manifest, lock := npmFiles(binding)
		for name, content := range map[string]any{"package.json": manifest, "package-lock.json": lock} {
			text, err := json.MarshalIndent(content, "", "  ")
			if err != nil {
				return fmt.Errorf("cannot write %s: %w", name, err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
				return fmt.Errorf("cannot write %s: %w", name, err)
			}
		}
		return command(ctx, folder, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	})
}

// npmFiles returns the manifest and the lock file of a folder that holds a binding and nothing else. The lock file has
// no address: npm takes the registry that the machine is set up for.
func npmFiles(binding Binding) (manifest, lock map[string]any) {
	dependencies := map[string]any{npmPackage: binding.Package}
	manifest = map[string]any{"private": true, "dependencies": dependencies}
	lock = map[string]any{
		"lockfileVersion": 3,
		"packages": map[string]any{
			"":                           map[string]any{"dependencies": dependencies},
			"node_modules/" + npmPackage: map[string]any{"version": binding.Package, "integrity": binding.Integrity},
		},
	}
	return manifest, lock
}

// once fills a folder of the cache and gives it its name only when it is complete: test binaries of several packages may
// fill it at the same time, and the first to end wins.
func once(cache, name string, fill func(folder string) error) (string, error) {
	final := filepath.Join(cache, name)
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	folder, err := os.MkdirTemp(cache, name+".")
	if err != nil {
		return "", fmt.Errorf("cannot make a folder in the cache: %w", err)
	}
	defer os.RemoveAll(folder)
	if err := fill(folder); err != nil {
		return "", err
	}
	if err := os.Rename(folder, final); err != nil {
		if _, statErr := os.Stat(final); statErr != nil {
			return "", fmt.Errorf("cannot put %s into the cache: %w", name, err)
		}
	}
	return final, nil
}

// command runs a package client in a folder. Its failure means that the machine does not reach what it needs.
func command(ctx context.Context, folder string, environment []string, name string, arguments ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), environment...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot run %s %s: %w: %w: %s", name, strings.Join(arguments, " "), ErrUnavailable, err, output)
	}
	return nil
}
