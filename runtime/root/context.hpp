// The runtime root: devices, caches, USM registry, the threads for held work. Made at first use, never
// destroyed (kernels may be in flight while static objects die); an exit hook, registered after the drivers
// were loaded, waits for submitted work with a limit. One context a process; everything below receives what
// it needs from it.
#pragma once

#include "runtime/device/device_failure.hpp"
#include "runtime/device/device_list.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/execution/host_workers.hpp"
#include "runtime/execution/reactor.hpp"
#include "runtime/execution/services.hpp"
#include "runtime/execution/starter.hpp"
#include "runtime/launch/builds.hpp"
#include "runtime/memory/usm_registry.hpp"

#include <atomic>
#include <mutex>

namespace prism::schedule {

/// The threads behind commands and queues.
class command_threads final : public services {
public:
  void submit_when_ready(command_ref waiting) override { deferred.post(std::move(waiting)); }
  void finalize_later(command_ref complete) override { deferred.post_completed(std::move(complete)); }
  void run_host_task(std::function<void()> body) override { host_tasks.post(std::move(body)); }
  void flush_if_stale(driver_queue_ref queue, std::uint64_t point) noexcept override {
    flushes.note(std::move(queue), point);
  }

  host_workers host_tasks;
  reactor deferred;
  starter flushes;
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
  /// The context if one was made and drivers may still be called: not while the process ends, not in a forked
  /// child.
  static context* existing() noexcept;

  const std::vector<platform_node>& platforms() const { return m_platforms; }
  device_list& devices() { return m_devices; }
  device_entry& reference_device();
  /// A device of a foreign context; the listed one lends its names and places.
  device_entry& adopt(std::unique_ptr<devices::device> device, const device_entry& listed);
  memory::usm_registry& usm() { return m_usm; }
  reactor& held_work() { return m_threads.deferred; }
  host_workers& workers() { return m_threads.host_tasks; }
  builds& background_builds() { return m_builds; }
  /// The device's, made at first need.
  build_chooser& chooser_of(device_entry& device);
  /// On all devices; 0: those that are asked for.
  void specialise_after(unsigned launches);
  /// Waits for all work in flight, but at most for PRISM_EXIT_LIMIT.
  void drain() noexcept;
  /// At the process's end, of queues that never end themselves: no handler of the program can run any more.
  void tell_failures() noexcept;

private:
  context();
  void open_devices();
  /// With its parts; `disk`: whether its programs are kept there.
  std::unique_ptr<device_entry> make_device(std::unique_ptr<devices::device> device,
                                            device_entry::identity id, bool keeps_programs);
  void prepare_from_environment();

  images::disk_cache m_disk;
  images::kernel_packs m_packs;
  memory::usm_registry m_usm;
  device_list m_devices;
  std::vector<platform_node> m_platforms;
  std::once_flag m_reference_opened;
  std::mutex m_chooser_mutex;
  command_threads m_threads;
  builds m_builds;
};

} // namespace prism::schedule
