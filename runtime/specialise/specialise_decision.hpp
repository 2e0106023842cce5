// Decides which values of a kernel's launches are worth a specialised build, and whether that build is used.
// Pure; table tests in tests/unit/specialise_test.cpp.
//
// A value is one number of a launch, at an offset that is the same for all launches of a kernel. A value is
// stable if it has few different numbers. A set of stable values is wanted if it occurs often enough.
// Launches then alternate between the build for the wanted set and the general one, and the specialised build
// is used if it is faster by a margin.
#pragma once

#include "runtime/support/paired_trial.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism::runtime {

/// The numbers of a launch or of a set; an empty element matches any number.
using value_set = std::vector<std::optional<std::uint64_t>>;

bool matches(const value_set& set, std::span<const std::uint64_t> launch);

/// Observes the launches of one kernel until no new set can become wanted.
class value_watch {
public:
  /// A set becomes wanted after `after` launches. At most `most_sets` are wanted at a time, and at most twice
  /// as many are tried.
  value_watch(std::size_t values, unsigned after, unsigned most_sets);
  /// Records a launch; returns the set that it made wanted, if any.
  std::optional<value_set> launch(std::span<const std::uint64_t> values);
  /// Records a launch with a set that is already known.
  void matched() { m_over = m_over || ++m_idle >= patience * m_after; }
  /// Records that the build for a wanted set was not faster.
  void rejected() { ++m_rejected; }
  /// False once the value had more different numbers than there may be sets.
  bool is_stable(std::size_t value) const { return m_numbers[value].size() <= m_most; }
  /// Whether no set can become wanted any more.
  bool over() const { return m_over; }

private:
  // times `after`: launches without a new set until the observation ends
  static constexpr unsigned patience = 64;
  struct seen {
    value_set set;
    unsigned launches = 0;
    bool wanted = false;
  };
  bool record(std::span<const std::uint64_t> values);
  value_set stable(std::span<const std::uint64_t> values) const;

  unsigned m_after, m_most;
  // the different numbers of each value, at most m_most + 1
  std::vector<std::vector<std::uint64_t>> m_numbers;
  std::vector<seen> m_sets;
  unsigned m_wanted = 0, m_rejected = 0, m_idle = 0;
  bool m_over = false;
};

using support::build_side;
using support::build_trial;

/// The result of an earlier process for one set: one line of the stored text.
struct earlier_result {
  value_set set;
  bool keep = false;
  double ratio = 0;
};
std::string write_results(const std::vector<earlier_result>& results);
/// Ignores lines that do not match.
std::vector<earlier_result> read_results(std::string_view text, std::size_t values);

} // namespace prism::runtime
