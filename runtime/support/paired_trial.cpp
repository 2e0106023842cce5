#include "runtime/support/paired_trial.hpp"

#include <algorithm>
#include <cstddef>

namespace prism::support {

namespace {

constexpr std::size_t least_times = 3; // measurements of each build needed for a verdict

} // namespace

std::optional<build_side> build_trial::next() {
  if (m_begun == 2 * launches) return std::nullopt;
  return m_begun++ % 2 == 0 ? build_side::general : build_side::specialised;
}

void build_trial::add(build_side side, double nanoseconds) {
  const auto which = static_cast<std::size_t>(side);
  if (m_done[which]++ != 0) m_times[which].push_back(nanoseconds);
}

void build_trial::lost(build_side side) { ++m_done[static_cast<std::size_t>(side)]; }

bool build_trial::complete() const { return m_done[0] + m_done[1] == 2 * launches; }

build_trial::result build_trial::judge() const {
  result found;
  if (m_times[0].size() < least_times || m_times[1].size() < least_times) return found;
  found.general_ns = *std::min_element(m_times[0].begin(), m_times[0].end());
  found.specialised_ns = *std::min_element(m_times[1].begin(), m_times[1].end());
  found.ratio = found.general_ns > 0 ? found.specialised_ns / found.general_ns : 1;
  found.keep = found.ratio <= 1 - margin;
  return found;
}

} // namespace prism::support
