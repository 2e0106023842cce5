// <prism/performance_model.hpp>: predicts by the roofline model before the first run, and by a fit of the
// runs afterwards.
#include "extras/invalid.hpp"
#include "extras/policy/divide.hpp"
#include "extras/policy/fit.hpp"
#include "extras/policy/model_text.hpp"
#include "extras/policy/problem.hpp"
#include "runtime/support/read_file.hpp"

#include <prism/performance_model.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace prism {

namespace {

constexpr std::size_t most_runs = 64; // per pattern and device; the oldest are dropped

std::string key_of(const device_description& device, const std::string& driver) {
  return device.name + "\n" + (driver.empty() ? device.driver : driver);
}

/// Sets the interval, cost, energy and throughput from the total time.
void set_total(prediction& p, const device_description& device, double items, double spread) {
  p.lower = p.total * (1 - spread);
  p.upper = p.total * (1 + spread);
  p.cost = p.total.count() / 3600 * device.price_per_hour;
  p.energy_joules = p.total.count() * device.watts;
  p.throughput = p.total.count() > 0 ? items / p.total.count() : 0;
}

/// Returns the roofline prediction without the launch. Runs are fitted to it rather than to the number of
/// items, so that the fit includes the steps between memory levels.
double roofline(const device_description& device, const workload& work) {
  const prediction p = prism::predict(device, work);
  return (p.total - p.launch).count();
}

} // namespace

void performance_model::register_pattern(const std::string& name, const pattern& what) {
  if (name.empty()) invalid("register_pattern: a pattern needs a name");
  workload w;
  w.flops = what.flops, w.bytes = what.bytes, w.bytes_to_move = what.bytes_to_move,
  w.divergence = what.divergence, w.builds = what.builds;
  try {
    policy::job_of(w);
  } catch (const policy::problem& wrong) {
    invalid("register_pattern(\"" + name + "\"): " + wrong.what());
  }
  m_patterns[name] = what;
}

std::vector<std::string> performance_model::patterns() const {
  std::vector<std::string> out;
  for (const auto& [name, unused] : m_patterns) out.push_back(name);
  return out;
}

workload performance_model::workload_of(const std::string& name, double items) const {
  const auto found = m_patterns.find(name);
  if (found == m_patterns.end()) {
    std::string known;
    for (const auto& [other, unused] : m_patterns) known += (known.empty() ? "" : ", ") + other;
    invalid("there is no pattern \"" + name + "\"; registered: " + (known.empty() ? "none" : known));
  }
  const pattern& p = found->second;
  workload w;
  w.operation = name;
  w.data_type = p.data_type;
  w.flops = p.flops * items;
  w.bytes = p.bytes * items;
  w.bytes_to_move = p.bytes_to_move * items;
  w.items = items;
  w.access = p.access;
  w.divergence = p.divergence;
  return w;
}

void performance_model::observe(const std::string& name, const device_description& device, double items,
                                seconds measured, const std::string& driver) {
  workload_of(name, items); // throws if the name is unknown
  if (!(items > 0) || !(measured.count() > 0) || std::isinf(items) || std::isinf(measured.count()))
    invalid("observe(\"" + name + "\"): items and time must be above 0");
  auto& runs = m_runs[{name, key_of(device, driver)}];
  if (runs.size() == most_runs) runs.erase(runs.begin());
  runs.push_back({items, measured.count()});
}

std::size_t performance_model::observed(const std::string& name, const device_description& device,
                                        const std::string& driver) const {
  const auto found = m_runs.find({name, key_of(device, driver)});
  return found == m_runs.end() ? 0 : found->second.size();
}

std::vector<double> performance_model::spreads_of_others(const std::string& name,
                                                         const device_description& device,
                                                         const std::string& key) const {
  constexpr std::size_t enough = 4; // number of runs needed for the variation of a device
  std::vector<double> out;
  for (const auto& [place, observed] : m_runs) {
    if (place.second != key || place.first == name || observed.size() < enough) continue;
    std::vector<policy::run> runs;
    for (const observation& o : observed)
      runs.push_back({roofline(device, workload_of(place.first, o.items)), o.seconds});
    out.push_back(policy::fit(runs, device.launch_latency_us * 1e-6).spread);
  }
  return out;
}

