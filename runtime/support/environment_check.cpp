#include "runtime/support/size_text.hpp"
#include "runtime/support/environment_check.hpp"

#include "runtime/support/environment.hpp"
#include "runtime/support/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace prism::support {

namespace {

constexpr std::string_view prefix = "PRISM_";

/// Variables of PRISM's scripts, tests, benchmarks and samples, which the library does not read.
bool is_of_other_programs(std::string_view name) {
  constexpr std::array names{"PRISM_BUILD_DIR", "PRISM_PRESET", "PRISM_JOBS", "PRISM_INFO_IS_PROBE"};
  constexpr std::array families{"PRISM_TEST_",  "PRISM_BENCH_", "PRISM_SOAK",    "PRISM_FUZZ",
                                "PRISM_REMOTE", "PRISM_NULL_",  "PRISM_RANDOM_", "PRISM_ACCURACY_"};
  return std::ranges::find(names, name) != names.end() ||
         std::ranges::any_of(families, [&](std::string_view family) { return name.starts_with(family); });
}

struct accepted {
  const variable* of;
  std::string_view words; // separated by spaces, for messages too
};

constexpr std::string_view on_or_off = "on off 1 0 true false yes no";
constexpr std::array fixed_words{accepted{&variables::cache, "on off eager 1 0 true false yes no"},
                                 accepted{&variables::adopt, on_or_off},
                                 accepted{&variables::reproducible, on_or_off},
                                 accepted{&variables::host_kernels, "compiled fibers"},
                                 accepted{&variables::host_isa, "baseline v3 v4 sve"},
                                 accepted{&variables::graph_replay, "measure command_buffer resubmission"},
                                 accepted{&variables::array_kernels, "auto fused interpreted"},
                                 accepted{&variables::joint_matrix, "emulate"},
                                 accepted{&variables::prepare, "1 wait on off 0 true false yes no"},
                                 accepted{&variables::opencl_queues, "1 2 3 4 5 6 7 8"},
                                 accepted{&variables::vulkan_usm, "window split"}};

/// The variables are read only by programs that use operations or variants.
std::string wrong_pairs(const variable& of, std::string_view value) {
  const bool needs_operation = &of == &variables::variant;
  for (std::size_t begin = 0; begin < value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const std::string_view term = trim(value.substr(begin, end - begin));
    const std::size_t equals = term.find('=');
    const bool is_pair = equals != 0 && equals != term.npos && equals + 1 != term.size();
    const bool is_name = equals == term.npos && !term.empty() && !needs_operation;
    if (!(is_pair || is_name) || term.find_first_of(" \t") != term.npos)
      return needs_operation
                 ? "known is operation=variant, several separated by commas"
                 : "known are a provider's name or operation=provider, several separated by commas";
    begin = end + 1;
  }
  return {};
}

std::string wrong_size(const variable&, std::string_view value) {
  return parse_size(value) ? "" : "known is a size such as 512M or 4G";
}

std::string wrong_slice(const variable&, std::string_view value) {
  return parse_slice(value)
             ? ""
             : "known are a number of work-groups such as 4096, milliseconds such as 20ms, and off";
}

std::string wrong_folders(const variable&, std::string_view value) {
  for (std::size_t begin = 0; begin < value.size();) {
    const std::size_t end = std::min(value.find(':', begin), value.size());
    const std::string folder(value.substr(begin, end - begin));
    if (!folder.empty() && ::access(folder.c_str(), R_OK | X_OK) != 0)
      return "the folder \"" + printable(folder) + "\" cannot be read";
    begin = end + 1;
  }
  return {};
}

std::string wrong_file(const variable&, std::string_view value) {
  const std::string file(value);
  return ::access(file.c_str(), R_OK) == 0 ? "" : "the file \"" + printable(file) + "\" cannot be read";
}

struct checked {
  const variable* of;
  std::string (*wrong)(const variable&, std::string_view); // says what is known; empty: nothing is wrong
};
constexpr std::array other_forms{
    checked{&variables::variant, &wrong_pairs},         checked{&variables::provider, &wrong_pairs},
    checked{&variables::slice, &wrong_slice},           checked{&variables::vulkan_usm_size, &wrong_size},
    checked{&variables::provider_path, &wrong_folders}, checked{&variables::vulkan_report, &wrong_file},
    checked{&variables::stdpar_heap, &wrong_size}};

bool has_word(std::string_view words, std::string_view wanted) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == wanted) return true;
    begin = end + 1;
  }
  return false;
}

const variable* find(std::string_view name) {
  const auto all = all_variables();
  const auto found = std::ranges::find(all, name, [](const variable& v) { return std::string_view(v.name); });
  return found == all.end() ? nullptr : &*found;
}

/// The variable that the writer most likely meant; null where none is near.
const variable* nearest(std::string_view name) {
  const variable* best = nullptr;
  std::size_t least = 3; // letters to change, at most two
  for (const variable& each : all_variables())
    if (const std::size_t far = edit_distance(name, each.name); far < least) {
      least = far;
      best = &each;
    }
  return best;
}

std::optional<std::string> problem_of(std::string_view name, std::string_view value) {
  const variable* const known = find(name);
  if (known == nullptr) {
    if (is_of_other_programs(name)) return std::nullopt;
    const variable* const meant = nearest(name);
    return std::string(name) + " is no variable of PRISM" +
           (meant != nullptr ? std::string("; did you mean ") + meant->name + '?' : std::string()) +
           " (prism-info --environment lists all)";
  }
  if (value.empty()) return std::nullopt;
  for (const accepted& each : fixed_words)
    if (std::string_view(each.of->name) == name && !has_word(each.words, to_lower(value)))
      return std::string(name) + "=\"" + printable(value) +
             "\" is not understood; known are: " + std::string(each.words);
  for (const checked& each : other_forms)
    if (std::string_view(each.of->name) == name)
      if (const std::string wrong = each.wrong(*each.of, value); !wrong.empty())
        return std::string(name) + "=\"" + printable(value) + "\" is not understood: " + wrong;
  return std::nullopt;
}

} // namespace

std::vector<std::string> environment_problems(std::span<const std::string> settings) {
  std::vector<std::string> out;
  for (const std::string_view each : settings) {
    const std::size_t equals = each.find('=');
    if (!each.starts_with(prefix) || equals == each.npos) continue;
    if (auto problem = problem_of(each.substr(0, equals), each.substr(equals + 1)))
      out.push_back(std::move(*problem));
  }
  return out;
}

std::vector<std::string> environment_problems() {
  std::vector<std::string> settings;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each)
    if (std::string_view(*each).starts_with(prefix)) settings.emplace_back(*each);
  return environment_problems(settings);
}

} // namespace prism::support
