// <prism/strategy.hpp>: advice over descriptions, divisions in simulated time, and what one that ran is worth.
// prism_co_execute.cpp runs one.
#include "runtime/api/shares.hpp"
#include "runtime/policy/decide.hpp"
#include "runtime/policy/explain.hpp"
#include "runtime/policy/problem.hpp"
#include "runtime/policy/vocabulary.hpp"

#include <prism/devices.hpp>
#include <prism/strategy.hpp>
#include <sycl/info.hpp>

#include <algorithm>
#include <cmath>

namespace prism {

namespace {

[[noreturn]] void invalid(const std::string& text) { throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), text); }

/// The linear cost of a device: what does not depend on the number of items, and the time of one.
policy::linear_cost cost_of(const prediction& p, double items, bool first) {
  const double each = (p.moving + std::max(p.computing, p.memory)).count() / items;
  return {p.launch.count() + (first ? 0 : coordination.count()), std::max(each, 1e-18)};
}

} // namespace

std::vector<share> divide(std::size_t items, const std::vector<double>& weights, std::size_t granularity) {
  try {
    std::vector<share> out;
    for (const policy::piece& p : policy::divide(items, weights, granularity)) out.push_back({p.device, p.first, p.count});
    return out;
  } catch (const policy::problem& wrong) {
    invalid(wrong.what());
  }
}

advice advise(const workload& work, std::size_t items, const std::vector<device_description>& devices, std::size_t granularity) {
  const selection best = select({}, work, devices);
  advice a;
  a.best_alone = best.index();
  a.alone = a.together = best.predicted_time();
  a.shares = {{best.index(), 0, items}};
  std::vector<policy::linear_cost> costs;
  std::vector<std::size_t> index;
  double ideal_rate = 0;
  for (const candidate& c : best.candidates())
    if (c.fits && items > 0) {
      costs.push_back(cost_of(c.predicted, static_cast<double>(items), costs.empty()));
      index.push_back(c.index);
      ideal_rate += 1 / costs.back().each;
    }
  if (costs.size() < 2) {
    a.reason = items == 0 ? "there is nothing to divide" : "only " + best.device().name + " can do it";
    a.efficiency = 1;
    return a;
  }
  const policy::balanced together = policy::balance(static_cast<double>(items), costs);
  std::vector<double> weights(devices.size(), 0);
  for (std::size_t i = 0; i < costs.size(); ++i) weights[index[i]] = together.counts[i];
  const std::vector<share> shares = divide(items, weights, granularity);
  a.together = seconds(0);
  for (const share& s : shares)
    for (std::size_t i = 0; i < index.size(); ++i)
      if (index[i] == s.device) a.together = std::max(a.together, seconds(costs[i].fixed + costs[i].each * static_cast<double>(s.count)));
  a.efficiency = static_cast<double>(items) / ideal_rate / a.together.count();
  const std::string figures = policy::time_text(a.together.count()) + " on " + std::to_string(shares.size()) + " devices against " +
                              policy::time_text(a.alone.count()) + " on " + best.device().name + " alone";
  a.divides = shares.size() > 1 && a.together < a.alone * 0.95;
  a.reason = (a.divides ? "divide: " : "do not divide: ") + figures;
  if (a.divides) a.shares = shares;
  return a;
}

namespace {

/// Of the items, which no device has as its own from the start. By prediction so much that a device may be twice as slow as
/// predicted before the others wait for it, four times where nobody measured one: measured rooflines were off by a third, estimates
/// by up to four.
double reserve_of(const strategy& how, const std::vector<device_description>& devices) {
  const bool guessed = std::any_of(devices.begin(), devices.end(), [](const device_description& d) { return !d.estimated.empty(); });
  const double part = how.reserve.value_or(how.distribution != distribution::predicted ? 0 : guessed ? 0.75 : 0.5);
  if (!(part >= 0 && part < 1)) invalid("co_execute: strategy::reserve is " + policy::short_number(part) + "; it is a part of the items, from 0 to less than 1");
  return part;
}

/// Shares in the same proportions, of all items but the reserve. One device alone needs none.
std::vector<share> without_reserve(std::vector<share> shares, std::size_t items, double reserve, std::size_t granularity) {
  if (shares.size() < 2 || reserve == 0) return shares;
  std::vector<double> weights;
  for (const share& s : shares) weights.push_back(static_cast<double>(s.count));
  granularity = std::max<std::size_t>(granularity, 1);
  const std::size_t given = static_cast<std::size_t>(static_cast<double>(items) * (1 - reserve)) / granularity * granularity;
  if (given == 0) return shares;
  std::vector<share> out;
  for (const share& s : divide(given, weights, granularity)) out.push_back({shares[s.device].device, s.first, s.count});
  return out;
}

/// Only of a job that is known: then what an item takes, and what starting a part does.
std::vector<beforehand::expectation> expected_speeds(const workload& whole, std::size_t items, const std::vector<device_description>& devices) {
  std::vector<beforehand::expectation> out;
  if (whole.flops <= 0 && whole.bytes <= 0 && whole.bytes_to_move <= 0) return out;
  for (const device_description& d : devices) {
    const prediction p = predict(d, whole);
    const policy::linear_cost cost = cost_of(p, static_cast<double>(items), false);
    out.push_back(std::isfinite(p.total.count()) ? beforehand::expectation{1 / cost.each, cost.fixed} : beforehand::expectation{});
  }
  return out;
}

} // namespace

