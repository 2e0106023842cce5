// The chunk scheduler of prism::co_execute: decides which device computes which items next. It uses no
// devices, threads or clocks, so it also runs in simulated time (prism::rehearse). `now` is in seconds since
// any fixed moment and must not decrease. Not thread-safe.
#pragma once

#include "extras/policy/divide.hpp"

#include <prism/strategy.hpp>

namespace prism {

/// What is known before the first item is scheduled.
struct prior_estimate {
  struct expectation {
    double rate = 0, launching = 0; // items a second, 0: unknown; seconds
  };
  std::vector<share>
      fixed; // fixed shares, consecutive from item 0; the remaining items are scheduled in chunks
  std::vector<expectation> expected; // one per device; empty: unknown
};

class chunk_scheduler {
public:
  chunk_scheduler(std::size_t items, std::size_t devices, const strategy& how, prior_estimate known);

  /// Returns the next items for the device. Count 0: there are none now; call it again only after an
  /// unfinished chunk of the device has finished.
  share next(std::size_t device, double now);
  /// Records that the device computed `what` in `seconds`. `launching`: the seconds that its submission took;
  /// 0: unknown.
  void finished(const share& what, double seconds, double launching, double now);
  /// From now on next() returns no items.
  void stop();
  /// Returns the number of items that the fixed shares leave, before the first of them is scheduled; 0
  /// without fixed shares.
  std::size_t held_back() const noexcept { return m_known.fixed.empty() ? 0 : m_end - m_begin; }

private:
  share ahead_of_its_end(std::size_t device);
  std::vector<policy::worker> workers(double now) const;
  void expect(std::vector<policy::worker>& out) const;

  std::size_t m_begin = 0, m_end, m_chunk;
  strategy m_how;
  prior_estimate m_known;
  std::vector<char> m_on_its_share; // the device has not finished its fixed share
  std::vector<char> m_took_ahead;   // the chunk that follows its share has been submitted
  std::vector<policy::worker> m_workers;
  std::vector<double> m_done, m_busy, m_since; // m_since: start of the device's current chunk
};

} // namespace prism
