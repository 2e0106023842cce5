#!/usr/bin/env bash
# emitted_test.sh PRISM++ GENERATOR REPOSITORY CLANG FOLDER: what is written for sixty random kernels, with the shapes of the
# last seeds, is valid (emitted.sh); and a text that is not is found. Only the texts for drivers are made: no code for the host, and
# none for the plain functions with which harness.cpp compares (a fifth of the processor time).
set -uo pipefail
driver=$1 generator=$2 repository=$3 clang=$4 folder=$5
here=$(dirname "$0")
status=0
rm -rf "$folder" && mkdir -p "$folder" || exit 1
"$generator" --seed 1000 --count 60 | sed -E 's/, plain_[0-9]+\}/, nullptr}/' >"$folder/random.cpp" || exit 1
PRISM_DUMP_IR=$folder/dump "$driver" --targets=opencl,vulkan -emit-llvm -std=c++17 -O1 -w -I"$repository" -c "$folder/random.cpp" -o "$folder/random.bc" || exit 1
"$here/emitted.sh" "$clang" "$folder/dump" || status=1
modules=("$folder/dump"/*.spv)
[ ${#modules[@]} = 60 ] || { echo "FAILED: ${#modules[@]} modules of SPIR-V for 60 kernels"; status=1; }
rm -rf "$folder/wrong" && mkdir "$folder/wrong" && echo '__kernel void f(__global int* a) { if (a) { *a = 1; }' >"$folder/wrong/a.cl"
"$here/emitted.sh" "$clang" "$folder/wrong" >"$folder/wrong/said" 2>&1 && { echo "FAILED: a missing brace is not found"; status=1; }
exit $status
