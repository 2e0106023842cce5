// Building and traversing the Barnes-Hut tree. tree.hpp has the method.
#include "samples/physics/tree.hpp"

#include <prism/primitives/sort.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace physics {
namespace {

/// Bits 0 to 20, each followed by two zeros.
inline std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x1f00000000ffff;
  bits = (bits | bits << 16) & 0x1f0000ff0000ff;
  bits = (bits | bits << 8) & 0x100f00f00f00f00f;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
  return (bits | bits << 2) & 0x1249249249249249;
}

/// The place on the curve of a coordinate along one axis of the cube.
template <typename Real>
inline std::uint64_t along(Real x, Real low, Real extent) {
  const Real part = extent > Real(0) ? sycl::fmin(sycl::fmax((x - low) / extent, Real(0)), Real(1)) : Real(0);
  return spread(std::uint64_t(part * Real((1 << 21) - 1)));
}

template <typename Real>
inline Real farthest2(Real low, Real high, Real from) {
  const Real reach = sycl::fmax(from - low, high - from);
  return reach * reach;
}

/// The squared distance from a centre to the farthest corner of a box.
template <typename Real>
inline Real radius2_of(const vector4<Real>& low, const vector4<Real>& high, const vector4<Real>& centre) {
  return farthest2(low.x(), high.x(), centre.x()) + farthest2(low.y(), high.y(), centre.y()) +
         farthest2(low.z(), high.z(), centre.z());
}

/// The centre of mass from the sum of mass times position; without mass any place of the box.
template <typename Real>
inline vector4<Real> centre_of(const vector4<Real>& sum, Real mass, const vector4<Real>& low) {
  vector4<Real> out = mass > Real(0) ? sum / mass : low;
  out.w() = mass;
  return out;
}

template <typename Real>
inline Real outside(Real low, Real high, Real x) {
  return sycl::fmax(sycl::fmax(low - x, x - high), Real(0));
}

template <typename Real>
inline constexpr Real endless = std::numeric_limits<Real>::max();

} // namespace

template <typename Real>
tree<Real>::tree(const sycl::queue& queue, std::size_t count)
    : m_queue(queue), m_count(std::uint32_t(count)),
      m_leaves(std::bit_ceil((m_count + most_in_leaf - 1) / most_in_leaf)),
      m_in_leaf((m_count + m_leaves - 1) / m_leaves), m_keys(sycl::range<1>(count)),
      m_order(sycl::range<1>(count)), m_sorted(sycl::range<1>(count)),
      m_centre(sycl::range<1>(2 * std::size_t(m_leaves))), m_low(m_centre.get_range()),
      m_high(m_centre.get_range()), m_radius2(m_centre.get_range()) {}

/// One work-group: its items take every group-th body, then halve the number of boxes.
template <typename Real>
void tree<Real>::bound(sycl::buffer<vector4<Real>> from) {
  const std::size_t group = std::bit_floor(
      std::min<std::size_t>(256, m_queue.get_device().get_info<sycl::info::device::max_work_group_size>()));
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor position(from, h, sycl::read_only);
    const sycl::accessor all_low(m_low, h, sycl::read_write), all_high(m_high, h, sycl::read_write);
    const sycl::local_accessor<vector4<Real>, 1> low(group, h), high(group, h);
    const std::size_t n = m_count;
    h.parallel_for(sycl::nd_range<1>(group, group), [=](sycl::nd_item<1> item) {
      const std::size_t me = item.get_local_id(0);
      vector4<Real> least(endless<Real>), most(-endless<Real>);
      for (std::size_t i = me; i < n; i += group) {
        least = sycl::fmin(least, position[i]);
        most = sycl::fmax(most, position[i]);
      }
      low[me] = least;
      high[me] = most;
      for (std::size_t half = group / 2; half > 0; half /= 2) {
        sycl::group_barrier(item.get_group());
        if (me < half) {
          low[me] = sycl::fmin(low[me], low[me + half]);
          high[me] = sycl::fmax(high[me], high[me + half]);
        }
      }
      if (me == 0) {
        all_low[0] = low[0];
        all_high[0] = high[0];
      }
    });
  });
}

template <typename Real>
void tree<Real>::sort(sycl::buffer<vector4<Real>> from) {
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor position(from, h, sycl::read_only);
    const sycl::accessor low(m_low, h, sycl::read_only), high(m_high, h, sycl::read_only);
    const sycl::accessor keys(m_keys, h, sycl::write_only, sycl::no_init);
    const sycl::accessor order(m_order, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(m_count), [=](sycl::id<1> i) {
      const vector4<Real> p = position[i], l = low[0], size = high[0] - l;
      const Real extent = sycl::fmax(size.x(), sycl::fmax(size.y(), size.z()));
      keys[i] =
          along(p.x(), l.x(), extent) << 2 | along(p.y(), l.y(), extent) << 1 | along(p.z(), l.z(), extent);
      order[i] = std::uint32_t(i[0]);
    });
  });
  prism::primitives::sort_by_key(m_queue, prism::view_of(m_keys), prism::view_of(m_order));
}

