#!/usr/bin/env bash
# emitted.sh CLANG FOLDER: every text that PRISM_DUMP_IR left in FOLDER is valid by the standard's own tools: OpenCL C 1.2 by
# clang's front end (3.0 where it has the driver's sub-groups), SPIR-V for Vulkan by spirv-val. Drivers take more, and each something
# else. Says what is refused.
clang=$1 folder=$2 failed=0 seen=0
for text in "$folder"/*.cl; do
  [ -e "$text" ] || continue
  seen=$((seen + 1))
  case $text in
    *.sub_groups.cl) version=3.0 options=-DPRISM_SUB_GROUP_SIZE=8 ;;
    *) version=1.2 options=-UPRISM_SUB_GROUP_SIZE ;;
  esac
  "$clang" -x cl "-cl-std=CL$version" $options -target spir64 -fsyntax-only -w "$text" ||
    { echo "FAILED: $text is no OpenCL C $version"; failed=1; }
done
for module in "$folder"/*.spv; do
  [ -e "$module" ] || continue
  seen=$((seen + 1))
  spirv-val --target-env vulkan1.2 "$module" || { echo "FAILED: $module is no SPIR-V for Vulkan 1.2"; failed=1; }
done
[ $seen -gt 0 ] || { echo "FAILED: nothing was written to $folder"; failed=1; }
exit $failed
