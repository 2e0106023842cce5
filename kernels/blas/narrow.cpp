#include "kernels/blas/narrow.hpp"

#include "kernels/blas/operand.hpp"
#include "kernels/blas/own.hpp"

#include <algorithm>

namespace prism::blas {
namespace {

using events = std::vector<sycl::event>;
using bfloat16 = sycl::ext::oneapi::bfloat16;

constexpr std::size_t exact_steps = 1024; // |sum| <= 1024 * 128 * 128 = 2^24

/// The elements of a batch of matrices in memory.
struct lattice {
  std::size_t count, rows, columns;
  std::ptrdiff_t between, row_stride, column_stride;

  explicit lattice(const prism_provider_operand& o)
      : count(o.rank == 3 ? static_cast<std::size_t>(o.extent[2]) : 1),
        rows(static_cast<std::size_t>(o.extent[0])), columns(static_cast<std::size_t>(o.extent[1])),
        between(o.rank == 3 ? o.stride[2] : 0), row_stride(o.stride[0]), column_stride(o.stride[1]) {}
  std::size_t size() const { return count * rows * columns; }
  sycl::range<3> range() const { return {count, rows, columns}; }
  std::ptrdiff_t at(sycl::id<3> i) const {
    return static_cast<std::ptrdiff_t>(i[0]) * between + static_cast<std::ptrdiff_t>(i[1]) * row_stride +
           static_cast<std::ptrdiff_t>(i[2]) * column_stride;
  }
};
/// Its place in a copy without gaps.
std::size_t dense(sycl::id<3> i, const lattice& all) { return (i[0] * all.rows + i[1]) * all.columns + i[2]; }

sycl::buffer<float> floats_of(const lattice& all) {
  return sycl::buffer<float>{sycl::range<1>(std::max<std::size_t>(1, all.size()))};
}

template <typename Stored>
void widen(sycl::queue& queue, const detail::request& what, int operand, sycl::buffer<float>& to,
           const events& depends) {
  const lattice all(what.what.operand[operand]);
  if (all.size() == 0) return;
  const place<Stored> from(what.operands[operand], 1);
  queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
    const Stored* const in = from.read_only(h);
    const std::ptrdiff_t offset = from.offset;
    h.parallel_for(all.range(),
                   [=](sycl::id<3> i) { out[dense(i, all)] = static_cast<float>(in[offset + all.at(i)]); });
  });
}

/// C = the values in `from`, rounded.
template <typename Stored>
sycl::event narrow(sycl::queue& queue, sycl::buffer<float>& from, const detail::request& what) {
  const lattice all(what.what.operand[2]);
  const place<Stored> to(what.operands[2], 1);
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor in(from, h, sycl::read_only);
    Stored* const out = to.read_write(h);
    const std::ptrdiff_t offset = to.offset;
    h.parallel_for(all.range(), [=](sycl::id<3> i) { out[offset + all.at(i)] = Stored(in[dense(i, all)]); });
  });
}

/// The product of float whose operands are parts of dense copies. Steps [first, first + steps) of the sum.
class wide_product {
public:
  explicit wide_product(const detail::request& what) : m_request(what) {}

  void use(int operand, sycl::buffer<float>& values) {
    prism_provider_operand& o = m_request.what.operand[operand];
    const lattice all(o);
    o.type = PRISM_F32;
    o.stride[0] = static_cast<std::int64_t>(all.columns), o.stride[1] = 1;
    o.stride[2] = static_cast<std::int64_t>(all.rows * all.columns);
    m_request.operands[operand] = detail::memory_at(buffer_place<float>(values));
  }
  void take_steps(std::size_t first, std::size_t steps) {
    prism_provider_operand &a = m_request.what.operand[0], &b = m_request.what.operand[1];
    a.extent[1] = b.extent[0] = static_cast<std::int64_t>(steps);
    m_request.operands[0].offset = first;
    m_request.operands[1].offset = first * static_cast<std::uint64_t>(b.stride[0]);
  }
  void scale_by(double alpha, double beta) { m_request.alpha[0] = alpha, m_request.beta[0] = beta; }
  /// Providers of other devices than the host need memory of one kind for all operands.
  sycl::event submit(sycl::queue& queue, const events& depends) const {
    if (queue.get_device().get_backend() == sycl::backend::ext_prism_host)
      return detail::run(queue, m_request, depends);
    return run_own(queue, m_request, depends);
  }

private:
  detail::request m_request;
};

