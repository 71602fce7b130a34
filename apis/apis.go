// Package apis carries the generated definitions and Compositions, so that function, plugin and tests read the very
// files that are installed.
package apis

import "embed"

//go:embed */definition.yaml */composition.yaml
var files embed.FS

// Files are the definitions and Compositions, as <folder>/definition.yaml and <folder>/composition.yaml. The folders are
// chroma, claims (the same kind as a claim) and vald.
func Files() embed.FS { return files }
