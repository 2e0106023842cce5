#include "runtime/execution/device_queue_set.hpp"

#include "runtime/device/device_state.hpp"
#include "runtime/observe/observer.hpp"

#include <algorithm>
#include <iterator>

namespace prism::runtime {

namespace {

/// Says which of the device's queues cannot be made: programs with many run out of what a driver has.
template <typename Make>
auto numbered(const device_state& device, std::size_t number, const Make& make) {
  try {
    return make();
  } catch (const devices::device_error& failed) {
    throw devices::device_error(failed.category(), "",
                                "making queue " + std::to_string(number + 1) + " of " + device.label() +
                                    " (" + device.info().name +
                                    "), after as many as the program has at one time: " + failed.what());
  }
}

} // namespace

device_queue_ref device_queue_set::take(bool profiling) {
  std::vector<device_queue_ref> returned;
  {
    const std::lock_guard lock(m_mutex);
    returned.swap(m_returned);
  }
  device_queue_ref found;
  for (device_queue_ref& l : returned) {
    if (l->is_native() && l->empty()) {
      const std::lock_guard lock(m_mutex);
      m_all.erase(std::find(m_all.begin(), m_all.end(), l));
    } else if (found == nullptr && !l->is_native() && l->profiling() == profiling &&
               (l->measures_each() || !observe::wants(observe::launch_times)) && l->empty()) {
      l->take_failures(); // those of the destroyed SYCL queue
      found = std::move(l);
    } else {
      give_back(std::move(l));
    }
  }
  if (found == nullptr) {
    const std::size_t number = count();
    found = numbered(m_device, number,
                     [&] { return std::make_shared<device_queue>(environment_of(number), profiling); });
    const std::lock_guard lock(m_mutex);
    m_all.push_back(found);
  }
  return found;
}

device_queue_ref device_queue_set::make_copies(device_queue& kernels) {
  auto made = std::make_shared<device_queue>(environment_of(count()), kernels);
  const std::lock_guard lock(m_mutex);
  m_all.push_back(made);
  return made;
}

device_queue_ref device_queue_set::adopt(std::unique_ptr<devices::queue> queue, bool profiling) {
  const std::lock_guard lock(m_mutex);
  m_all.push_back(std::make_shared<device_queue>(environment_of(m_all.size()), std::move(queue), profiling));
  return m_all.back();
}

device_queue_ref device_queue_set::transfer() {
  {
    const std::lock_guard lock(m_mutex);
    if (m_transfer != nullptr) return m_transfer;
  }
  device_queue_ref made = take(false);
  made->serve_engine();
  const std::lock_guard lock(m_mutex);
  if (m_transfer == nullptr) m_transfer = std::move(made);
  return m_transfer;
}

void device_queue_set::give_back(device_queue_ref used) {
  const std::lock_guard lock(m_mutex);
  m_returned.push_back(std::move(used));
}

void device_queue_set::drop_unused() {
  std::vector<device_queue_ref> dropped; // destroyed after the lock is released
  const std::lock_guard lock(m_mutex);
  m_returned.clear(); // m_all has them too
  m_transfer.reset();
  const auto unused = std::stable_partition(m_all.begin(), m_all.end(),
                                            [](const device_queue_ref& l) { return l.use_count() > 1; });
  dropped.assign(std::make_move_iterator(unused), std::make_move_iterator(m_all.end()));
  m_all.erase(unused, m_all.end());
}

std::vector<device_queue_ref> device_queue_set::all() {
  const std::lock_guard lock(m_mutex);
  return m_all;
}

std::size_t device_queue_set::count() {
  const std::lock_guard lock(m_mutex);
  return m_all.size();
}

} // namespace prism::runtime
