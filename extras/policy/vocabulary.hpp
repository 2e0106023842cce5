// The words of descriptions, requirements and policies: canonical spellings of data types and features,
// numbers with units, and "did you mean". Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism::policy {

/// "double" -> "fp64", "Half" -> "fp16", "float" -> "fp32"; other words are converted to lower case.
std::string canonical_data_type(std::string_view word);
/// "sub_groups" -> "subgroups", "half_precision" -> "fp16", "tensor-cores" -> "tensor_cores"; lower case.
std::string canonical_feature(std::string_view word);

/// "4GiB", "4 GB", "64K", "1.5e9", "512 MiB" -> the number; empty for other texts. K, M, G, T are powers of
/// 1024 as in PRISM_CACHE_SIZE; KB, MB, GB, TB powers of 1000; KiB, MiB, GiB, TiB powers of 1024.
std::optional<double> number_with_unit(std::string_view text);
/// "500ms", "2 s", "10us", "1min", "1h" -> seconds; a number alone is seconds.
std::optional<double> duration_in_seconds(std::string_view text);
/// Parses a finite number; spaces around it are allowed.
std::optional<double> plain_number(std::string_view text);

/// Returns "Did you mean \"x\"? " for a word within two edits of a known one; else an empty text.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// Returns the shortest text that parses as the same number.
std::string number_text(double value);
/// Returns the number with three significant digits.
std::string short_number(double value);
/// Returns a text such as "1.5 GiB".
std::string bytes_text(double bytes);
/// Returns a text such as "3.2 ms".
std::string time_text(double seconds);

} // namespace prism::policy
