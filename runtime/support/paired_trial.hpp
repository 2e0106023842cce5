// Two ways to do one thing, measured by turns: which is faster. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace prism::support {

enum class build_side : std::uint8_t { general, specialised };

/// Launches by turns, and their times.
class build_trial {
public:
  static constexpr unsigned launches = 7; // of each; the first does not count: drivers finish building then
  static constexpr double margin = 0.05;  // by which it must be faster
  /// The next launch to be timed; nothing when all are on their way.
  std::optional<build_side> next();
  void add(build_side side, double nanoseconds);
  /// A launch that was on its way has no time, say because it failed.
  void lost(build_side side);
  bool complete() const;
  struct result {
    bool keep = false;
    double ratio = 0; // specialised / general
    double general_ns = 0, specialised_ns = 0;
  };
  /// The shortest of each decide: what else runs on the machine only makes launches longer.
  result judge() const;

private:
  unsigned m_begun = 0;
  unsigned m_done[2] = {0, 0};
  std::vector<double> m_times[2];
};

} // namespace prism::support
