// Submits the host device's convolutions of which each channel of the result has one of the image
// (depthwise), with square windows of 3, 5 and 7 that step by one. An ordinary C++ compiler compiles this
// file and the sums: prism++ would turn their vectors into scalars before it makes vectors of work-items.
#include "kernels/nn/convolution.hpp"
#include "kernels/nn/host_planes.hpp"

#include <algorithm>

namespace prism::nn {
namespace {

template <typename R>
using runner = void (*)(const plane_convolution<R>&, R*, size_t, size_t);

template <typename R>
runner<R> best_runner() {
#if PRISM_HOST_IS_X86_64
  switch (host_isa::best()) {
    case host_isa::level::v4: return run_planes<R, host_isa::v4>;
    case host_isa::level::v3: return run_planes<R, host_isa::v3>;
    default: break;
  }
#endif
  return run_planes<R, host_isa::baseline>;
}

template <typename R>
plane_elements<R> elements(const planes<R>& of) {
  return {of.data + of.offset, of.stride[0], of.stride[1], of.stride[2], of.stride[3]};
}

template <typename R>
bool fits(sycl::queue& queue, const convolution_of<R>& what) {
  const window& how = what.how;
  const tensor4<R>& w = what.w;
  const size_t size = w.extent[2];
  for (int d = 0; d < 2; ++d)
    if (how.stride[d] != 1 || how.dilation[d] != 1) return false;
  constexpr size_t narrowest = 16 / sizeof(R); // vector
  return queue.get_backend() == sycl::backend::ext_prism_host && what.y.stride[3] == 1 && w.extent[1] == 1 &&
         w.extent[0] == what.groups && w.extent[3] == size && (size == 3 || size == 5 || size == 7) &&
         2 * how.padding[1] <= narrowest;
}

/// One work-item a group, which the host device gives to a thread: some strips of channels.
template <typename R>
std::optional<sycl::event> submit(sycl::queue& queue, const convolution_of<R>& what, const events& depends) {
  if (!fits(queue, what)) return {};
  constexpr size_t most_bytes = 16384, groups_of_thread = 8, // the copy stays in the first-level cache
      rows = 28;                                             // multiples of all rows that are summed at once
  const tensor4<R>&x = what.x, &w = what.w, &y = what.y;
  const sycl::device device = queue.get_device();
  const size_t height = y.extent[2], lead = plane_lead<R>,
               line = (x.extent[3] + what.how.padding[1] + lead - 1) / lead * lead,
               images = y.extent[0] * what.groups, size = w.extent[2],
               wanted = groups_of_thread * device.get_info<sycl::info::device::max_compute_units>(),
               that_fit = most_bytes / sizeof(R) / line / rows * rows,
               // Rows of few channels are divided among the threads.
      few = std::max<size_t>(1, wanted / images), of_thread = (height + few - 1) / few,
               of_strip = std::min(std::max(that_fit, rows / 4),
                                   (of_thread + rows / 4 - 1) / (rows / 4) * (rows / 4)),
               strips = (height + of_strip - 1) / of_strip, all = images * strips,
               of_group = std::max<size_t>(1, all / wanted), groups = (all + of_group - 1) / of_group;
  plane_convolution<R> plain{{},
                             {},
                             {},
                             size,
                             what.groups,
                             strips,
                             of_strip,
                             x.extent[2],
                             x.extent[3],
                             height,
                             y.extent[3],
                             what.how.padding[0],
                             what.how.padding[1],
                             line};
  const size_t memory = (std::max(of_strip, most_plane_rows) + size) * line + 3 * lead;
  if (memory * sizeof(R) > device.get_info<sycl::info::device::local_mem_size>()) return {};
  const auto run = best_runner<R>();
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const planes<const R> from = x.read(h), by = w.read(h);
    const planes<R> to = y.write(h);
    const sycl::local_accessor<R> copy(memory, h);
    h.parallel_for(sycl::nd_range<1>(groups, 1), [=](sycl::nd_item<1> item) {
      plane_convolution<R> each = plain;
      each.x = elements(from), each.w = elements(by), each.y = elements(to);
      const size_t first = item.get_group(0) * of_group;
      run(each, &copy[0], first, std::min(all, first + of_group));
    });
  });
}

} // namespace

template <>
std::optional<sycl::event> convolve_planes<float>(sycl::queue& queue, const convolution_of<float>& what,
                                                  const events& depends) {
  return submit(queue, what, depends);
}
template <>
std::optional<sycl::event> convolve_planes<double>(sycl::queue& queue, const convolution_of<double>& what,
                                                   const events& depends) {
  return submit(queue, what, depends);
}

} // namespace prism::nn
