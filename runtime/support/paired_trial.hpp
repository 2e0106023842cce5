// Determines which of two methods is faster, from alternating measurements. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace prism::support {

enum class build_side : std::uint8_t { general, specialised };

/// Alternating launches of two builds, and their times.
class build_trial {
public:
  // of each build; the first is not measured, because drivers may finish building then
  static constexpr unsigned launches = 7;
  static constexpr double margin = 0.05; // minimal relative advantage of the specialised build
  /// The build of the next launch to be timed; empty if all have been started.
  std::optional<build_side> next();
  void add(build_side side, double nanoseconds);
  /// A started launch could not be measured, for example because it failed.
  void lost(build_side side);
  bool complete() const;
  struct result {
    bool keep = false;
    double ratio = 0; // specialised / general
    double general_ns = 0, specialised_ns = 0;
  };
  /// Compares the shortest time of each build, because other load on the machine can only make launches
  /// longer.
  result judge() const;

private:
  unsigned m_begun = 0;
  unsigned m_done[2] = {0, 0};
  std::vector<double> m_times[2];
};

} // namespace prism::support
