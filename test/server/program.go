package server

import (
	"os"
	"slices"
	"strconv"
)

// configFile is where the container image's arguments expect the configuration.
const configFile = "/config.yaml"

// A Program is a Chroma server that can be run: of an npm package or a container image.
type Program interface {
	// String names the program for people.
	String() string
	// inside tells the port and the folder of the data as the server itself sees them.
	inside(port int, volume string) (int, string)
	// command returns the words that run the server in the foreground.
	command(run invocation) []string
	// kill returns the words of a command that kills the server, none when killing the process of command does.
	kill(run invocation) []string
}

// An invocation is what differs from one start of a program to the next.
type invocation struct {
	name      string
	port      int
	volume    string
	config    string
	arguments []string
}

// native is the server of an npm package, run by Node.
type native struct {
	version string
	words   []string
}

func (n native) String() string { return "chroma " + n.version }

func (n native) inside(port int, volume string) (int, string) { return port, volume }

func (n native) command(run invocation) []string {
	words := slices.Concat(n.words, run.arguments)
	for i := range words {
		if words[i] == configFile {
			words[i] = run.config
		}
	}
	return words
}

func (n native) kill(invocation) []string { return nil }

// Container returns the server of a container image, run by a container runtime with the command line of Docker:
// docker, podman or nerdctl.
func Container(runtime, image string) Program {
	return container{runtime: runtime, image: image}
}

type container struct {
	runtime string
	image   string
}

func (c container) String() string { return c.image }

func (c container) inside(int, string) (int, string) { return 8000, "/data" }

// command runs the container as the user of the test, who must read and remove the data afterwards, with the read-only
// root and the writable /tmp of the Pod.
func (c container) command(run invocation) []string {
	return append([]string{
		c.runtime, "run", "--rm", "--name", run.name,
		"--user", strconv.Itoa(os.Getuid()) + ":" + strconv.Itoa(os.Getgid()),
		"--read-only", "--tmpfs", "/tmp",
		"--publish", "127.0.0.1:" + strconv.Itoa(run.port) + ":8000",
		"--volume", run.volume + ":/data",
		"--volume", run.config + ":" + configFile + ":ro",
		c.image,
	}, run.arguments...)
}

// kill asks the runtime: killing its command-line client leaves the container running.
func (c container) kill(run invocation) []string {
	return []string{c.runtime, "kill", run.name}
}
