// Package simulator is a model of a cluster around a composition function: Crossplane's pass, provider-kubernetes, the
// garbage collector, binder, scheduler and kubelet, over a store with real server-side apply. Time is simulated and
// every choice comes from a seed, so that a run can be repeated exactly.
//
// It models Crossplane 2.3.4, provider-kubernetes 1.3.1 and Kubernetes 1.35 as far as a composition function can tell
// the difference: what was measured on a real cluster has a test here that names it.
package simulator
