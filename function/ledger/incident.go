package ledger

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"
)

// Incident identifies what made a version unknown: an image on a Pod. The same pair has the same identity, another Pod
// or another image has another one. The code that people type is this, a dash, and the serial of the record that it
// was raised in: it is derived, so that the same pass gives the same code, and cannot repeat, since serials only rise.
func Incident(claimUID, podUID, image string) string {
	return digest("pod", claimUID, podUID, image)
}

// code of an incident as people type it.
func code(incident string, serial int64) string {
	return incident + "-" + strconv.FormatInt(serial, 10)
}

// isCodeOf says whether a code belongs to an incident.
func isCodeOf(code, incident string) bool { return strings.HasPrefix(code, incident+"-") }

// isCode says whether a text can be the code of an incident, ours or the original operator's: short, and without
// anything that separates codes.
func isCode(text string) bool {
	const longest = 63
	return text != "" && len(text) <= longest && strings.IndexFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", r)
	}) < 0
}

// digest of parts in eight characters: lowercase letters and 2 to 7, which are not mistaken for one another.
func digest(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		// The length keeps "a","bc" apart from "ab","c".
		hash.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	const bytesOfEightCharacters = 5
	return strings.ToLower(base32.StdEncoding.EncodeToString(hash.Sum(nil)[:bytesOfEightCharacters]))
}
