// Policies in SYCL: selectors, and the default device of a scope or of the process. A scope belongs to the
// thread that opened it; scopes nest; without one the process's default counts (set_default, else
// PRISM_POLICY, else PRISM's own order).
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/selection.hpp>
#include <sycl/device_selector.hpp>

#include <memory>

namespace prism {

/// A decision over the devices of this process, as a SYCL device selector: the choice has the highest rank,
/// what fits ranks behind it, what does not is refused. Copies share the decision.
class device_selector {
public:
  int operator()(const sycl::device& candidate) const;
  /// The decision, over describe(sycl::device::get_devices()).
  const prism::selection& selection() const noexcept;
  sycl::device device() const;
  std::string explain() const { return selection().explain(); }

private:
  friend device_selector selector(const execution_policy&, const workload&);
  struct state;
  std::shared_ptr<const state> m_state;
};

/// A middling job, for decisions made before the work is known: 1 Gflop over 100 MB, of which 10 MB move.
workload typical_workload();
/// Decides now. Throws no_candidate with the table of all devices.
device_selector selector(const execution_policy& policy, const workload& work = typical_workload());
/// The device a name means: "opencl:cpu", "vulkan:0", "gpu", "nvidia.h100", "name=Portable".
device_selector by_name(const std::string& name);
/// The first of the list that is there: {"vulkan:gpu", "opencl:cpu", "host"}; nothing else.
device_selector prefer(const std::vector<std::string>& names);
/// The policy of the default device.
inline const execution_policy automatic{};

/// The default device while it lives, in its thread; destroy in reverse order, in the thread that made it.
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

/// The default device of the process from now on, where no scope says otherwise. Any thread.
void set_default(const sycl::device& device);
void set_default(const execution_policy& policy);
void set_default(const std::string& name);
inline void set_default(const char* name) { set_default(std::string(name)); }
void clear_default();

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
