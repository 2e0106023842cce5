#!/bin/sh
# PRISM_POLICY selects the default device of a process, and an error names what is wrong with it; fallbacks are logged and traced.
# $1: a program that prints the backend of the default device.
program=$1
fail() { echo "FAILED: $*"; exit 1; }
unset PRISM_DEVICE_SELECTOR
out=$(PRISM_POLICY="require=host" "$program") || fail "require=host: $out"
[ "$out" = host ] || fail "require=host gave $out"
out=$(PRISM_POLICY="require=time_travel" "$program" 2>&1) && fail "time_travel was accepted"
case $out in *"PRISM_POLICY="*"no device fits"*) ;; *) fail "no table: $out" ;; esac
out=$(PRISM_POLICY="priority=sped" "$program" 2>&1) && fail "sped was accepted"
case $out in *'Did you mean "speed"'*) ;; *) fail "no suggestion: $out" ;; esac
if "$program" opencl >/dev/null 2>&1; then
  folder=$(mktemp -d)
  for fault in "lost=1:device lost" "fail=1:" "memory=1+:out of memory"; do
    # Failures of a device cause a fallback, which the log and the trace report; other failures are errors.
    rm -f "$folder/trace"
    why=${fault#*:}
    out=$(PRISM_WRAP="opencl:fault(${fault%%:*})" PRISM_TRACE="$folder/trace" "$program" fallback 2>"$folder/log") && failed= || failed=yes
    step="fallback from opencl:0 to host:0: $why"
    if [ -z "$why" ]; then
      [ -n "$failed" ] || fail "an unclassified failure was hidden: $out"
      continue
    fi
    [ "$out" = "host:0 after 1, result 7" ] || fail "$fault gave $out $(cat "$folder/log")"
    grep -q "warn: $step" "$folder/log" || fail "$fault is not in the log: $(cat "$folder/log")"
    grep -q "$step" "$folder/trace" || fail "$fault is not in the trace"
  done
  out=$("$program" fallback 2>&1) || fail "fallback: $out"
  case $out in "opencl:0 after 0, result 7") ;; *) fail "without a fault: $out" ;; esac
  rm -r "$folder"
  out=$(PRISM_POLICY="forbid=host; require=opencl" "$program") || fail "require=opencl: $out"
  [ "$out" = opencl ] || fail "require=opencl gave $out"
fi
out=$(PRISM_BACKEND_PRIORITY="host=-500" "$program" order) || fail "order: $out"
case $out in *host) ;; *) fail "host is not last: $out" ;; esac
echo passed
