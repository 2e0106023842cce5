#include "runtime/device/device_state.hpp"

namespace prism::runtime {

device_state::device_state(std::unique_ptr<devices::device> device, identity id, const resources& shared)
    : m_device(std::move(device)), m_id(std::move(id)), m_programs(*m_device, shared.disk, shared.packs),
      m_pool(*m_device, shared.pool_bytes, shared.memory_limit), m_usm(shared.usm), m_all(shared.all),
      m_label(m_id.backend + ":" + std::to_string(m_id.index_in_backend)),
      m_name_in_traces(m_label + ' ' + m_device->info().name) {}

void device_state::record_error(const devices::device_error& failed) noexcept {
  if (failed.category() != devices::error_category::lost) return;
  m_lost.store(true, std::memory_order_release);
  any_is_lost.store(true, std::memory_order_release);
}

void device_state::lose(const devices::device_error& why) {
  const devices::device_error* none = nullptr;
  auto reason = std::make_unique<const devices::device_error>(why);
  if (!m_loss.compare_exchange_strong(none, reason.get(), std::memory_order_acq_rel)) return;
  reason.release();
  m_pool.retain_all();
  record_error(why);
}

void device_state::retain(std::shared_ptr<void> used) {
  const std::lock_guard lock(m_retained_mutex);
  m_retained.push_back(std::move(used));
}

bool device_state::is_lost() const {
  if (!lost()) return false;
  if (loss() != nullptr) return true;
  try {
    m_device->create_memory(64, devices::memory_kind::device, 64);
    return false;
  } catch (const devices::device_error& failed) {
    return failed.category() == devices::error_category::lost;
  }
}

} // namespace prism::runtime
