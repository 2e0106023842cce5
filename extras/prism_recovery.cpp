// <prism/recovery.hpp>: classifies failures and tries the devices of a list in order.
#include "runtime/observe/trace.hpp"
#include "runtime/support/log.hpp"
#include "runtime/support/text.hpp"

#include <prism/devices.hpp>
#include <prism/recovery.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace prism {

namespace {

std::atomic<std::uint64_t> fallbacks{0};

/// Whether the text has a driver's name for a lost device.
bool says_lost(const char* text) {
  static constexpr const char* names[] = {"DEVICE_LOST", "DEVICE_NOT_AVAILABLE", "device lost",
                                          "device is lost"};
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* name) { return support::contains_ignoring_case(text, name); });
}

/// Runs the work and waits for the commands that it submitted. Throws the first error, synchronous or
/// asynchronous.
void run_on(const sycl::device& device, const std::function<void(sycl::queue&)>& work) {
  std::mutex mutex;
  std::exception_ptr asynchronous;
  sycl::queue queue(device, [&](sycl::exception_list list) {
    const std::lock_guard lock(mutex);
    for (const std::exception_ptr& e : list)
      if (!asynchronous) asynchronous = e;
  });
  std::exception_ptr own;
  try {
    work(queue);
  } catch (...) {
    own = std::current_exception();
  }
  queue.wait_and_throw(); // no command of this attempt may run during the next one
  if (own) std::rethrow_exception(own);
  const std::lock_guard lock(mutex);
  if (asynchronous) std::rethrow_exception(asynchronous);
}

} // namespace

const char* to_text(failure_class what) noexcept {
  switch (what) {
    case failure_class::device_lost: return "device lost";
    case failure_class::out_of_memory: return "out of memory";
    case failure_class::unsupported: return "unsupported";
    case failure_class::other: return "other";
  }
  return "other";
}

failure_class classify(const std::exception& failure) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return failure_class::out_of_memory;
  const auto* error = dynamic_cast<const sycl::exception*>(&failure);
  if (error == nullptr || error->category() != sycl::sycl_category()) return failure_class::other;
  switch (static_cast<sycl::errc>(error->code().value())) {
    case sycl::errc::memory_allocation: return failure_class::out_of_memory;
    case sycl::errc::feature_not_supported:
    case sycl::errc::kernel_not_supported:
    case sycl::errc::build: return failure_class::unsupported;
    case sycl::errc::runtime:
      return says_lost(error->what()) ? failure_class::device_lost : failure_class::other;
    default: return failure_class::other;
  }
}

recovery_report run_with_fallback(const std::vector<sycl::device>& devices,
                                  const std::function<void(sycl::queue&)>& work) {
  if (devices.empty())
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          "run_with_fallback: the list of devices is empty");
  recovery_report report;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string name = describe(devices[i]).executes_on;
    const std::uint64_t begin = support::trace::on() ? support::trace::now_ns() : 0;
    try {
      run_on(devices[i], work);
      report.device = name;
      return report;
    } catch (const std::exception& failure) {
      const failure_class why = classify(failure);
      if (why == failure_class::other || i + 1 == devices.size()) throw;
      report.steps.push_back({name, why, failure.what()});
      ++fallbacks;
      const std::string step =
          "fallback from " + name + " to " + describe(devices[i + 1]).executes_on + ": " + to_text(why);
      support::log(support::level::warn, step + ": " + failure.what());
      if (support::trace::on()) support::trace::host_span("fallback", step, begin, support::trace::now_ns());
    }
  }
  return report;
}

recovery_report run_with_fallback(const execution_policy& policy, const workload& job,
                                  const std::function<void(sycl::queue&)>& work) {
  const device_selector chosen = selector(policy, job);
  const std::vector<sycl::device> all = sycl::device::get_devices();
  std::vector<sycl::device> order;
  for (const candidate& c : chosen.selection().candidates())
    if (c.fits) order.push_back(all[c.index]);
  return run_with_fallback(order, work);
}

recovery_report run_with_fallback(const std::vector<std::string>& names,
                                  const std::function<void(sycl::queue&)>& work) {
  execution_policy policy;
  policy.prefer = names;
  policy.only_preferred = true;
  return run_with_fallback(policy, typical_workload(), work);
}

std::uint64_t fallback_count() noexcept { return fallbacks; }

} // namespace prism
