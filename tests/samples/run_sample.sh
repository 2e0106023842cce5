#!/usr/bin/env bash
# run_sample.sh PRISM_INFO SAMPLE [ARGUMENTS]: runs the sample in a folder of its own; 77 when PRISM_DEVICE_SELECTOR matches no device.
"$1" >/dev/null || { echo "no device matches $PRISM_DEVICE_SELECTOR: its driver is not installed"; exit 77; }
folder=$(mktemp -d) && cd "$folder" || exit 1
shift
"$@"
status=$?
rm -rf "$folder"
exit $status
