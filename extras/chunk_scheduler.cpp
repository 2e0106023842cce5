#include "extras/chunk_scheduler.hpp"

#include <algorithm>
#include <utility>

namespace prism {

namespace {

constexpr double ahead_parts =
    64; // the chunk ahead of a share's end is the device's fraction of the reserve divided by this
constexpr double parts_of_an_even_share = 16; // number of dynamic chunks, unless strategy::chunk is set

} // namespace

chunk_scheduler::chunk_scheduler(std::size_t items, std::size_t devices, const strategy& how,
                                 prior_estimate known)
    : m_end(items), m_how(how), m_known(std::move(known)), m_on_its_share(devices, 0),
      m_took_ahead(devices, 0), m_workers(devices), m_done(devices, 0), m_busy(devices, 0),
      m_since(devices, 0) {
  m_how.granularity = std::max<std::size_t>(how.granularity, 1);
  const auto even = static_cast<std::size_t>(static_cast<double>(items) /
                                             static_cast<double>(std::max<std::size_t>(devices, 1)) /
                                             parts_of_an_even_share);
  m_chunk = how.chunk != 0 ? how.chunk
                           : (std::max<std::size_t>(even, 1) + m_how.granularity - 1) / m_how.granularity *
                                 m_how.granularity;
  if (m_known.fixed.empty()) return;
  for (policy::worker& t : m_workers) t.takes = false; // a device without a share does not take part
  for (const share& s : m_known.fixed) {
    m_on_its_share[s.device] = m_workers[s.device].takes = true;
    m_begin = std::max(m_begin, s.first + s.count);
  }
}

std::vector<policy::worker> chunk_scheduler::workers(double now) const {
  std::vector<policy::worker> out = m_workers;
  expect(out);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].backlog > 0 && !m_on_its_share[i])
      out[i].backlog = std::max(
          0.0, out[i].backlog -
                   out[i].rate * (now - m_since[i])); // a chunk that is still being launched delays it too
  return out;
}

void chunk_scheduler::expect(std::vector<policy::worker>& out) const {
  if (m_known.expected.empty()) return;
  double shown = 0, expected = 0; // sums over the devices, to correct the expectations
  for (std::size_t i = 0; i < out.size(); ++i)
    if (m_known.expected[i].rate > 0 && out[i].rate > 0)
      shown += out[i].rate, expected += m_known.expected[i].rate;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].rate > 0) continue;
    out[i].rate = m_known.expected[i].rate * (expected > 0 ? shown / expected : 1);
    out[i].launching = m_known.expected[i].launching;
    out[i].expected = out[i].rate > 0;
  }
}

/// Takes a small chunk of the reserve, in proportion to the shares, so that the device is busy between the
/// end of its share and its next chunk.
share chunk_scheduler::ahead_of_its_end(std::size_t device) {
  if (std::exchange(m_took_ahead[device], 1)) return {};
  double all = 0;
  for (const prior_estimate::expectation& e : m_known.expected) all += e.rate;
  const double part =
      static_cast<double>(m_end - m_begin) * m_known.expected[device].rate / all / ahead_parts;
  const std::size_t count = static_cast<std::size_t>(part) / m_how.granularity * m_how.granularity;
  m_workers[device].backlog = static_cast<double>(count);
  return {device, std::exchange(m_begin, m_begin + count), count};
}

share chunk_scheduler::next(std::size_t device, double now) {
  for (share& s : m_known.fixed)
    if (s.device == device && s.count != 0) return {device, s.first, std::exchange(s.count, 0)};
  if (m_on_its_share[device]) return ahead_of_its_end(device);
  const std::size_t left = m_end - m_begin;
  if (left == 0 || !m_workers[device].takes) return {};
  const std::vector<policy::worker> all = workers(now);
  const std::size_t size = m_how.distribution == distribution::dynamic
                               ? policy::equal_chunk(left, all, device, m_how.granularity, m_chunk)
                               : policy::guided_chunk(left, all, device, m_how.granularity);
  if (size == 0) {
    m_workers[device].takes = m_workers[device].backlog > 0; // its worker calls next() again after it
    return {};
  }
  if (m_workers[device].backlog <= 0) m_since[device] = now + all[device].launching;
  m_workers[device].backlog += static_cast<double>(size);
  if (m_how.distribution == distribution::two_ended && device != 0) return {device, m_end -= size, size};
  return {device, std::exchange(m_begin, m_begin + size), size};
}

void chunk_scheduler::finished(const share& what, double seconds, double launching, double now) {
  policy::worker& t = m_workers[what.device];
  if (m_on_its_share[what.device])
    m_on_its_share[what.device] =
        false; // fixed shares are not in the backlog: all are expected to end together
  else t.backlog -= static_cast<double>(what.count);
  m_done[what.device] += static_cast<double>(what.count);
  m_busy[what.device] += seconds;
  m_since[what.device] = now;
  if (m_busy[what.device] <= 0) return;
  t.rate = m_done[what.device] / m_busy[what.device];
  if (launching > 0)
    t.launching = t.launching > 0 ? std::min(t.launching, launching)
                                  : launching; // the first launch builds the kernel too
}

void chunk_scheduler::stop() {
  m_begin = m_end;
  for (share& s : m_known.fixed) s.count = 0;
}

} // namespace prism
