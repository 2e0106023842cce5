// The section about one range over several devices.
#include "bench/measure.hpp"
#include "bench/selection/kernels.hpp"
#include "bench/selection/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

using prism::distribution;

/// One way to divide the range, and what its runs showed.
struct division {
  distribution kind;
  const char* text;
  bool learns = false, exact = false;
  std::vector<double> overheads{}, balances{}, own{};
  bool equal = true;

  void add(const prism::co_report& report) {
    double longest = 0;
    for (const prism::co_report::part& p : report.parts) longest = std::max(longest, p.busy.count());
    overheads.push_back(1 - report.efficiency());
    balances.push_back(report.balance());
    own.push_back(1 - longest / report.wall.count());
  }
};

std::vector<division> all_divisions() {
  return {{distribution::predicted, "`predicted`, by descriptions alone"},
          {distribution::predicted, "`predicted`, with a model that saw the runs before it", true},
          {distribution::by_ratio, "`by_ratio`, the speeds of the runs before it"},
          {distribution::by_ratio, "`by_ratio`, the same with `reserve` 0: no corrections", false, true},
          {distribution::dynamic, "`dynamic`"},
          {distribution::guided, "`guided`"},
          {distribution::two_ended, "`two_ended`"}};
}

/// Host, PoCL and lavapipe.
class shared_cores {
public:
  explicit shared_cores(std::size_t n) : m_alone(n), m_together(n) {
    for (const sycl::device& d : sycl::device::get_devices()) {
      const std::string where = prism::describe(d).executes_on, name = d.get_info<sycl::info::device::name>();
      const bool wanted = where.rfind("host", 0) == 0 ||
                          (where.rfind("opencl", 0) == 0 && name.find("llvmpipe") == name.npos) ||
                          (where.rfind("vulkan", 0) == 0 && name.find("llvmpipe") != name.npos);
      if (!wanted) continue;
      m_queues.emplace_back(d);
      m_names += (m_names.empty() ? "" : " + ") + where;
    }
    sycl::buffer<float> whole(m_alone.data(), sycl::range<1>(n));
    m_queues.front().submit([&](sycl::handler& h) { heavy_part(h, whole, 0, n); });
  }
  const std::vector<sycl::queue>& queues() const { return m_queues; }
  const std::string& names() const { return m_names; }

  /// Sets `equal` to false if the result differs from that of one device.
  prism::co_report run(const prism::strategy& s, bool& equal) {
    const std::size_t n = m_together.size();
    prism::co_report report;
    {
      sycl::buffer<float> parts(m_together.data(), sycl::range<1>(n));
      const bool by_workload = s.distribution == distribution::predicted || s.model != nullptr;
      report = prism::co_execute(m_queues, n, s, [&](sycl::handler& h, std::size_t first, std::size_t count) {
        heavy_part(h, parts, first, count);
      }, by_workload ? heavy_work(n) : prism::workload());
    }
    for (std::size_t i = 0; i < n; ++i)
      equal = equal && std::abs(m_together[i] - m_alone[i]) <= 1e-5f * std::abs(m_alone[i]);
    return report;
  }

private:
  std::vector<sycl::queue> m_queues;
  std::string m_names;
  std::vector<float> m_alone, m_together;
};

/// Averages with the earlier value, so that no single run decides.
void update_speeds(std::vector<double>& speeds, const prism::co_report& report) {
  for (std::size_t i = 0; i < speeds.size(); ++i)
    speeds[i] = speeds[i] > 0 && report.parts[i].busy.count() > 0
                    ? (speeds[i] + report.parts[i].rate()) / 2
                    : std::max(speeds[i], report.parts[i].rate());
}

void measure(shared_cores& cores, std::vector<division>& kinds, prism::performance_model& model, int rounds) {
  std::vector<double> speeds(cores.queues().size(), 0);
  // The first iteration builds kernels, the second shows the speeds.
  for (int round = -2; round < rounds; ++round)
    for (division& d : kinds) {
      if (round < 0 && d.kind != distribution::guided) continue;
      prism::strategy how_to;
      how_to.distribution = d.kind;
      how_to.granularity = 1024;
      if (d.kind == distribution::by_ratio) how_to.ratios = speeds;
      if (d.exact) how_to.reserve = 0;
      if (d.learns || round == -1) how_to.model = &model;
      const prism::co_report report = cores.run(how_to, d.equal);
      if (round >= -1) update_speeds(speeds, report);
      if (round >= 0) d.add(report);
    }
}

std::string advice_lines(const shared_cores& cores, const prism::performance_model& model, std::size_t n) {
  std::vector<prism::device_description> devices;
  for (const sycl::queue& q : cores.queues())
    devices.push_back(prism::describe(q.get_device())), devices.back().only_when_named = false;
  const std::string shared = prism::advise(heavy_work(n), n, devices).reason;
  for (prism::device_description& d : devices) d.physical_id.clear();
  return "\n`prism::advise` about this job: " + shared +
         ". As if each had hardware of its own: " + prism::advise(heavy_work(n), n, devices, 1024).reason +
         "; after these runs: " + prism::advise(heavy_work(n), n, devices, 1024, &model).reason + ".\n";
}

} // namespace

std::string division_section(const selection_options& how) {
  const std::size_t n = how.quick ? 1 << 18 : 1 << 21;
  shared_cores cores(n);
  std::vector<division> kinds = all_divisions();
  prism::performance_model model;
  measure(cores, kinds, model, how.quick ? 3 : 9);
  std::string out =
      "## One range over several devices\n\n"
      "`prism::co_execute` over host, PoCL and lavapipe, which share the same cores. Overhead: the extra "
      "time compared\n"
      "with the best possible division at the speeds that the devices reached together (goal: at most 3 "
      "%). Balance: mean busy time divided by the\n"
      "longest (goal: at least 0.9). Idle: the share of the wall time in which not even the busiest device "
      "computed. Medians of interleaved runs.\n\n"
      "| devices | division | overhead | balance | idle | result |\n|---|---|---|---|---|---|\n";
  for (const division& d : kinds)
    out += fmt::format("| {} | {} | {:.1f} % | {:.2f} | {:.1f} % | {} |\n", cores.names(), d.text,
                       100 * spread_of(d.overheads).median, spread_of(d.balances).median,
                       100 * spread_of(d.own).median, d.equal ? "equal" : "DIFFERS");
  return out + advice_lines(cores, model, n);
}

} // namespace bench
