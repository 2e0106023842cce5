#include "runtime/support/environment.hpp"

#include "runtime/support/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace prism::support {

std::span<const variable> all_variables() {
  using namespace variables;
  static constexpr std::array table{device_selector,
                                    variables::policy,
                                    variant,
                                    wrap,
                                    backend_priority,
                                    variables::log,
                                    variables::trace,
                                    ledger,
                                    variables::profile,
                                    verify,
                                    check,
                                    variables::reproducible,
                                    cache,
                                    cache_dir,
                                    cache_size,
                                    pack,
                                    prepare,
                                    specialise,
                                    graph_replay,
                                    joint_matrix,
                                    slice,
                                    pool_size,
                                    memory_limit,
                                    exit_limit,
                                    timeout,
                                    wait_warning,
                                    adopt,
                                    backend_path,
                                    provider_path,
                                    provider,
                                    array_kernels,
                                    stdpar_heap,
                                    probe,
                                    probe_timeout,
                                    record_devices,
                                    opencl_queues,
                                    vulkan_usm,
                                    vulkan_usm_size,
                                    vulkan_report,
                                    host_kernels,
                                    host_isa,
                                    clang,
                                    dump_ir};
  return table;
}

std::optional<std::string> set_value_of(const variable& v) {
  const char* text = std::getenv(v.name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::string(text);
}

std::string value_of(const variable& v) { return set_value_of(v).value_or(v.default_value); }

bool is_on(const variable& v) {
  const std::string text = to_lower(value_of(v));
  return !(text == "off" || text == "0" || text == "false" || text == "no");
}

std::optional<slice_limit> parse_slice(std::string_view text) {
  constexpr std::uint64_t most = 1'000'000'000;
  if (to_lower(std::string(text)) == "off") return slice_limit{};
  const bool is_time = text.ends_with("ms");
  if (is_time) text.remove_suffix(2);
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = std::min(number * 10 + static_cast<std::uint64_t>(c - '0'), most);
  }
  if (number == 0) return std::nullopt;
  return is_time ? slice_limit{0, number} : slice_limit{number, 0};
}

std::optional<std::chrono::seconds> parse_seconds(std::string_view text) {
  constexpr std::int64_t most = 1'000'000'000;
  if (text.empty()) return std::nullopt;
  std::int64_t number = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = std::min(number * 10 + (c - '0'), most);
  }
  return std::chrono::seconds(number);
}

} // namespace prism::support
