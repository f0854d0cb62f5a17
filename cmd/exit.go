package cmd

// exit is one way in which the process can end. Codes are added, never reused;
// a script must take a code that it does not know for a failure.
type exit struct {
	code    int
	name    string // as the class of an error names it
	meaning string
}

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitFindings    = 3
	exitConflict    = 4
	exitRefused     = 5
	exitPartial     = 6
	exitCorrupt     = 7
	exitUnavailable = 8
	exitDenied      = 9
	exitDeclined    = 10
	exitUnverified  = 11
	exitInterrupted = 130
)

// exits is the table of exit codes, for the help, the man page and errors.
func exits() []exit {
	return []exit{
		{exitOK, "ok", "Everything that was asked for was done."},
		{exitFailure, "failure", "It failed for a reason that has no code of its own, such as a group that does not exist."},
		{exitUsage, "usage", "The command line, or the configuration, makes no sense. Nothing was tried."},
		{exitFindings, "findings", "A check found something that needs attention, or diff --exit-code a difference."},
		{exitConflict, "conflict", "Something moved since the plan was made. Nothing was written: plan again."},
		{exitRefused, "refused", "It would not be safe: the group has members, the format is read-only, or it is another cluster."},
		{exitPartial, "partial", "Some of it was done, or could be read, and some not."},
		{exitCorrupt, "corrupt", "The bytes of a named target can not be decoded: they are corrupt, or of no known format."},
		{exitUnavailable, "unavailable", "The cluster gave no answer in time. Nothing was changed; it is safe to try again."},
		{exitDenied, "denied", "The credentials are wrong, or they do not allow this."},
		{exitDeclined, "declined", "The change was not approved. Nothing was written."},
		{exitUnverified, "unverified", "It was written, or may have been: what was read back differs, or nothing could be read back."},
		{exitInterrupted, "interrupted", "It was stopped by a signal."},
	}
}

// exitName is the name of a code in the table.
func exitName(code int) string {
	for _, e := range exits() {
		if e.code == code {
			return e.name
		}
	}
	return "failure"
}
