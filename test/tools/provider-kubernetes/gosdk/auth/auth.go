// Package auth stands in for the authentication of the Nebius SDK.
package auth

// A BearerToken is never issued.
type BearerToken struct{ Token string }

// A PrivateKeyParser that is never asked.
type PrivateKeyParser struct{}

// NewPrivateKeyParser takes what is never parsed.
func NewPrivateKeyParser([]byte, string, string) PrivateKeyParser { return PrivateKeyParser{} }
