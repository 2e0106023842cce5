#!/usr/bin/env bash
# emitted.sh CLANG FOLDER: every text that PRISM_DUMP_IR left in FOLDER is valid by the standard's own tools: OpenCL C 1.2 by
# clang's front end, SPIR-V for Vulkan by spirv-val. Drivers take more, and each something else. Says what is refused.
clang=$1 folder=$2 failed=0 seen=0
for text in "$folder"/*.cl; do
  [ -e "$text" ] || continue
  seen=$((seen + 1))
  "$clang" -x cl -cl-std=CL1.2 -target spir64 -fsyntax-only -w "$text" || { echo "FAILED: $text is no OpenCL C 1.2"; failed=1; }
done
for module in "$folder"/*.spv; do
  [ -e "$module" ] || continue
  seen=$((seen + 1))
  spirv-val --target-env vulkan1.2 "$module" || { echo "FAILED: $module is no SPIR-V for Vulkan 1.2"; failed=1; }
done
[ $seen -gt 0 ] || { echo "FAILED: nothing was written to $folder"; failed=1; }
exit $failed
