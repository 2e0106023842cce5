// The properties of a device as plain data: written by hand, read from a file, or obtained from a real device
// by prism::describe(). All decisions of PRISM are functions of these descriptions. Sizes are in bytes; rates
// are in gigabytes (1e9 bytes) or gigaflops a second.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/exception.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace prism {

struct memory_level {
  std::string level; // "L1", "L2", "global", ...; only displayed: decisions use the size
  std::uint64_t size_bytes = 0;
  double bandwidth_gbps = 0;
};

struct operation_description {
  std::string name;
  std::vector<std::string> data_types; // "fp32", "int8", ...
};

/// A version such as "2" or "1.2". The major number is compared first, then the minor one.
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
  std::string vendor_path; // such as "aws.trainium2"; empty: none. Its first words select the device too
  std::uint32_t compute_units = 1;
  std::vector<memory_level> memory_hierarchy; // any order
  std::vector<feature_description> features;
  std::map<std::string, double> peak_gflops; // key: data type, "fp64", "fp32", "fp16", "bf16", "int8", ...
  double launch_latency_us = 0;
  double build_ms = 0; // time of the first build of a kernel; 0: kernels need no build
  double transfer_gbps =
      0; // between the host's memory and the device's; 0: the device uses the host's memory
  double price_per_hour = 0;        // 0: costs nothing to use
  double watts = 0;                 // under load; 0: unknown
  std::string executes_on = "host"; // the real device that runs its kernels, a term of PRISM_DEVICE_SELECTOR

  std::map<std::string, std::string>
      sources; // where each figure was read from; key: its name, such as "peak_gflops"

  // Set for real devices only.
  std::string backend, vendor, driver;
  std::string platform;    // name and version of its platform, parts of which select the device by "name="
  std::string physical_id; // devices that share hardware have the same id ("cpu", "pci:0000:01:00.0"); empty:
                           // shares none
  std::map<std::string, double> limits; // "max_group_size", "local_memory", ... as prism-info names them
  std::optional<double> celsius; // its temperature when it was described for a policy with max_temperature
  bool is_lost = false;          // whether its driver said so when it was described for a policy
  bool only_when_named = false;  // chosen only by a policy that prefers or requires it by name or backend
  std::vector<std::string> estimated; // names of the figures above that are estimates, not measurements
};

/// A description that cannot be used. what() is "file:line:column: key: problem; what to write instead".
class description_error : public sycl::exception {
public:
  description_error(const std::string& message, std::string file, std::size_t line, std::size_t column,
                    std::string key)
      : sycl::exception(sycl::make_error_code(sycl::errc::invalid), message), m_file(std::move(file)),
        m_key(std::move(key)), m_line(line), m_column(column) {}
  const std::string& file() const noexcept { return m_file; }
  const std::string& key() const noexcept {
    return m_key;
  } // such as "devices[1].memory_hierarchy[0].size_bytes"
  std::size_t line() const noexcept { return m_line; } // from 1; 0: the file could not be read
  std::size_t column() const noexcept { return m_column; }

private:
  std::string m_file, m_key;
  std::size_t m_line, m_column;
};

/// Reads a YAML or JSON file: one device's map, or a list of them under `devices:`. See
/// docs/describing-devices.md for the schema. Throws description_error.
std::vector<device_description> load_devices(const std::string& file);
/// The same from text. Messages show `name` in place of the file.
std::vector<device_description> parse_devices(const std::string& text, const std::string& name = "(text)");
/// Writes the descriptions as YAML. load_devices reads them back unchanged.
std::string to_yaml(const std::vector<device_description>& devices);
/// The same as JSON; load_devices reads this too.
std::string to_json(const std::vector<device_description>& devices);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
