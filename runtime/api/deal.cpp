#include "runtime/api/deal.hpp"

#include <algorithm>
#include <utility>

namespace prism {

namespace {

constexpr double parts_of_an_even_share = 16; // of dynamic chunks, unless the strategy says how large they are
constexpr double worth_launching = 4;         // so many times what launching it costs, a chunk takes at least

} // namespace

dealer::dealer(std::size_t items, std::size_t devices, const strategy& how, std::vector<share> fixed)
    : m_end(items), m_how(how), m_fixed(std::move(fixed)), m_static(!m_fixed.empty()), m_takers(devices), m_done(devices, 0), m_busy(devices, 0), m_launching(devices, 0) {
  m_how.granularity = std::max<std::size_t>(how.granularity, 1);
  const auto even = static_cast<std::size_t>(static_cast<double>(items) / static_cast<double>(std::max<std::size_t>(devices, 1)) / parts_of_an_even_share);
  m_chunk = how.chunk != 0 ? how.chunk : (std::max<std::size_t>(even, 1) + m_how.granularity - 1) / m_how.granularity * m_how.granularity;
}

share dealer::next(std::size_t device) {
  if (m_static) {
    for (share& s : m_fixed)
      if (s.device == device && s.count != 0) return {device, s.first, std::exchange(s.count, 0)};
    return {};
  }
  const std::size_t left = m_end - m_begin;
  if (left == 0) return {};
  const std::size_t size = m_how.distribution == distribution::dynamic ? policy::equal_chunk(left, m_takers, device, m_how.granularity, m_chunk)
                                                                       : policy::guided_chunk(left, m_takers, device, m_how.granularity);
  if (size == 0) {
    m_takers[device].takes = m_takers[device].backlog > 0; // it asks again when that is done
    return {};
  }
  m_takers[device].backlog += static_cast<double>(size);
  if (m_how.distribution == distribution::two_ended && device != 0) return {device, m_end -= size, size};
  return {device, std::exchange(m_begin, m_begin + size), size};
}

void dealer::finished(const share& what, double seconds, double launching) {
  policy::taker& t = m_takers[what.device];
  t.backlog -= static_cast<double>(what.count);
  m_done[what.device] += static_cast<double>(what.count);
  m_busy[what.device] += seconds;
  if (m_busy[what.device] <= 0) return;
  t.rate = m_done[what.device] / m_busy[what.device];
  double& least = m_launching[what.device]; // the first launch builds the kernel too
  if (launching > 0) least = least > 0 ? std::min(least, launching) : launching;
  t.least = t.rate * least * worth_launching;
}

void dealer::stop() {
  m_begin = m_end;
  for (share& s : m_fixed) s.count = 0;
}

} // namespace prism
