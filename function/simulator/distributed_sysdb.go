package simulator

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/simulator/store"
)

// What Chroma's sysdb is known by.
const (
	appSysDB = "sysdb"
	// sysDBInterval is how often it looks at its members.
	sysDBInterval   = 100 * time.Millisecond
	labelMemberType = "member-type"
	suffixList      = "-memberlist"
	managerSysDB    = "coordinator"
)

func kindMemberList() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "chroma.cluster", Version: "v1", Kind: "MemberList"}
}

// wakeSysDB of a namespace.
func (c *Cluster) wakeSysDB(namespace string) {
	if c.config.Pods {
		c.queue.add(Task{ActorSysDB, store.Key{Namespace: namespace}}, sysDBInterval, false)
	}
}

// LoseLeader takes the lease from the sysdb that leads in a namespace. It campaigns once, at its start, so nobody writes the
// MemberLists any more until another Pod of the sysdb is ready.
func (c *Cluster) LoseLeader(namespace string) {
	for _, pod := range c.PodsOf(namespace, appSysDB) {
		c.leaderless[uidOf(pod)] = true
	}
}

// listMembers is what Chroma's sysdb does as long as it leads: it writes the ready Pods of each member type into their
// MemberList, whenever they have changed. Its plain PUT has name, namespace, version and members, so labels,
// annotations, owners and finalizers vanish.
func (c *Cluster) listMembers(key store.Key) {
	if !c.leads(key.Namespace) {
		return
	}
	for _, list := range c.store.List(kindMemberList(), key.Namespace) {
		members := c.membersOf(key.Namespace, strings.TrimSuffix(list.GetName(), suffixList))
		if store.Same(members, at(list, "spec", "members")) {
			continue
		}
		written := object(kindMemberList(), key.Namespace, list.GetName(), map[string]any{"spec": map[string]any{"members": members}})
		written.SetResourceVersion(list.GetResourceVersion())
		_, _ = c.write(ActorSysDB, func() (*unstructured.Unstructured, error) {
			return c.store.Update(written, store.Options{Actor: ActorSysDB, Manager: managerSysDB})
		})
	}
}

func (c *Cluster) leads(namespace string) bool {
	for _, pod := range c.PodsOf(namespace, appSysDB) {
		if podIsReady(pod) && !c.leaderless[uidOf(pod)] {
			return true
		}
	}
	return false
}

func (c *Cluster) membersOf(namespace, kind string) []any {
	members := []any{}
	for _, pod := range c.store.List(kindPod(), namespace) {
		if stringAt(pod, "metadata", "labels", labelMemberType) == kind && podIsReady(pod) {
			members = append(members, map[string]any{
				"member_id": pod.GetName(), "member_ip": stringAt(pod, "status", "podIP"), "member_node_name": stringAt(pod, "spec", "nodeName"),
			})
		}
	}
	return members
}
