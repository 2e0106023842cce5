// What the iterations for eigenvalues and singular values share: rotations of adjacent columns of the
// vectors, which wait until there are many (Van Zee, van de Geijn & Quintana-Orti 2014).
#pragma once

#include "kernels/linalg/host/dense.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace prism::linalg::host {

/// As sycl::hypot, which takes as long as the rest of a step, where the squares are in range.
template <typename R>
R length(R x, R y) {
  const R sum = x * x + y * y;
  constexpr R least = std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon();
  return sum >= least && sum <= std::numeric_limits<R>::max() ? sycl::sqrt(sum) : sycl::hypot(x, y);
}

/// The rotations of some steps, and their application to z when there are many.
template <typename E>
class delayed_sweeps {
  using R = real_of_number<E>;

public:
  /// `z` may be null: then nothing is recorded.
  delayed_sweeps(count n, const dense<E>* z) : m_z(z) {
    if (z != nullptr) m_numbers.resize(std::size_t(2 * (most_of_column + 1) * std::max<count>(n, 1)));
  }
  /// A step with rotations from `first` down to `last`, or fewer. Upward: column i is the i-th from the end.
  void begin(count first, count last, bool upward) {
    if (m_z == nullptr) return;
    const count room = first - last + 1;
    if (upward != m_upward || m_used + 2 * room > count(m_numbers.size())) apply();
    m_upward = upward;
    R* const c = m_numbers.data() + m_used - last;
    m_sweeps.push_back({first, first + 1, c, c + room});
    m_used += 2 * room;
  }
  void add(count i, R c, R s) {
    if (m_z == nullptr) return;
    rotations<R>& now = m_sweeps.back();
    now.c[i] = c, now.s[i] = s;
    now.last = i;
  }
  void apply() {
    if (m_z == nullptr || m_sweeps.empty()) return;
    count first = m_z->columns, last = 0; // columns that turn
    for (const rotations<R>& each : m_sweeps)
      first = std::min(first, each.last), last = std::max(last, each.first + 1);
    for (rotations<R>& each : m_sweeps)
      each.first -= first, each.last -= first, each.c += first, each.s += first;
    constexpr count parts = is_pair<E> ? 2 : 1; // real rotations turn real and imaginary parts alike
    const count from = m_upward ? m_z->columns - 1 - last : first;
    if (first < last)
      turn_columns(dense<R>{reinterpret_cast<R*>(m_z->column(from)), parts * m_z->rows, last - first + 1,
                            parts * m_z->leading},
                   m_sweeps.data(), count(m_sweeps.size()), m_upward);
    m_sweeps.clear();
    m_used = 0;
  }

private:
  static constexpr count most_of_column = 48;
  const dense<E>* m_z;
  bool m_upward = false;
  count m_used = 0;
  std::vector<R> m_numbers; // of each sweep its cosines and its sines
  std::vector<rotations<R>> m_sweeps;
};

} // namespace prism::linalg::host
