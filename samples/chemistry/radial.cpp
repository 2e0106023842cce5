#include "samples/chemistry/radial.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace chemistry {
namespace {

constexpr std::size_t most_bins = 4096;       // 16 KiB of local memory
constexpr std::size_t most_particles = 90000; // their pairs are fewer than 2^32
constexpr std::size_t group = 64;

template <sycl::access::address_space Space, sycl::memory_scope Scope>
using counter = sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, Scope, Space>;
using local_counter = counter<sycl::access::address_space::local_space, sycl::memory_scope::work_group>;
using global_counter = counter<sycl::access::address_space::global_space, sycl::memory_scope::device>;

} // namespace

radial_distribution::radial_distribution(double box, std::size_t bins, double reach)
    : m_box(box), m_reach(reach) {
  if (!(std::isfinite(box) && box > 0))
    throw std::invalid_argument("the length of a box is a positive number, not " + std::to_string(box));
  if (!(reach > 0 && reach <= 0.5 * box * (1 + 1e-12)))
    throw std::invalid_argument("distances reach from 0 to half a box, " + std::to_string(0.5 * box) +
                                ", not to " + std::to_string(reach));
  if (bins == 0 || bins > most_bins)
    throw std::invalid_argument("a distribution has 1 to " + std::to_string(most_bins) + " bins, not " +
                                std::to_string(bins));
  m_counts.resize(bins);
}

void radial_distribution::add(sycl::queue& queue, const std::vector<vector>& positions) {
  const std::size_t n = positions.size(), bins = m_counts.size();
  if (n < 2 || n > most_particles)
    throw std::invalid_argument("a distribution has 2 to " + std::to_string(most_particles) +
                                " particles, not " + std::to_string(n));
  if (m_states > 0 && n != m_particles)
    throw std::invalid_argument("a distribution of " + std::to_string(m_particles) +
                                " particles was given a state of " + std::to_string(n));
  sycl::buffer<std::uint32_t> counts{sycl::range<1>(bins)};
  sycl::buffer<vector> all(positions.data(), sycl::range<1>(n));
  queue.submit([&](sycl::handler& h) {
    h.fill(sycl::accessor(counts, h, sycl::write_only, sycl::no_init), std::uint32_t(0));
  });
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor at(all, h, sycl::read_only);
    const sycl::accessor to(counts, h, sycl::read_write);
    const sycl::local_accessor<std::uint32_t> local(sycl::range<1>(bins), h);
    const float box = float(m_box), inverse = float(1 / m_box), scale = float(double(bins) / m_reach);
    const auto work = sycl::nd_range<1>((n + group - 1) / group * group, group);
    h.parallel_for(work, [=](sycl::nd_item<1> item) {
      for (std::size_t k = item.get_local_id(0); k < bins; k += group) local[k] = 0;
      sycl::group_barrier(item.get_group());
      const std::size_t i = item.get_global_id(0);
      // Particle i meets the half of the others behind it, so that each work-item has as many pairs.
      const std::size_t partners = i < n ? (n - 1) / 2 + (n % 2 == 0 && i < n / 2 ? 1 : 0) : 0;
      const vector here = at[i < n ? i : 0];
      for (std::size_t k = 1; k <= partners; ++k) {
        const vector other = at[i + k < n ? i + k : i + k - n];
        const auto along = [=](float d) { return d - box * std::floor(d * inverse + 0.5f); };
        const float x = along(here.x - other.x), y = along(here.y - other.y), z = along(here.z - other.z);
        const float place = std::sqrt(x * x + y * y + z * z) * scale;
        if (place < float(bins)) local_counter(local[std::size_t(place)]).fetch_add(1);
      }
      sycl::group_barrier(item.get_group());
      for (std::size_t k = item.get_local_id(0); k < bins; k += group)
        if (local[k] != 0) global_counter(to[k]).fetch_add(local[k]);
    });
  });
  const sycl::host_accessor seen(counts, sycl::read_only);
  for (std::size_t k = 0; k < bins; ++k) m_counts[k] += seen[k];
  m_particles = n;
  ++m_states;
}

std::vector<double> radial_distribution::values() const {
  if (m_states == 0) throw std::invalid_argument("a distribution has values when a state was added");
  const double n = double(m_particles), pairs = 0.5 * n * (n - 1) * double(m_states);
  std::vector<double> out;
  for (std::size_t k = 0; k < m_counts.size(); ++k) {
    const double inner = double(k) * width(), outer = double(k + 1) * width(),
                 shell = 4 * 3.14159265358979323846 / 3 * (std::pow(outer, 3) - std::pow(inner, 3));
    out.push_back(double(m_counts[k]) * std::pow(m_box, 3) / (pairs * shell));
  }
  return out;
}

} // namespace chemistry
