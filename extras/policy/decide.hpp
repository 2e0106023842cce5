// The choice of a device: constraints exclude devices, preferences order the others, then the priority
// decides. Of devices with equal scores the faster, then the cheaper, then the one that uses less power is
// chosen, then the first in the order of their descriptions' texts, so the order of the list does not matter.
// Pure; choose() allocates no memory.
#pragma once

#include "extras/policy/predict.hpp"
#include "extras/policy/requirement.hpp"

namespace prism::policy {

/// Why a device is excluded, in the order in which the reasons are checked.
enum class verdict : std::uint8_t {
  fits,
  lost,
  not_named,
  not_preferred,
  forbidden,
  requirement,
  cost_per_hour,
  power,
  temperature, // the values up to here do not depend on the workload
  operation,
  data_type,
  rate,
  bandwidth,
  footprint,
  latency,
  throughput,
  cost_per_job
};

struct judgement {
  timing time;
  verdict why = verdict::fits;
  bool fits() const noexcept { return why == verdict::fits; }
};

class decider {
public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  /// Copies the policy and holds no reference to the devices. Throws problem for a policy with invalid
  /// values.
  decider(const execution_policy& policy, const std::vector<device_description>& devices);

  judgement judge(std::size_t device, const job& work) const noexcept;
  std::size_t choose(const job& work) const noexcept;
  /// Returns all devices: those that fit, best first, then the others by name.
  std::vector<std::size_t> ranking(const job& work) const;
  /// Returns why a device is excluded, with the figures; empty if it fits.
  std::string reason(const device_description& description, std::size_t device, const job& work) const;

private:
  struct entry {
    machine on;
    verdict fixed = verdict::fits;
    std::size_t culprit = 0;                                       // index in require or forbid
    std::size_t preference = 0;                                    // first entry of prefer that it matches
    std::size_t order = 0;                                         // index in the order of texts
    std::vector<std::pair<std::string, std::uint32_t>> operations; // name and bit mask of data types
  };
  void fix(entry& e, const device_description& device) const;
  bool better(std::size_t a, const judgement& ja, std::size_t b, const judgement& jb) const noexcept;
  double score(const prediction& p, const entry& e) const noexcept; // lower is better

  execution_policy m_policy;
  std::vector<requirement> m_require, m_prefer, m_forbid;
  std::vector<entry> m_entries;
};

} // namespace prism::policy
