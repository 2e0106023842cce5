#include "runtime/launch/retired_programs.hpp"

#include "runtime/device/device_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace prism::runtime {

void retired_programs::add(std::vector<std::shared_ptr<void>> programs) {
  if (programs.empty()) return;
  const std::lock_guard lock(m_mutex);
  m_retired.push_back({std::move(programs), {}, false});
  m_count.store(m_retired.size(), std::memory_order_relaxed);
}

/// The first call records all commands in flight, which include all users of the programs. Later calls
/// destroy programs whose recorded commands are complete. Queries drivers and destroys programs without the
/// lock.
void retired_programs::sweep(device_queue_set& device_queues) {
  std::vector<retired> all, remaining;
  {
    const std::lock_guard lock(m_mutex);
    all.swap(m_retired);
  }
  std::vector<std::weak_ptr<scheduled_command>> in_flight;
  for (const device_queue_ref& l : device_queues.all())
    for (const command_ref& c : l->in_flight()) in_flight.push_back(c);
  const auto done = [](const std::weak_ptr<scheduled_command>& user) {
    const command_ref c = user.lock();
    return c == nullptr || c->finished();
  };
  for (retired& r : all) {
    if (!std::exchange(r.users_recorded, true)) r.users = in_flight;
    if (!std::all_of(r.users.begin(), r.users.end(), done)) remaining.push_back(std::move(r));
  }
  const std::lock_guard lock(m_mutex);
  std::move(remaining.begin(), remaining.end(), std::back_inserter(m_retired));
  m_count.store(m_retired.size(), std::memory_order_relaxed);
}

const images::built_kernel& program_of(device_state& device, const image::kernel_record& record) {
  const images::built_kernel& built = device.programs().get(record);
  if (!device.retired().empty()) device.retired().sweep(device.device_queues());
  return built;
}

} // namespace prism::runtime
