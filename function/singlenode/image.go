package singlenode

import (
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/reason"
)

// A candidate is an image that may or may not run on the data.
type candidate struct {
	image   string
	release image.Release
	verdict compatibility.Verdict
	// reason and message of the refusal, or of the verdict.
	reason  reason.Reason
	message string
	// defaulted is the default image that this Chroma keeps, whether or not the spec names another now.
	defaulted string
}

// allowed tells whether the image may run.
func (c candidate) allowed() bool { return c.verdict.Allowed }

// wantedImage is what the spec asks for. Without spec.image it is the default that was pinned at the creation, and at the
// creation the recovery image of a claim that was taken over before the function's default: a newer function moves no
// server.
func wantedImage(w World, claim claim, r record) candidate {
	pinned := w.Chroma.Status.DefaultImage
	if pinned == "" && w.Chroma.Spec.Image == "" {
		pinned = w.Settings.Images.Default
		if r.RecoveryImage != "" {
			pinned = r.RecoveryImage
		}
	}
	text := w.Chroma.Spec.Image
	if text == "" {
		text = pinned
	}
	c := judge(w, text, r)
	// Before the claim is known there may be a recovery image to come, and what may not run must not be kept for ever.
	if c.defaulted = w.Chroma.Status.DefaultImage; c.defaulted == "" && claim.state == claimUsable && c.allowed() && text == pinned {
		c.defaulted = pinned
	}
	return c
}

// recoveryImage is what a server whose spec is refused starts with. It is judged anew: the allow-list may have changed.
func recoveryImage(w World, r record) candidate {
	if r.RecoveryImage == "" {
		return candidate{}
	}
	return judge(w, r.RecoveryImage, r)
}

// judge an image: first whether it may run here at all, then whether its version may open the data.
func judge(w World, text string, r record) candidate {
	c := candidate{image: text}
	release, refusal := image.Resolve(text, w.Chroma.Spec.Product, w.Settings.Images.Allowed)
	if refusal != nil {
		c.reason, c.message = refusal.Reason, refusal.Message
		return c
	}
	c.release = release
	c.verdict = compatibility.Judge(compatibility.Question{
		Data: r.Data(), Wanted: release.Version, Overrides: compatibility.OverridesOf(w.Chroma.GetAnnotations()),
	})
	c.reason, c.message = c.verdict.Reason, c.verdict.Message
	return c
}
