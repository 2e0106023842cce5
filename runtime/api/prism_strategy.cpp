// <prism/strategy.hpp>: advice over descriptions, and running one range on several queues.
#include "runtime/policy/decide.hpp"
#include "runtime/policy/divide.hpp"
#include "runtime/policy/explain.hpp"
#include "runtime/policy/problem.hpp"
#include "runtime/policy/vocabulary.hpp"

#include <prism/devices.hpp>
#include <prism/strategy.hpp>
#include <sycl/info.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <thread>

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

namespace {

using clock = std::chrono::steady_clock;

/// Where the queues take their parts from. Thread-safe.
class source {
public:
  source(std::size_t items, std::size_t queues, const strategy& how, std::vector<share> fixed)
      : m_end(items), m_queues(queues), m_how(how), m_fixed(std::move(fixed)), m_static(!m_fixed.empty()) {
    const std::size_t even = std::max<std::size_t>(items / std::max<std::size_t>(queues, 1) / 16, 1);
    const std::size_t grain = std::max<std::size_t>(how.granularity, 1);
    m_chunk = how.chunk != 0 ? how.chunk : (even + grain - 1) / grain * grain;
  }

  /// Count 0: there is nothing left for this queue.
  share next(std::size_t queue) {
    const std::lock_guard lock(m_mutex);
    if (m_static) {
      for (share& s : m_fixed)
        if (s.device == queue && s.count != 0) return {queue, s.first, std::exchange(s.count, 0)};
      return {};
    }
    const std::size_t left = m_end - m_begin;
    if (left == 0) return {};
    const std::size_t size = m_how.distribution == distribution::dynamic ? std::min(left, m_chunk)
                                                                         : policy::guided_chunk(left, m_queues, m_how.granularity);
    if (m_how.distribution == distribution::two_ended && queue != 0) return {queue, m_end -= size, size};
    return {queue, std::exchange(m_begin, m_begin + size), size};
  }

  void stop() {
    const std::lock_guard lock(m_mutex);
    m_begin = m_end;
    for (share& s : m_fixed) s.count = 0;
  }

private:
  std::mutex m_mutex;
  std::size_t m_begin = 0, m_end, m_queues, m_chunk;
  strategy m_how;
  std::vector<share> m_fixed;
  bool m_static;
};

std::vector<share> fixed_shares(const std::vector<sycl::queue>& queues, std::size_t items, const strategy& how, const workload& whole) {
  if (how.distribution == distribution::by_ratio) {
    if (how.ratios.size() != queues.size())
      invalid("co_execute: there are " + std::to_string(how.ratios.size()) + " ratios for " + std::to_string(queues.size()) + " queues; give one each");
    return divide(items, how.ratios, how.granularity);
  }
  if (how.distribution != distribution::predicted) return {};
  std::vector<device_description> devices;
  for (const sycl::queue& q : queues) {
    devices.push_back(describe(q.get_device()));
    devices.back().only_when_named = false; // the queue names it
  }
  return advise(whole, items, devices, how.granularity).shares;
}

} // namespace

co_report co_execute(std::vector<sycl::queue> queues, std::size_t items, const strategy& how,
                     const std::function<void(sycl::handler&, std::size_t, std::size_t)>& part, const workload& whole) {
  if (queues.empty()) invalid("co_execute: give at least one queue");
  source from(items, queues.size(), how, items != 0 ? fixed_shares(queues, items, how, whole) : std::vector<share>());
  co_report report;
  for (const sycl::queue& q : queues) report.parts.push_back({q.get_device().get_info<sycl::info::device::name>(), 0, 0, seconds(0)});
  std::mutex error_mutex;
  std::exception_ptr error;
  const auto keep = [&](std::exception_ptr e) {
    from.stop();
    const std::lock_guard lock(error_mutex);
    if (!error) error = std::move(e);
  };
  // Queues of our own in the same contexts: their errors come here and not to handlers that may end the process.
  for (sycl::queue& q : queues)
    q = sycl::queue(q.get_context(), q.get_device(), [&](sycl::exception_list list) {
      for (const std::exception_ptr& e : list) keep(e);
    });
  const auto work = [&](std::size_t i) {
    co_report::part& mine = report.parts[i];
    try {
      for (share s = from.next(i); s.count != 0; s = from.next(i)) {
        const auto begin = clock::now();
        queues[i].submit([&](sycl::handler& h) { part(h, s.first, s.count); });
        queues[i].wait_and_throw();
        mine.busy += clock::now() - begin;
        mine.items += s.count;
        ++mine.chunks;
      }
    } catch (...) {
      keep(std::current_exception());
    }
  };
  const auto begin = clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < queues.size(); ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& t : threads) t.join();
  report.wall = clock::now() - begin;
  if (error) std::rethrow_exception(error);
  return report;
}

} // namespace prism
