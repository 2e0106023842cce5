#!/usr/bin/env bash
# soak.sh PRISM++ GENERATOR REPOSITORY LIBPRISM FOLDER CLANG HARNESS.o: PRISM_SOAK further random kernels on every device found;
# what is written for drivers is checked too (emitted.sh).
# PRISM_SOAK_SEED repeats an earlier run. Programs with failures are kept in FOLDER.
set -u
driver=$1 generator=$2 repository=$3 library=$4 folder=$5 clang=$6 harness=$7
[ -n "${PRISM_SOAK:-}" ] || { echo "PRISM_SOAK is unset: ./prism test --soak N sets it"; exit 77; }
base=${PRISM_SOAK_SEED:-$(($(date +%s) * 1000))}
echo "soak: $PRISM_SOAK kernels from seed $base (PRISM_SOAK_SEED=$base repeats them)"
mkdir -p "$folder"
failed=0
for ((done = 0; done < PRISM_SOAK; done += 20)); do
  count=$((PRISM_SOAK - done < 20 ? PRISM_SOAK - done : 20)) seed=$((base + done))
  program=$folder/random_$seed
  "$generator" --seed $seed --count $count >"$program.cpp" || exit 1
  rm -rf "$program.dump"
  if ! PRISM_DUMP_IR=$program.dump "$driver" -std=c++17 -O1 -w -I"$repository" "$program.cpp" "$harness" -o "$program" >"$program.log" 2>&1; then
    echo "FAILED: $program.cpp does not compile: $(grep -m1 error "$program.log")"
    failed=$((failed + 1))
    continue
  fi
  bad=0
  "$(dirname "$0")/emitted.sh" "$clang" "$program.dump" || bad=1
  while IFS='|' read -r selector name; do
    LD_LIBRARY_PATH=$(dirname "$library") PRISM_DEVICE_SELECTOR="$selector;host" PRISM_RANDOM_DEVICE=$name timeout 600 "$program"
    code=$?
    [ $code = 0 ] || [ $code = 77 ] || { echo "FAILED: $program on $name (exit status $code)"; bad=1; }
  done <<<$'opencl:name=Portable|Portable\nopencl:name=rusticl|rusticl\nvulkan:name=llvmpipe|llvmpipe'
  failed=$((failed + bad))
  [ $bad = 1 ] || rm -f "$program" "$program.cpp" "$program.log"
  [ $bad = 1 ] || rm -rf "$program.dump"
done
[ $failed = 0 ] || { echo "soak: $failed programs with failures, kept in $folder"; exit 1; }
