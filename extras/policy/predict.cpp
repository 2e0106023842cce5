#include "extras/policy/predict.hpp"

#include "extras/policy/problem.hpp"
#include "extras/policy/vocabulary.hpp"

#include <algorithm>
#include <cmath>

namespace prism::policy {

namespace {

constexpr std::string_view data_types[] = {"fp64", "fp32", "fp16", "bf16", "int8", "int16", "int32", "int64"};
static_assert(std::size(data_types) + 1 == data_type_count);

/// Returns the usable fraction of the bandwidth: a strided access uses half of the fetched bytes, a random
/// one an eighth (4 or 8 bytes of a 32- to 64-byte sector).
constexpr double access_share(access_pattern pattern) {
  return pattern == access_pattern::sequential ? 1.0 : pattern == access_pattern::strided ? 0.5 : 0.125;
}

double memory_time(const machine& on, const workload& work) {
  const double held = work.footprint_bytes > 0 ? work.footprint_bytes : work.bytes;
  const machine::level* level = &on.levels.back();
  for (const machine::level& l : on.levels)
    if (l.bytes >= held) {
      level = &l;
      break;
    }
  return work.bytes * level->seconds_per_byte / access_share(work.access);
}

timing cannot(unknown why) {
  timing t;
  t.lacks = why;
  t.predicted.total = t.predicted.lower = t.predicted.upper =
      seconds(std::numeric_limits<double>::infinity());
  return t;
}

} // namespace

std::size_t data_type_index(std::string_view canonical) {
  return static_cast<std::size_t>(std::find(std::begin(data_types), std::end(data_types), canonical) -
                                  std::begin(data_types));
}

namespace {

/// Checks the figures, which come from files, measurements and programs: a NaN would make comparisons
/// meaningless.
void check_figures(const device_description& device) {
  const auto check = [&](const char* name, double value, const std::string& of = "") {
    if (!(value >= 0 && value <= most_figure))
      throw problem("the description of \"" + device.name + "\": " + name + (of.empty() ? "" : " of " + of) +
                    " is " + number_text(value) + "; it must be from 0 to 1e18");
  };
  for (const auto& [type, rate] : device.peak_gflops) check("peak_gflops", rate, type);
  for (const memory_level& l : device.memory_hierarchy) check("bandwidth_gbps", l.bandwidth_gbps, l.level);
  check("launch_latency_us", device.launch_latency_us);
  check("build_ms", device.build_ms);
  check("transfer_gbps", device.transfer_gbps);
  check("price_per_hour", device.price_per_hour);
  check("watts", device.watts);
}

} // namespace

machine machine_of(const device_description& device) {
  check_figures(device);
  machine m;
  m.name = device.name;
  for (const auto& [type, rate] : device.peak_gflops)
    if (const std::size_t i = data_type_index(canonical_data_type(type)); rate > 0 && i + 1 < data_type_count)
      m.seconds_per_flop[i] = 1 / (rate * 1e9);
  for (const memory_level& l : device.memory_hierarchy) {
    m.memory = std::max(m.memory, static_cast<double>(l.size_bytes));
    if (l.bandwidth_gbps > 0)
      m.levels.push_back({static_cast<double>(l.size_bytes), 1 / (l.bandwidth_gbps * 1e9)});
  }
  std::sort(m.levels.begin(), m.levels.end(), [](const auto& a, const auto& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.seconds_per_byte < b.seconds_per_byte;
  });
  m.launch = device.launch_latency_us * 1e-6;
  m.build = device.build_ms * 1e-3;
  m.seconds_per_moved_byte = device.transfer_gbps > 0 ? 1 / (device.transfer_gbps * 1e9) : 0;
  m.price_per_second = device.price_per_hour / 3600;
  m.watts = device.watts;
  m.lockstep = device.device_type == "gpu";
  return m;
}

job job_of(const workload& work) {
  const auto check = [](const char* name, double value, double most) {
    if (!(value >= 0) || value > most || std::isinf(value))
      throw problem(std::string("workload: ") + name + " is " + number_text(value) +
                    "; it must be a finite number from 0" + (most == 1 ? " to 1" : ""));
  };
  constexpr double any = std::numeric_limits<double>::max();
  check("flops", work.flops, any);
  check("bytes", work.bytes, any);
  check("bytes_to_move", work.bytes_to_move, any);
  check("items", work.items, any);
  check("builds", work.builds, any);
  check("footprint_bytes", work.footprint_bytes, any);
  check("divergence", work.divergence, 1);
  if (const std::size_t i = data_type_index(work.data_type); i + 1 < data_type_count)
    return {&work, i}; // it is canonical already
  return {&work, data_type_index(canonical_data_type(work.data_type))};
}

timing predict_on(const machine& on, const job& j) noexcept {
  const workload& work = *j.what;
  timing t;
  prediction& p = t.predicted;
  if (work.flops > 0) {
    const double rate = on.seconds_per_flop[j.data_type];
    if (rate == 0) {
      const bool any = std::any_of(on.seconds_per_flop.begin(), on.seconds_per_flop.end(),
                                   [](double r) { return r != 0; });
      return cannot(any ? unknown::data_type : unknown::rate);
    }
    p.computing = seconds(work.flops * rate * (on.lockstep ? 1 + work.divergence : 1));
  }
  if (work.bytes > 0) {
    if (on.levels.empty()) return cannot(unknown::bandwidth);
    p.memory = seconds(memory_time(on, work));
  }
  p.launch = seconds(on.launch);
  p.building = seconds(work.builds * on.build);
  if (work.data_on.empty() || work.data_on != on.name)
    p.moving = seconds(work.bytes_to_move * on.seconds_per_moved_byte);
  const seconds running = std::max(p.computing, p.memory);
  p.total = p.launch + p.building + p.moving + running;
  p.lower = p.total * unmeasured_lower;
  p.upper = p.total * unmeasured_upper;
  p.cost = p.total.count() * on.price_per_second;
  p.energy_joules = p.total.count() * on.watts;
  const seconds period = std::max({p.moving, running, p.launch}); // stages of different jobs overlap
  p.throughput = period.count() > 0 ? work.items / period.count() : 0;
  return t;
}

} // namespace prism::policy