prediction performance_model::predict(const std::string& name, const device_description& device, double items,
                                      const std::string& driver) const {
  workload work = workload_of(name, items);
  if (observed(name, device, driver) == 0) work.builds = m_patterns.at(name).builds;
  prediction p = prism::predict(device, work);
  if (std::isinf(p.total.count())) return p; // the device cannot do the work
  const std::string key = key_of(device, driver);
  if (const auto found = m_runs.find({name, key}); found != m_runs.end()) {
    std::vector<policy::run> runs;
    for (const observation& o : found->second)
      runs.push_back({roofline(device, workload_of(name, o.items)), o.seconds});
    const policy::fitted f = policy::fit(runs, p.launch.count());
    const double spread = policy::shrunk_spread(f.spread, runs.size(), spreads_of_others(name, device, key));
    p.computing = (p.total - p.launch) * f.each; // a run measures moving and computing together
    p.launch = seconds(f.overhead);
    p.moving = p.memory = seconds(0);
    p.total = p.launch + p.computing;
    set_total(p, device, items, spread);
    return p;
  }
  std::vector<double> ratios; // measured time divided by predicted time, for other patterns on this device
  for (const auto& [place, runs] : m_runs)
    if (place.second == key)
      for (const observation& o : runs) {
        const double expected = prism::predict(device, workload_of(place.first, o.items)).total.count();
        if (expected > 0 && std::isfinite(expected)) ratios.push_back(o.seconds / expected);
      }
  if (ratios.empty()) return p;
  std::nth_element(ratios.begin(), ratios.begin() + std::ptrdiff_t(ratios.size() / 2), ratios.end());
  const double factor = ratios[ratios.size() / 2];
  p.total = (p.total - p.building) * factor + p.building;
  set_total(p, device, items,
            0.75); // other kernels give only the scale of the device
  p.upper = p.total * 3.0;
  return p;
}

prediction performance_model::predict(const std::string& name,
                                      const std::vector<std::pair<device_description, std::size_t>>& hardware,
                                      double items) const {
  if (!(items > 0)) invalid("predict(\"" + name + "\"): there must be more than 0 items");
  std::vector<policy::linear_cost> costs;
  prediction sum;
  double spread_up = 0, spread_down = 0;
  for (const auto& [device, count] : hardware) {
    const prediction p = predict(name, device, items);
    if (std::isinf(p.total.count())) continue;
    const double each = std::max((p.total - p.launch).count() / items, 1e-18);
    for (std::size_t i = 0; i < count; ++i)
      costs.push_back({p.launch.count() + (costs.empty() ? 0 : 20e-6), each});
    spread_up = std::max(spread_up, p.upper / p.total - 1);
    spread_down = std::max(spread_down, 1 - p.lower / p.total);
    sum.cost += device.price_per_hour * static_cast<double>(count);
    sum.energy_joules += device.watts * static_cast<double>(count);
  }
  if (costs.empty()) {
    sum.total = sum.lower = sum.upper = seconds(std::numeric_limits<double>::infinity());
    return sum;
  }
  sum.total = seconds(policy::balance(items, costs).time);
  sum.computing = sum.total;
  sum.lower = sum.total * (1 - spread_down);
  sum.upper = sum.total * (1 + spread_up);
  sum.cost *= sum.total.count() / 3600; // all devices are paid until the last one is done
  sum.energy_joules *= sum.total.count();
  sum.throughput = items / sum.total.count();
  return sum;
}

std::size_t performance_model::best(const std::string& name, double items,
                                    const std::vector<device_description>& devices) const {
  std::size_t best = devices.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const double time = predict(name, devices[i], items).total.count();
    const bool tie = best != devices.size() && time == least && devices[i].name < devices[best].name;
    if (time < least || tie) best = i, least = time;
  }
  if (best == devices.size())
    throw no_candidate(
        "no device can do \"" + name + "\":\n" + explain({}, workload_of(name, items), devices), {});
  return best;
}

std::vector<tier> performance_model::tiers(const std::string& name,
                                           const std::vector<device_description>& devices, double from,
                                           double to) const {
  if (!(from > 0) || !(to >= from)) invalid("tiers(\"" + name + "\"): sizes must be above 0 and in order");
  std::vector<tier> out{{from, best(name, from, devices)}};
  constexpr double step = 1.189207115; // four steps per doubling; narrower tiers are missed
  for (double at = from; at < to;) {
    const double next = std::min(to, at * step);
    const std::size_t now = best(name, next, devices);
    if (now != out.back().device) {
      double low = at, high = next;
      while (high > low * 1.01)
        (best(name, std::sqrt(low * high), devices) == now ? high : low) = std::sqrt(low * high);
      out.push_back({high, now});
    }
    at = next;
  }
  return out;
}

std::string performance_model::to_json() const { return policy::write_model(m_patterns, m_runs); }

performance_model performance_model::from_json(const std::string& text) {
  performance_model model;
  try {
    policy::read_model(text, model.m_patterns, model.m_runs);
  } catch (const policy::problem& wrong) {
    invalid(wrong.what());
  }
  return model;
}

void performance_model::save(const std::string& file) const {
  const std::string fresh = file + "." + std::to_string(getpid());
  std::ofstream out(fresh, std::ios::binary);
  out << to_json();
  out.close();
  if (!out || std::rename(fresh.c_str(), file.c_str()) != 0) {
    std::remove(fresh.c_str());
    invalid("the model cannot be written to " + file);
  }
}

performance_model performance_model::load(const std::string& file) {
  constexpr std::size_t most = 64u << 20; // bytes; a model of a thousand patterns has less than one MiB
  const support::file_bytes read = support::read_file(file, most);
  if (!read.problem.empty()) invalid("the model " + file + " " + read.problem);
  return from_json(read.bytes);
}

} // namespace prism
