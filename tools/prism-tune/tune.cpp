// run, variants, list: the commands that run trials.
#include "tools/prism-tune/commands.hpp"

#include "kernels/trials/trial.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace prism::tune_tool {

namespace {

using blas::block_family;

std::string time_text(seconds s) {
  const double v = s.count();
  return v >= 1      ? fmt::format("{:.2f} s", v)
         : v >= 1e-3 ? fmt::format("{:.2f} ms", v * 1e3)
                     : fmt::format("{:.1f} us", v * 1e6);
}

void check_operations(const std::vector<std::string>& names, const std::vector<std::string>& known) {
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string all;
      for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            "there is no operation \"" + name + "\"; known: " + all);
    }
}

std::vector<std::size_t> sizes_of(const request& r, const std::string& operation) {
  return r.sizes.empty() ? trials::usual_sizes(operation) : r.sizes;
}

tuning_result tune_one(const request& r, trials::trial_job& job, const std::string& title,
                       tuning_database& database) {
  const block_family family = r.family == "fibonacci" ? block_family::fibonacci : block_family::powers_of_two;
  progress_bar bar(title);
  tuning_options how;
  how.search = search_from(r.search);
  how.max_trials = r.trials;
  how.max_time = seconds(r.seconds);
  how.patience = r.patience;
  how.seed = r.seed;
  how.cancelled = stopped;
  how.progress = [&](const tuning_progress& p) {
    bar.show(p.done, p.planned,
             p.best != nullptr ? time_text(p.best->time) + "  " + p.best->tried.to_text()
                               : "no correct result");
  };
  tuning_result result = tune(*job.space(family), job.initial(family),
                              [&](const configuration& c) { return job.run(c); }, how, &database, job.key());
  bar.end();
  return result;
}

} // namespace

progress_bar::progress_bar(std::string title)
    : m_title(std::move(title)), m_terminal(isatty(STDERR_FILENO) != 0) {}

void progress_bar::show(std::size_t done, std::size_t planned, const std::string& best) {
  planned = std::max(planned, done);
  if (!m_terminal) {
    const std::size_t fifth = planned != 0 ? done * 5 / planned : 0;
    if (fifth == m_fifth) return;
    m_fifth = fifth;
    fmt::print(stderr, "{}: {} of {}, best {}\n", m_title, done, planned, best);
    return;
  }
  constexpr std::size_t width = 24;
  const std::size_t full = planned != 0 ? done * width / planned : width;
  fmt::print(stderr, "\r\033[K{} [{}{}] {}/{}  {}", m_title, std::string(full, '#'),
             std::string(width - full, '.'), done, planned, best);
  std::fflush(stderr);
}

void progress_bar::end() {
  if (m_terminal) fmt::print(stderr, "\r\033[K");
}

std::string label(const sycl::device& device) {
  return describe(device).executes_on + " " + device.get_info<sycl::info::device::name>();
}

std::vector<sycl::device> devices_of(const request& r) {
  if (!r.device.empty()) return {by_name(r.device).device()};
  std::vector<sycl::device> all;
  for (const sycl::device& d : sycl::device::get_devices())
    if (describe(d).backend != "record") all.push_back(d);
  return all;
}

int run(const request& r) {
  const std::vector<std::string> tunable{"gemm", "gemm double"};
  check_operations(r.operations, tunable);
  tuning_database database(r.database);
  const sycl::queue queue = r.device.empty() ? sycl::queue() : sycl::queue(by_name(r.device));
  int status = good;
  for (const std::string& operation : r.operations.empty() ? tunable : r.operations) {
    if (r.operations.empty() && !trials::runs_trials_of(queue.get_device(), operation)) continue;
    for (const std::size_t size : sizes_of(r, operation)) {
      if (stopped()) return interrupted;
      const auto job = trials::make_trial_job(operation, queue, size);
      const std::string title = fmt::format("{} {} on {}", operation, size,
                                            queue.get_device().get_info<sycl::info::device::name>());
      const tuning_result found = tune_one(r, *job, title, database);
      if (!found.best)
        fmt::print("{}: no configuration had a correct result in {} trials ({})\n", title,
                   found.trials.size(), found.ended),
            status = nothing_right;
      else
        fmt::print("{}: {}  {}, {:.2f} times the default's speed; {} trials ({})\n", title,
                   time_text(found.best->time), found.best->tried.to_text(), found.gain(),
                   found.trials.size(), found.ended);
      std::fflush(stdout);
      if (found.ended == "cancelled") return interrupted;
    }
  }
  return status;
}

int variants(const request& r) {
  check_operations(r.operations, trials::trial_operations());
  const auto database = std::make_shared<tuning_database>(r.database);
  const trials::operations all = trials::make_operations(database);
  int status = good;
  for (const sycl::device& device : devices_of(r)) {
    sycl::queue queue(device);
    fmt::print("{}\n", label(device));
    for (const std::string& operation : r.operations.empty() ? trials::trial_operations() : r.operations) {
      if (!trials::runs_trials_of(device, operation)) {
        fmt::print("  {:<15} {:>8}  the device has no double precision\n", operation, "");
        continue;
      }
      std::unique_ptr<trials::trial_job> job;
      for (const std::size_t size : sizes_of(r, operation)) {
        if (stopped()) return interrupted;
        job = trials::make_trial_job(operation, queue, size);
        std::string line;
        for (const trial& t : job->measure(all)) {
          line += fmt::format("{}{} {}", line.empty() ? "" : ", ", t.tried.text("variant"),
                              t.correct           ? time_text(t.time)
                              : t.failure.empty() ? "WRONG"
                                                  : "failed: " + t.failure);
          if (!t.correct) status = nothing_right;
        }
        fmt::print("  {:<15} {:>8}  {}\n", operation, size, line);
        std::fflush(stdout);
      }
      std::string tiers;
      for (const variant_tier& t : job->tiers(all))
        tiers += fmt::format("{}from {:.3g}: {}", tiers.empty() ? "" : ", ", t.from_items, t.variant);
      fmt::print("  {:<15} {:>8}  {}\n", operation, "items", tiers);
    }
  }
  return status;
}

int list(const request&) {
  const trials::operations all = trials::make_operations();
  const auto print = [](const char* name, const std::vector<variant_description>& variants) {
    fmt::print("{}\n", name);
    for (const variant_description& v : variants) {
      std::string needs;
      for (const std::string& n : v.needs) needs += (needs.empty() ? "needs " : ", ") + n;
      fmt::print("  {:<16} {}\n", v.name, v.is_fallback ? "the fallback" : needs);
    }
  };
  print("gemm", all.gemm.variants());
  print("gemm double", all.gemm_double.variants());
  print("reduce", all.reduce.variants());
  print("scan", all.scan.variants());
  print("fft", all.fft.variants());
  print("smith-waterman", all.smith_waterman.variants());
  return good;
}

} // namespace prism::tune_tool
