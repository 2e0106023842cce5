#include "runtime/root/process_runtime.hpp"

#include "devices/host_limits.hpp"
#include "runtime/images/fixed_order.hpp"
#include "runtime/coherence/device_globals.hpp"
#include "runtime/access_check/access_check.hpp"
#include "runtime/execution/device_queue_set.hpp"
#include "runtime/images/modules.hpp"
#include "runtime/launch/build_chooser.hpp"
#include "runtime/launch/retired_programs.hpp"
#include "runtime/observe/source_line.hpp"
#include "runtime/observe/command_spans.hpp"
#include "runtime/observe/transfer_log.hpp"
#include "runtime/specialise/specialise.hpp"
#include "runtime/support/settings.hpp"
#include "runtime/support/environment_check.hpp"
#include "runtime/support/forked.hpp"
#include "runtime/support/log.hpp"
#include "runtime/support/text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <utility>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace prism::runtime {

namespace {

std::atomic<process_runtime*> the_context{nullptr};

void check_process() {
  if (support::is_forked_child.load(std::memory_order_relaxed))
    throw error(error_code::runtime, support::forked_child_error);
}

/// The load address of the file that contains `address`; null when unknown.
const void* module_of(const void* address) {
  Dl_info found{};
  return dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

/// `base`: the load address of a file that is being unloaded.
void forget_texts_of(const void* base) {
  dl_iterate_phdr([](dl_phdr_info* file, std::size_t, void* wanted) {
    std::uintptr_t begin = ~std::uintptr_t(0), end = 0;
    for (int i = 0; i < file->dlpi_phnum; ++i) {
      const auto& part = file->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      begin = std::min<std::uintptr_t>(begin, file->dlpi_addr + part.p_vaddr);
      end = std::max<std::uintptr_t>(end, file->dlpi_addr + part.p_vaddr + part.p_memsz);
    }
    const auto at = reinterpret_cast<std::uintptr_t>(wanted);
    if (at < begin || at >= end) return 0;
    forget_texts_between(reinterpret_cast<const void*>(begin), reinterpret_cast<const void*>(end));
    return 1;
  }, const_cast<void*>(base));
}

/// Called when a module is unloaded. Waits for kernels whose bodies run on the host from this module, and for
/// host tasks, which may be the module's. Must not wait for anything else: this thread holds the loader's
/// lock, which drivers also take when they compile.
void forget_module(const image::module_node& module) {
  process_runtime* root = process_runtime::existing();
  if (root == nullptr) return;
  const void* const removed = module_of(&module);
  forget_texts_of(removed);
  root->devices().for_each([&](device_state& device) {
    if (device.is_host())
      for (const device_queue_ref& l : device.device_queues().all())
        for (const command_ref& c : l->in_flight())
          if (c->is_host_task() ||
              (c->module_address() != nullptr && module_of(c->module_address()) == removed))
            c->wait();
    device.retired().add(device.programs().forget(module.records, module.kernel_count));
    if (build_chooser* const made = device.chooser())
      device.retired().add(made->forget(module.records, module.kernel_count));
    device.globals().forget(module.records, module.kernel_count);
  });
  images::forget_fixed_orders(module.records, module.kernel_count);
}

/// Waits for work in flight when the main thread ends, before exit handlers run. A driver's compiler (LLVM,
/// observed with PoCL and lavapipe) creates static objects at its first use, on its own thread. Their
/// destructors would run before an exit handler of ours, possibly during a compilation.
class main_thread_end {
public:
  ~main_thread_end() {
    process_runtime* root = process_runtime::existing();
    if (root != nullptr && gettid() == getpid()) root->drain();
  }
  void be_made() const noexcept {}
};
thread_local const main_thread_end end_of_thread;

} // namespace

process_runtime& process_runtime::get() {
  check_process();
  static process_runtime* const made = [] {
    auto* root = new process_runtime();
    end_of_thread.be_made();
    images::set_unregister_hook(&forget_module);
    pthread_atfork(nullptr, nullptr, [] {
      support::is_forked_child.store(true);
      if (process_runtime* const parent = the_context.load()) parent->devices().end_use_of_drivers();
    });
    // Registered after the drivers were loaded, so it runs before their exit handlers.
    std::atexit([] {
      if (support::is_forked_child.load()) return;
      the_context.load()->drain();
      the_context.load()->report_unhandled_errors();
      the_context.load()->devices().end_use_of_drivers();
    });
    support::enabled(support::level::warn); // reads PRISM_LOG, whose mistakes are reported too
    for (const std::string& problem : support::environment_problems())
      support::log(support::level::warn, problem);
    memory::report_transfers_if_asked();
    check_accesses_if_asked(root->usm());
    the_context.store(root);
    root->prepare_from_environment();
    return root;
  }();
  return *made;
}

process_runtime* process_runtime::existing() noexcept {
  process_runtime* const made = the_context.load(std::memory_order_acquire);
  return made != nullptr && made->devices().drivers_usable() ? made : nullptr;
}

namespace {

/// A process with a limit of file sizes gets a signal, which ends it, when PRISM's cache or a driver's
/// reaches the limit. Ignored, the write fails instead, and the cache is not used. A handler of the program
/// stays.
void survive_limit_of_file_sizes() {
  rlimit limit{};
  struct sigaction now{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      ::sigaction(SIGXFSZ, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
    std::signal(SIGXFSZ, SIG_IGN);
}

} // namespace

process_runtime::process_runtime()
    : m_disk(images::disk_cache::from_environment()), m_packs(images::kernel_packs::from_environment()) {
  survive_limit_of_file_sizes();
  // before the process runtime's exit handler is registered, so that the trace's handler runs after it
  observe::trace_commands();
  specialiser::read_environment();
  open_devices();
  m_threads.waits.watch([this](wait_watch::commands& out) {
    m_devices.for_each([&](device_state& device) {
      for (const device_queue_ref& l : device.device_queues().all())
        l->waits().for_each([&](const scheduled_command& c) { out.push_back(c.shared_from_this()); });
    });
  });
}

namespace {

std::uint64_t memory_limit_of(const devices::capabilities& info) {
  static const std::uint64_t asked = support::size_of(support::variables::memory_limit);
  static const std::uint64_t host = devices::limits_of_this_process().memory_bytes;
  return memory::least_memory_limit(asked, info.global_memory, info.host_visible, host);
}

} // namespace

std::unique_ptr<device_state> process_runtime::make_device(std::unique_ptr<devices::device> device,
                                                           device_state::identity id, bool keeps_programs) {
  static const std::uint64_t asked = support::size_of(support::variables::pool_size);
  const std::uint64_t pool_bytes = keeps_programs ? asked : 0;
  const device_state::resources shared{keeps_programs ? &m_disk : nullptr,
                                       keeps_programs ? &m_packs : nullptr,
                                       pool_bytes,
                                       keeps_programs ? memory_limit_of(device->info()) : 0,
                                       m_usm,
                                       m_devices};
  auto made = std::make_unique<device_state>(std::move(device), std::move(id), shared);
  made->attach({std::make_shared<device_queue_set>(*made, m_threads), std::make_shared<retired_programs>(),
                std::make_shared<device_globals>(*made)});
  if (specialiser::watches_all()) chooser_of(*made);
  return made;
}

device_state& process_runtime::adopt(std::unique_ptr<devices::device> device, const device_state& listed) {
  return m_devices.adopt(make_device(std::move(device), listed.id(), true));
}

build_chooser& process_runtime::chooser_of(device_state& device) {
  const std::lock_guard lock(m_chooser_mutex);
  // lives as long as the device, which is never destroyed
  if (device.chooser() == nullptr) device.set_chooser(*new specialiser(device, m_builds));
  return *device.chooser();
}

void process_runtime::specialise_after(unsigned launches) {
  specialiser::watch_all(launches);
  if (launches != 0) m_devices.for_each([this](device_state& device) { chooser_of(device); });
}

/// PRISM_PREPARE.
void process_runtime::prepare_from_environment() {
  const auto asked = support::set_value_of(support::variables::prepare);
  if (!asked || !support::is_on(support::variables::prepare)) return;
  const std::string how = support::to_lower(*asked);
  constexpr std::array words{"1", "on", "true", "yes", "wait"}; // environment_check.hpp reports others
  if (std::find(words.begin(), words.end(), how) == words.end()) return;
  std::vector<const image::kernel_record*> records;
  images::for_each_module([](const image::module_node& module, void* into) {
    for (std::uint64_t i = 0; i < module.kernel_count; ++i)
      static_cast<std::vector<const image::kernel_record*>*>(into)->push_back(module.records + i);
  }, &records);
  std::vector<background_builds::job> jobs;
  for (const auto& device : m_devices.listed())
    for (const image::kernel_record* record : records) jobs.push_back({device.get(), record});
  m_builds.complete_at_end(how == "wait");
  m_builds.add(std::move(jobs));
}

void process_runtime::drain() noexcept {
  if (m_gave_up) return; // the limit is for the process, which drains twice: as main ends and at exit
  m_builds.end();
  m_threads.flushes.end();
  m_threads.waits.end();
  try {
    static const auto limit = support::seconds_of(support::variables::exit_limit);
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::vector<device_state*> all;
    m_devices.for_each([&](device_state& device) { all.push_back(&device); });
    for (device_state* const device : all)
      for (const device_queue_ref& l : device->device_queues().all())
        for (const command_ref& c : l->in_flight()) {
          // exit() in a host task: neither the task nor what is queued behind it ends before this thread
          // does.
          if (c->runs_on_this_thread() ||
              (scheduled_command::thread_runs_one() && c->current() == scheduled_command::phase::queued))
            continue;
          while (c->current() != scheduled_command::phase::complete && !c->finished()) {
            const auto left = deadline - std::chrono::steady_clock::now();
            if (left <= std::chrono::nanoseconds::zero()) {
              if (limit > std::chrono::seconds::zero())
                support::log(support::level::warn,
                             "the process ends with work in flight on " + device->label() + ": " +
                                 c->description() + " is " + c->wait_state() +
                                 " (PRISM_EXIT_LIMIT=" + std::to_string(limit.count()) + " seconds)");
              m_gave_up = true;
              return;
            }
            c->wait_for(std::chrono::duration_cast<std::chrono::nanoseconds>(left));
          }
        }
    // A thread that finishes a command first reports the completion and then destroys what the command
    // retained. These are user objects, which must not be destroyed at the same time as static objects.
    if (!scheduled_command::thread_runs_one()) m_threads.host_tasks.catch_up(deadline);
    m_threads.deferred.catch_up(deadline);
    for (device_state* const device : all)
      if (build_chooser* const made = device->chooser()) made->collect();
    if (observe::wants(observe::spans))
      for (device_state* const device : all)
        for (const device_queue_ref& l : device->device_queues().all())
          l->retire_completed(); // so that the trace includes the last commands
    if (m_builds.completes_at_end())
      for (device_state* const device : all) device->programs().store_again();
  } catch (...) { // a failure of the driver at this point is ignored
  }
}

void process_runtime::report_unhandled_errors() noexcept {
  try {
    std::map<std::string, std::size_t> texts;
    m_devices.for_each([&](device_state& device) {
      for (const device_queue_ref& l : device.device_queues().all()) {
        l->retire_completed();
        for (const std::exception_ptr& failure : l->take_failures()) ++texts[support::text_of(failure)];
      }
    });
    for (const auto& [text, times] : texts)
      support::log(
          support::level::error,
          "unhandled asynchronous error at program exit (call wait_and_throw() or throw_asynchronous() to "
          "receive it)" +
              (times == 1 ? ": " : ", " + std::to_string(times) + " times: ") + text);
  } catch (...) { // a failure of the driver at this point is ignored
  }
}

} // namespace prism::runtime
