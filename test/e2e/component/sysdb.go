package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/url"
	"os"
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

const (
	// loseLease is the argument that makes a running sysdb lose its lease, as when the API server does not answer in time.
	loseLease = "lose-lease"
	leaseLost = "/tmp/lease-lost"
)

// runSysdb with the words of its shell command. It ends when Postgres refuses it, as the real one does.
func runSysdb(ctx context.Context, words []string) error {
	// The real one logs its flags too, with the password among them.
	log.Println("flags:", words)
	flags := map[string]string{}
	for _, word := range words {
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		flags[name] = value
	}
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(flags["username"], flags["password"]), Path: flags["db-name"],
		Host: net.JoinHostPort(flags["db-address"], flags["db-port"]), RawQuery: "sslmode=" + flags["ssl-mode"],
	}
	if err := execute(ctx, address.String(), `SELECT version FROM atlas_schema_revisions.atlas_schema_revisions`); err != nil {
		return err
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		return fmt.Errorf("cannot reach the API server: %w", err)
	}
	config.QPS, config.Burst = 50, 100
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot reach the API server: %w", err)
	}
	go keepLists(ctx, client, flags["kubernetes-namespace"])
	return serveHealth(ctx, true, ":50051")
}

// keepLists of members, until the lease is lost. The elector runs once: nobody refreshes them after that.
func keepLists(ctx context.Context, client dynamic.Interface, namespace string) {
	for ctx.Err() == nil {
		if _, err := os.Stat(leaseLost); err == nil {
			log.Println("the lease is lost")
			return
		}
		for memberType, list := range map[string]string{
			"query-service": "query-service-memberlist", "compaction-service": "compaction-service-memberlist",
			"garbage-collection-service": "garbage-collection-service-memberlist", "rust-log-service": "rust-log-service-memberlist",
			"fn-consumer": "fn-consumer-memberlist",
		} {
			if err := keepList(ctx, client, namespace, memberType, list); err != nil {
				log.Println(err)
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// keepList as the sysdb does: with a plain update of name, namespace, version and members, so that every label, annotation
// and owner is lost.
func keepList(ctx context.Context, client dynamic.Interface, namespace, memberType, name string) error {
	lists := client.Resource(schema.GroupVersionResource{Group: "chroma.cluster", Version: "v1", Resource: "memberlists"}).Namespace(namespace)
	list, err := lists.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil // One that this version does not have.
	}
	if err != nil {
		return fmt.Errorf("cannot read MemberList %s: %w", name, err)
	}
	members, err := membersOf(ctx, client, namespace, memberType)
	if err != nil {
		return err
	}
	if now, _, _ := unstructured.NestedSlice(list.Object, "spec", "members"); reflect.DeepEqual(now, members) {
		return nil
	}
	_, err = lists.Update(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "chroma.cluster/v1", "kind": "MemberList",
		"metadata": map[string]any{"name": name, "namespace": namespace, "resourceVersion": list.GetResourceVersion()},
		"spec":     map[string]any{"members": members},
	}}, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("cannot write MemberList %s: %w", name, err)
	}
	log.Printf("%s has %d members", name, len(members))
	return nil
}

// membersOf a type are its ready Pods.
func membersOf(ctx context.Context, client dynamic.Interface, namespace, memberType string) ([]any, error) {
	list, err := client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: "member-type=" + memberType})
	if err != nil {
		return nil, fmt.Errorf("cannot list Pods: %w", err)
	}
	members := []any{}
	for _, item := range list.Items {
		pod := corev1.Pod{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, &pod); err != nil {
			return nil, errors.Join(errors.New("cannot read a Pod"), err)
		}
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue && pod.DeletionTimestamp == nil {
				members = append(members, map[string]any{"member_id": pod.Name, "member_ip": pod.Status.PodIP, "member_node_name": pod.Spec.NodeName})
			}
		}
	}
	return members, nil
}
