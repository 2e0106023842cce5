// How a call of <prism/fft.hpp> reaches the library: as plain data, so that the header has no kernels.
// Programs use <prism/fft.hpp>.
#pragma once

#include <prism/blas/request.hpp>
#include <prism/fft/grid.hpp>

#include <memory>

namespace prism::fft {

enum class direction : std::uint8_t { forward, backward };

namespace detail {

/// Bits of a real part, and whether there are two.
template <typename T>
struct element {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, sycl::half>,
                "transforms are of float, double, sycl::half and std::complex of them");
  static constexpr int bits = 8 * int(sizeof(T)), parts = 1;
  using real = T;
};
template <typename R>
struct element<std::complex<R>> {
  static constexpr int bits = element<R>::bits, parts = 2;
  using real = R;
};

/// One side's shape.
struct shape {
  int rank = 1, parts = 2;
  std::array<std::size_t, 3> extent{1, 1, 1};
  std::array<std::ptrdiff_t, 3> stride{};
  std::size_t count = 1;
  std::ptrdiff_t between = 0;
  friend bool operator==(const shape& a, const shape& b) {
    return a.rank == b.rank && a.parts == b.parts && a.extent == b.extent && a.stride == b.stride &&
           a.count == b.count && a.between == b.between;
  }
};

/// What is computed.
struct description {
  int bits = 32;  // of a real part
  int cosine = 0; // 1 to 4, or 0
  bool backward = false;
  int normalisation = 0;
  double scale = 1;
  shape in, out;
};

using memory = blas::detail::memory;
using blas::detail::memory_at;

template <typename T, typename Place>
shape shape_of(const grid_view<T, Place>& g) {
  return {g.rank, element<std::remove_const_t<T>>::parts, g.extent, g.stride, g.count, g.between};
}
/// Throws errc::invalid where the view cannot be.
template <typename T, typename Place>
void require_grid(const char* name, const grid_view<T, Place>& g) {
  if (g.rank < 1 || g.rank > 3)
    prism::detail::refuse_view(std::string(name) + " has " + std::to_string(g.rank) +
                               " dimensions; 1 to 3 are possible");
  prism::detail::reach needed;
  // In reals: kernels count those.
  const auto parts = std::ptrdiff_t(element<std::remove_const_t<T>>::parts);
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max() / 16;
  const auto add = [&](std::size_t n, std::ptrdiff_t stride) {
    if (n > 1 && (stride > most || stride < -most)) needed.overflows = true;
    else needed.add(n, stride * parts);
  };
  if (!g.empty()) {
    for (int d = 0; d < g.rank; ++d) add(g.extent[std::size_t(d)], g.stride[std::size_t(d)]);
    add(g.count, g.between);
    if (needed.overflows) prism::detail::refuse_view(std::string(name) + " reaches beyond 2^63 elements");
  }
  needed.lowest /= parts, needed.highest /= parts;
  prism::detail::require_place(name, g.data, needed, g.empty());
}

/// Whether two elements are at one place, by strides in order; strides that interleave without overlapping
/// count too.
bool overlaps(const shape& s);
/// Throws errc::feature_not_supported, with the name of the device, where it lacks reals of so many bits.
void require_type(const sycl::device& device, int bits);
/// Checks both operands and how they fit each other (errc::invalid).
void require_fit(const description& what);

template <typename In, typename Out, typename From, typename To>
description described(int cosine, const grid_view<In, From>& in, const grid_view<Out, To>& out) {
  using from = element<std::remove_const_t<In>>;
  using to = element<Out>;
  static_assert(!std::is_const_v<Out>, "the result of a transform is written");
  static_assert(std::is_same_v<typename from::real, typename to::real>, "both sides have parts of one type");
  require_grid("in", in), require_grid("out", out);
  description what;
  what.bits = from::bits, what.cosine = cosine;
  what.in = shape_of(in), what.out = shape_of(out);
  return what;
}
template <typename In, typename Out, typename From, typename To>
description described(direction way, const grid_view<In, From>& in, const grid_view<Out, To>& out,
                      double scale, int normalisation) {
  constexpr int in_parts = element<std::remove_const_t<In>>::parts, out_parts = element<Out>::parts;
  static_assert(in_parts + out_parts > 2, "a Fourier transform has complex numbers on one side at least");
  description what = described(0, in, out);
  what.backward = way == direction::backward, what.scale = scale, what.normalisation = normalisation;
  require_fit(what);
  return what;
}
template <typename In, typename Out, typename From, typename To>
description described_cosine(int kind, const grid_view<In, From>& in, const grid_view<Out, To>& out,
                             double scale, int normalisation) {
  static_assert(element<std::remove_const_t<In>>::parts + element<Out>::parts == 2,
                "cosine transforms are of real numbers");
  description what = described(kind, in, out);
  what.scale = scale, what.normalisation = normalisation;
  require_fit(what);
  return what;
}

template <typename T, typename Place>
memory memory_of(const grid_view<T, Place>& g) {
  return memory_at(g.data);
}

struct state;
std::shared_ptr<const state> prepare(const sycl::queue& queue, const description& what);
std::shared_ptr<const state> remembered(const sycl::queue& queue, const description& what);
const description& description_of(const std::shared_ptr<const state>& of);
std::size_t table_bytes(const std::shared_ptr<const state>& of);
std::size_t temporary_bytes(const std::shared_ptr<const state>& of);
/// Throws errc::invalid where the shapes of `what` are not those of the plan, or operands alias.
sycl::event run(sycl::queue& queue, const std::shared_ptr<const state>& plan, const description& what,
                const memory& in, const memory& out, const std::vector<sycl::event>& depends);

template <typename In, typename Out, typename From, typename To>
description described_as(const std::shared_ptr<const state>& plan, const grid_view<In, From>& in,
                         const grid_view<Out, To>& out) {
  const description& planned = description_of(plan);
  description what = described(planned.cosine, in, out);
  what.backward = planned.backward, what.scale = planned.scale, what.normalisation = planned.normalisation;
  return what;
}

} // namespace detail
} // namespace prism::fft
