#!/usr/bin/env bash
# soak.sh PRISM++ GENERATOR REPOSITORY LIBPRISM FOLDER CLANG HARNESS.o: PRISM_SOAK further random kernels on the host, POCL and
# lavapipe, in programs of 100 that use all three devices. The first and sixth of every ten programs are compiled with -O2, whose host code has vectors; -O1 has none either, so the others are compiled
# with -O0. Only the first of ten lets PoCL optimise, also runs on rusticl, and has what is written for drivers checked (emitted.sh). In processor time a kernel so takes .34 s; with -O1, -O2 and PoCL's
# optimisation throughout it took .80: prism++ .11 (-O0), .26 (-O1) or .42 (-O2), PoCL .09 without and .41 with optimisation, lavapipe .05. PRISM_SOAK_SEED repeats an earlier run. Programs with
# failures are kept in FOLDER.
set -u
driver=$1 generator=$2 repository=$3 library=$4 folder=$5 clang=$6 harness=$7
[ -n "${PRISM_SOAK:-}" ] || { echo "PRISM_SOAK is unset: ./prism test --soak N sets it"; exit 77; }
base=${PRISM_SOAK_SEED:-$(($(date +%s) * 1000))}
echo "soak: $PRISM_SOAK kernels from seed $base (PRISM_SOAK_SEED=$base repeats them)"
mkdir -p "$folder"
export LD_LIBRARY_PATH=$(dirname "$library") PRISM_CACHE=off MESA_SHADER_CACHE_DISABLE=1 POCL_KERNEL_CACHE=0
unset PRISM_RANDOM_DEVICE
run() { PRISM_DEVICE_SELECTOR=$1 POCL_EXTRA_BUILD_FLAGS=$pocl timeout 1800 "$program"; } # every new kernel is built once, so caches would only fill disks
failed=0
for ((done = 0; done < PRISM_SOAK; done += 100)); do
  count=$((PRISM_SOAK - done < 100 ? PRISM_SOAK - done : 100)) seed=$((base + done))
  program=$folder/random_$seed
  all='host;opencl:name=Portable;vulkan:name=llvmpipe'
  dump= pocl=-cl-opt-disable level=0
  ((done % 500)) || level=2
  ((done % 1000)) || pocl=
  ((done % 1000)) || { dump=$program.dump all="$all;opencl:name=rusticl"; }
  "$generator" --seed $seed --count $count >"$program.cpp" || exit 1
  rm -rf "$program.dump"
  if ! PRISM_DUMP_IR=$dump "$driver" -std=c++17 -O$level -w -I"$repository" "$program.cpp" "$harness" -o "$program" >"$program.log" 2>&1; then
    echo "FAILED: $program.cpp does not compile: $(grep -m1 error "$program.log")"
    failed=$((failed + 1))
    continue
  fi
  bad=0
  [ -z "$dump" ] || "$(dirname "$0")/emitted.sh" "$clang" "$dump" || bad=1
  if ! run "$all"; then
    bad=1
    IFS=';' read -ra devices <<<"$all"
    for device in "${devices[@]}"; do run "$device" || echo "FAILED: $program on $device (exit status $?)"; done
  fi
  failed=$((failed + bad))
  [ $bad = 1 ] || rm -rf "$program" "$program.cpp" "$program.log" "$program.dump"
done
echo "soak: $PRISM_SOAK kernels; processor time of this script and of its programs, user and system:"
times
[ $failed = 0 ] || { echo "soak: $failed programs with failures, kept in $folder"; exit 1; }
