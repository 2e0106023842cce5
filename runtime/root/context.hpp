// The runtime root: devices, caches, USM registry, the threads for held work. Made at first use, never destroyed (kernels
// may be in flight while static objects die); an exit hook, registered after the drivers were loaded, waits for
// submitted work with a limit. One context a process; everything below receives what it needs from it.
#pragma once

#include "runtime/engine/engine.hpp"
#include "runtime/execution/host_workers.hpp"
#include "runtime/execution/reactor.hpp"
#include "runtime/execution/starter.hpp"
#include "runtime/images/program_cache.hpp"
#include "runtime/launch/builds.hpp"
#include "runtime/memory/usm_registry.hpp"
#include "runtime/observe/command_label.hpp"

#include <atomic>
#include <map>
#include <mutex>

namespace prism::schedule {

class lane;
class specialiser;
using lane_ref = std::shared_ptr<lane>;

/// A device with what the engine keeps for it.
class device_entry final : public device_node {
public:
  struct identity {
    std::string backend;
    std::size_t index_in_backend, platform_index;
    double score;
  };
  device_entry(std::unique_ptr<devices::device> device, identity id, images::disk_cache* disk, images::kernel_packs* packs, std::uint64_t kept_bytes)
      : m_device(std::move(device)), m_id(std::move(id)), m_programs(*m_device, disk, packs), m_pool(*m_device, kept_bytes),
        m_label(m_id.backend + ":" + std::to_string(m_id.index_in_backend)), m_name_in_traces(m_label + ' ' + m_device->info().name) {}

  const devices::capabilities& info() const override { return m_device->info(); }
  const std::string& backend_name() const override { return m_id.backend; }
  std::size_t platform_index() const override { return m_id.platform_index; }
  std::size_t index_in_backend() const override { return m_id.index_in_backend; }
  devices::device& raw() const override { return *m_device; }
  double default_score() const override { return m_id.score; }

  /// Looks whether it says that the device is gone.
  void note(const devices::device_error& failed) noexcept {
    if (failed.category() != devices::error_category::lost) return;
    m_lost.store(true, std::memory_order_release);
    any_is_lost.store(true, std::memory_order_release);
  }
  bool lost() const noexcept { return m_lost.load(std::memory_order_acquire); }
  static inline std::atomic<bool> any_is_lost{false}; // of this process

  /// From now on a part of `whole`: the memory of either is the other's.
  void be_part_of(const device_entry& whole) { m_family = whole.m_family; }
  bool shares_memory_with(const device_entry& other) const { return m_family == other.m_family; }
  bool is_host() const { return m_id.backend == "host"; }
  /// "opencl:0", for messages and histories.
  const std::string& label() const { return m_label; }
  const std::string& name_in_traces() const { return m_name_in_traces; }
  known_labels& labels() { return m_labels; }
  const identity& id() const { return m_id; }
  images::program_cache& programs() { return m_programs; }
  /// The kernel, built at first need. Also destroys retired programs, on this thread and without a lock.
  const images::built_kernel& program_of(const image::kernel_record& record);
  /// Programs of an unloaded module: they live until no work of theirs is in flight. Takes no lock that is held during a
  /// driver's call.
  void retire(std::vector<std::shared_ptr<void>> programs);
  /// Made at first need.
  specialiser& specialising();
  specialiser* made_specialiser() const noexcept { return m_made_specialiser.load(std::memory_order_acquire); }
  memory::memory_pool& pool() { return m_pool; }
  /// The buffer behind a device_global on this device, made at first need of the object's first `bytes`.
  buffer_ptr global(const void* object, std::uint64_t bytes);
  /// Whether `address` may lie in a device_global of this device; a kernel can have stored it.
  bool may_hold_global(std::uint64_t address);
  /// Objects of an unloaded module.
  void forget_globals(const image::kernel_record* records, std::size_t count);
  /// A lane on a queue of the program's own, for one SYCL queue only.
  lane_ref adopt_lane(std::unique_ptr<devices::queue> queue, bool profiling);
  /// An idle lane of that kind or a new one.
  lane_ref take_lane(bool profiling);
  /// For the explicit copies of a lane's queue. Throws device_error.
  lane_ref make_copy_lane(lane& kernels);
  /// For copies that no user queue runs; one a device.
  lane_ref transfer_lane();
  /// Takes a lane whose SYCL queue is gone: reused once its work is done. Lanes are never destroyed, as events outlive
  /// queues and static objects outlive drivers; there are as many as queues lived at one time.
  void give_back(lane_ref used);
  /// All lanes, for draining.
  std::vector<lane_ref> lanes();

private:
  const device_entry* m_family = this; // the device around it that is no part itself
  struct retired {
    std::vector<std::shared_ptr<void>> programs;
    std::vector<std::weak_ptr<command>> users;
    bool noted = false; // users
  };
  void sweep_retired();