template <typename Real>
void tree<Real>::make_leaves() {
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor sorted(m_sorted, h, sycl::read_only);
    const sycl::accessor centre(m_centre, h, sycl::read_write), low(m_low, h, sycl::read_write),
        high(m_high, h, sycl::read_write);
    const sycl::accessor radius2(m_radius2, h, sycl::read_write);
    const std::uint32_t first_leaf = m_leaves, in_leaf = m_in_leaf, n = m_count;
    h.parallel_for(sycl::range<1>(m_leaves), [=](sycl::id<1> leaf) {
      const std::uint32_t first = sycl::min(std::uint32_t(leaf[0]) * in_leaf, n),
                          end = sycl::min(first + in_leaf, n);
      vector4<Real> least(endless<Real>), most(-endless<Real>), sum(Real(0));
      Real mass = 0;
      for (std::uint32_t i = first; i < end; ++i) {
        const vector4<Real> p = sorted[i];
        least = sycl::fmin(least, p);
        most = sycl::fmax(most, p);
        sum += p.w() * p;
        mass += p.w();
      }
      const std::size_t node = first_leaf + leaf[0];
      low[node] = least;
      high[node] = most;
      centre[node] = centre_of(sum, mass, least);
      radius2[node] = radius2_of(least, most, centre[node]);
    });
  });
}

/// Nodes first to 2 first - 1, from their children.
template <typename Real>
void tree<Real>::make_level(std::uint32_t first) {
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor centre(m_centre, h, sycl::read_write), low(m_low, h, sycl::read_write),
        high(m_high, h, sycl::read_write);
    const sycl::accessor radius2(m_radius2, h, sycl::read_write);
    h.parallel_for(sycl::range<1>(first), [=](sycl::id<1> i) {
      const std::size_t node = first + i[0], a = 2 * node, b = a + 1;
      const vector4<Real> least = sycl::fmin(low[a], low[b]), most = sycl::fmax(high[a], high[b]);
      const Real heavy = centre[a].w(), other = centre[b].w();
      // A node without bodies has no place: its centre is not a number that may be multiplied.
      const vector4<Real> sum = (heavy > Real(0) ? heavy * centre[a] : vector4<Real>(Real(0))) +
                                (other > Real(0) ? other * centre[b] : vector4<Real>(Real(0)));
      low[node] = least;
      high[node] = most;
      centre[node] = centre_of(sum, heavy + other, least);
      radius2[node] = radius2_of(least, most, centre[node]);
    });
  });
}

template <typename Real>
template <int Width>
void tree<Real>::traverse(sycl::buffer<vector4<Real>> to, const gravity& law) {
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor sorted(m_sorted, h, sycl::read_only), centre(m_centre, h, sycl::read_only);
    const sycl::accessor radius2(m_radius2, h, sycl::read_only);
    const sycl::accessor order(m_order, h, sycl::read_only);
    const sycl::accessor result(to, h, sycl::write_only, sycl::no_init);
    const std::uint32_t leaves = m_leaves, in_leaf = m_in_leaf, n = m_count;
    const Real theta2 = Real(law.theta * law.theta), softening2 = Real(law.softening * law.softening),
               constant = Real(law.constant);
    h.parallel_for(sycl::range<1>((n + Width - 1) / Width), [=](sycl::id<1> block) {
      const std::uint32_t begin = std::uint32_t(block[0]) * Width;
      Real x[Width], y[Width], z[Width], ax[Width], ay[Width], az[Width], potential[Width];
      vector4<Real> low(endless<Real>), high(-endless<Real>);
      for (int v = 0; v < Width; ++v) { // behind the last body: the last body again
        const vector4<Real> p = sorted[sycl::min(begin + std::uint32_t(v), n - 1)];
        x[v] = p.x(), y[v] = p.y(), z[v] = p.z();
        ax[v] = ay[v] = az[v] = potential[v] = 0;
        low = sycl::fmin(low, p);
        high = sycl::fmax(high, p);
      }
      const auto add = [&](const vector4<Real>& by) {
        for (int v = 0; v < Width; ++v) {
          Real sum[4] = {ax[v], ay[v], az[v], potential[v]};
          physics::attract(by.x() - x[v], by.y() - y[v], by.z() - z[v], by.w(), softening2, sum);
          ax[v] = sum[0], ay[v] = sum[1], az[v] = sum[2], potential[v] = sum[3];
        }
      };
      std::uint32_t node = 1;
      do {
        const vector4<Real> c = centre[node];
        if (c.w() > Real(0)) {
          const Real dx = outside(low.x(), high.x(), c.x()), dy = outside(low.y(), high.y(), c.y()),
                     dz = outside(low.z(), high.z(), c.z());
          if (radius2[node] < theta2 * (dx * dx + dy * dy + dz * dz)) add(c);
          else if (node >= leaves) {
            const std::uint32_t first = (node - leaves) * in_leaf;
            for (std::uint32_t i = first; i < sycl::min(first + in_leaf, n); ++i) add(sorted[i]);
          } else {
            node *= 2;
            continue;
          }
        }
        // The next node that is no descendant: up from each right child, then to the right.
        ++node;
        node >>= sycl::ctz(node);
      } while (node != 1);
      for (int v = 0; v < Width; ++v)
        if (begin + std::uint32_t(v) < n)
          result[order[begin + std::uint32_t(v)]] =
              constant * vector4<Real>(ax[v], ay[v], az[v], potential[v]);
    });
  });
}

template <typename Real>
void tree<Real>::attract(sycl::buffer<vector4<Real>> from, sycl::buffer<vector4<Real>> to,
                         const gravity& law) {
  bound(from);
  sort(from);
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor position(from, h, sycl::read_only);
    const sycl::accessor order(m_order, h, sycl::read_only);
    const sycl::accessor sorted(m_sorted, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(m_count), [=](sycl::id<1> i) { sorted[i] = position[order[i]]; });
  });
  make_leaves();
  for (std::uint32_t first = m_leaves / 2; first > 0; first /= 2) make_level(first);
  if (m_queue.get_device().is_cpu()) traverse<8>(to, law);
  else traverse<1>(to, law);
}

template class tree<float>;
template class tree<double>;

} // namespace physics
