// <prism/strategy.hpp>: advice, simulated co-execution, and the comparison of advice with a run.
// prism_co_execute.cpp executes a division.
#include "extras/invalid.hpp"
#include "extras/policy/decide.hpp"
#include "extras/policy/explain.hpp"
#include "extras/policy/problem.hpp"
#include "extras/policy/vocabulary.hpp"
#include "extras/shares.hpp"
#include "runtime/support/text.hpp"

#include <prism/devices.hpp>
#include <prism/performance_model.hpp>
#include <prism/strategy.hpp>
#include <sycl/info.hpp>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

/// Whether the workload has figures to predict from.
bool is_known(const workload& work) { return work.flops > 0 || work.bytes > 0 || work.bytes_to_move > 0; }

/// Returns the linear cost of a device: the time that does not depend on the number of items, and the time
/// per item.
policy::linear_cost cost_of(const prediction& p, double items, bool first) {
  const double each = (p.moving + std::max(p.computing, p.memory)).count() / items;
  return {(p.launch + p.building).count() + (first ? 0 : coordination.count()), std::max(each, 1e-18)};
}

} // namespace

std::vector<share> divide(std::size_t items, const std::vector<double>& weights, std::size_t granularity) {
  try {
    std::vector<share> out;
    for (const policy::piece& p : policy::divide(items, weights, granularity))
      out.push_back({p.device, p.first, p.count});
    return out;
  } catch (const policy::problem& wrong) {
    invalid(wrong.what());
  }
}

namespace {

/// A device that can do the work. The prediction is the model's if the model has the operation.
struct able {
  std::size_t index;
  prediction predicted;
  bool observed; // the model has runs of the operation on this device
};

/// Returns the devices that can do the work, the fastest first.
std::vector<able> able_devices(const workload& work, std::size_t items,
                               const std::vector<device_description>& devices,
                               const performance_model* model) {
  const std::string& operation = work.operation;
  const auto known = model != nullptr && items > 0 ? model->patterns() : std::vector<std::string>();
  const bool by_model = std::find(known.begin(), known.end(), operation) != known.end();
  std::vector<able> out;
  for (const candidate& c : select({}, work, devices).candidates()) {
    if (!c.fits) continue;
    out.push_back({c.index, c.predicted, false});
    if (!by_model) continue;
    out.back().predicted = model->predict(operation, devices[c.index], static_cast<double>(items));
    out.back().observed = model->observed(operation, devices[c.index]) != 0;
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const able& a, const able& b) { return a.predicted.total < b.predicted.total; });
  return out;
}

/// Removes and returns the devices that share hardware with an earlier one.
std::vector<able> take_other_ways(std::vector<able>& all, const std::vector<device_description>& devices) {
  std::vector<able> out, own;
  for (const able& a : all) {
    const std::string& id = devices[a.index].physical_id;
    const bool there = !id.empty() && std::any_of(own.begin(), own.end(), [&](const able& o) {
      return devices[o.index].physical_id == id;
    });
    (there ? out : own).push_back(a);
  }
  all = std::move(own);
  return out;
}

constexpr double unsteady =
    0.125; // fraction of the items: speeds vary between runs, by a tenth in measurements

/// A fraction of the items to hold in reserve, and the reason. With it a device may be twice as slow as
/// predicted before the others wait for it, or eight times if its rates were not measured. Measured rooflines
/// were wrong by a third, estimates by up to a factor of five.
struct held {
  double part;
  const char* why;
};
held reserve_for(const std::vector<able>& all, const std::vector<device_description>& devices) {
  if (std::all_of(all.begin(), all.end(), [](const able& a) { return a.observed; }))
    return {unsteady, "; reserve an eighth, because such runs were observed"};
  const bool guessed = std::any_of(all.begin(), all.end(), [&](const able& a) {
    return !a.observed && !devices[a.index].estimated.empty();
  });
  return guessed ? held{0.875, "; reserve seven eighths, because rates are estimates"}
                 : held{0.5, "; reserve half, because predictions are inexact"};
}

} // namespace

