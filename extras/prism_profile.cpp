// <prism/profile.hpp>: combines the runtime's sums with the compiler's counts and the device's peak rates.
#include "runtime/api/extension_points.hpp"
#include "runtime/api/impl.hpp"
#include "extras/policy/counted_workload.hpp"
#include "extras/policy/predict.hpp"
#include "extras/policy/problem.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"
#include "runtime/support/output_file.hpp"

#include <prism/devices.hpp>
#include <prism/profile.hpp>
#include <prism/workload_of.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace prism {

namespace {

/// Returns the seconds that the device would take at its peak; empty if a rate is unknown.
std::optional<double> at_peak(const device_description& device, const workload& work) try {
  policy::machine on = policy::machine_of(device);
  on.launch = 0; // kernel times do not include the launch
  const policy::timing t = policy::predict_on(on, policy::job_of(work));
  if (t.lacks != policy::unknown::nothing) return std::nullopt;
  return t.predicted.total.count();
} catch (const policy::problem&) {
  return std::nullopt;
}

/// Returns the SYCL device of the node. For a device of a native context (interoperability) that is the
/// listed device.
sycl::device device_of(const device_node& node) {
  for (const auto& platform : sycl::detail::all_platforms())
    for (const auto& device : platform->devices())
      if (device->node().backend_name() == node.backend_name() &&
          device->node().index_in_backend() == node.index_in_backend())
        return sycl::detail::access_impl::make<sycl::device>(device);
  throw sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                        "profile: the device of a kernel is in no platform");
}

kernel_profile profile_of(const kernel_time& sum) {
  kernel_profile out{sum.kernel, device_of(*sum.device), sum.calls, sum.timed, {}, {}, {}, 0, 0, {}, false};
  out.total = std::chrono::duration<double>(sum.seconds);
  out.shortest = std::chrono::duration<double>(sum.shortest);
  out.longest = std::chrono::duration<double>(sum.longest);
  if (!sum.counts || sum.timed == 0) return out;
  workload work = policy::workload_from(*sum.counts, sum.kernel.c_str(), sum.items, assumed_trips);
  out.flops = work.flops;
  out.bytes = work.bytes;
  const device_description device = describe(out.device);
  // The bytes of one call decide which memory level holds them.
  const double calls = double(sum.timed);
  work.items /= calls, work.flops /= calls, work.bytes /= calls;
  if (const auto best = at_peak(device, work); best && *best > 0 && sum.seconds > 0)
    out.share_of_peak = *best * calls / sum.seconds;
  out.estimated_peak = !device.estimated.empty();
  return out;
}

__attribute__((format(printf, 2, 3))) void append(std::string& to, const char* format, ...) {
  char line[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  to += line;
}

/// Returns at most `width` characters. Of a lambda's source location, the end is retained.
std::string shortened(const std::string& name, std::size_t width) {
  if (name.size() <= width) return name;
  const bool is_place = name.rfind("(lambda at ", 0) == 0;
  return is_place ? "..." + name.substr(name.size() - width + 3) : name.substr(0, width - 3) + "...";
}

std::string table_of(const std::vector<kernel_profile>& all) {
  double whole = 0;
  std::size_t widest = 6;
  for (const kernel_profile& k : all) {
    whole += k.total.count();
    widest = std::min<std::size_t>(std::max(widest, k.kernel.size()), 60);
  }
  const int width = int(widest);
  std::string out;
  append(out, "%-*s  %9s %6s %11s %11s %9s %9s %8s  %s\n", width, "kernel", "calls", "share", "total",
         "a call", "GFLOP/s", "GB/s", "of peak", "device");
  for (const kernel_profile& k : all) {
    const double seconds = k.total.count();
    append(out, "%-*s  %9llu ", width, shortened(k.kernel, widest).c_str(),
           static_cast<unsigned long long>(k.calls));
    if (k.timed == 0) append(out, "%6s %11s %11s %9s %9s %8s  ", "-", "not timed", "-", "-", "-", "-");
    else {
      append(out, "%5.1f%% %8.3f ms %8.2f us ", whole > 0 ? 100 * seconds / whole : 0, seconds * 1e3,
             seconds * 1e6 / double(k.timed));
      if (k.flops + k.bytes > 0 && seconds > 0)
        append(out, "%9.2f %9.2f ", k.flops / seconds * 1e-9, k.bytes / seconds * 1e-9);
      else append(out, "%9s %9s ", "-", "-");
      if (k.share_of_peak) append(out, "%6.1f%%%c  ", 100 * *k.share_of_peak, k.estimated_peak ? '*' : ' ');
      else append(out, "%8s  ", "-");
    }
    out += k.device.get_info<sycl::info::device::name>() + '\n';
  }
  if (std::any_of(all.begin(), all.end(),
                  [](const kernel_profile& k) { return k.share_of_peak && k.estimated_peak; }))
    out += "* the device's peak is an estimate: `prism-info --bench` measures it\n";
  return out;
}

} // namespace

profile::profile() { time_kernels(true); }
profile::~profile() { time_kernels(false); }

std::vector<kernel_profile> profile::kernels() const {
  std::vector<kernel_profile> out;
  for (const kernel_time& sum : kernel_times()) out.push_back(profile_of(sum));
  std::stable_sort(out.begin(), out.end(),
                   [](const kernel_profile& a, const kernel_profile& b) { return a.total > b.total; });
  return out;
}

std::string profile::text() const { return table_of(kernels()); }

namespace {

/// PRISM_PROFILE: prints a profile of the whole process at its end. The first call reads the variable. It
/// must precede the creation of the first queue, so that all queues are profiled.
void profile_from_environment() {
  static const bool done = [] {
    const auto wanted = support::set_value_of(support::variables::profile);
    if (!wanted || !support::is_on(support::variables::profile)) return false;
    static const std::string file = *wanted == "1" || *wanted == "on" ? std::string() : *wanted;
    static auto* const whole = new profile;
    static const pid_t process = ::getpid();
    std::atexit([] {
      if (::getpid() != process) return;
      try {
        finish_work();
        const std::string text = whole->text();
        std::FILE* const to = file.empty() ? stderr : std::fopen(file.c_str(), "we");
        if (to == nullptr)
          support::log(support::level::error, "PRISM_PROFILE: cannot write \"" + file + "\"");
        std::fputs(text.c_str(), to != nullptr ? to : stderr);
        if (to == nullptr || to == stderr) return;
        support::finish_output(to, support::variables::profile.name, file);
        std::fclose(to);
      } catch (const std::exception& failed) {
        support::log(support::level::error, std::string("PRISM_PROFILE: ") + failed.what());
      }
    });
    return true;
  }();
  (void)done;
}

[[maybe_unused]] const bool profiles = (sycl::detail::set_before_queue(&profile_from_environment), true);

} // namespace

} // namespace prism
