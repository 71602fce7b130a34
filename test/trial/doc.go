// Package trial tries what follows what: a server writes data, another opens a copy of it, and then the first opens it
// again. The table of package compatibility says what will happen; a trial shows it.
//
// When Chroma makes a release:
//
//  1. Add its npm package to server.Bindings: npm view chromadb-js-bindings-linux-x64-gnu@VERSION dist.integrity. The
//     package.json of the release's JavaScript client says which package it is.
//  2. make trial FROM=<newest before> TO=<release>, and the other way round. The line of each trial says whether the tables
//     agree, and which migrations the data has.
//  3. Put the release into the table of formats in package compatibility: into the newest format when both trials are
//     identical and the migrations the same, else into a format of its own with its steps, and cite the trial.
//  4. Add a server of a new format to TestBorders, and its migrations to package volume.
//  5. go generate ./function/compatibility writes the tables into the documentation.
//
// What an npm package does not have, a container image does: make trial RUNTIME=docker takes images for FROM and TO, those
// of VecturaDB too.
package trial
