#include "extras/policy/decide.hpp"

#include "extras/policy/description_file.hpp"
#include "extras/policy/problem.hpp"
#include "extras/policy/vocabulary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism::policy {

namespace {

std::vector<requirement> parsed(const std::vector<std::string>& texts) {
  std::vector<requirement> out;
  for (const std::string& t : texts) out.push_back(parse_requirement(t));
  return out;
}

void check_limit(const char* name, std::optional<double> limit) {
  if (limit && !(*limit >= 0))
    throw problem(std::string("policy: ") + name + " is " + number_text(*limit) +
                  "; it must be a number from 0");
}

void check(const execution_policy& p) {
  check_limit("max_latency", p.max_latency ? std::optional(p.max_latency->count()) : std::nullopt);
  check_limit("min_throughput", p.min_throughput);
  check_limit("max_cost_per_hour", p.max_cost_per_hour);
  check_limit("max_cost_per_job", p.max_cost_per_job);
  check_limit("max_power", p.max_power);
  check_limit("max_temperature", p.max_temperature);
  if (p.only_preferred && p.prefer.empty())
    throw problem("policy: only_preferred is set and prefer is empty, so no device could fit");
}

} // namespace

decider::decider(const execution_policy& policy, const std::vector<device_description>& devices)
    : m_policy(policy), m_require(parsed(policy.require)), m_prefer(parsed(policy.prefer)),
      m_forbid(parsed(policy.forbid)) {
  check(policy);
  std::vector<std::string> texts;
  for (const device_description& d : devices) {
    entry e;
    e.on = machine_of(d);
    fix(e, d);
    m_entries.push_back(std::move(e));
    texts.push_back(d.name + '\n' + write_json({d}));
  }
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return texts[a] < texts[b]; });
  for (std::size_t place = 0; place < order.size(); ++place) m_entries[order[place]].order = place;
}

void decider::fix(entry& e, const device_description& device) const {
  const auto first = [&](const std::vector<requirement>& list, bool met) {
    return static_cast<std::size_t>(std::find_if(list.begin(), list.end(), [&](const requirement& r) {
      return meets(device, r) == met;
    }) - list.begin());
  };
  for (const feature_description& f : device.features)
    for (const operation_description& o : f.operations) {
      std::uint32_t types = 0;
      for (const std::string& t : o.data_types) types |= 1u << data_type_index(canonical_data_type(t));
      if (!o.data_types.empty()) e.operations.emplace_back(o.name, types);
    }
  e.preference = first(m_prefer, true);
  const auto named = [&](const requirement& r) { return names(device, r); };
  if (device.is_lost) e.fixed = verdict::lost;
  else if (device.only_when_named && std::none_of(m_prefer.begin(), m_prefer.end(), named) &&
           std::none_of(m_require.begin(), m_require.end(), named))
    e.fixed = verdict::not_named;
  else if (m_policy.only_preferred && e.preference == m_prefer.size()) e.fixed = verdict::not_preferred;
  else if (const std::size_t bad = first(m_forbid, true); bad != m_forbid.size())
    e.fixed = verdict::forbidden, e.culprit = bad;
  else if (const std::size_t lacking = first(m_require, false); lacking != m_require.size())
    e.fixed = verdict::requirement, e.culprit = lacking;
  else if (m_policy.max_cost_per_hour && device.price_per_hour > *m_policy.max_cost_per_hour)
    e.fixed = verdict::cost_per_hour;
  else if (m_policy.max_power && (device.watts == 0 || device.watts > *m_policy.max_power))
    e.fixed = verdict::power;
  else if (m_policy.max_temperature && (!device.celsius || *device.celsius > *m_policy.max_temperature))
    e.fixed = verdict::temperature;
}

judgement decider::judge(std::size_t device, const job& work) const noexcept {
  const entry& e = m_entries[device];
  judgement j;
  j.time = predict_on(e.on, work);
  const prediction& p = j.time.predicted;
  const auto decide = [&]() -> verdict {
    if (e.fixed != verdict::fits) return e.fixed;
    if (!work.what->operation.empty()) {
      std::uint32_t types = 0;
      bool listed = false;
      for (const auto& [name, bits] : e.operations)
        if (name == work.what->operation) listed = true, types |= bits;
      if (listed && (types >> work.data_type & 1) == 0) return verdict::operation;
    }
    switch (j.time.lacks) {
      case unknown::nothing: break;
      case unknown::data_type: return verdict::data_type;
      case unknown::rate: return verdict::rate;
      case unknown::bandwidth: return verdict::bandwidth;
    }
    if (work.what->footprint_bytes > e.on.memory && e.on.memory > 0) return verdict::footprint;
    if (m_policy.max_latency && p.total > *m_policy.max_latency) return verdict::latency;
    if (m_policy.min_throughput && p.throughput < *m_policy.min_throughput) return verdict::throughput;
    if (m_policy.max_cost_per_job && p.cost > *m_policy.max_cost_per_job) return verdict::cost_per_job;
    return verdict::fits;
  };
  j.why = decide();
  return j;
}

