// show, matrix, export, import, forget: the commands that read or change the database.
#include "tools/prism-tune/commands.hpp"

#include "kernels/trials/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

namespace prism::tune_tool {

namespace {

std::string milliseconds_text(seconds s) { return fmt::format("{:.4g} ms", s.count() * 1e3); }
[[noreturn]] void refuse(const std::string& what) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), what);
}

/// The keys of an operation: its variants' and its parameters'.
std::vector<tuning_key> keys_of(const tuning_database& database, const std::string& operation) {
  if (operation.empty()) return database.keys();
  std::vector<tuning_key> out = database.keys({operation, "", "", "", ""});
  for (tuning_key& k : database.keys({operation + " parameters", "", "", "", ""}))
    out.push_back(std::move(k));
  return out;
}

} // namespace

int show(const request& r) {
  const tuning_database database(r.database);
  std::size_t shown = 0;
  for (const std::string& operation : r.operations.empty() ? std::vector<std::string>{""} : r.operations)
    for (const tuning_key& key : keys_of(database, operation)) {
      auto trials = database.trials(key);
      std::stable_sort(trials.begin(), trials.end(), [](const trial& a, const trial& b) {
        return a.correct != b.correct ? a.correct : a.time < b.time;
      });
      fmt::print("{}, {} items, on {} ({})\n", key.operation, key.size_class, key.device, key.driver);
      for (std::size_t i = 0; i < trials.size() && i < 5; ++i)
        fmt::print("  {:>12}  {}{}\n", trials[i].correct ? milliseconds_text(trials[i].time) : "-",
                   trials[i].tried.to_text(),
                   trials[i].correct           ? ""
                   : trials[i].failure.empty() ? ": wrong result"
                                               : ": " + trials[i].failure);
      if (trials.size() > 5) fmt::print("  and {} more\n", trials.size() - 5);
      ++shown;
    }
  if (shown == 0) fmt::print("no results are stored in {}\n", database.file());
  return good;
}

int matrix(const request& r) {
  const tuning_database database(r.database);
  fmt::print("{:<20} {:>6}  {:<32.32} {:>12}  {}\n", "operation", "items", "device", "best", "with");
  for (const matrix_entry& e : operation_matrix(database, devices_of(r)))
    fmt::print("{:<20} {:>6}  {:<32.32} {:>12}  {}\n", e.key.operation, e.key.size_class, e.key.device,
               milliseconds_text(e.best.time),
               e.best.tried.has("variant") ? e.best.tried.text("variant") : e.best.tried.to_text());
  return good;
}

int measure(const request& r) {
  // Build times are measured too, so PRISM's and the drivers' caches are disabled.
  for (const auto& [name, value] : {std::pair("PRISM_CACHE", "off"), std::pair("POCL_KERNEL_CACHE", "0"),
                                    std::pair("MESA_SHADER_CACHE_DISABLE", "true")})
    setenv(name, value, 1);
  for (const sycl::device& device : devices_of(r)) {
    if (stopped()) return interrupted;
    const device_description d = trials::measure_rates(device);
    keep_measurements(device, d);
    fmt::print("{}\n", label(device));
    for (const auto& [type, rate] : d.peak_gflops) fmt::print("  {:<6} {:>10.1f} Gflop/s\n", type, rate);
    for (const memory_level& m : d.memory_hierarchy)
      fmt::print("  {:<6} {:>10.1f} GB/s within {} bytes\n", m.level, m.bandwidth_gbps, m.size_bytes);
    fmt::print("  launch {:.1f} us, building {}, transfer {}\n", d.launch_latency_us,
               d.build_ms > 0 ? fmt::format("{:.0f} ms", d.build_ms) : "none",
               d.transfer_gbps > 0 ? fmt::format("{:.1f} GB/s", d.transfer_gbps)
                                   : "none (uses the host's memory)");
    std::fflush(stdout);
  }
  return good;
}

int export_to(const request& r) {
  const std::string text = tuning_database(r.database).to_json();
  if (r.file.empty()) {
    fmt::print("{}", text);
    return good;
  }
  std::ofstream out(r.file, std::ios::binary);
  if (!(out << text).flush()) refuse(r.file + " cannot be written");
  return good;
}

int import_from(const request& r) {
  std::ifstream in(r.file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    refuse(r.file + " cannot be read; give a file that prism-tune export wrote");
  tuning_database database(r.database);
  try {
    fmt::print("{} trials\n", database.merge(text.str()));
  } catch (const sycl::exception& e) {
    refuse(r.file + ": " + e.what());
  }
  return good;
}

int forget(const request& r) {
  tuning_database database(r.database);
  std::size_t removed = 0;
  for (const std::string& operation : r.operations)
    for (const tuning_key& key : keys_of(database, operation)) removed += database.forget(key);
  fmt::print("{} trials\n", removed);
  return good;
}

} // namespace prism::tune_tool