beforehand decided_beforehand(const strategy& how, std::size_t items, const workload& whole, const std::vector<device_description>& devices) {
  if (how.distribution == distribution::by_ratio && how.ratios.size() != devices.size())
    invalid("co_execute: there are " + std::to_string(how.ratios.size()) + " ratios for " + std::to_string(devices.size()) + " devices; give one each");
  const double reserve = reserve_of(how, devices);
  if (items == 0) return {};
  if (how.distribution != distribution::by_ratio && how.distribution != distribution::predicted) return {{}, expected_speeds(whole, items, devices)};
  std::vector<device_description> named = devices; // they were given, which names them
  for (device_description& d : named) d.only_when_named = false;
  const bool by_ratio = how.distribution == distribution::by_ratio;
  const std::vector<share> all = by_ratio ? divide(items, how.ratios, how.granularity) : advise(whole, items, named, how.granularity).shares;
  beforehand out{without_reserve(all, items, reserve, how.granularity), std::vector<beforehand::expectation>(devices.size())};
  for (const share& s : all) out.expected[s.device].rate = static_cast<double>(s.count); // in proportion: all are to finish together
  return out;
}

namespace {

/// One device of a rehearsal: what it computes, what waits behind that, and when it is free.
class rehearsed {
public:
  explicit rehearsed(const policy::linear_cost& cost) : m_each(cost.each), m_start(cost.fixed) {}

  /// Submitted at `now`: it begins when it is launched and the one before it is done.
  void take(const share& what, double now) {
    const double begin = std::max(m_under_way.empty() ? 0 : m_under_way.back().end, now + m_start);
    m_under_way.push_back({what, begin, begin + m_each * static_cast<double>(what.count)});
  }
  bool rests() const noexcept { return m_under_way.empty(); }
  double next_end() const noexcept { return m_under_way.front().end; }
  void finish(dealer& from, co_report::part& report, double now) {
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
  std::vector<running> m_under_way; // two at most
};

} // namespace

co_report rehearse(const workload& whole, std::size_t items, const strategy& how, const std::vector<device_description>& devices, const std::vector<double>& speeds) {
  if (devices.empty()) invalid("rehearse: give at least one device");
  if (!speeds.empty() && speeds.size() != devices.size())
    invalid("rehearse: there are " + std::to_string(speeds.size()) + " speeds for " + std::to_string(devices.size()) + " devices; give one each, or none");
  for (const double s : speeds)
    if (!(s > 0) || std::isinf(s)) invalid("rehearse: a speed is " + policy::short_number(s) + "; it says how many times as fast as predicted a device is");
  dealer from(items, devices.size(), how, decided_beforehand(how, items, whole, devices));
  co_report report;
  std::vector<rehearsed> all;
  for (const device_description& d : devices) {
    const prediction p = predict(d, whole);
    if (!std::isfinite(p.total.count())) invalid("rehearse: " + d.name + " cannot do it: " + explain({}, whole, {d}));
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
    std::size_t who = all.size();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].rests() && (who == all.size() || all[i].next_end() < all[who].next_end())) who = i;
    if (who == all.size()) return report;
    report.wall = seconds(all[who].next_end());
    all[who].finish(from, report.parts[who], report.wall.count());
    take(who, report.wall.count());
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
  const double predicted = (decided.divides ? decided.together : decided.alone).count(), took = happened.wall.count();
  const double alone = best_rate > 0 ? items / best_rate : took;
  h.error = predicted > 0 ? std::abs(took - predicted) / predicted : 0;
  h.right = took <= alone;
  h.text = "predicted " + policy::time_text(predicted) + ", took " + policy::time_text(took) + "; " + fastest + " alone, as fast as it was here, " +
           policy::time_text(alone) + ": the division " + (h.right ? "paid" : "did not pay");
  return h;
}

std::string co_report::text() const {
  std::string out;
  for (const part& p : parts)
    out += p.device + ": " + std::to_string(p.items) + " items in " + std::to_string(p.chunks) + " parts, " + policy::time_text(p.busy.count()) + "\n";
  return out + "together " + policy::time_text(wall.count()) + ", balance " + policy::short_number(balance()) + "\n";
}

} // namespace prism
