// Reductions and running sums of elements in memory, for one arithmetic (fold.cpp).
//
// The order of the additions depends on the extents only, so that all devices give the same bits: each part
// of a result's elements adds 16 interleaved sums, and then the parts are added in order.
#pragma once

#include "kernels/array/node.hpp"

namespace prism::array_detail {

enum class fold_op : std::uint8_t { sum, product, minimum, maximum, any, all, count, first_minimum, first_maximum };

/// A reduction of the last `reduced` of the input's dimensions; the results lie in C order.
struct fold {
  program_array in;
  std::int64_t extent[max_rank]; // the dimensions of the results first
  std::int32_t rank, reduced, result_type;
  fold_op op;
  std::int64_t results, elements, parts, part_elements; // elements: of one result
  void* partial; // results * parts values of the arithmetic, or positions
  void* out;
};

/// Submits it. `host` is the same as `f`, which the device reads.
sycl::event run_fold(sycl::queue& queue, arithmetic kind, const fold* f, const fold& host);

/// Running sums: rows of `elements`, C order, in the arithmetic's own type, in place.
void run_scan(device_state& device, arithmetic kind, void* data, std::int64_t rows, std::int64_t elements);

} // namespace prism::array_detail
