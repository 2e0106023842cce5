// What there is: backends, the devices as descriptions, what a device can do, and the host. Thread-safe.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/description.hpp>
#include <sycl/device.hpp>

#include <optional>

namespace prism {

struct backend_info {
  std::string name; // "opencl"
  std::string type; // what it drives through: "native", "opencl", "vulkan", "remote", ...
  std::string display_name, version;
  int priority = 0; // higher is preferred; its own, PRISM_BACKEND_PRIORITY's or set_backend_priority's
  bool available = false;
  std::string reason; // why it is not available; else a remark, often empty
  std::vector<std::string> required_libraries, optional_libraries, architectures; // no architectures: any
  bool needs_gpu = false;
};

/// All backends, highest priority first, equal ones by name; the refused ones last, available false with the
/// reason. The first call probes drivers in child processes.
std::vector<backend_info> backends();
/// Backends whose name or type is `name_or_type`.
std::vector<backend_info> find_backends(const std::string& name_or_type);
bool is_available(const std::string& backend);
/// Throws sycl::exception (invalid) for an unknown name.
void set_backend_priority(const std::string& backend, int priority);

/// Descriptions of devices, in the same order. Rates that nobody measured (prism-info --bench) are estimates,
/// named in `estimated`.
std::vector<device_description> describe(const std::vector<sycl::device>& devices);
device_description describe(const sycl::device& device);
/// Keeps the rates, bandwidths and latencies of `measured` for this device and driver: describe() has them
/// from now on, in every process of this user. Throws sycl::exception (invalid) when they cannot be written.
void keep_measurements(const sycl::device& device, const device_description& measured);
/// Goes back to the estimates.
void forget_measurements(const sycl::device& device);

/// What a device can do; the same answers as its SYCL aspects.
class capabilities {
public:
  explicit capabilities(const sycl::device& device);
  explicit capabilities(device_description description) : m_description(std::move(description)) {}
  /// "fp64", "subgroups", "tensor_cores", "half_precision", "simd_level", ...: any spelling that a
  /// requirement may have.
  bool has_feature(const std::string& name, feature_version minimum = {0, 0}) const;
  std::optional<feature_version> version_of(const std::string& feature) const;
  /// "memory", "local_memory", "compute_units", "max_group_size", ...; empty when the device does not say.
  std::optional<double> limit(const std::string& name) const;
  bool supports(const std::string& data_type) const;
  /// The data types it computes in; of an operation that its features list, those of the operation.
  std::vector<std::string> data_types(const std::string& operation = "") const;
  const std::vector<memory_level>& memory_hierarchy() const noexcept {
    return m_description.memory_hierarchy;
  }
  const device_description& description() const noexcept { return m_description; }
  /// "fp64", "memory>=4GiB", "gpu": an entry of execution_policy::require. Throws sycl::exception (invalid).
  bool meets(const std::string& requirement) const;

private:
  device_description m_description;
};

/// Facts about this machine as far as this process may use it (affinity and control groups are respected).
struct host_facts {
  std::string platform, processor;
  std::uint32_t cores = 1;        // this process may keep busy
  std::uint32_t processors = 1;   // the machine has
  std::uint64_t memory_bytes = 0; // this process may use
  bool avx = false, avx2 = false, avx512 = false, neon = false, sve = false;
  std::size_t gpu_count = 0; // real ones
  std::vector<std::string> device_names;
  std::string forced_backend; // of PRISM_DEVICE_SELECTOR; empty: none
};
host_facts host_info();

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
