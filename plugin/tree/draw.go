package tree

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/terminal"
)

// draw a tree for people.
func (o *options) draw(tree v1.Tree) string {
	rows := [][]terminal.Cell{terminal.Plain("OBJECT", "ROLE", "STATE")}
	for i, item := range tree.Items {
		row := terminal.Plain(branches(tree.Items, i)+item.Kind+" "+item.Name, roleOf(item), item.State)
		row[2].Paint = o.paint(item.Health)
		rows = append(rows, row)
	}
	var out strings.Builder
	_ = terminal.Table(&out, rows)
	for _, note := range tree.Notes {
		fmt.Fprintln(&out, "Note: "+note)
	}
	return out.String()
}

// roleOf an item, where it says more than its kind and name: those of a distributed Chroma are made of both.
func roleOf(item v1.TreeItem) string {
	if strings.HasSuffix(item.Role, "-"+item.Name) {
		return ""
	}
	return item.Role
}

// branches before an item: one for each level, which ends at the last item of a parent.
func branches(items []v1.TreeItem, at int) string {
	if items[at].Parent == "" {
		return ""
	}
	branch := "└─ "
	if more(items, at) {
		branch = "├─ "
	}
	for up := parent(items, at); up >= 0 && items[up].Parent != ""; up = parent(items, up) {
		if more(items, up) {
			branch = "│  " + branch
		} else {
			branch = "   " + branch
		}
	}
	return branch
}

// parent of an item, -1 for the first.
func parent(items []v1.TreeItem, at int) int {
	return slices.IndexFunc(items, func(i v1.TreeItem) bool { return i.Kind+" "+i.Name == items[at].Parent })
}

// more items of the same parent follow.
func more(items []v1.TreeItem, at int) bool {
	return slices.ContainsFunc(items[at+1:], func(i v1.TreeItem) bool { return i.Parent == items[at].Parent })
}

func (o *options) paint(health string) func(string) string {
	switch health {
	case v1.HealthGood:
		return o.palette.Good
	case v1.HealthWaiting:
		return o.palette.Warn
	case v1.HealthBad:
		return o.palette.Bad
	}
	return nil
}
