#include "extras/tune/text.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

namespace prism::tuning {

std::string to_text(const parameter_value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, std::get<double>(value)).ptr;
  return {digits, end};
}

std::string to_json(const configuration& c) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, value] : c.values())
    std::visit([&, &n = name](const auto& v) { out[n] = v; }, value);
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<configuration> configuration_from_json(const std::string& text) {
  const nlohmann::json in = nlohmann::json::parse(text, nullptr, false);
  if (!in.is_object()) return std::nullopt;
  configuration out;
  for (const auto& [name, value] : in.items()) {
    if (value.is_number_integer()) out.set(name, value.get<std::int64_t>());
    else if (value.is_number()) out.set(name, value.get<double>());
    else if (value.is_string()) out.set(name, value.get<std::string>());
    else return std::nullopt;
  }
  return out;
}

} // namespace prism::tuning
