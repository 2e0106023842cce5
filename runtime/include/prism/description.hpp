// What a device is, as plain data: written by hand, read from a file, or made from a real device by
// prism::describe(). Every decision of PRISM is a function of these. Sizes are bytes, rates gigabytes (1e9
// bytes) or gigaflops a second.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/exception.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace prism {

struct memory_level {
  std::string level; // "L1", "L2", "global", ... for people; what counts is the size
  std::uint64_t size_bytes = 0;
  double bandwidth_gbps = 0;
};

struct operation_description {
  std::string name;
  std::vector<std::string> data_types; // "fp32", "int8", ...
};

/// "2" or "1.2": compared part by part.
struct feature_version {
  int first = 1, second = 0;
  constexpr feature_version(int major_part = 1, int minor_part = 0) noexcept
      : first(major_part), second(minor_part) {}
  friend constexpr bool operator==(feature_version a, feature_version b) noexcept {
    return a.first == b.first && a.second == b.second;
  }
  friend constexpr bool operator!=(feature_version a, feature_version b) noexcept { return !(a == b); }
  friend constexpr bool operator<(feature_version a, feature_version b) noexcept {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  }
  friend constexpr bool operator>=(feature_version a, feature_version b) noexcept { return !(a < b); }
};

struct feature_description {
  std::string name;
  feature_version version;
  std::vector<operation_description> operations;
};

struct device_description {
  std::string device_type = "cpu"; // "cpu", "gpu", "accelerator" or "custom"
  std::string name;
  std::uint32_t compute_units = 1;
  std::vector<memory_level> memory_hierarchy; // any order
  std::vector<feature_description> features;
  std::map<std::string, double> peak_gflops; // by data type: "fp64", "fp32", "fp16", "bf16", "int8", ...
  double launch_latency_us = 0;
  double build_ms = 0; // building a kernel for it, the first time; 0: it needs none
  double transfer_gbps =
      0; // between the host's memory and the device's; 0: it uses the host's memory, nothing moves
  double price_per_hour = 0;        // 0: costs nothing to use
  double watts = 0;                 // under load; 0: unknown
  std::string executes_on = "host"; // the device that stands in for it, a term of PRISM_DEVICE_SELECTOR

  std::map<std::string, std::string> sources; // where a figure stands: by key, such as "peak_gflops"

  // Of real devices.
  std::string backend, vendor, driver;
  std::string
      physical_id; // equal for two ways to the same hardware ("cpu", "pci:0000:01:00.0"); empty: its own
  std::map<std::string, double> limits; // "max_group_size", "local_memory", ... as prism-info names them
  bool only_when_named = false; // chosen only by a policy that prefers or requires it by name or backend
  std::vector<std::string> estimated; // figures above that nobody measured
};

/// A description that cannot be used. what() is "file:line:column: key: problem; what to write instead".
class description_error : public sycl::exception {
public:
  description_error(const std::string& message, std::string file, std::size_t line, std::size_t column,
                    std::string key)
      : sycl::exception(sycl::make_error_code(sycl::errc::invalid), message), m_file(std::move(file)),
        m_key(std::move(key)), m_line(line), m_column(column) {}
  const std::string& file() const noexcept { return m_file; }
  const std::string& key() const noexcept { return m_key; } // "devices[1].memory_hierarchy[0].size_bytes"
  std::size_t line() const noexcept { return m_line; }      // from 1; 0: the file could not be read
  std::size_t column() const noexcept { return m_column; }

private:
  std::string m_file, m_key;
  std::size_t m_line, m_column;
};

/// Reads a YAML or JSON file: one device's map, or a list of them under `devices:`. See docs/selection.md for
/// the schema. Throws description_error.
std::vector<device_description> load_devices(const std::string& file);
/// The same from text; `name` stands for the file in messages.
std::vector<device_description> parse_devices(const std::string& text, const std::string& name = "(text)");
/// What load_devices reads back as the same descriptions.
std::string to_yaml(const std::vector<device_description>& devices);
/// The same as JSON; load_devices reads this too.
std::string to_json(const std::vector<device_description>& devices);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
