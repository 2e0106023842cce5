#include "kernels/fft/group_leaf.hpp"

namespace prism::fft {

template <>
sycl::event run_in_groups<float>(sycl::queue& queue, const leaf<float>& what, const bound<float>& with,
                                 const events& depends) {
  return run_groups<float>(queue, what, with, depends);
}
template <>
sycl::event run_in_groups<double>(sycl::queue& queue, const leaf<double>& what, const bound<double>& with,
                                  const events& depends) {
  return run_groups<double>(queue, what, with, depends);
}

} // namespace prism::fft
