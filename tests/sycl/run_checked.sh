#!/usr/bin/env bash
# run_checked.sh PROGRAM [ARGUMENTS]: runs PROGRAM, which has no mistakes, under PRISM_CHECK=access. Fails when the program does or
# when anything is reported.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$@" 2>"$folder/said"
code=$?
cat "$folder/said" >&2
[ $code = 77 ] && exit 77
if grep -q 'PRISM_CHECK=access:' "$folder/said"; then
  echo "FAILED: what is no mistake was reported"
  exit 1
fi
exit $code
