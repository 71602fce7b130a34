package server

import (
	"context"
	"path/filepath"
)

// Files of a server, for an image that does not depend on the machine's C library.
type Files struct {
	// Binding is the folder of the npm package.
	Binding string
	// Libraries is a folder with the C library and those of GCC, of Debian's release trixie.
	Libraries string
}

// Fetch the files of a Chroma release, from the cache when they are there. Its error is an ErrUnavailable when the machine
// is at fault.
func Fetch(ctx context.Context, version string) (Files, error) {
	binding, err := BindingOf(version)
	if err != nil {
		return Files{}, err
	}
	cache, err := cacheFolder()
	if err != nil {
		return Files{}, err
	}
	modules, err := fetchBinding(ctx, cache, binding)
	if err != nil {
		return Files{}, err
	}
	libraries, err := libcLibraries(ctx, cache)
	if err != nil {
		return Files{}, err
	}
	return Files{Binding: filepath.Join(modules, "node_modules", npmPackage), Libraries: libraries}, nil
}
