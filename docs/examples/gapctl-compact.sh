#!/bin/sh
# Compacts every group that has a gap which can never close by itself: its
# records were removed by retention, or there were none for a consumer to get.
# No record that a consumer could still get is skipped, or processed again.
#
#   gapctl-compact.sh [GROUP...]   only these groups, whatever gaps they have
#
# It exits with 0 when each group is done, or has members and is left for the
# next time; else with the status of the last group that failed.
#
# Each repair is in the journal: gapctl undo lists them, and takes one back.
set -u
tries=${TRIES:-5}
pause=${PAUSE:-30} # seconds between tries

# attempt COMMAND... runs it until it succeeds, or fails for a reason that
# trying again does not mend.
attempt() {
	left=$tries
	while :; do
		"$@" && return 0
		status=$?
		left=$((left - 1))
		case $status in
		4 | 8) [ "$left" -gt 0 ] || return "$status" ;; # something moved; no answer
		*) return "$status" ;;
		esac
		sleep "$pause"
	done
}

# wanting prints the groups whose findings compact resolves, one on each line.
wanting() {
	attempt gapctl check --skip-records=false --output \
		'jq=[.findings[] | select(.remedy // "" | startswith("gapctl compact ")) | .group] | unique[]'
	case $? in
	0 | 3 | 6) ;; # 3: there are findings; 6: not all groups could be read
	*) return "$?" ;;
	esac
}

if [ $# -eq 0 ]; then
	groups=$(wanting) || exit
	[ -n "$groups" ] || exit 0
	IFS='
'
	set -f
	# shellcheck disable=SC2086 # one argument for each line
	set -- $groups
	unset IFS
fi

failed=0
for group; do
	attempt gapctl compact "$group" --execute --yes
	status=$?
	case $status in
	0) ;;
	5) echo "$group is in use, and left as it is" >&2 ;;
	*) failed=$status ;;
	esac
done
exit "$failed"
