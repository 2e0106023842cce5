// Which values of a kernel's launches are worth a build of their own, and whether that build is kept. Pure:
// tables in tests/unit/specialise_test.cpp.
//
// A value is one number of a launch, at a place that is the same for all launches of a kernel. Values that
// have few different numbers are stable; a set of them that occurs often enough is wanted. The build for a
// wanted set runs by turns with the general one, and is kept if it was faster by a margin.
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

/// The numbers of a launch, or of a set: nothing where any number may stand.
using value_set = std::vector<std::optional<std::uint64_t>>;

bool matches(const value_set& set, std::span<const std::uint64_t> launch);

/// Watches the launches of one kernel until there is nothing left to find.
class value_watch {
public:
  /// `after` launches with a set make it wanted; at most `most_sets` are wanted at a time, and twice as many
  /// are tried.
  value_watch(std::size_t values, unsigned after, unsigned most_sets);
  /// A set that has become wanted by this launch.
  std::optional<value_set> launch(std::span<const std::uint64_t> values);
  /// A launch with a set that is known already.
  void matched() { m_over = m_over || ++m_idle >= patience * m_after; }
  /// One that was wanted did not prove faster.
  void rejected() { ++m_rejected; }
  /// False once it had more different numbers than there may be sets.
  bool is_stable(std::size_t value) const { return m_numbers[value].size() <= m_most; }
  /// Nothing will be wanted any more.
  bool over() const { return m_over; }

private:
  static constexpr unsigned patience = 64; // times `after` launches without a new set
  struct seen {
    value_set set;
    unsigned launches = 0;
    bool wanted = false;
  };
  bool record(std::span<const std::uint64_t> values);
  value_set stable(std::span<const std::uint64_t> values) const;

  unsigned m_after, m_most;
  std::vector<std::vector<std::uint64_t>> m_numbers; // by value: the different ones, at most m_most + 1
  std::vector<seen> m_sets;
  unsigned m_wanted = 0, m_rejected = 0, m_idle = 0;
  bool m_over = false;
};

using support::build_side;
using support::build_trial;

/// What is known from an earlier process: a line for each set that was tried.
struct earlier_result {
  value_set set;
  bool keep = false;
  double ratio = 0;
};
std::string write_results(const std::vector<earlier_result>& results);
/// Nothing of lines that do not fit.
std::vector<earlier_result> read_results(std::string_view text, std::size_t values);

} // namespace prism::runtime
