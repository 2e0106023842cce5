// <prism/kernel_policy.hpp>: one prepared chooser per kernel, and one queue per device.
#include <prism/devices.hpp>
#include <prism/kernel_policy.hpp>
#include <prism/selection.hpp>

#include <map>
#include <mutex>
#include <optional>

namespace prism {

namespace {

struct decision {
  execution_policy policy;
  std::shared_ptr<const chooser> choose;
};

struct state {
  std::mutex mutex;
  std::optional<std::vector<sycl::device>> devices;
  std::map<std::string, decision> by_kernel;
  std::map<std::size_t, sycl::queue> queues; // key: index of the device
};
state& all() {
  static auto* const instance = new state; // never destroyed: queues are used until the process ends
  return *instance;
}

const std::vector<sycl::device>& devices_of(state& s) { // the caller holds the mutex
  if (!s.devices) s.devices = sycl::device::get_devices();
  return *s.devices;
}

decision made(state& s, const execution_policy& policy) {
  return {policy, std::make_shared<const chooser>(policy, describe_for(policy, devices_of(s)))};
}

} // namespace

void set_policy(const sycl::kernel_id& kernel, const execution_policy& policy) {
  state& s = all();
  const std::lock_guard lock(s.mutex);
  decision d = made(s, policy);
  if (d.choose->choose(workload{}) == chooser::none)
    throw no_candidate(explain(policy, workload{}, d.choose->devices()), {});
  s.by_kernel[kernel.get_name()] = std::move(d);
}

void clear_policy(const sycl::kernel_id& kernel) {
  state& s = all();
  const std::lock_guard lock(s.mutex);
  s.by_kernel.erase(kernel.get_name());
}

execution_policy policy_of(const sycl::kernel_id& kernel) {
  state& s = all();
  const std::lock_guard lock(s.mutex);
  const auto found = s.by_kernel.find(kernel.get_name());
  return found == s.by_kernel.end() ? automatic : found->second.policy;
}

sycl::queue queue_for(const sycl::kernel_id& kernel, const workload& work) {
  state& s = all();
  const std::lock_guard lock(s.mutex);
  auto found = s.by_kernel.find(kernel.get_name());
  if (found == s.by_kernel.end()) found = s.by_kernel.emplace(kernel.get_name(), made(s, automatic)).first;
  const std::size_t index = found->second.choose->choose(work);
  if (index == chooser::none)
    throw no_candidate(explain(found->second.policy, work, found->second.choose->devices()), {});
  const auto known = s.queues.find(index);
  if (known != s.queues.end()) return known->second;
  return s.queues.emplace(index, sycl::queue(devices_of(s)[index], sycl::property::queue::in_order{}))
      .first->second;
}

} // namespace prism