double decider::score(const prediction& p, const entry& e) const noexcept {
  switch (m_policy.priority) {
    case priority::speed: return p.total.count();
    case priority::latency: return p.upper.count();
    case priority::throughput: return -p.throughput;
    case priority::cost: return p.cost;
    case priority::energy: return e.on.watts > 0 ? p.energy_joules : std::numeric_limits<double>::infinity();
  }
  return p.total.count();
}

bool decider::better(std::size_t a, const judgement& ja, std::size_t b, const judgement& jb) const noexcept {
  const entry &ea = m_entries[a], &eb = m_entries[b];
  const prediction &pa = ja.time.predicted, &pb = jb.time.predicted;
  if (ea.preference != eb.preference) return ea.preference < eb.preference;
  if (const double sa = score(pa, ea), sb = score(pb, eb); sa != sb) return sa < sb;
  if (pa.total != pb.total) return pa.total < pb.total;
  if (ea.on.price_per_second != eb.on.price_per_second)
    return ea.on.price_per_second < eb.on.price_per_second;
  if (ea.on.watts != eb.on.watts) return ea.on.watts < eb.on.watts;
  return ea.order < eb.order;
}

std::size_t decider::choose(const job& work) const noexcept {
  std::size_t best = none;
  judgement best_judgement;
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    if (m_entries[i].fixed != verdict::fits) continue;
    const judgement j = judge(i, work);
    if (j.fits() && (best == none || better(i, j, best, best_judgement))) best = i, best_judgement = j;
  }
  return best;
}

std::vector<std::size_t> decider::ranking(const job& work) const {
  std::vector<judgement> judged;
  for (std::size_t i = 0; i < m_entries.size(); ++i) judged.push_back(judge(i, work));
  std::vector<std::size_t> order(m_entries.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (judged[a].fits() != judged[b].fits()) return judged[a].fits();
    return judged[a].fits() ? better(a, judged[a], b, judged[b]) : m_entries[a].order < m_entries[b].order;
  });
  return order;
}

std::string decider::reason(const device_description& d, std::size_t device, const job& work) const {
  const entry& e = m_entries[device];
  const judgement j = judge(device, work);
  const prediction& p = j.time.predicted;
  const workload& w = *work.what;
  switch (j.why) {
    case verdict::fits: return {};
    case verdict::lost:
      return "it is lost: its driver reported a reset or an unplugged device, or PRISM_TIMEOUT has passed";
    case verdict::not_named:
      return "chosen only if the policy names it (another device uses the same hardware faster)";
    case verdict::not_preferred: return "only_preferred is set and prefer does not name it";
    case verdict::forbidden: return "forbid \"" + m_forbid[e.culprit].text + "\"";
    case verdict::requirement:
      return "require \"" + m_require[e.culprit].text + "\": " + found_instead(d, m_require[e.culprit]);
    case verdict::cost_per_hour:
      return "max_cost_per_hour " + number_text(*m_policy.max_cost_per_hour) + ": it costs " +
             number_text(d.price_per_hour);
    case verdict::power:
      return "max_power " + number_text(*m_policy.max_power) +
             " W: " + (d.watts == 0 ? "its power is unknown" : "it takes " + number_text(d.watts) + " W");
    case verdict::temperature:
      return "max_temperature " + number_text(*m_policy.max_temperature) + " °C: " +
             (d.celsius ? "it has " + number_text(*d.celsius) + " °C" : "its temperature is unknown");
    case verdict::operation: return "it does not do \"" + w.operation + "\" in " + w.data_type;
    case verdict::data_type: return "it does not compute in " + w.data_type;
    case verdict::rate: return "its description has no peak_gflops";
    case verdict::bandwidth: return "its description has no bandwidth_gbps";
    case verdict::footprint:
      return "needs " + bytes_text(w.footprint_bytes) + " of memory: it has " + bytes_text(e.on.memory);
    case verdict::latency:
      return "max_latency " + time_text(m_policy.max_latency->count()) + ": it would take " +
             time_text(p.total.count());
    case verdict::throughput:
      return "min_throughput " + short_number(*m_policy.min_throughput) + "/s: it would do " +
             short_number(p.throughput) + "/s";
    case verdict::cost_per_job:
      return "max_cost_per_job " + number_text(*m_policy.max_cost_per_job) + ": it would cost " +
             short_number(p.cost);
  }
  return {};
}

} // namespace prism::policy
