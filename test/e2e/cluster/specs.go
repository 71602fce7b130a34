//go:build linux

package cluster

import "path/filepath"

// Names of the components.
const (
	etcd              = "etcd"
	apiserver         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	kubelet           = "kubelet"
	proxy             = "kube-proxy"
	containerd        = "containerd"
)

const containerdSocket = "/run/containerd/containerd.sock"

// specs of everything that runs on the node outside of containers.
func specs(options Options) []spec {
	binary := func(name string) string { return filepath.Join(options.Binaries, name) }
	in := func(name string) string { return filepath.Join(options.Folder, name) }
	pki := func(name string) string { return filepath.Join(options.Folder, "pki", name) }
	return []spec{
		{name: etcd, program: binary(etcd), arguments: []string{
			"--name=e2e", "--data-dir=" + in("etcd"), "--log-level=warn",
			"--listen-client-urls=http://127.0.0.1:2379", "--advertise-client-urls=http://127.0.0.1:2379",
			"--listen-peer-urls=http://127.0.0.1:2380", "--initial-advertise-peer-urls=http://127.0.0.1:2380",
			"--initial-cluster=e2e=http://127.0.0.1:2380",
			// A test that kills etcd kills a process, not the machine.
			"--unsafe-no-fsync=true",
		}},
		{name: apiserver, program: binary(apiserver), arguments: []string{
			"--etcd-servers=http://127.0.0.1:2379", "--bind-address=" + Address, "--advertise-address=" + Address, "--secure-port=6443",
			"--service-cluster-ip-range=" + serviceRange, "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
			"--client-ca-file=" + pki("ca.crt"), "--tls-cert-file=" + pki("apiserver.crt"), "--tls-private-key-file=" + pki("apiserver.key"),
			"--kubelet-client-certificate=" + pki("apiserver-kubelet.crt"), "--kubelet-client-key=" + pki("apiserver-kubelet.key"),
			"--kubelet-certificate-authority=" + pki("ca.crt"), "--kubelet-preferred-address-types=InternalIP",
			"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + pki("sa.pub"),
			"--service-account-signing-key-file=" + pki("sa.key"),
			"--requestheader-client-ca-file=" + pki("ca.crt"), "--requestheader-allowed-names=front-proxy-client",
			"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
			"--requestheader-extra-headers-prefix=X-Remote-Extra-",
			"--proxy-client-cert-file=" + pki("front-proxy-client.crt"), "--proxy-client-key-file=" + pki("front-proxy-client.key"),
			"--allow-privileged=true", "--event-ttl=1h",
			"--audit-policy-file=" + in("audit.yaml"), "--audit-log-path=" + in("log/audit.log"),
			// A test rewrites images as mutating webhooks do.
			"--feature-gates=MutatingAdmissionPolicy=true", "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
		}},
		{name: controllerManager, program: binary(controllerManager), arguments: []string{
			"--kubeconfig=" + pki("controller-manager.kubeconfig"), "--bind-address=127.0.0.1", "--use-service-account-credentials=true",
			"--service-account-private-key-file=" + pki("sa.key"), "--root-ca-file=" + pki("ca.crt"),
			"--cluster-signing-cert-file=" + pki("ca.crt"), "--cluster-signing-key-file=" + pki("ca.key"),
			"--allocate-node-cidrs=false", "--leader-elect=false", "--pvclaimbinder-sync-period=2s",
			"--controllers=*,-cloud-node-lifecycle",
		}},
		{name: scheduler, program: binary(scheduler), arguments: []string{
			"--kubeconfig=" + pki("scheduler.kubeconfig"), "--bind-address=127.0.0.1", "--leader-elect=false",
		}},
		{name: containerd, program: containerd, arguments: []string{"-c", in("containerd.toml")}},
		{name: kubelet, program: binary(kubelet), after: containerdSocket, arguments: []string{
			"--config=" + in("kubelet.yaml"), "--kubeconfig=" + pki("kubelet.kubeconfig"),
			"--hostname-override=" + NodeName, "--node-ip=" + Address,
		}},
		{name: proxy, program: binary(proxy), arguments: []string{"--config=" + in("proxy.yaml")}},
	}
}
