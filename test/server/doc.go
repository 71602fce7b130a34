// Package server runs real Chroma servers for tests and trials.
//
// Chroma's own server is published inside the native part of its JavaScript package: the package's function cli is the
// chroma command of the container image. Install fetches it with the npm client and runs it with the machine's Node, so
// that no container runtime is needed. Where there is one, Container runs any image instead.
package server
