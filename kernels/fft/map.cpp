#include "kernels/fft/kernels.hpp"

namespace prism::fft {
namespace {

template <typename From, typename To, typename Real>
sycl::event submit(sycl::queue& queue, const map<Real, Real, Real>& what, const place<From>& in,
                   const place<To>& out, const place<Real>* reals, const events& depends) {
  map<From, To, Real> all{};
  const auto side_from = [](const auto& from, auto& to) {
    to.offset = from.offset, to.step = from.step, to.imaginary = from.imaginary, to.lane = from.lane;
    std::copy(std::begin(from.outer), std::end(from.outer), std::begin(to.outer));
  };
  side_from(what.in, all.in), side_from(what.out, all.out);
  all.lanes = what.lanes;
  std::copy(std::begin(what.outer), std::end(what.outer), std::begin(all.outer));
  all.points = what.points, all.in_count = what.in_count, all.n = what.n;
  all.table = what.table, all.how = what.how, all.scale = what.scale;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    all.in.data = in.read_only(h), all.in.offset += in.offset;
    all.out.data = out.read_write(h), all.out.offset += out.offset;
    if (reals) all.reals = reals->read_only(h), all.reals_offset = reals->offset;
    h.parallel_for(sycl::range<1>(all.size()), [all](sycl::id<1> i) { all.run(i[0]); });
  });
}

} // namespace

template <>
sycl::event run_map<float>(sycl::queue& queue, const map<float, float, float>& what, const bound<float>& with,
                           const events& depends) {
  return submit<float, float, float>(queue, what, with.in, with.out, &with.reals, depends);
}
template <>
sycl::event run_map<double>(sycl::queue& queue, const map<double, double, double>& what,
                            const bound<double>& with, const events& depends) {
  return submit<double, double, double>(queue, what, with.in, with.out, &with.reals, depends);
}
sycl::event run_from_half(sycl::queue& queue, const map<float, float, float>& what,
                          const place<sycl::half>& in, const place<float>& out, const events& depends) {
  return submit<sycl::half, float, float>(queue, what, in, out, nullptr, depends);
}
sycl::event run_to_half(sycl::queue& queue, const map<float, float, float>& what, const place<float>& in,
                        const place<sycl::half>& out, const events& depends) {
  return submit<float, sycl::half, float>(queue, what, in, out, nullptr, depends);
}

} // namespace prism::fft