/// Of floating-point numbers.
template <typename In>
sycl::event rounded_product(sycl::queue& queue, const detail::request& what, const events& depends) {
  sycl::buffer<float> a = floats_of(lattice(what.what.operand[0])),
                      b = floats_of(lattice(what.what.operand[1]));
  widen<In>(queue, what, 0, a, depends);
  widen<In>(queue, what, 1, b, depends);
  wide_product wide(what);
  wide.use(0, a), wide.use(1, b);
  if (what.what.operand[2].type == PRISM_F32) return wide.submit(queue, depends);
  sycl::buffer<float> c = floats_of(lattice(what.what.operand[2]));
  if (what.beta[0] != 0) widen<In>(queue, what, 2, c, depends);
  wide.use(2, c);
  wide.submit(queue, depends);
  return narrow<In>(queue, c, what);
}

/// Adds a part of the product; after the last part it writes alpha sum + beta C.
template <typename Out>
sycl::event add_part(sycl::queue& queue, const detail::request& what, sycl::buffer<float>& part,
                     sycl::buffer<std::uint32_t>& sums, bool first, bool last, const events& depends) {
  const lattice all(what.what.operand[2]);
  const place<Out> to(what.operands[2], 1);
  const Out alpha = static_cast<Out>(what.alpha[0]), beta = static_cast<Out>(what.beta[0]);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    sycl::accessor added(part, h, sycl::read_only);
    sycl::accessor before(sums, h, sycl::read_write);
    Out* const out = to.read_write(h);
    const std::ptrdiff_t offset = to.offset;
    h.parallel_for(all.range(), [=](sycl::id<3> i) {
      const std::size_t at = dense(i, all);
      std::uint32_t sum = static_cast<std::uint32_t>(static_cast<std::int32_t>(added[at]));
      if (!first) sum += before[at];
      if (!last) {
        before[at] = sum;
        return;
      }
      Out& c = out[offset + all.at(i)];
      if constexpr (std::is_integral_v<Out>) {
        std::uint32_t value = static_cast<std::uint32_t>(alpha) * sum;
        if (beta != 0) value += static_cast<std::uint32_t>(beta) * static_cast<std::uint32_t>(c);
        c = static_cast<Out>(value);
      } else {
        const Out value = alpha * static_cast<Out>(static_cast<std::int32_t>(sum));
        c = beta != Out(0) ? value + beta * c : value;
      }
    });
  });
}

template <typename Out>
sycl::event integer_product(sycl::queue& queue, const detail::request& what, const events& depends) {
  const lattice all(what.what.operand[2]);
  const std::size_t k = static_cast<std::size_t>(what.what.operand[0].extent[1]);
  sycl::buffer<float> a = floats_of(lattice(what.what.operand[0])),
                      b = floats_of(lattice(what.what.operand[1])), part = floats_of(all);
  sycl::buffer<std::uint32_t> sums{sycl::range<1>(k > exact_steps ? all.size() : 1)};
  widen<std::int8_t>(queue, what, 0, a, depends);
  widen<std::int8_t>(queue, what, 1, b, depends);
  wide_product wide(what);
  wide.use(0, a), wide.use(1, b), wide.use(2, part);
  wide.scale_by(1, 0);
  sycl::event done;
  for (std::size_t first = 0; first == 0 || first < k; first += exact_steps) {
    wide.take_steps(first, std::min(exact_steps, k - first));
    wide.submit(queue, depends);
    done = add_part<Out>(queue, what, part, sums, first == 0, first + exact_steps >= k, depends);
  }
  return done;
}

} // namespace

bool is_narrow_product(const prism_provider_operation& what) {
  const std::int32_t type = what.operand[0].type;
  return type == PRISM_F16 || type == PRISM_BF16 || type == PRISM_S8;
}

sycl::event run_narrow(sycl::queue& queue, const detail::request& what, const events& depends) {
  if (lattice(what.what.operand[2]).size() == 0) return queue.ext_oneapi_submit_barrier(depends);
  switch (what.what.operand[0].type) {
    case PRISM_F16: return rounded_product<sycl::half>(queue, what, depends);
    case PRISM_BF16: return rounded_product<bfloat16>(queue, what, depends);
    default:
      return what.what.operand[2].type == PRISM_F32 ? integer_product<float>(queue, what, depends)
                                                    : integer_product<std::int32_t>(queue, what, depends);
  }
}

} // namespace prism::blas
