// Divides the units of a fold among work-items, on processors through OpenCL. The work-item that ends last
// folds the values of the parts.
#pragma once

#include "kernels/array/chunks.hpp"

namespace prism::array_detail {

/// The units of a fold that each work-item computes.
template <int chunk>
struct unit_share {
  std::int64_t units, items, each;
  explicit unit_share(const program& host)
      : unit_share(unit_count<chunk>(host), shares_of(host, unit_count<chunk>(host))) {}
  /// A work-item for so many elements.
  unit_share(const program& host, std::int64_t elements)
      : unit_share(unit_count<chunk>(host), shares_by(host.size / elements, unit_count<chunk>(host))) {}

  /// In the kernel: calls run(program, first, last) for the item's units, and in the item that ends last for
  /// those of the fold of the parts.
  template <typename Run>
  PRISM_ARRAY_INLINE void run(program* p, std::int64_t item, const Run& run) const {
    const program* now = p;
    std::int64_t first = item * each, last = sycl::min(first + each, units);
    for (;;) { // one call, so that the driver builds its code once
      run(*now, first, last);
      if (!now->rest || !ends_last(*p, items)) break;
      now = now->rest;
      first = 0, last = unit_count<chunk>(*now);
    }
  }

private:
  unit_share(std::int64_t all, std::int64_t shares)
      : units(all), items(shares), each((units + items - 1) / items) {}
};

} // namespace prism::array_detail
