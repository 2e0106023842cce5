// Vendor paths such as "aws.trainium2": words from the general to the special, separated by dots. Digits at
// the end of the last word are the generation, so that "aws.trainium2" is generation 2 of "aws.trainium".
// Pure.
#pragma once

#include "prism/description.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prism::policy {

/// Splits at ':', '.', '/' and spaces, in lower case: "NVIDIA.H100" -> nvidia, h100.
std::vector<std::string> words_of(std::string_view text);

/// The SYCL class ("cpu", "gpu", "accelerator") that the words of a path name, or the vendors that make
/// devices of one class only; "custom" for others. "big.gpu" -> gpu, "npu" -> accelerator, "aws.graviton3" ->
/// cpu.
std::string class_of_path(std::string_view path);

/// Whether the first words of the device's path are those of `path`. The generation of the last word may be
/// left out.
bool path_begins_with(const device_description& device, std::string_view path);

/// The generation of the device for a path of at least two words ("aws.graviton" -> 3): from its vendor path,
/// or from its name ("AWS Graviton3 …") if it has none. Empty if the device is of another kind or has no
/// generation.
std::optional<feature_version> generation_of(const device_description& device, std::string_view path);

} // namespace prism::policy
