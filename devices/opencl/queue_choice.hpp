// Decides which of several in-order command queues of the driver takes a submission, so that submissions that
// need not wait for each other run concurrently. A pure function.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace prism::devices::opencl {

inline constexpr std::size_t most_driver_queues = 8;

/// `tails`: the last point of each queue, 0 before the first; `completed`: up to this point all are complete;
/// `after`: the submission must follow all points up to this one. The result is at most tails.size(), which
/// means a new queue, and less than `most`.
constexpr std::size_t choose_queue(std::span<const std::uint64_t> tails, std::uint64_t completed,
                                   std::uint64_t after, std::size_t most) {
  // A queue whose last point the submission follows anyway: the latest, whose order then costs nothing.
  const std::uint64_t followed = std::max(after, completed);
  std::size_t found = tails.size();
  for (std::size_t i = 0; i < tails.size(); ++i)
    if (tails[i] <= followed && (found == tails.size() || tails[i] > tails[found])) found = i;
  if (found < tails.size() || tails.size() < most) return found;
  return static_cast<std::size_t>(std::min_element(tails.begin(), tails.end()) - tails.begin());
}

} // namespace prism::devices::opencl
