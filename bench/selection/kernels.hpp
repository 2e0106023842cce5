// Twelve kernels with different bottlenecks, for predictions; each has the compiler's counts.
#pragma once

#include <prism/prism.hpp>

#include <functional>
#include <string>
#include <vector>

namespace bench {

struct predicted_kernel {
  std::string name;
  std::function<prism::workload(std::size_t items)> counted;
  std::function<void(sycl::queue&, std::size_t items)> submit;
};
/// They share data of at most `most` items.
std::vector<predicted_kernel> twelve_kernels(std::size_t most);

/// An expensive kernel over items first ... first + count, for divisions; the work is the same for each item.
void heavy_part(sycl::handler& h, sycl::buffer<float>& out, std::size_t first, std::size_t count);

/// The workload of all items, counted by hand.
prism::workload heavy_work(std::size_t items);

/// Adds one to each item: the smallest useful kernel.
void small_part(sycl::handler& h, sycl::buffer<float>& all);

} // namespace bench