advice advise(const workload& work, std::size_t items, const std::vector<device_description>& devices,
              std::size_t granularity, const performance_model* model) {
  std::vector<able> all = able_devices(work, items, devices, model);
  const std::vector<able> other_ways = take_other_ways(all, devices);
  const std::string& best = devices[all.front().index].name;
  advice a;
  a.best_alone = all.front().index;
  a.alone = a.together = all.front().predicted.total;
  a.shares = {{a.best_alone, 0, items}};
  if (all.size() < 2 || items == 0) {
    a.reason = items == 0 ? "there is nothing to divide" : "only " + best + " can do it";
    if (items != 0 && !other_ways.empty()) {
      std::vector<std::string> names;
      for (const able& o : other_ways) names.push_back(devices[o.index].name);
      a.reason = "do not divide: " + support::join(names, " and ") +
                 (names.size() > 1 ? " share" : " shares") + " the hardware of " + best;
    }
    a.efficiency = 1;
    return a;
  }
  std::vector<policy::linear_cost> costs;
  std::vector<std::size_t> index;
  double ideal_rate = 0;
  for (const able& d : all) {
    costs.push_back(cost_of(d.predicted, static_cast<double>(items), costs.empty()));
    index.push_back(d.index);
    ideal_rate += 1 / costs.back().each;
  }
  const policy::balanced together = policy::balance(static_cast<double>(items), costs);
  std::vector<double> weights(devices.size(), 0);
  for (std::size_t i = 0; i < costs.size(); ++i) weights[index[i]] = together.counts[i];
  const std::vector<share> shares = divide(items, weights, granularity);
  a.together = seconds(0);
  for (const share& s : shares)
    for (std::size_t i = 0; i < index.size(); ++i)
      if (index[i] == s.device)
        a.together =
            std::max(a.together, seconds(costs[i].fixed + costs[i].each * static_cast<double>(s.count)));
  a.efficiency = static_cast<double>(items) / ideal_rate / a.together.count();
  const std::string figures = policy::time_text(a.together.count()) + " on " + std::to_string(shares.size()) +
                              " devices against " + policy::time_text(a.alone.count()) + " on " + best +
                              " alone";
  a.divides = shares.size() > 1 && a.together < a.alone * 0.95;
  a.reason = (a.divides ? "divide: " : "do not divide: ") + figures;
  if (!a.divides) return a;
  a.shares = shares;
  const held back = reserve_for(all, devices);
  a.reserve = back.part;
  a.reason += back.why;
  return a;
}

namespace {

void check(const strategy& how, const workload& whole, std::size_t devices) {
  if (how.distribution == distribution::by_ratio && how.ratios.size() != devices)
    invalid("co_execute: there are " + std::to_string(how.ratios.size()) + " ratios for " +
            std::to_string(devices) + " devices; give one each");
  if (how.reserve && !(*how.reserve >= 0 && *how.reserve < 1))
    invalid("co_execute: strategy::reserve is " + policy::short_number(*how.reserve) +
            "; it must be a fraction of the items, from 0 to less than 1");
  if (how.model == nullptr) return;
  if (whole.operation.empty())
    invalid("co_execute: strategy::model stores runs by workload::operation, which is empty");
  if (!is_known(whole))
    invalid("co_execute: strategy::model needs the work of one item, and the workload \"" + whole.operation +
            "\" has no flops and no bytes");
}

/// Returns shares in the same proportions, of all items except the reserve. A single share stays as it is.
std::vector<share> without_reserve(std::vector<share> shares, std::size_t items, double reserve,
                                   std::size_t granularity) {
  if (shares.size() < 2 || reserve == 0) return shares;
  std::vector<double> weights;
  for (const share& s : shares) weights.push_back(static_cast<double>(s.count));
  granularity = std::max<std::size_t>(granularity, 1);
  const std::size_t given =
      static_cast<std::size_t>(static_cast<double>(items) * (1 - reserve)) / granularity * granularity;
  if (given == 0) return shares;
  std::vector<share> out;
  for (const share& s : divide(given, weights, granularity))
    out.push_back({shares[s.device].device, s.first, s.count});
  return out;
}

/// Returns the expected rate and launch time of each device.
std::vector<prior_estimate::expectation> expected_speeds(const workload& whole, std::size_t items,
                                                         const std::vector<device_description>& devices) {
  std::vector<prior_estimate::expectation> out;
  if (!is_known(whole)) return out;
  for (const device_description& d : devices) {
    const prediction p = predict(d, whole);
    const policy::linear_cost cost = cost_of(p, static_cast<double>(items), false);
    out.push_back(std::isfinite(p.total.count()) ? prior_estimate::expectation{1 / cost.each, cost.fixed}
                                                 : prior_estimate::expectation{});
  }
  return out;
}

} // namespace

