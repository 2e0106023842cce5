// The kernels of tunable.hpp. A parameter that changes the kernel's code (the block in registers) is a
// template parameter; the others are passed at launch.
#include "kernels/checks.hpp"

#include <prism/kernels/blas.hpp>
#include <prism/kernels/scan.hpp>
#include <prism/kernels/tunable.hpp>

#include <algorithm>

namespace prism::kernels {

namespace {

constexpr std::int64_t most_iterations = 32768; // software drivers stop a work-item after 65,535 of them

std::int64_t most_in_group(const sycl::device& device) {
  return static_cast<std::int64_t>(
      std::min<std::size_t>(device.get_info<sycl::info::device::max_work_group_size>(), 1024));
}

/// A work-item computes Rows x Columns elements of c. Its columns are a group's width apart, so that
/// neighbouring work-items read adjacent elements.
template <int Rows, int Columns>
sycl::event gemm_blocked(sycl::queue& queue, const gemm_shape& shape, sycl::range<2> group, float alpha,
                         sycl::buffer<float, 2>& a, sycl::buffer<float, 2>& b, float beta,
                         sycl::buffer<float, 2>& c) {
  const auto groups = [](std::size_t n, std::size_t block) { return (n + block - 1) / block; };
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor left(a, h, sycl::read_only), right(b, h, sycl::read_only);
    sycl::accessor out(c, h, sycl::read_write);
    const std::size_t m = shape.m, n = shape.n, k = shape.k;
    const sycl::range<2> global(groups(m, group[0] * Rows) * group[0],
                                groups(n, group[1] * Columns) * group[1]);
    h.parallel_for(sycl::nd_range<2>(global, group), [=](sycl::nd_item<2> item) {
      const std::size_t width = item.get_local_range(1);
      const std::size_t row = item.get_global_id(0) * Rows;
      const std::size_t column = item.get_group(1) * width * Columns + item.get_local_id(1);
      float sums[Rows][Columns] = {};
      for (std::size_t i = 0; i < k; ++i) {
        float across[Columns];
#pragma unroll
        for (int x = 0; x < Columns; ++x)
          across[x] = right[sycl::id<2>(i, std::min(column + x * width, n - 1))];
#pragma unroll
        for (int y = 0; y < Rows; ++y) {
          const float down = left[sycl::id<2>(std::min(row + y, m - 1), i)];
#pragma unroll
          for (int x = 0; x < Columns; ++x) sums[y][x] += down * across[x];
        }
      }
#pragma unroll
      for (int y = 0; y < Rows; ++y)
#pragma unroll
        for (int x = 0; x < Columns; ++x)
          if (row + y < m && column + x * width < n) {
            const sycl::id<2> at(row + y, column + x * width);
            out[at] = beta == 0 ? alpha * sums[y][x] : alpha * sums[y][x] + beta * out[at];
          }
    });
  });
}

using blocked = sycl::event (*)(sycl::queue&, const gemm_shape&, sycl::range<2>, float,
                                sycl::buffer<float, 2>&, sycl::buffer<float, 2>&, float,
                                sycl::buffer<float, 2>&);
struct block {
  std::int64_t rows, columns;
  blocked run;
};
constexpr block blocks[] = {{1, 1, gemm_blocked<1, 1>}, {2, 1, gemm_blocked<2, 1>},
                            {4, 1, gemm_blocked<4, 1>}, {8, 1, gemm_blocked<8, 1>},
                            {1, 4, gemm_blocked<1, 4>}, {2, 4, gemm_blocked<2, 4>},
                            {4, 4, gemm_blocked<4, 4>}, {8, 4, gemm_blocked<8, 4>}};

/// Sums the elements of each group.
sycl::event reduce_parts(sycl::queue& queue, bool strided, std::size_t groups, std::size_t group,
                         sycl::buffer<float>& x, sycl::buffer<float>& parts) {
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor in(x, h, sycl::read_only);
    sycl::accessor out(parts, h, sycl::write_only, sycl::no_init);
    const std::size_t n = x.size(), all = groups * group, each = (n + all - 1) / all;
    h.parallel_for(sycl::nd_range<1>(all, group), [=](sycl::nd_item<1> item) {
      const std::size_t id = item.get_global_id(0), step = strided ? all : 1;
      const std::size_t first = strided ? id : id * each, end = strided ? n : std::min(n, first + each);
      float sum = 0;
      for (std::size_t i = first; i < end; i += step) sum += in[i];
      sum = sycl::reduce_over_group(item.get_group(), sum, sycl::plus<float>());
      if (item.get_local_id(0) == 0) out[item.get_group(0)] = sum;
    });
  });
}

} // namespace

