//go:build linux

package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	cgroupRoot   = "/sys/fs/cgroup"
	cgroupPrefix = "function-chroma-e2e-"
)

// cgroupName of the folder, in each hierarchy, below which the kubelet of a cluster makes those of its Pods.
func cgroupName(folder string) string { return cgroupPrefix + filepath.Base(folder) }

// cgroups are our folders, one in each hierarchy. They are the machine's, and are the only thing that does not end with
// the node.
type cgroups []string

// unified tells whether the machine has the one hierarchy of version 2.
func unified() bool {
	_, err := os.Stat(filepath.Join(cgroupRoot, "cgroup.controllers"))
	return err == nil
}

// newCgroups makes the folders of a cluster, and removes first what supervisors that were killed left there.
func newCgroups(folder string) (cgroups, error) {
	if err := removeStale(); err != nil {
		return nil, err
	}
	var groups cgroups
	name := cgroupName(folder)
	if unified() {
		groups = cgroups{filepath.Join(cgroupRoot, name)}
	} else {
		entries, err := os.ReadDir(cgroupRoot)
		if err != nil {
			return nil, fmt.Errorf("cannot list the machine's cgroups: %w", err)
		}
		for _, entry := range entries {
			// Names like cpu,cpuacct are hierarchies, and cpu is then a link to it.
			if entry.IsDir() && isCgroup(filepath.Join(cgroupRoot, entry.Name())) {
				groups = append(groups, filepath.Join(cgroupRoot, entry.Name(), name))
			}
		}
	}
	for _, group := range groups {
		if err := os.Mkdir(group, 0o755); err != nil {
			return nil, fmt.Errorf("cannot make a cgroup: %w", err)
		}
		if err := prepareCgroup(group); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// removeStale folders of clusters that are gone. The kubelet of one that runs needs its empty ones too.
func removeStale() error {
	for _, pattern := range []string{cgroupPrefix + "*", "*/" + cgroupPrefix + "*"} {
		groups, err := filepath.Glob(filepath.Join(cgroupRoot, pattern))
		if err != nil {
			return fmt.Errorf("cannot list the cgroups of clusters: %w", err)
		}
		for _, group := range groups {
			used, err := inUse(group)
			if err != nil {
				return err
			}
			if used {
				continue
			}
			if err := removeCgroup(group); err != nil {
				return err
			}
		}
	}
	return nil
}

// inUse tells whether any process is in a cgroup or below it.
func inUse(group string) (bool, error) {
	used := false
	err := filepath.WalkDir(group, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || used || entry.Name() != "cgroup.procs" {
			return err
		}
		processes, err := os.ReadFile(path)
		used = len(processes) > 0
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("cannot look for processes in %s: %w", group, err)
	}
	return used, nil
}

func isCgroup(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "cgroup.procs"))
	return err == nil
}

// prepareCgroup so that Pods can be made in it: version 1 wants the processors and memory named, version 2 the controllers.
func prepareCgroup(group string) error {
	parent := filepath.Dir(group)
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		content, err := os.ReadFile(filepath.Join(parent, file))
		if errors.Is(err, fs.ErrNotExist) || unified() {
			continue
		}
		if err != nil {
			return fmt.Errorf("cannot read the machine's processors: %w", err)
		}
		if err := os.WriteFile(filepath.Join(group, file), content, 0o600); err != nil {
			return fmt.Errorf("cannot give a cgroup its processors: %w", err)
		}
	}
	if !unified() {
		return nil
	}
	controllers, err := os.ReadFile(filepath.Join(group, "cgroup.controllers"))
	if err != nil {
		return fmt.Errorf("cannot read the controllers of a cgroup: %w", err)
	}
	for controller := range strings.FieldsSeq(string(controllers)) {
		if err := os.WriteFile(filepath.Join(group, "cgroup.subtree_control"), []byte("+"+controller), 0o600); err != nil {
			return fmt.Errorf("cannot pass the controller %s on: %w", controller, err)
		}
	}
	return nil
}

// remove the folders, the deepest first. Processes that were just killed hold theirs for a moment.
func (c cgroups) remove() error {
	var err error
	for range 50 {
		err = nil
		for _, group := range c {
			err = errors.Join(err, removeCgroup(group))
		}
		if err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

func removeCgroup(group string) error {
	var folders []string
	walked := filepath.WalkDir(group, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
		}
		return nil // A folder that is gone already needs no removal.
	})
	if walked != nil {
		return fmt.Errorf("cannot list a cgroup: %w", walked)
	}
	for _, folder := range slices.Backward(folders) {
		if err := unix.Rmdir(folder); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("cannot remove cgroup %s: %w", folder, err)
		}
	}
	return nil
}
