#include "bench/selection/kernels.hpp"

#include <memory>

namespace bench {

namespace {

struct data {
  explicit data(std::size_t n)
      : a{sycl::range<1>(n)}, b{sycl::range<1>(n)}, c{sycl::range<1>(n)}, index{sycl::range<1>(n)} {
    sycl::host_accessor x(b, sycl::write_only, sycl::no_init), y(c, sycl::write_only, sycl::no_init);
    sycl::host_accessor at(index, sycl::write_only, sycl::no_init);
    std::size_t place = 1;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = float(i % 97) / 97, y[i] = float(i % 89) / 89;
      place = (place * 5 + 12345) & (n - 1); // n is a power of two: visits each index once, in no order
      at[i] = int(place);
    }
  }
  sycl::buffer<float> a, b, c;
  sycl::buffer<int> index;
};

class copy_k;
class scale_k;
class axpy_k;
class triad_k;
class root_k;
class polynomial_k;
class stencil_k;
class product_k;
class gather_k;
class strided_k;
class divergent_k;
class integer_k;

/// Calls body(i, a, b, c, index) for each item.
template <typename Name, typename Body>
predicted_kernel made(const char* name, const std::shared_ptr<data>& on, Body body) {
  return {name, [](std::size_t items) { return prism::workload_of<Name>(sycl::range<1>(items)); },
          [on, body](sycl::queue& queue, std::size_t items) {
    queue.submit([&](sycl::handler& h) {
      sycl::accessor a(on->a, h, sycl::read_write);
      sycl::accessor b(on->b, h, sycl::read_only), c(on->c, h, sycl::read_only);
      sycl::accessor index(on->index, h, sycl::read_only);
      h.parallel_for<Name>(sycl::range<1>(items), [=](sycl::id<1> i) { body(i[0], a, b, c, index); });
    });
  }};
}

} // namespace

std::vector<predicted_kernel> twelve_kernels(std::size_t most) {
  const auto d = std::make_shared<data>(most);
  const std::size_t last = most - 1; // a mask: most is a power of two
  return {
      made<copy_k>("copy", d, [](std::size_t i, auto& a, auto& b, auto&, auto&) { a[i] = b[i]; }),
      made<scale_k>("scale", d, [](std::size_t i, auto& a, auto& b, auto&, auto&) { a[i] = 3.5f * b[i]; }),
      made<axpy_k>("axpy", d,
                   [](std::size_t i, auto& a, auto& b, auto&, auto&) { a[i] = 3.5f * b[i] + a[i]; }),
      made<triad_k>("triad", d,
                    [](std::size_t i, auto& a, auto& b, auto& c, auto&) { a[i] = b[i] * c[i] + b[i]; }),
      made<root_k>("root", d,
                   [](std::size_t i, auto& a, auto& b, auto& c, auto&) {
    a[i] = sycl::sqrt(b[i] * b[i] + c[i] * c[i]);
  }),
      made<polynomial_k>("polynomial", d,
                         [](std::size_t i, auto& a, auto& b, auto&, auto&) {
    float x = b[i], sum = 0;
    for (int k = 0; k < 100; ++k) sum = sum * x + 1.5f;
    a[i] = sum;
  }),
      made<stencil_k>("stencil", d,
                      [last](std::size_t i, auto& a, auto& b, auto&, auto&) {
    a[i] = 0.25f * (b[i] + b[(i + 1) & last]) + 0.5f * b[(i + 2) & last];
  }),
      made<product_k>("matrix row", d,
                      [last](std::size_t i, auto& a, auto& b, auto& c, auto&) {
    float sum = 0;
    for (std::size_t k = 0; k < 64; ++k)
      sum += b[((i & ~std::size_t(63)) + k) & last] * c[((k << 6) + (i & 63)) & last];
    a[i] = sum;
  }),
      made<gather_k>("gather", d,
                     [](std::size_t i, auto& a, auto& b, auto&, auto& index) { a[i] = b[index[i]]; }),
      made<strided_k>(
          "strided", d,
          [last](std::size_t i, auto& a, auto& b, auto&, auto&) { a[i] = b[(i * 16) & last] * 2.0f; }),
      made<divergent_k>("divergent", d,
                        [](std::size_t i, auto& a, auto& b, auto&, auto& index) {
    float sum = b[i];
    if ((index[i] & 3) == 0)
      for (int k = 0; k < 64; ++k) sum = sum * 0.5f + 1.0f;
    a[i] = sum;
  }),
      made<integer_k>("hash", d,
                      [](std::size_t i, auto& a, auto&, auto&, auto& index) {
    unsigned x = unsigned(index[i]);
    for (int k = 0; k < 32; ++k) x = (x ^ (x >> 13)) * 0x9e3779b1u;
    a[i] = float(x & 1023u);
  }),
  };
}

void heavy_part(sycl::handler& h, sycl::buffer<float>& out, std::size_t first, std::size_t count) {
  sycl::accessor a(out, h, sycl::range<1>(count), sycl::id<1>(first), sycl::write_only, sycl::no_init);
  h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
    float x = float((first + i[0]) % 1000) * 1e-3f, sum = 0;
    for (int k = 0; k < 2000; ++k) sum = sum * x + 0.5f;
    a[i] = sum; // counted from the accessor's first element
  });
}

prism::workload heavy_work(std::size_t items) {
  prism::workload w;
  w.operation = "heavy";
  w.items = double(items);
  w.flops = 4000.0 * w.items;
  w.bytes = w.bytes_to_move = sizeof(float) * w.items;
  return w;
}

void small_part(sycl::handler& h, sycl::buffer<float>& all) {
  sycl::accessor a(all, h, sycl::read_write);
  h.parallel_for(all.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
}

} // namespace bench