parameter_space gemm_space(const sycl::device& device, block_family family) {
  parameter_space s;
  const std::int64_t most = std::min<std::int64_t>(most_in_group(device), 256);
  s.choice("style", {"tiled", "blocked"}).integers("rows", {1, 2, 4, 8}).integers("columns", {1, 4});
  if (family == block_family::fibonacci) s.fibonacci("group_y", 1, 21).fibonacci("group_x", 8, most);
  else s.powers_of_two("group_y", 1, 16).powers_of_two("group_x", 8, most);
  s.constrain([most](const configuration& c) { return c.integer("group_x") * c.integer("group_y") <= most; },
              "a group has at most " + std::to_string(most) + " work-items");
  s.constrain([](const configuration& c) {
    const std::int64_t x = c.integer("group_x");
    return c.text("style") == "blocked" || (c.integer("rows") == 1 && c.integer("columns") == 1 &&
                                            x == c.integer("group_y") && (x == 8 || x == 16));
  }, "tiles are 8 x 8 or 16 x 16, with one element for each work-item");
  return s;
}

configuration gemm_initial(const sycl::device& device, block_family family) {
  const std::int64_t side = family == block_family::fibonacci ? 8 : most_in_group(device) >= 256 ? 16 : 8;
  return {{"style", std::string("tiled")},
          {"rows", std::int64_t(1)},
          {"columns", std::int64_t(1)},
          {"group_y", side},
          {"group_x", side}};
}

sycl::event gemm_with(sycl::queue& queue, const configuration& how, float alpha, sycl::buffer<float, 2>& a,
                      sycl::buffer<float, 2>& b, float beta, sycl::buffer<float, 2>& c) {
  const gemm_shape shape = require_gemm(a, b, c, "gemm_with");
  const auto y = static_cast<std::size_t>(how.integer("group_y")),
             x = static_cast<std::size_t>(how.integer("group_x"));
  if (how.text("style") == "tiled") return gemm_in_tiles(queue, x, alpha, a, b, beta, c);
  for (const block& b_ : blocks)
    if (how.text("style") == "blocked" && b_.rows == how.integer("rows") &&
        b_.columns == how.integer("columns"))
      return b_.run(queue, shape, {y, x}, alpha, a, b, beta, c);
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                        "gemm_with: there is no kernel for " + how.to_text() + "; choose one of gemm_space");
}

parameter_space reduce_space(const sycl::device& device, std::size_t items, block_family family) {
  parameter_space s;
  const std::int64_t most = most_in_group(device);
  s.choice("style", {"library", "strided", "blocked"});
  if (family == block_family::fibonacci) s.fibonacci("groups", 2, 610).fibonacci("group", 13, most);
  else s.powers_of_two("groups", 2, 512).powers_of_two("group", 16, most);
  const std::int64_t n = static_cast<std::int64_t>(items), first_groups = 2,
                     first_group = family == block_family::fibonacci ? 13 : 16;
  s.constrain([=](const configuration& c) {
    return c.text("style") == "library" || c.integer("groups") * c.integer("group") * most_iterations >= n;
  }, "a work-item adds at most " + std::to_string(most_iterations) + " elements");
  s.constrain([=](const configuration& c) {
    return c.text("style") != "library" ||
           (c.integer("groups") == first_groups && c.integer("group") == first_group);
  }, "the library chooses its own groups");
  return s;
}

configuration reduce_initial(const sycl::device&, block_family family) {
  return {{"style", std::string("library")},
          {"groups", std::int64_t(2)},
          {"group", std::int64_t(family == block_family::fibonacci ? 13 : 16)}};
}

sycl::event reduce_with(sycl::queue& queue, const configuration& how, sycl::buffer<float>& x,
                        sycl::buffer<float>& result) {
  const std::string& style = how.text("style");
  if (style == "library") return reduce(queue, x, result);
  require(style == "strided" || style == "blocked",
          "reduce_with: there is no kernel for " + how.to_text() + "; choose one of reduce_space");
  require_whole(x, "reduce_with", "x");
  require(result.size() == 1,
          "reduce_with: the result has " + std::to_string(result.size()) + " elements instead of one");
  const auto groups = static_cast<std::size_t>(how.integer("groups"));
  sycl::buffer<float> parts{sycl::range<1>(groups)};
  reduce_parts(queue, style == "strided", groups, static_cast<std::size_t>(how.integer("group")), x, parts);
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor in(parts, h, sycl::read_only);
    sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
    h.single_task([=] {
      float sum = 0;
      for (std::size_t i = 0; i < groups; ++i) sum += in[i];
      out[0] = sum;
    });
  });
}

} // namespace prism::kernels
