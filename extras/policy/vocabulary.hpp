// The words of descriptions, requirements and policies: one spelling for each data type and feature,
// whichever way it was written, numbers with units, and "did you mean". Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism::policy {

/// "double" -> "fp64", "Half" -> "fp16", "float" -> "fp32"; other words in lower case as they are.
std::string canonical_data_type(std::string_view word);
/// "sub_groups" -> "subgroups", "half_precision" -> "fp16", "tensor-cores" -> "tensor_cores"; lower case.
std::string canonical_feature(std::string_view word);

/// "4GiB", "4 GB", "64K", "1.5e9", "512 MiB" -> the number; empty when it is none. K, M, G, T are powers of
/// 1024 as in PRISM_CACHE_SIZE; KB, MB, GB, TB powers of 1000; KiB, MiB, GiB, TiB powers of 1024.
std::optional<double> number_with_unit(std::string_view text);
/// "500ms", "2 s", "10us", "1min", "1h" -> seconds; a number alone is seconds.
std::optional<double> duration_in_seconds(std::string_view text);
/// A finite number, nothing around it but spaces.
std::optional<double> plain_number(std::string_view text);

/// "Did you mean \"x\"? " for a word within two edits of a known one; else empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// The shortest text that reads back as the same number.
std::string number_text(double value);
/// For people: three significant digits.
std::string short_number(double value);
/// "1.5 GiB".
std::string bytes_text(double bytes);
/// "3.2 ms".
std::string time_text(double seconds);

} // namespace prism::policy
