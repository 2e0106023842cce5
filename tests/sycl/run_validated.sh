#!/usr/bin/env bash
# run_validated.sh PROGRAM [ARGUMENTS]: runs PROGRAM on Vulkan under the Khronos validation layer. Fails if the program does, if
# the layer reports anything, or if the layer was not loaded; exits with 77 if it is not installed.
set -u
layer=VkLayer_khronos_validation.json
found= layer_path=${VK_LAYER_PATH:-}
for folder in ${layer_path//:/ } /usr/share/vulkan/explicit_layer.d /usr/local/share/vulkan/explicit_layer.d; do
  [ -e "$folder/$layer" ] && found=$folder
done
[ -n "$found" ] || { echo "the validation layer is not installed (Debian: vulkan-validationlayers)"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/vk_layer_settings.txt" <<END
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn
khronos_validation.log_filename = $folder/messages
END
VK_LAYER_SETTINGS_PATH=$folder VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation VK_LOADER_DEBUG=layer "$@" 2>"$folder/loader"
code=$?
grep -v 'LAYER: \|^ *$' "$folder/loader" >&2
[ $code = 77 ] && exit 77
if ! grep -q 'LAYER:.*VK_LAYER_KHRONOS_validation' "$folder/loader"; then
  echo "FAILED: the loader did not load the validation layer"
  exit 1
fi
if [ -s "$folder/messages" ]; then
  echo "FAILED: the validation layer says"
  head -c 20000 "$folder/messages"
  exit 1
fi
exit $code
