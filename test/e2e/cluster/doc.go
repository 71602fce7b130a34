// Package cluster runs a whole Kubernetes node in namespaces of its own, out of plain binaries: etcd, the control plane,
// containerd, kubelet, kube-proxy, CoreDNS and a registry. Nothing leaves the namespaces, nothing of the machine is
// changed, and the end of one process ends everything.
//
//	test ── supervisor ── dumb-init (pid 1 of the node) ── node ── etcd, kube-apiserver, containerd, …
//
// The supervisor holds a pipe to the test. When the test ends, however it ends, the supervisor kills the node, and the
// kernel takes containers, mounts and interfaces with it. Both are the test's own binary, started again: see Main.
package cluster
