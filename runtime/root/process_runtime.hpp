// The process runtime: devices, caches, USM registry and the threads for deferred work. Created at first use
// and never destroyed, because kernels may be in flight while static objects are destroyed. An exit handler,
// registered after the drivers were loaded, waits for submitted work with a time limit.
//
// There is one per process. The layers below receive what they need from it as arguments.
#pragma once

#include "runtime/device/device_failure.hpp"
#include "runtime/device/device_list.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/execution/host_task_threads.hpp"
#include "runtime/execution/lose_device.hpp"
#include "runtime/execution/deferred_submitter.hpp"
#include "runtime/execution/services.hpp"
#include "runtime/execution/flush_timer.hpp"
#include "runtime/execution/wait_watch.hpp"
#include "runtime/launch/background_builds.hpp"
#include "runtime/memory/usm_registry.hpp"

#include <atomic>
#include <mutex>

namespace prism::runtime {

/// The threads that serve commands and queues.
class command_threads final : public services {
public:
  void submit_when_ready(command_ref waiting) override { deferred.post(std::move(waiting)); }
  void finalize_later(command_ref complete) override { deferred.post_completed(std::move(complete)); }
  void run_host_task(std::function<void()> body) override { host_tasks.post(std::move(body)); }
  void flush_if_stale(driver_queue_ref queue, std::uint64_t point) noexcept override {
    flushes.watch(std::move(queue), point);
  }
  void watch_waits() noexcept override { waits.begin_wait(); }
  void lose(device_state& device, const devices::device_error& why) override { lose_device(device, why); }

  host_task_threads host_tasks;
  deferred_submitter deferred;
  flush_timer flushes;
  wait_watch waits;
};

/// A source of devices: by default the registry's backends; tests supply their own.
struct device_source {
  std::string backend;
  int priority;
  std::vector<std::unique_ptr<devices::device>> (*open)();
};
/// Replaces the registry. Only before the first use of the runtime in this process.
void use_device_sources(std::vector<device_source> sources);

class process_runtime {
public:
  /// Creates the runtime at the first call. Throws prism::error when the selector is invalid or matches
  /// nothing, and in a forked child.
  static process_runtime& get();
  /// The runtime if it was created and drivers may still be called. Null at the end of the process and in a
  /// forked child.
  static process_runtime* existing() noexcept;

  const std::vector<platform_node>& platforms() const { return m_platforms; }
  device_list& devices() { return m_devices; }
  device_state& reference_device();
  /// Adds a device of a native context. The listed device supplies its names and indices.
  device_state& adopt(std::unique_ptr<devices::device> device, const device_state& listed);
  memory::usm_registry& usm() { return m_usm; }
  deferred_submitter& deferred_work() { return m_threads.deferred; }
  host_task_threads& workers() { return m_threads.host_tasks; }
  background_builds& builds() { return m_builds; }
  /// Returns the device's chooser, made at first use.
  build_chooser& chooser_of(device_state& device);
  /// On all devices. 0: only kernels named by specialise_kernel.
  void specialise_after(unsigned launches);
  /// Waits for all work in flight, at most PRISM_EXIT_LIMIT.
  void drain() noexcept;
  /// At process exit: logs failures of queues that are never destroyed. No handler of the program can run any
  /// more.
  void report_unhandled_errors() noexcept;

private:
  process_runtime();
  void open_devices();
  /// Makes a device with its parts. `keeps_programs`: uses the disk cache, kernel packs and the memory pool.
  std::unique_ptr<device_state> make_device(std::unique_ptr<devices::device> device,
                                            device_state::identity id, bool keeps_programs);
  void prepare_from_environment();

  images::disk_cache m_disk;
  images::kernel_packs m_packs;
  memory::usm_registry m_usm;
  device_list m_devices;
  std::vector<platform_node> m_platforms;
  std::once_flag m_reference_opened;
  std::mutex m_chooser_mutex;
  command_threads m_threads;
  background_builds m_builds;
  std::atomic<bool> m_gave_up{false}; // drain() has reached PRISM_EXIT_LIMIT
};

} // namespace prism::runtime
