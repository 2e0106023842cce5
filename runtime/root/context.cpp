#include "runtime/root/context.hpp"

#include "runtime/execution/lane.hpp"
#include "runtime/images/modules.hpp"
#include "runtime/observe/kernel_times.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

namespace prism::schedule {

namespace {

std::atomic<context*> the_context{nullptr};
std::atomic<bool> forked{false};
std::atomic<bool> ending{false};

void check_process() {
  if (forked.load(std::memory_order_relaxed))
    throw error(error_code::runtime, "PRISM was used before fork(): drivers and threads do not survive in the child. "
                                     "Use SYCL only after fork, or start the child with exec.");
}

/// Where the file that holds the address was loaded; null when nobody knows.
const void* module_of(const void* address) {
  Dl_info found{};
  return dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

/// A module's records go away. Its kernels' bodies that run on the host are waited for, and host tasks there, which may be
/// its own. Nothing else may be: this thread holds the loader's lock, which drivers take too when they compile.
void forget_module(const image::module_node& module) {
  context* root = context::existing();
  if (root == nullptr) return;
  const void* const gone = module_of(&module);
  root->for_each_device([&](device_entry& device) {
    if (device.is_host())
      for (const lane_ref& l : device.lanes())
        for (const command_ref& c : l->in_flight())
          if (c->is_host_task() || (c->module_address() != nullptr && module_of(c->module_address()) == gone)) c->wait();
    device.retire(device.programs().forget(module.records, module.kernel_count));
    if (specialiser* const made = device.made_specialiser()) device.retire(made->forget(module.records, module.kernel_count));
    device.forget_globals(module.records, module.kernel_count);
  });
}

/// Waits for work in flight when the main thread ends, before exit handlers run. A driver's compiler (LLVM, seen with PoCL
/// and lavapipe) makes static objects when it first needs them, on its own thread: their destructors would run before a
/// handler of ours, under the feet of a kernel that is just being compiled.
class main_thread_end {
public:
  ~main_thread_end() {
    context* root = context::existing();
    if (root != nullptr && gettid() == getpid()) root->drain();
  }
  void be_made() const noexcept {}
};
thread_local const main_thread_end end_of_thread;

} // namespace

context& context::get() {
  check_process();
  static context* const made = [] {
    auto* root = new context();
    end_of_thread.be_made();
    images::set_unregister_hook(&forget_module);
    pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
    // After the drivers were loaded, so before their own exit handlers run.
    std::atexit([] {
      if (forked.load()) return;
      the_context.load()->drain();
      the_context.load()->tell_failures();
      ending.store(true);
    });
    the_context.store(root);
    root->prepare_from_environment();
    return root;
  }();
  return *made;
}

context* context::existing() noexcept {
  const bool unusable = ending.load(std::memory_order_relaxed) || forked.load(std::memory_order_relaxed);
  return unusable ? nullptr : the_context.load(std::memory_order_acquire);
}

context::context() : m_disk(images::disk_cache::from_environment()), m_packs(images::kernel_packs::from_environment()) {
  support::trace::on(); // its exit handler must come after this context's
  open_devices();
  specialiser::read_environment();
}

bool context::was_freed(std::uint64_t address) const {
  bool found = false;
  for_each_device([&](device_entry& device) { found = found || device.pool().was_freed(address); });
  return found;
}

device_entry& context::adopt(std::unique_ptr<devices::device> device, const device_entry& listed) {
  const std::uint64_t kept_bytes = support::size_of(support::variables::pool_size);
  auto* const made = new adopted_device{std::make_unique<device_entry>(std::move(device), listed.id(), &m_disk, &m_packs, kept_bytes),
                                        m_adopted.load(std::memory_order_relaxed)};
  while (!m_adopted.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return *made->device;
}

/// PRISM_PREPARE.
void context::prepare_from_environment() {
  const auto asked = support::set_value_of(support::variables::prepare);
  if (!asked || !support::is_on(support::variables::prepare)) return;
  if (*asked != "1" && *asked != "wait") {
    support::log(support::level::warn, "PRISM_PREPARE=" + *asked + " is not understood: 1 or wait; it counts as unset");
    return;
  }
  std::vector<const image::kernel_record*> records;
  images::for_each_module(
      [](const image::module_node& module, void* into) {
        for (std::uint64_t i = 0; i < module.kernel_count; ++i)
          static_cast<std::vector<const image::kernel_record*>*>(into)->push_back(module.records + i);
      },
      &records);
  std::vector<builds::job> jobs;
  for (const auto& device : m_devices)
    for (const image::kernel_record* record : records) jobs.push_back({device.get(), record});
  m_builds.complete_at_end(*asked == "wait");
  m_builds.add(std::move(jobs));
}

void context::drain() noexcept {
  m_builds.end();
  m_starter.end();
  try {
    const auto limit = support::seconds_of(support::variables::exit_limit);
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::vector<device_entry*> all;
    for_each_device([&](device_entry& device) { all.push_back(&device); });
    for (device_entry* const device : all)
      for (const lane_ref& l : device->lanes())
        for (const command_ref& c : l->in_flight()) {
          while (c->current() != command::phase::complete && !c->finished()) {
            const auto left = deadline - std::chrono::steady_clock::now();
            if (left <= std::chrono::nanoseconds::zero()) {
              if (limit > std::chrono::seconds::zero())
                support::log(support::level::warn, "the process ends with work in flight on " + device->label() +
                                                       " (PRISM_EXIT_LIMIT=" + std::to_string(limit.count()) + " seconds)");
              return;
            }
            c->wait_for(std::chrono::duration_cast<std::chrono::nanoseconds>(left));
          }
        }
    // Who finished a command tells so first and destroys afterwards what it kept alive: user's objects, which are not to die beside static ones.
    if (!command::thread_runs_one()) m_workers.catch_up(deadline);
    m_reactor.catch_up(deadline);
    for (device_entry* const device : all)
      if (specialiser* const made = device->made_specialiser()) made->collect();
    if (support::trace::on())
      for (device_entry* const device : all)
        for (const lane_ref& l : device->lanes()) l->reap(); // what ran last is written too
    if (m_builds.completes_at_end())
      for (device_entry* const device : all) device->programs().store_again();
  } catch (...) { // a driver that fails now changes nothing
  }
}

void context::tell_failures() noexcept {
  try {
    std::map<std::string, std::size_t> texts;
    for_each_device([&](device_entry& device) {
      for (const lane_ref& l : device.lanes()) {
        l->reap();
        for (const std::exception_ptr& failure : l->take_failures()) ++texts[text_of(failure)];
      }
    });
    for (const auto& [text, times] : texts)
      support::log(support::level::error, "asynchronous error that the program ends without having asked for (wait_and_throw() does)" +
                                              (times == 1 ? ": " : ", " + std::to_string(times) + " times: ") + text);
  } catch (...) { // a driver that fails now changes nothing
  }
}

specialiser& device_entry::specialising() {
  if (specialiser* const made = made_specialiser()) return *made;
  const std::lock_guard lock(m_mutex);
  if (m_specialiser == nullptr) {
    m_specialiser = std::make_shared<specialiser>(*this);
    m_made_specialiser.store(m_specialiser.get(), std::memory_order_release);
  }
  return *m_specialiser;
}

lane_ref device_entry::take_lane(bool profiling) {
  std::vector<lane_ref> returned;
  {
    const std::lock_guard lock(m_mutex);
    returned.swap(m_returned);
  }
  lane_ref found;
  for (lane_ref& l : returned) {
    if (l->is_foreign() && l->empty()) {
      const std::lock_guard lock(m_mutex);
      m_all.erase(std::find(m_all.begin(), m_all.end(), l));
    } else if (found == nullptr && !l->is_foreign() && l->profiling() == profiling && (l->measures_each() || !times_kernels()) && l->empty()) {
      l->take_failures(); // of the queue that is gone
      found = std::move(l);
    } else {
      give_back(std::move(l));
    }
  }
  if (found == nullptr) {
    found = std::make_shared<lane>(*this, profiling);
    const std::lock_guard lock(m_mutex);
    m_all.push_back(found);
  }
  return found;
}

lane_ref device_entry::make_copy_lane(lane& kernels) {
  auto made = std::make_shared<lane>(kernels);
  const std::lock_guard lock(m_mutex);
  m_all.push_back(made);
  return made;
}

lane_ref device_entry::adopt_lane(std::unique_ptr<devices::queue> queue, bool profiling) {
  const std::lock_guard lock(m_mutex);
  m_all.push_back(std::make_shared<lane>(*this, std::move(queue), profiling, unsigned(m_all.size())));
  return m_all.back();
}

void device_entry::retire(std::vector<std::shared_ptr<void>> programs) {
  if (programs.empty()) return;
  const std::lock_guard lock(m_retired_mutex);
  m_retired.push_back({std::move(programs), {}, false});
  m_retired_count.store(m_retired.size(), std::memory_order_relaxed);
}

/// First notes what is in flight, which covers all users; later destroys what none of that uses any more. Drivers are
/// asked and programs destroyed without the lock.
void device_entry::sweep_retired() {
  std::vector<retired> all, kept;
  {
    const std::lock_guard lock(m_retired_mutex);
    all.swap(m_retired);
  }
  std::vector<std::weak_ptr<command>> in_flight;
  for (const lane_ref& l : lanes())
    for (const command_ref& c : l->in_flight()) in_flight.push_back(c);
  const auto done = [](const std::weak_ptr<command>& user) {
    const command_ref c = user.lock();
    return c == nullptr || c->finished();
  };
  for (retired& r : all) {
    if (!std::exchange(r.noted, true)) r.users = in_flight;
    if (!std::all_of(r.users.begin(), r.users.end(), done)) kept.push_back(std::move(r));
  }
  const std::lock_guard lock(m_retired_mutex);
  std::move(kept.begin(), kept.end(), std::back_inserter(m_retired));
  m_retired_count.store(m_retired.size(), std::memory_order_relaxed);
}

const images::built_kernel& device_entry::program_of(const image::kernel_record& record) {
  const images::built_kernel& built = m_programs.get(record);
  if (m_retired_count.load(std::memory_order_relaxed) != 0) sweep_retired();
  return built;
}

lane_ref device_entry::transfer_lane() {
  {
    const std::lock_guard lock(m_mutex);
    if (m_transfer != nullptr) return m_transfer;
  }
  lane_ref made = take_lane(false);
  const std::lock_guard lock(m_mutex);
  if (m_transfer == nullptr) m_transfer = std::move(made);
  return m_transfer;
}

void device_entry::give_back(lane_ref used) {
  const std::lock_guard lock(m_mutex);
  m_returned.push_back(std::move(used));
}

std::vector<lane_ref> device_entry::lanes() {
  const std::lock_guard lock(m_mutex);
  return m_all;
}

std::exception_ptr as_error(const devices::device_error& failed) {
  try {
    rethrow(failed);
  } catch (...) {
    return std::current_exception();
  }
}

void rethrow(const devices::device_error& failed) {
  error_code code = error_code::runtime;
  switch (failed.category()) {
  case devices::error_category::out_of_memory: code = error_code::memory_allocation; break;
  case devices::error_category::unsupported: code = error_code::feature_not_supported; break;
  case devices::error_category::invalid: code = error_code::invalid; break;
  case devices::error_category::build: code = error_code::build; break;
  case devices::error_category::lost:
  case devices::error_category::timeout:
  case devices::error_category::other: break;
  }
  throw error(code, failed.what());
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

} // namespace prism::schedule

namespace prism {

const std::vector<platform_node>& platforms() { return schedule::context::get().platforms(); }

} // namespace prism
