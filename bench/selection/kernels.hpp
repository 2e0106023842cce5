// Twelve kernels that differ in what bounds them, for predictions: each with the compiler's own counts.
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
/// Over data of at most `most` items, which they share.
std::vector<predicted_kernel> twelve_kernels(std::size_t most);

/// A heavy kernel over items first ... first + count, for divisions: the same work for each item.
void heavy_part(sycl::handler& h, sycl::buffer<float>& out, std::size_t first, std::size_t count);

/// What all of it is, as far as a person counts.
prism::workload heavy_work(std::size_t items);

/// One to each item: as little as a kernel can do.
void small_part(sycl::handler& h, sycl::buffer<float>& all);

} // namespace bench
