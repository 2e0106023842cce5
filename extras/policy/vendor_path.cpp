#include "extras/policy/vendor_path.hpp"

#include "runtime/support/text.hpp"

#include <algorithm>
#include <utility>

namespace prism::policy {

namespace {

constexpr struct {
  std::string_view word, device_class;
} classes[] = {
    // words that name a class
    {"cpu", "cpu"},
    {"gpu", "gpu"},
    {"igpu", "gpu"},
    {"accelerator", "accelerator"},
    {"npu", "accelerator"},
    {"tpu", "accelerator"},
    {"ipu", "accelerator"},
    {"dpu", "accelerator"},
    {"vpu", "accelerator"},
    {"fpga", "accelerator"},
    {"dsp", "accelerator"},
    {"asic", "accelerator"},
    // product lines
    {"graviton", "cpu"},
    {"epyc", "cpu"},
    {"ryzen", "cpu"},
    {"xeon", "cpu"},
    {"altra", "cpu"},
    {"grace", "cpu"},
    {"axion", "cpu"},
    {"trainium", "accelerator"},
    {"inferentia", "accelerator"},
    {"gaudi", "accelerator"},
    {"instinct", "gpu"},
    {"radeon", "gpu"},
    {"arc", "gpu"},
    {"mali", "gpu"},
    {"adreno", "gpu"},
    {"videocore", "gpu"},
    // vendors whose devices are of one class
    {"nvidia", "gpu"},
    {"ampere", "cpu"},
    {"cerebras", "accelerator"},
    {"graphcore", "accelerator"},
    {"groq", "accelerator"},
    {"habana", "accelerator"},
    {"sambanova", "accelerator"},
    {"tenstorrent", "accelerator"},
};

constexpr std::string_view digits = "0123456789";

/// "trainium2" -> ("trainium", "2"). A word of digits alone has no stem and is no generation.
std::pair<std::string_view, std::string_view> stem_and_generation(std::string_view word) {
  const std::size_t end = word.find_last_not_of(digits);
  if (end == word.npos) return {word, {}};
  return {word.substr(0, end + 1), word.substr(end + 1)};
}

/// The digits that follow `stem` where it begins a word of `text`; those digits must end the word.
std::optional<feature_version> digits_after(const std::vector<std::string>& words, std::string_view stem) {
  for (const std::string& word : words) {
    const auto [found, generation] = stem_and_generation(word);
    if (found == stem && !generation.empty() && generation.size() < 7)
      return feature_version(std::stoi(std::string(generation)));
  }
  return std::nullopt;
}

} // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (char c : text) {
    if (c == ':' || c == '.' || c == '/' || c == ' ') {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word += support::to_lower(c);
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

std::string class_of_path(std::string_view path) {
  std::vector<std::string> words = words_of(path);
  std::reverse(words.begin(), words.end()); // the special word decides: "nvidia.grace" is a processor
  for (const std::string& word : words)
    for (const auto& known : classes)
      if (known.word == word || known.word == stem_and_generation(word).first)
        return std::string(known.device_class);
  return "custom";
}

bool path_begins_with(const device_description& device, std::string_view path) {
  const std::vector<std::string> wanted = words_of(path), found = words_of(device.vendor_path);
  if (wanted.empty() || wanted.size() > found.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool same = wanted[i] == found[i];
    const bool last = i + 1 == wanted.size();
    if (!same && !(last && wanted[i] == stem_and_generation(found[i]).first)) return false;
  }
  return true;
}

std::optional<feature_version> generation_of(const device_description& device, std::string_view path) {
  const std::vector<std::string> wanted = words_of(path);
  if (wanted.size() < 2) return std::nullopt;
  if (!device.vendor_path.empty()) {
    if (!path_begins_with(device, path)) return std::nullopt;
    return digits_after({words_of(device.vendor_path)[wanted.size() - 1]}, wanted.back());
  }
  const bool all = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
    return support::contains_ignoring_case(device.name, word) ||
           support::contains_ignoring_case(device.vendor, word);
  });
  return all ? digits_after(words_of(device.name), wanted.back()) : std::nullopt;
}

} // namespace prism::policy
