// Package trial tries what follows what: a server writes data, another opens a copy of it, and then the first opens it
// again. The table of package compatibility says what will happen; a trial shows it.
package trial
