// Policies as SYCL device selectors, and the default device of a scope or of the process. A scope belongs to
// the thread that opened it, and scopes nest. Outside of a scope the process's default applies: set_default,
// else PRISM_POLICY, else PRISM's built-in order.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/selection.hpp>
#include <sycl/device_selector.hpp>

#include <memory>

namespace prism {

/// A decision over the devices of this process, as a SYCL device selector. The chosen device has the highest
/// score, other devices that fit have lower ones, and devices that do not fit have negative ones. Copies
/// share the decision.
class device_selector {
public:
  int operator()(const sycl::device& candidate) const;
  /// Returns the decision, made over describe(sycl::device::get_devices()).
  const prism::selection& selection() const noexcept;
  sycl::device device() const;
  std::string explain() const { return selection().explain(); }

private:
  friend device_selector selector(const execution_policy&, const workload&);
  struct state;
  std::shared_ptr<const state> m_state;
};

/// A medium-sized job, for decisions that are made before the work is known: 1 Gflop on 100 MB, of which 10
/// MB are transferred.
workload typical_workload();
/// Makes the decision immediately. Throws no_candidate with the table of all devices.
device_selector selector(const execution_policy& policy, const workload& work = typical_workload());
/// Selects the device with a name such as "opencl:cpu", "vulkan:0", "gpu", "nvidia.h100", or by an expression
/// of PRISM_DEVICE_SELECTOR: "opencl:name=Portable", "vulkan:gpu; host", "!opencl".
device_selector by_name(const std::string& name);
/// Selects the first available device of a list such as {"vulkan:gpu", "opencl:cpu", "host"}, and no other
/// device.
device_selector prefer(const std::vector<std::string>& names);
/// The policy of the default device.
inline const execution_policy automatic{};

/// Sets the default device of the current thread during its lifetime. Objects must be destroyed in reverse
/// order, in the thread that created them.
class scoped_device {
public:
  explicit scoped_device(const sycl::device& device);
  explicit scoped_device(const std::string& name) : scoped_device(by_name(name).device()) {}
  scoped_device(const scoped_device&) = delete;
  scoped_device& operator=(const scoped_device&) = delete;
  ~scoped_device();
};
class scoped_policy : public scoped_device {
public:
  /// Throws no_candidate.
  explicit scoped_policy(const execution_policy& policy, const workload& work = typical_workload())
      : scoped_device(selector(policy, work).device()) {}
};

/// Sets the default device of the process. It applies in all threads outside of scopes. Thread-safe.
void set_default(const sycl::device& device);
void set_default(const execution_policy& policy);
void set_default(const std::string& name);
inline void set_default(const char* name) { set_default(std::string(name)); }
/// Removes the default of set_default.
void clear_default();

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
