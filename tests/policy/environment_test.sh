#!/bin/sh
# PRISM_POLICY chooses the default device of a process, and what is wrong with it is said. $1: a program that prints the
# backend of the default device.
program=$1
fail() { echo "FAILED: $*"; exit 1; }
unset PRISM_DEVICE_SELECTOR
out=$(PRISM_POLICY="require=host" "$program") || fail "require=host: $out"
[ "$out" = host ] || fail "require=host gave $out"
out=$(PRISM_POLICY="require=time_travel" "$program" 2>&1) && fail "time travel is there"
case $out in *"PRISM_POLICY="*"no device fits"*) ;; *) fail "no table: $out" ;; esac
out=$(PRISM_POLICY="priority=sped" "$program" 2>&1) && fail "sped is a priority"
case $out in *'Did you mean "speed"'*) ;; *) fail "no suggestion: $out" ;; esac
if "$program" opencl >/dev/null 2>&1; then
  out=$(PRISM_POLICY="forbid=host; require=opencl" "$program") || fail "require=opencl: $out"
  [ "$out" = opencl ] || fail "require=opencl gave $out"
fi
out=$(PRISM_BACKEND_PRIORITY="host=-500" "$program" order) || fail "order: $out"
case $out in *host) ;; *) fail "host is not last: $out" ;; esac
echo passed
