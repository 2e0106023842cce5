#include "extras/policy/vocabulary.hpp"

#include "runtime/support/text.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace prism::policy {

namespace {

using pair = std::pair<std::string_view, std::string_view>;

constexpr pair data_type_names[] = {
    {"double", "fp64"},   {"float64", "fp64"}, {"f64", "fp64"},   {"float", "fp32"},   {"float32", "fp32"},
    {"f32", "fp32"},      {"single", "fp32"},  {"half", "fp16"},  {"float16", "fp16"}, {"f16", "fp16"},
    {"bfloat16", "bf16"}, {"char", "int8"},    {"i8", "int8"},    {"short", "int16"},  {"i16", "int16"},
    {"int", "int32"},     {"i32", "int32"},    {"long", "int64"}, {"i64", "int64"},
};
constexpr pair feature_names[] = {
    {"sub_groups", "subgroups"},       {"subgroup", "subgroups"},     {"half_precision", "fp16"},
    {"double_precision", "fp64"},      {"atomic64", "int64_atomics"}, {"int64_atomic", "int64_atomics"},
    {"shared_memory", "local_memory"},
};
constexpr struct {
  std::string_view name;
  double factor;
} units[] =
    {
        {"", 1},         {"b", 1},        {"k", 0x1p10},   {"m", 0x1p20},   {"g", 0x1p30},
        {"t", 0x1p40},   {"kb", 1e3},     {"mb", 1e6},     {"gb", 1e9},     {"tb", 1e12},
        {"kib", 0x1p10}, {"mib", 0x1p20}, {"gib", 0x1p30}, {"tib", 0x1p40},
},
  times[] = {
      {"", 1}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600},
};

/// Removes the number at the start of `text` and returns it.
std::optional<double> take_number(std::string_view& text) {
  text = support::trim(text);
  double value = 0;
  const char* begin = text.data();
  if (!text.empty() && text.front() == '+') ++begin;
  const auto [end, code] = std::from_chars(begin, text.data() + text.size(), value);
  if (code != std::errc() || !std::isfinite(value)) return std::nullopt;
  text = support::trim(text.substr(static_cast<std::size_t>(end - text.data())));
  return value;
}

template <typename Table>
std::optional<double> scaled(std::string_view text, const Table& table) {
  const auto value = take_number(text);
  if (!value) return std::nullopt;
  const std::string unit = support::to_lower(text);
  for (const auto& u : table)
    if (u.name == unit) return *value * u.factor;
  return std::nullopt;
}

template <typename Table>
std::string canonical(std::string_view word, const Table& table) {
  std::string lower = support::to_lower(support::trim(word));
  for (char& c : lower)
    if (c == '-' || c == ' ') c = '_';
  for (const pair& p : table)
    if (p.first == lower) return std::string(p.second);
  return lower;
}

std::string formatted(const char* format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

} // namespace

std::string canonical_data_type(std::string_view word) { return canonical(word, data_type_names); }

std::string canonical_feature(std::string_view word) {
  const std::string name = canonical(word, feature_names);
  return canonical(name, data_type_names);
}

std::optional<double> number_with_unit(std::string_view text) { return scaled(text, units); }
std::optional<double> duration_in_seconds(std::string_view text) { return scaled(text, times); }

std::optional<double> plain_number(std::string_view text) {
  const auto value = take_number(text);
  return value && text.empty() ? value : std::nullopt;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  std::string best;
  std::size_t least = 3; // words with more edits are not misspellings
  for (const std::string& k : known)
    if (const std::size_t d = support::edit_distance(support::to_lower(word), k); d < least)
      least = d, best = k;
  return best.empty() ? "" : "Did you mean \"" + best + "\"? ";
}

std::string number_text(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string short_number(double value) { return formatted("%.3g", value); }

std::string bytes_text(double bytes) {
  if (bytes >= 0x1p40) return formatted("%.3g TiB", bytes / 0x1p40);
  if (bytes >= 0x1p30) return formatted("%.3g GiB", bytes / 0x1p30);
  if (bytes >= 0x1p20) return formatted("%.3g MiB", bytes / 0x1p20);
  if (bytes >= 0x1p10) return formatted("%.3g KiB", bytes / 0x1p10);
  return formatted("%.3g B", bytes);
}

std::string time_text(double seconds) {
  if (std::isinf(seconds)) return "never";
  if (seconds >= 1 || seconds <= 0) return formatted("%.3g s", seconds);
  if (seconds >= 1e-3) return formatted("%.3g ms", seconds * 1e3);
  if (seconds >= 1e-6) return formatted("%.3g us", seconds * 1e6);
  return formatted("%.3g ns", seconds * 1e9);
}

} // namespace prism::policy
