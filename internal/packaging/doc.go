// Package packaging holds the tests of gapctl as it is delivered: they build
// what .goreleaser.yaml says, for every platform, install the packages into
// empty roots, run gapctl from there, and run the jobs of docs/examples. With
// GAPCTL_REQUIRE_PACKAGE=1 a tool that is missing is a failure.
package packaging
