#include "runtime/launch/launch_slices.hpp"

#include <algorithm>
#include <cassert>

namespace prism::runtime {

const support::slice_limit& asked_slices() {
  // environment_check.hpp reports other texts
  static const support::slice_limit asked =
      support::parse_slice(support::value_of(support::variables::slice)).value_or(support::slice_limit());
  return asked;
}

void make_part(devices::dispatch_command& launch) {
  if (launch.part.is_part) return;
  unsigned dimension = 0; // that with most groups, so that slices can be small
  for (unsigned d = 1; d < 3; ++d)
    if (launch.groups[d] >= launch.groups[dimension]) dimension = d;
  const std::uint64_t whole = launch.groups[dimension];
  assert(whole <= devices::group_part::most_groups);
  launch.part = {1, dimension & 3u, 0, static_cast<std::uint32_t>(whole)};
}

slice_sizes::slice_sizes(const support::slice_limit& limit, const devices::dispatch_command& launch,
                         std::uint64_t units)
    : m_limit(limit), m_left(launch.groups[launch.part.dimension]) {
  const std::uint64_t groups = launch.groups[0] * launch.groups[1] * launch.groups[2];
  if (groups == 0) m_left = 0;
  if (m_left == 0) return;
  const std::uint64_t layer = groups / m_left;
  m_next = measures() ? (units + layer - 1) / layer : limit.groups / layer;
  m_next = std::max<std::uint64_t>(m_next, 1);
}

/// The next slice would last as long as the limit if it were as fast as this one. It has at most four times
/// as many layers, because it may be slower.
void slice_sizes::took(std::chrono::nanoseconds time) {
  const std::uint64_t layers = next();
  m_left -= layers;
  if (!measures()) return;
  const double wanted = double(m_limit.milliseconds) * 1e6 * double(layers) / double(time.count() + 1);
  m_next = static_cast<std::uint64_t>(std::clamp(wanted, 1.0, 4.0 * double(layers)));
}

devices::dispatch_command slice_of(const devices::dispatch_command& launch, std::uint64_t done,
                                   std::uint64_t layers) {
  devices::dispatch_command out = launch;
  out.part.first = static_cast<std::uint32_t>(launch.part.first + done) & 0x1fffffffu;
  out.groups[launch.part.dimension] = layers;
  return out;
}

} // namespace prism::runtime
