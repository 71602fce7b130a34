package change

import (
	"strings"

	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/distributed"
)

// Risk is what a message of the function says of the data. Which annotations to set by hand comes after that, and is left
// out where a command sets them.
func Risk(message string) string {
	for _, rest := range []string{compatibility.ByHand, distributed.ByHand} {
		message, _, _ = strings.Cut(message, " "+rest)
	}
	return message
}
