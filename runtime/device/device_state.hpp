// A device of the process with the runtime's state for it. Parts that deal with commands are defined in
// higher folders; the process runtime attaches them before the device is visible to other threads. Lives
// until the process ends. Any thread.
#pragma once

#include "runtime/engine/engine.hpp"
#include "runtime/images/program_cache.hpp"
#include "runtime/memory/memory_pool.hpp"
#include "runtime/observe/command_label.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace prism::memory {
class usm_registry;
}

namespace prism::runtime {

class build_chooser; // runtime/launch
class device_list;
class device_queue_set; // runtime/execution
class retired_programs; // runtime/launch

/// The buffers that hold the device_globals of a device.
class global_variables {
public:
  virtual ~global_variables() = default;
  /// The buffer for the first `bytes` of `object`, made at first use.
  virtual buffer_ptr get(const void* object, std::uint64_t bytes) = 0;
  /// Whether `address` may lie in one of them. A kernel may have stored such an address.
  virtual bool may_hold(std::uint64_t address) = 0;
  /// Removes the objects of an unloaded module.
  virtual void forget(const image::kernel_record* records, std::size_t count) = 0;
};

class device_state final : public device_node {
public:
  struct identity {
    std::string backend;
    std::size_t index_in_backend, platform_index;
    double score;
  };
  /// Shared by all devices; outlives them.
  struct resources {
    images::disk_cache* disk; // null: programs are built again in each process
    images::kernel_packs* packs;
    std::uint64_t pool_bytes;   // the most bytes of freed memory that the pool retains
    std::uint64_t memory_limit; // of the device's memory_budget; 0: none
    memory::usm_registry& usm;
    device_list& all;
  };
  struct parts {
    std::shared_ptr<device_queue_set> device_queues;
    std::shared_ptr<retired_programs> retired;
    std::shared_ptr<global_variables> globals;
  };
  device_state(std::unique_ptr<devices::device> device, identity id, const resources& shared);
  /// Once, before the device is visible to other threads.
  void attach(parts made) { m_parts = std::move(made); }

  const devices::capabilities& info() const override { return m_device->info(); }
  const std::string& backend_name() const override { return m_id.backend; }
  std::size_t platform_index() const override { return m_id.platform_index; }
  std::size_t index_in_backend() const override { return m_id.index_in_backend; }
  devices::device& raw() const override { return *m_device; }
  double default_score() const override { return m_id.score; }
  /// Queries the device again after a loss, because an error of category `lost` may come from another device
  /// whose point a command of this one waited for.
  bool is_lost() const override;

  /// Never destroys the object, which a command of the lost device may use.
  void retain(std::shared_ptr<void> used);

  /// Marks the device as lost if the error reports that.
  void record_error(const devices::device_error& failed) noexcept;
  bool lost() const noexcept { return m_lost.load(std::memory_order_acquire); }
  /// Loses the device until the process ends, although its driver reports nothing. Its commands may still
  /// run: none of its memory is freed. Only the first call has an effect.
  void lose(const devices::device_error& why);
  /// The reason that lose() was given; null: it was not called.
  const devices::device_error* loss() const noexcept { return m_loss.load(std::memory_order_acquire); }
  static inline std::atomic<bool> any_is_lost{false}; // of this process

  /// Makes this a sub-device of `whole`: they share their memory.
  void become_sub_device_of(const device_state& whole) { m_memory_domain = whole.m_memory_domain; }
  bool shares_memory_with(const device_state& other) const {
    return m_memory_domain == other.m_memory_domain;
  }
  bool is_host() const { return m_id.backend == "host"; }
  /// "opencl:0", for messages and histories.
  const std::string& label() const { return m_label; }
  const std::string& name_in_traces() const { return m_name_in_traces; }
  known_labels& labels() { return m_labels; }
  const identity& id() const { return m_id; }
  images::program_cache& programs() { return m_programs; }
  memory::memory_pool& pool() { return m_pool; }
  memory::usm_registry& usm() const { return m_usm; }
  device_list& all() const { return m_all; }

  device_queue_set& device_queues() const { return *m_parts.device_queues; }
  retired_programs& retired() const { return *m_parts.retired; }
  global_variables& globals() const { return *m_parts.globals; }
  /// Null unless specialisation was requested.
  build_chooser* chooser() const noexcept { return m_chooser.load(std::memory_order_acquire); }
  /// The chooser must live until the process ends. Calls after the first have no effect.
  void set_chooser(build_chooser& made) noexcept {
    build_chooser* none = nullptr;
    m_chooser.compare_exchange_strong(none, &made, std::memory_order_release);
  }

private:
  const device_state* m_memory_domain = this; // the root device; for a sub-device the device it is a part of
  std::unique_ptr<devices::device> m_device;
  identity m_id;
  images::program_cache m_programs;
  memory::memory_pool m_pool;
  memory::usm_registry& m_usm;
  device_list& m_all;
  std::string m_label, m_name_in_traces;
  known_labels m_labels;
  std::atomic<bool> m_lost{false};
  std::atomic<const devices::device_error*> m_loss{nullptr}; // never destroyed
  std::mutex m_retained_mutex;
  std::vector<std::shared_ptr<void>> m_retained;
  parts m_parts;
  std::atomic<build_chooser*> m_chooser{nullptr};
};

} // namespace prism::runtime
