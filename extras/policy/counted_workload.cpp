#include "extras/policy/counted_workload.hpp"

#include <algorithm>

namespace prism::policy {

namespace {

double total(const double (&counts)[image::counted_depths], double trips) {
  double sum = 0, factor = 1;
  for (const double count : counts) {
    sum += count * factor;
    factor *= trips;
  }
  return sum;
}

} // namespace

workload typical_workload() {
  workload w;
  w.flops = 1e9;
  w.bytes = 1e8;
  w.bytes_to_move = 1e7;
  return w;
}

workload workload_from(const image::kernel_counts& c, const char* name, double items, double trips) {
  const double half = total(c.flops16, trips), single = total(c.flops32, trips),
               twice = total(c.flops64, trips);
  const double integers = total(c.integer_operations, trips);
  workload w;
  w.operation = name;
  w.items = items;
  // Choose the type that takes most of the time. Double precision is slower, so its operations count twice.
  if (twice > 0 && twice * 2 >= single) w.data_type = "fp64", w.flops = twice + single;
  else if (single + half > 0) w.data_type = half > single ? "fp16" : "fp32", w.flops = half + single + twice;
  else w.data_type = "int32", w.flops = integers;
  w.flops *= items;
  w.bytes = items * (total(c.bytes_read, trips) + total(c.bytes_written, trips));
  // A quarter of random accesses dominates: each costs as much as eight sequential ones.
  w.access = c.random_share >= 0.25   ? access_pattern::random
             : c.strided_share >= 0.5 ? access_pattern::strided
                                      : access_pattern::sequential;
  w.divergence = std::clamp(c.divergence, 0.0, 1.0);
  return w;
}

} // namespace prism::policy
