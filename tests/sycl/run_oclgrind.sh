#!/usr/bin/env bash
# run_oclgrind.sh PROGRAM [ARGUMENTS]: runs PROGRAM on Oclgrind, which interprets kernels and checks every access. Fails when the
# program does or when Oclgrind reports an access out of bounds, a data race or an error of an OpenCL call; 77 without Oclgrind.
set -u
oclgrind=$(command -v oclgrind) || { echo "Oclgrind is not installed (Debian: oclgrind)"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$oclgrind" --data-races --build-options -cl-opt-disable --log "$folder/report" "$@" 2>"$folder/stderr"
code=$?
cat "$folder/stderr" >&2
[ $code = 77 ] && exit 77
if [ -s "$folder/report" ]; then
  echo "FAILED: Oclgrind reports"
  head -c 20000 "$folder/report"
  exit 1
fi
exit $code
