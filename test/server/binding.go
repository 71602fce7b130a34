package server

import (
	"fmt"
	"slices"
)

// A Binding is an npm package of the native Chroma server.
type Binding struct {
	// Package is the version of the npm package.
	Package string
	// Integrity is the digest that the package's archive must have, in the form of npm's lock files.
	Integrity string
	// Unstripped archives unpack to more than 400 MB, the others to 50 MB.
	Unstripped bool
	// Abrupt servers do not handle SIGTERM and die of it at once. Chroma ends gracefully from 1.0.21 on.
	Abrupt bool
	// Chroma lists the releases of Chroma that depend on this package.
	Chroma []string
}

// Bindings returns the packages that hold a release of Chroma, the oldest first. There is none for 1.0.0 to 1.0.8, 1.0.14,
// 1.2.0 to 1.2.2 and a few others: the releases of those days shipped a binding built from other source.
func Bindings() []Binding {
	return []Binding{
		{Package: "0.1.2", Unstripped: true, Abrupt: true, Chroma: []string{"1.0.9", "1.0.10"},
			Integrity: "sha512-4+UT9sqYmKcLI9wGZ4d5Gie4NSCjrfxdV8isZQtZm+5EQUYCFk2lCPc4bXDrkEIsdjFyqYMF9uYOQEZUgeRuyQ=="},
		{Package: "0.1.3", Unstripped: true, Abrupt: true, Chroma: []string{"1.0.11", "1.0.12", "1.0.13"},
			Integrity: "sha512-YMY4A0tYbmsiyV7ASS+aL7cp+QdoFpC6Q4AjBgpA9+Lh131eli0xIqrnwe3/YF5SkcAKK/1GcNXqSzx8P3eVLQ=="},
		{Package: "1.0.1", Unstripped: true, Abrupt: true, Chroma: []string{"1.0.15"},
			Integrity: "sha512-Aw4WB+ojLgwcbopOLz2JnrmoCSRPUPmP9TBz1RUaZ3qTFINoyULkT1l6aD/O7leBZFYxRMLFQRfiCKp5uU+xYg=="},
		{Package: "1.0.2", Unstripped: true, Abrupt: true, Chroma: []string{"1.0.16"},
			Integrity: "sha512-gEojseuh+XeUz3fHUYJwsXJfo54LE3oi5Ra+btbHj9eUF7ywyI+b/DNYu8t9FACnHz0Dh2+m/UHT3B1Dflne+w=="},
		{Package: "1.0.3", Unstripped: true, Abrupt: true, Chroma: []string{"1.0.17"},
			Integrity: "sha512-tVT+uQErHb6U/d+sRqQxNIWktJNxkHOw4ScOYrjxTY2YTH6rU0hrUYs0XVvVj4XRKpvGSSn6kj0voJbmCrFRHg=="},
		{Package: "1.0.5", Unstripped: true, Abrupt: true, Chroma: []string{"1.0.19", "1.0.20"},
			Integrity: "sha512-bIigJ+gyNZz8p3wr/zcJZTlKL7p2TVEyT7EfW9lWpdvkajPke8Q+b87aDJaPs6NuGxLcXxPHMRpS3zHWplZbdw=="},
		{Package: "1.0.6", Unstripped: true, Chroma: []string{"1.0.21"},
			Integrity: "sha512-ZV9wD38SvrLKgm+igqWCkiuycewCRTuxsg+01Zku56NjJeccg//Puj/IFnnJUQVkTP8JwkrkPNZPwHTlOlQuVQ=="},
		{Package: "1.0.7", Chroma: []string{"1.1.0"},
			Integrity: "sha512-2V0kK56gz7byKGCOzrJvO7Ta43B+/mKwiBMFTDdDXqKuUxtqArIuqwluh3yJbZ5+QwOOkR5GEQBCKmSaqP4dXw=="},
		{Package: "1.0.8", Chroma: []string{"1.1.1"},
			Integrity: "sha512-XPNB64rulyR/qpw/VXeKETvCWtTMOBAV2mCRdRD8XGIWEcgUaYnVnCeWep2r1G2UT6B9yJxSmDIgsOxKWzNKVA=="},
		{Package: "1.1.0", Chroma: []string{"1.3.1", "1.3.2", "1.3.3"},
			Integrity: "sha512-4WK1TgxElFjdXBtOkMgnnaB9PVcXEEVtRY3kAOSR8sZ/ZQ2gRbqc/rM2i8pc8h/jQG8oo5nMqhipEzu3UGqKaA=="},
		{Package: "1.1.1", Chroma: []string{"1.3.5"},
			Integrity: "sha512-RcvBcECbUcFXlFM2httdGc+3wmkI76tD9iGS0H9npEhz4LyLvdXKBK8CZtw67hsHCH09KklKw4ITkSS85pHVbA=="},
		{Package: "1.2.0", Chroma: []string{"1.4.0"},
			Integrity: "sha512-0E65eSuWICoD2jhQ+ZLi5Me08+VxICG0f5lZ4ceiMPXTemc60QmkmhtKQVK5lEhqRWu2CLSYXqlusnD5qEoa1Q=="},
		{Package: "1.2.1", Chroma: []string{"1.4.1"},
			Integrity: "sha512-hu9Wg8J9narhYDbckNtTT4H3xt7oN37XMKjC2YenA8JFxaPDT8JXoX3NcA/64eqi33SB8tf7Dn12Ys90Jp60GA=="},
		{Package: "1.3.0", Chroma: []string{"1.5.0"},
			Integrity: "sha512-666aV3TOHKnI88USPq/Jdh93jn4oiJ5+C0iaOjUh1LOuIjvusU9XWtkhp2RdQdF9hGnbxt9781x6nvr2icNMqw=="},
		{Package: "1.3.1", Chroma: []string{"1.5.1", "1.5.2", "1.5.3", "1.5.4", "1.5.5"},
			Integrity: "sha512-nQvVhmHs2XXbzA+Xka8A4UMiyMlk86AFmiy1Pt+kzQkuJT5vOMKOcgJW/Nh2m0CtEjkzvj4Mxr2/31BiLil7Hg=="},
		{Package: "1.3.2", Chroma: []string{"1.5.6"},
			Integrity: "sha512-sB/2wqxByan0Pv2B5EbxfV1A0VmzvmigXp4MotXiLJ3437D3cPXTsoq+SZsTlNrV8zW2iM2VggcVC3JcIYvvKA=="},
		{Package: "1.3.3", Chroma: []string{"1.5.7", "1.5.8"},
			Integrity: "sha512-yqJRHDiLNQFfNcCDm/iILdf5gCBR0BxG1d+esX4ViHAP41h4WqbWq9MIAla+OKHKlyMpSq9BiqSfHBaL8rr5nQ=="},
		{Package: "1.3.4", Chroma: []string{"1.5.9"},
			Integrity: "sha512-HmTUe7PEIaBngCQ70Yyle81z2wYyg9OMgJYyRUNBYCBp4ED6zTmdaOro41Vs/c/h2UyQeBXFIKNmHDeD2Nr2fw=="},
	}
}

// BindingOf returns the package that holds a release of Chroma.
func BindingOf(version string) (Binding, error) {
	bindings := Bindings()
	i := slices.IndexFunc(bindings, func(b Binding) bool { return slices.Contains(b.Chroma, version) })
	if i < 0 {
		return Binding{}, fmt.Errorf("cannot run Chroma %s: no npm package holds its server; name a container image instead", version)
	}
	return bindings[i], nil
}
