// Who takes which part of a range next: the rules of prism::co_execute without devices, threads or clocks, so
// that they also run in simulated time (prism::rehearse). `now`: seconds since whatever moment, never less
// than before. Not thread-safe.
#pragma once

#include "extras/policy/divide.hpp"

#include <prism/strategy.hpp>

namespace prism {

/// What a dealer starts with.
struct beforehand {
  struct expectation {
    double rate = 0, launching = 0; // items a second, 0: unknown; seconds
  };
  std::vector<share> fixed;          // consecutive from the first item; what they leave is dealt in chunks
  std::vector<expectation> expected; // one a device; empty: nothing is known
};

class dealer {
public:
  dealer(std::size_t items, std::size_t devices, const strategy& how, beforehand known);

  /// Count 0: there is nothing for this device now; nor later, unless it has something under way.
  share next(std::size_t device, double now);
  /// The device computed `what` in so many seconds. `launching`: what submitting it cost, 0 when that is not
  /// known.
  void finished(const share& what, double seconds, double launching, double now);
  /// Nothing more is given.
  void stop();
  /// What the shares leave, before the first of it is given; 0 without shares.
  std::size_t held_back() const noexcept { return m_known.fixed.empty() ? 0 : m_end - m_begin; }

private:
  share ahead_of_its_end(std::size_t device);
  std::vector<policy::taker> takers(double now) const;
  void expect(std::vector<policy::taker>& out) const;

  std::size_t m_begin = 0, m_end, m_chunk;
  strategy m_how;
  beforehand m_known;
  std::vector<char> m_on_its_share; // a device computes or will compute its fixed share
  std::vector<char> m_took_ahead;   // and what is to follow it has been submitted
  std::vector<policy::taker> m_takers;
  std::vector<double> m_done, m_busy, m_since; // the last: when what a device does now began
};

} // namespace prism
