#include "kernels/checks.hpp"

#include <prism/kernels/blas.hpp>

namespace prism::kernels {

sycl::event axpy(sycl::queue& queue, float a, sycl::buffer<float>& x, sycl::buffer<float>& y) {
  require_whole(x, "axpy", "x");
  require_whole(y, "axpy", "y");
  require(x.size() == y.size(),
          "axpy: x has " + std::to_string(x.size()) + " elements, y has " + std::to_string(y.size()));
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor in(x, h, sycl::read_only);
    sycl::accessor out(y, h, sycl::read_write);
    h.parallel_for(x.get_range(), [=](sycl::id<1> i) { out[i] = a * in[i] + out[i]; });
  });
}

sycl::event dot(sycl::queue& queue, sycl::buffer<float>& x, sycl::buffer<float>& y,
                sycl::buffer<float>& result) {
  require_whole(x, "dot", "x");
  require_whole(y, "dot", "y");
  require(x.size() == y.size(),
          "dot: x has " + std::to_string(x.size()) + " elements, y has " + std::to_string(y.size()));
  require(result.size() == 1,
          "dot: the result has " + std::to_string(result.size()) + " elements instead of one");
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor left(x, h, sycl::read_only), right(y, h, sycl::read_only);
    auto sum =
        sycl::reduction(result, h, sycl::plus<float>(), sycl::property::reduction::initialize_to_identity{});
    h.parallel_for(x.get_range(), sum, [=](sycl::id<1> i, auto& partial) { partial += left[i] * right[i]; });
  });
}

namespace {

/// Multiplies tiles of Tile x Tile elements of a and b in local memory. A work-item computes one element of
/// c. Edges are padded with zeros.
template <std::uint32_t Tile>
sycl::event gemm_tiled(sycl::queue& queue, const gemm_shape& shape, float alpha, sycl::buffer<float, 2>& a,
                       sycl::buffer<float, 2>& b, float beta, sycl::buffer<float, 2>& c) {
  const auto rounded = [](std::size_t n) { return (n + Tile - 1) / Tile * Tile; };
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor left(a, h, sycl::read_only), right(b, h, sycl::read_only);
    sycl::accessor out(c, h, sycl::read_write);
    sycl::local_accessor<float, 2> ta({Tile, Tile}, h), tb({Tile, Tile}, h);
    const std::size_t m = shape.m, n = shape.n, k = shape.k;
    h.parallel_for(sycl::nd_range<2>({rounded(m), rounded(n)}, {Tile, Tile}), [=](sycl::nd_item<2> item) {
      const std::size_t y = item.get_local_id(0), x = item.get_local_id(1);
      const std::size_t row = item.get_global_id(0), column = item.get_global_id(1);
      float sum = 0;
      for (std::size_t first = 0; first < k; first += Tile) {
        ta[y][x] = row < m && first + x < k ? left[sycl::id<2>(row, first + x)] : 0.0f;
        tb[y][x] = first + y < k && column < n ? right[sycl::id<2>(first + y, column)] : 0.0f;
        sycl::group_barrier(item.get_group());
        for (std::uint32_t i = 0; i < Tile; ++i) sum += ta[y][i] * tb[i][x];
        sycl::group_barrier(item.get_group());
      }
      if (row < m && column < n) {
        const sycl::id<2> at(row, column);
        out[at] = beta == 0 ? alpha * sum : alpha * sum + beta * out[at];
      }
    });
  });
}

} // namespace

sycl::event gemm(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a, sycl::buffer<float, 2>& b,
                 float beta, sycl::buffer<float, 2>& c) {
  const bool large = queue.get_device().get_info<sycl::info::device::max_work_group_size>() >= 256;
  return gemm_in_tiles(queue, large ? 16 : 8, alpha, a, b, beta, c);
}

sycl::event gemm_in_tiles(sycl::queue& queue, std::size_t tile, float alpha, sycl::buffer<float, 2>& a,
                          sycl::buffer<float, 2>& b, float beta, sycl::buffer<float, 2>& c) {
  const gemm_shape shape = require_gemm(a, b, c, "gemm");
  require(tile == 8 || tile == 16, "gemm: tiles of " + std::to_string(tile) + "; supported are 8 and 16");
  return tile == 16 ? gemm_tiled<16>(queue, shape, alpha, a, b, beta, c)
                    : gemm_tiled<8>(queue, shape, alpha, a, b, beta, c);
}

} // namespace prism::kernels
