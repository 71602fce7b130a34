#!/usr/bin/env bash
# build.sh FOLDER TOOL...: builds test tools at the versions pinned here, as FOLDER/TOOL, each beside a TOOL.key.
# The key hashes what goes into the binary: the Go toolchain, the module's pins, the package and the flags. While it
# stays the same nothing is built.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { printf '%s %s\n' "$(date +%H:%M:%S)" "$*" >&2; }

[ $# -ge 2 ] || { say "usage: build.sh FOLDER TOOL..."; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift

export CGO_ENABLED=0

for tool in "$@"; do
  module=$here package='' flags='-s -w' variables=''
  case $tool in
    crossplane-core)
      package=github.com/crossplane/crossplane/v2/cmd/crossplane
      # Without its version Crossplane refuses each package that names the versions it is made for.
      version=$(cd "$module" && go list -m -f '{{.Version}}' github.com/crossplane/crossplane/v2)
      variables="-X github.com/crossplane/crossplane-runtime/v2/pkg/version.version=$version"
      ;;
    crossplane)
      package=github.com/crossplane/cli/v2/cmd/crossplane
      version=$(cd "$module" && go list -m -f '{{.Version}}' github.com/crossplane/cli/v2)
      variables="-X github.com/crossplane/crossplane-runtime/v2/pkg/version.version=$version"
      ;;
    versitygw) package=github.com/versity/versitygw/cmd/versitygw ;;
    golangci-lint)
      module=$here/golangci-lint
      package=github.com/golangci/golangci-lint/v2/cmd/golangci-lint
      version=$(cd "$module" && go list -m -f '{{.Version}}' github.com/golangci/golangci-lint/v2)
      variables="-X main.version=${version#v}"
      ;;
    provider-kubernetes)
      module=$here/provider-kubernetes
      package=github.com/crossplane-contrib/provider-kubernetes/cmd/provider
      ;;
    helm)
      module=$here/helm
      package=helm.sh/helm/v3/cmd/helm
      ;;
    chart-render)
      module=$here/helm
      package=./chart-render
      ;;
    coredns)
      module=$here/coredns
      package=.
      ;;
    etcd)
      module=$here/kubernetes
      package=go.etcd.io/etcd/server/v3
      ;;
    kube-apiserver | kube-controller-manager | kube-proxy | kube-scheduler | kubectl | kubelet)
      module=$here/kubernetes
      package=k8s.io/kubernetes/cmd/$tool
      version=$(cd "$module" && go list -m -f '{{.Version}}' k8s.io/kubernetes)
      minor=${version#v1.}
      for path in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
        variables+=" -X $path.gitVersion=$version -X $path.gitMajor=1 -X $path.gitMinor=${minor%%.*} -X $path.gitTreeState=clean"
      done
      ;;
    *) say "build.sh knows no tool $tool"; exit 2 ;;
  esac

  # The folder of all the modules has no code of its own.
  sources=()
  [ "$module" = "$here" ] || mapfile -t sources < <(find "$module" -name '*.go' | LC_ALL=C sort)
  key=$({ go version; printf '%s\n' "$package" "$flags $variables"; cat "$module/go.mod" "$module/go.sum" "${sources[@]}"; } | sha256sum | cut -d' ' -f1)
  if [ -x "$folder/$tool" ] && [ "$(cat "$folder/$tool.key" 2>/dev/null)" = "$key" ]; then
    continue
  fi
  say "building $tool (minutes when the Go caches are cold)"
  start=$SECONDS
  (cd "$module" && go build -trimpath -buildvcs=false -ldflags "$flags $variables" -o "$folder/.$tool.$$" "$package")
  mv "$folder/.$tool.$$" "$folder/$tool"
  printf '%s\n' "$key" >"$folder/$tool.key"
  say "built $tool in $((SECONDS - start)) s"
done