prior_estimate prior_estimate_of(const strategy& how, std::size_t items, const workload& whole,
                                 const std::vector<device_description>& devices) {
  check(how, whole, devices.size());
  if (items == 0) return {};
  if (how.distribution != distribution::by_ratio && how.distribution != distribution::predicted)
    return {{}, expected_speeds(whole, items, devices)};
  std::vector<device_description> named =
      devices; // the caller chose these devices, which counts as naming them
  for (device_description& d : named) d.only_when_named = false, d.physical_id.clear();
  advice a;
  if (how.distribution == distribution::predicted)
    a = advise(whole, items, named, how.granularity, how.model);
  else a.shares = divide(items, how.ratios, how.granularity), a.reserve = unsteady;
  prior_estimate out{without_reserve(a.shares, items, how.reserve.value_or(a.reserve), how.granularity),
                     std::vector<prior_estimate::expectation>(devices.size())};
  for (const share& s : a.shares)
    out.expected[s.device].rate =
        static_cast<double>(s.count); // rates in proportion to the shares: all are to finish together
  return out;
}

void update_model(const strategy& how, std::size_t items, const workload& whole,
                  const std::vector<device_description>& devices, const co_report& happened) {
  if (how.model == nullptr || items == 0) return;
  const auto known = how.model->patterns();
  const auto n = static_cast<double>(items);
  if (std::find(known.begin(), known.end(), whole.operation) == known.end())
    how.model->register_pattern(whole.operation,
                                {whole.flops / n, whole.bytes / n, whole.bytes_to_move / n, whole.data_type,
                                 whole.access, whole.divergence, whole.builds});
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (const co_report::part& p = happened.parts[i]; p.items != 0 && p.busy.count() > 0)
      how.model->observe(whole.operation, devices[i], static_cast<double>(p.items), p.busy);
}

namespace {

/// A simulated device of a rehearsal: its running chunk, the chunk that waits behind it, and the time when it
/// is free.
class rehearsed {
public:
  explicit rehearsed(const policy::linear_cost& cost) : m_each(cost.each), m_start(cost.fixed) {}

  /// Submits a chunk at `now`. It begins when it is launched and the previous chunk is done.
  void take(const share& what, double now) {
    const double begin = std::max(m_under_way.empty() ? 0 : m_under_way.back().end, now + m_start);
    m_under_way.push_back({what, begin, begin + m_each * static_cast<double>(what.count)});
  }
  bool rests() const noexcept { return m_under_way.empty(); }
  double next_end() const noexcept { return m_under_way.front().end; }
  void finish(chunk_scheduler& from, co_report::part& report, double now) {
    const running done = m_under_way.front();
    m_under_way.erase(m_under_way.begin());
    from.finished(done.what, done.end - done.begin, m_start, now);
    report.busy += seconds(done.end - done.begin);
    report.items += done.what.count;
    ++report.chunks;
  }

private:
  struct running {
    share what;
    double begin, end;
  };
  double m_each, m_start;
  std::vector<running> m_under_way; // at most two
};

} // namespace

