// Queries of backends, device descriptions, device capabilities and the host. Thread-safe.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/description.hpp>
#include <prism/policy.hpp>
#include <sycl/device.hpp>

#include <optional>

namespace prism {

struct backend_info {
  std::string name; // "opencl"
  std::string type; // the interface that it uses: "native", "opencl", "vulkan", "remote", ...
  std::string display_name, version;
  int priority = 0; // higher is preferred; set by the backend, PRISM_BACKEND_PRIORITY or set_backend_priority
  bool available = false;
  std::string reason; // why it is not available; if it is available, a remark or empty
  std::vector<std::string> required_libraries, optional_libraries, architectures; // empty architectures: any
  bool needs_gpu = false;
};

/// Returns all backends, sorted by descending priority, then by name. Backends that cannot be used come last,
/// with `available` false and the reason. The first call probes the drivers in child processes.
std::vector<backend_info> backends();
/// Returns the backends whose name or type is `name_or_type`.
std::vector<backend_info> find_backends(const std::string& name_or_type);
bool is_available(const std::string& backend);
/// Throws sycl::exception (invalid) for an unknown name.
void set_backend_priority(const std::string& backend, int priority);

/// Returns the descriptions of the devices, in the same order. Rates that were not measured (with prism-info
/// --bench) are estimates; `estimated` lists their names.
std::vector<device_description> describe(const std::vector<sycl::device>& devices);
device_description describe(const sycl::device& device);
/// The same, with whether each device is lost, and with the temperatures if `policy` has max_temperature:
/// this reads sensors.
std::vector<device_description> describe_for(const execution_policy& policy,
                                             const std::vector<sycl::device>& devices);
/// Stores the rates, bandwidths and latencies of `measured` for this device and driver. From now on
/// describe() returns them, in every process of this user. Throws sycl::exception (invalid) if they cannot be
/// written.
void keep_measurements(const sycl::device& device, const device_description& measured);
/// Deletes the stored measurements. describe() returns estimates again.
void forget_measurements(const sycl::device& device);

/// The features and limits of a device. The answers agree with the device's SYCL aspects.
class capabilities {
public:
  explicit capabilities(const sycl::device& device);
  explicit capabilities(device_description description) : m_description(std::move(description)) {}
  /// `name` is "fp64", "subgroups", "tensor_cores", "half_precision", "simd_level", ...: any spelling that a
  /// requirement may have.
  bool has_feature(const std::string& name, feature_version minimum = {0, 0}) const;
  std::optional<feature_version> version_of(const std::string& feature) const;
  /// `name` is "memory", "local_memory", "compute_units", "max_group_size", ...; empty if the device does not
  /// report the limit.
  std::optional<double> limit(const std::string& name) const;
  bool supports(const std::string& data_type) const;
  /// Returns the data types in which the device computes. If the device's features list `operation`, returns
  /// the data types of that operation.
  std::vector<std::string> data_types(const std::string& operation = "") const;
  const std::vector<memory_level>& memory_hierarchy() const noexcept {
    return m_description.memory_hierarchy;
  }
  const device_description& description() const noexcept { return m_description; }
  /// Whether the device meets an entry of execution_policy::require, such as "fp64", "memory>=4GiB" or "gpu".
  /// Throws sycl::exception (invalid) for an entry that cannot be read.
  bool meets(const std::string& requirement) const;

private:
  device_description m_description;
};

/// The resources of this machine that this process may use: CPU affinity and control groups are respected.
struct host_facts {
  std::string platform, processor;
  std::uint32_t cores = 1;        // that this process may use
  std::uint32_t processors = 1;   // of the machine
  std::uint64_t memory_bytes = 0; // that this process may use
  bool avx = false, avx2 = false, avx512 = false, neon = false, sve = false;
  std::size_t gpu_count = 0; // hardware only: software implementations are not counted
  std::vector<std::string> device_names;
  std::string forced_backend; // from PRISM_DEVICE_SELECTOR; empty: none
};
host_facts host_info();

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