  std::unique_ptr<devices::device> m_device;
  identity m_id;
  images::program_cache m_programs;
  memory::memory_pool m_pool;
  std::string m_label, m_name_in_traces;
  known_labels m_labels;
  std::shared_ptr<specialiser> m_specialiser;
  std::atomic<specialiser*> m_made_specialiser{nullptr};
  std::atomic<bool> m_lost{false};
  std::mutex m_mutex;
  std::vector<lane_ref> m_all;
  std::vector<lane_ref> m_returned;
  lane_ref m_transfer;
  std::map<const void*, buffer_ptr> m_globals;
  std::mutex m_retired_mutex;
  std::vector<retired> m_retired;
  std::atomic<std::size_t> m_retired_count{0};
};

/// What a context is made of: by default the registry's backends, in tests devices of their own.
struct device_source {
  std::string backend;
  int priority;
  std::vector<std::unique_ptr<devices::device>> (*open)();
};
/// Replaces the registry; only before the first use of the runtime in this process.
void use_device_sources(std::vector<device_source> sources);

class context {
public:
  /// Throws prism::error when the selector is wrong or matches nothing, and in a child made by fork.
  static context& get();
  /// The context if one was made and drivers may still be called: not while the process ends, not in a forked child.
  static context* existing() noexcept;

  const std::vector<platform_node>& platforms() const { return m_platforms; }
  const std::vector<std::unique_ptr<device_entry>>& devices() const { return m_devices; }
  device_entry& reference_device();
  device_entry* opened_reference() const noexcept { return m_opened_reference.load(std::memory_order_acquire); } // null: not yet
  /// Calls `visit` with every device, those of foreign contexts and the reference last.
  template <typename Visit>
  void for_each_device(Visit&& visit) const {
    for (const auto& device : m_devices) visit(*device);
    for (const adopted_device* a = m_adopted.load(std::memory_order_acquire); a != nullptr; a = a->next) visit(*a->device);
    if (device_entry* const reference = opened_reference()) visit(*reference);
  }
  /// A device of a foreign context; the listed one lends its names and places.
  device_entry& adopt(std::unique_ptr<devices::device> device, const device_entry& listed);
  memory::usm_registry& usm() { return m_usm; }
  /// The pointer lies in memory of a device that sycl::free gave back; false when that is not certain.
  bool was_freed(std::uint64_t address) const;
  reactor& held_work() { return m_reactor; }
  host_workers& workers() { return m_workers; }
  starter& unwaited_work() { return m_starter; }
  builds& background_builds() { return m_builds; }
  /// Waits for all work in flight, but at most for PRISM_EXIT_LIMIT.
  void drain() noexcept;
  /// At the process's end, of queues that never end themselves: no handler of the program can run any more.
  void tell_failures() noexcept;

private:
  struct adopted_device {
    std::unique_ptr<device_entry> device;
    adopted_device* next;
  };
  context();
  void open_devices();

  void prepare_from_environment();

  images::disk_cache m_disk;
  images::kernel_packs m_packs;
  memory::usm_registry m_usm;
  std::vector<std::unique_ptr<device_entry>> m_devices;
  std::atomic<adopted_device*> m_adopted{nullptr}; // a list, so that readers need no lock; never destroyed
  std::vector<platform_node> m_platforms;
  std::once_flag m_reference_opened;
  std::unique_ptr<device_entry> m_reference;
  std::atomic<device_entry*> m_opened_reference{nullptr};
  host_workers m_workers;
  reactor m_reactor;
  starter m_starter;
  builds m_builds;
};

/// Backend errors as the API's.
[[noreturn]] void rethrow(const devices::device_error& failed);
std::exception_ptr as_error(const devices::device_error& failed);
/// what() of any stored exception.
std::string text_of(const std::exception_ptr& failure);

} // namespace prism::schedule