co_report rehearse(const workload& whole, std::size_t items, const strategy& how,
                   const std::vector<device_description>& devices, const std::vector<double>& speeds) {
  if (devices.empty()) invalid("rehearse: give at least one device");
  if (!speeds.empty() && speeds.size() != devices.size())
    invalid("rehearse: there are " + std::to_string(speeds.size()) + " speeds for " +
            std::to_string(devices.size()) + " devices; give one each, or none");
  for (const double s : speeds)
    if (!(s > 0) || std::isinf(s))
      invalid("rehearse: a speed is " + policy::short_number(s) +
              "; it must be above 0: the speed of a device relative to its prediction");
  chunk_scheduler from(items, devices.size(), how, prior_estimate_of(how, items, whole, devices));
  co_report report;
  report.held_back = from.held_back();
  std::vector<rehearsed> all;
  for (const device_description& d : devices) {
    const prediction p = predict(d, whole);
    if (!std::isfinite(p.total.count()))
      invalid("rehearse: " + d.name + " cannot do it: " + explain({}, whole, {d}));
    policy::linear_cost cost = cost_of(p, static_cast<double>(std::max<std::size_t>(items, 1)), all.empty());
    if (!speeds.empty()) cost.each /= speeds[all.size()];
    all.emplace_back(cost);
    report.parts.push_back({d.name, 0, 0, seconds(0)});
  }
  const auto take = [&](std::size_t i, double now) {
    if (const share what = from.next(i, now); what.count != 0) all[i].take(what, now);
  };
  for (int ahead = 0; ahead < 2; ++ahead)
    for (std::size_t i = 0; i < all.size(); ++i) take(i, 0);
  for (;;) {
    std::size_t next = all.size();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].rests() && (next == all.size() || all[i].next_end() < all[next].next_end())) next = i;
    if (next == all.size()) return report;
    report.wall = seconds(all[next].next_end());
    all[next].finish(from, report.parts[next], report.wall.count());
    take(next, report.wall.count());
  }
}

double co_report::balance() const noexcept {
  double sum = 0, most = 0;
  for (const part& p : parts) sum += p.busy.count(), most = std::max(most, p.busy.count());
  return most > 0 ? sum / (most * static_cast<double>(parts.size())) : 1;
}

double co_report::efficiency() const noexcept {
  double rate = 0, items = 0;
  for (const part& p : parts) {
    items += static_cast<double>(p.items);
    if (p.busy.count() > 0) rate += static_cast<double>(p.items) / p.busy.count();
  }
  return rate > 0 && wall.count() > 0 ? items / (rate * wall.count()) : 1;
}

hindsight compare(const advice& decided, const co_report& happened) {
  double items = 0, best_rate = 0;
  std::string fastest;
  for (const co_report::part& p : happened.parts) {
    items += static_cast<double>(p.items);
    const double rate = p.busy.count() > 0 ? static_cast<double>(p.items) / p.busy.count() : 0;
    if (rate > best_rate) best_rate = rate, fastest = p.device;
  }
  hindsight h;
  const double predicted = (decided.divides ? decided.together : decided.alone).count(),
               took = happened.wall.count();
  const double alone = best_rate > 0 ? items / best_rate : took;
  h.error = predicted > 0 ? std::abs(took - predicted) / predicted : 0;
  h.right = took <= alone;
  h.text = "predicted " + policy::time_text(predicted) + ", took " + policy::time_text(took) + "; " +
           fastest + " alone, as fast as it was here, " + policy::time_text(alone) + ": the division " +
           (h.right ? "paid" : "did not pay");
  return h;
}

std::string co_report::text() const {
  std::string out;
  for (const part& p : parts)
    out += p.device + ": " + std::to_string(p.items) + " items in " + std::to_string(p.chunks) + " parts, " +
           policy::time_text(p.busy.count()) + "\n";
  if (held_back != 0)
    out += std::to_string(held_back) + " items were held in reserve for the devices that finished first\n";
  return out + "together " + policy::time_text(wall.count()) + ", balance " +
         policy::short_number(balance()) + "\n";
}

} // namespace prism
