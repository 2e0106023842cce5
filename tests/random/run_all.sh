#!/usr/bin/env bash
# Runs every program given; 1 when any fails, 77 when the device is absent for one (then for all).
status=0
for program in "$@"; do
  "$program"
  code=$?
  [ "$code" = 77 ] && exit 77
  [ "$code" = 0 ] || { echo "FAILED: $program (exit status $code)"; status=1; }
done
exit "$status"
