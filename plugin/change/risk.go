package change

import "strings"

// Risk is what a message of the function says of the data. Which annotations to set by hand comes after that, and is left
// out where a command sets them.
func Risk(message string) string {
	for _, rest := range []string{" To do it nevertheless set ", " Nothing is changed. To go back "} {
		message, _, _ = strings.Cut(message, rest)
	}
	return message
}
