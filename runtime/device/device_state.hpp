// A device of the process with what the runtime keeps for it. The parts that deal with commands are defined
// by the folders above; root attaches them before anything else knows the device. It lives until the process
// ends. Any thread.
#pragma once

#include "runtime/engine/engine.hpp"
#include "runtime/images/program_cache.hpp"
#include "runtime/memory/memory_pool.hpp"
#include "runtime/observe/command_label.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace prism::memory {
class usm_registry;
}

namespace prism::runtime {

class build_chooser; // runtime/launch
class device_list;
class device_queue_set; // runtime/execution
class retired_programs; // runtime/launch

/// The buffers behind the device_globals of a device.
class global_variables {
public:
  virtual ~global_variables() = default;
  /// Made at first need of the object's first `bytes`.
  virtual buffer_ptr get(const void* object, std::uint64_t bytes) = 0;
  /// Whether `address` may lie in one of them; a kernel can have stored it.
  virtual bool may_hold(std::uint64_t address) = 0;
  /// Objects of an unloaded module.
  virtual void forget(const image::kernel_record* records, std::size_t count) = 0;
};

class device_state final : public device_node {
public:
  struct identity {
    std::string backend;
    std::size_t index_in_backend, platform_index;
    double score;
  };
  /// What devices share. All of it outlives them.
  struct resources {
    images::disk_cache* disk; // null: programs are built anew in each process
    images::kernel_packs* packs;
    std::uint64_t kept_bytes; // of freed memory
    memory::usm_registry& usm;
    device_list& all;
  };
  struct parts {
    std::shared_ptr<device_queue_set> device_queues;
    std::shared_ptr<retired_programs> retired;
    std::shared_ptr<global_variables> globals;
  };
  device_state(std::unique_ptr<devices::device> device, identity id, const resources& shared);
  /// Once, before another thread knows the device.
  void attach(parts made) { m_parts = std::move(made); }

  const devices::capabilities& info() const override { return m_device->info(); }
  const std::string& backend_name() const override { return m_id.backend; }
  std::size_t platform_index() const override { return m_id.platform_index; }
  std::size_t index_in_backend() const override { return m_id.index_in_backend; }
  devices::device& raw() const override { return *m_device; }
  double default_score() const override { return m_id.score; }

  /// Looks whether it says that the device is gone.
  void record_error(const devices::device_error& failed) noexcept;
  bool lost() const noexcept { return m_lost.load(std::memory_order_acquire); }
  static inline std::atomic<bool> any_is_lost{false}; // of this process

  /// From now on a part of `whole`: the memory of either is the other's.
  void be_part_of(const device_state& whole) { m_family = whole.m_family; }
  bool shares_memory_with(const device_state& other) const { return m_family == other.m_family; }
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
  /// Null unless something asked for it.
  build_chooser* chooser() const noexcept { return m_chooser.load(std::memory_order_acquire); }
  /// Lives until the process ends. Only the first one counts.
  void set_chooser(build_chooser& made) noexcept {
    build_chooser* none = nullptr;
    m_chooser.compare_exchange_strong(none, &made, std::memory_order_release);
  }

private:
  const device_state* m_family = this; // the device around it that is no part itself
  std::unique_ptr<devices::device> m_device;
  identity m_id;
  images::program_cache m_programs;
  memory::memory_pool m_pool;
  memory::usm_registry& m_usm;
  device_list& m_all;
  std::string m_label, m_name_in_traces;
  known_labels m_labels;
  std::atomic<bool> m_lost{false};
  parts m_parts;
  std::atomic<build_chooser*> m_chooser{nullptr};
};

/// A failure of that class may also be that of another device, whose point a command of this one waited for:
/// asks again.
bool is_lost(device_state& device);

} // namespace prism::runtime
