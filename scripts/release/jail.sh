#!/bin/sh
# jail.sh SCRATCH PROGRAM ARGUMENTS…: runs the program as nobody, in a file system where only its data directory, its
# home, and the targets of `backup` and `export` are writable, if they are in SCRATCH. The script replaces itself with
# the program, so that signals and the exit code are the program's own.
set -eu
if [ "${1-}" != inside ]; then exec /usr/bin/unshare --mount --propagation private "$0" inside "$@"; fi
shift
scratch=$1
shift

allow_reading() {
    case $1 in "$scratch"/?*) rest=${1#"$scratch"/} && chown -R 65534:65534 "$scratch/${rest%%/*}" ;; esac
}

allow_writing() { # to the nearest existing directory
    place=$1
    while [ ! -d "$place" ]; do place=$(dirname "$place"); done
    case $place in "$scratch"/?*) mount --bind "$place" "$place" ;; esac
}

data=${AGENTHUB_DATA-}
previous=
port_file=
for word in "$@" "$data" "${HOME-}" "${AGENTHUB_ADMIN_PASSWORD_FILE-}"; do
    allow_reading "$word"
    if [ "$previous" = --data ]; then data=$word; fi
    if [ "$previous" = --port-file ]; then port_file=$word; fi
    if [ "$word" = --ephemeral ]; then data=${TMPDIR-/tmp} && allow_reading "$data/"; fi
    previous=$word
done
command=${2-}
case $command in backup | export) for word in "$@"; do allow_writing "$(dirname -- "$word")"; done ;; esac
if [ -n "$data" ]; then allow_writing "$data"; fi
if [ -n "$port_file" ]; then allow_writing "$(dirname "$port_file")"; fi
if [ -n "${HOME-}" ]; then allow_writing "$HOME"; fi

opened=$(awk -v s="$scratch/" 'index($5, s) == 1 { print $5 }' /proc/self/mountinfo)
awk '{ print $5 }' /proc/self/mountinfo | while read -r place; do
    case $place in /proc | /proc/*) continue ;; esac
    if ! printf '%s\n' "$opened" | grep -qxF "$place"; then mount -o remount,bind,ro "$place" 2>/dev/null || true; fi
done
if touch "$scratch/written" 2>/dev/null; then
    echo 'jail.sh: the file system is still writable' >&2
    exit 125
fi
exec /usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$@"
