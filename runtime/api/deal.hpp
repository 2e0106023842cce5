// Who takes which part of a range next: the rules of prism::co_execute without devices, threads or clocks, so that they also run
// in simulated time (prism::rehearse). Not thread-safe.
#pragma once

#include "runtime/policy/divide.hpp"

#include <prism/strategy.hpp>

namespace prism {

class dealer {
public:
  /// `fixed`: the shares of a division that was made beforehand; empty: chunks.
  dealer(std::size_t items, std::size_t devices, const strategy& how, std::vector<share> fixed);

  /// Count 0: there is nothing for this device now; nor later, unless it has something under way.
  share next(std::size_t device);
  /// The device computed `what` in so many seconds. `launching`: what submitting it cost, 0 when that is not known.
  void finished(const share& what, double seconds, double launching);
  /// Nothing more is given.
  void stop();

private:
  std::size_t m_begin = 0, m_end, m_chunk;
  strategy m_how;
  std::vector<share> m_fixed;
  bool m_static;
  std::vector<policy::taker> m_takers;
  std::vector<double> m_done, m_busy, m_launching;
};

} // namespace prism
