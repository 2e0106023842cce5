// Submits the host device's transforms. An ordinary C++ compiler compiles this file. prism++ would turn the
// vectors of a transform into scalars before it makes vectors of work-items.
#include "kernels/fft/host_leaf.hpp"

#include "kernels/fft/kernels.hpp"

namespace prism::fft {
namespace {

/// The functions of one instruction set.
template <typename Real>
struct runners {
  std::size_t vector_bytes;
  void (*blocks)(const leaf<Real>&, Real*, std::size_t, std::size_t);
  void (*points)(const map<Real, Real, Real>&, std::size_t, std::size_t, std::size_t);
};
template <typename Real, typename Isa>
constexpr runners<Real> runners_of() {
  return {Isa::vector_bytes, run_blocks<Real, Isa>, run_points<Real, Isa>};
}

template <typename Real>
runners<Real> best_runners() {
#if PRISM_HOST_IS_X86_64
  switch (host_isa::best()) {
    case host_isa::level::v4: return runners_of<Real, isa_v4>();
    case host_isa::level::v3: return runners_of<Real, isa_v3>();
    default: break;
  }
#endif
  return runners_of<Real, isa_baseline>();
}

template <typename Real>
const runners<Real>& best() {
  static const runners<Real> found = best_runners<Real>();
  return found;
}

/// Blocks of transforms: as many as the lanes of all vectors hold; one transform across a vector is one.
template <typename Real>
std::size_t blocks_of(const leaf<Real>& what) {
  const std::size_t width = vector_bytes() / sizeof(Real);
  std::size_t blocks = what.across != no_table ? what.lanes : (what.lanes + width - 1) / width;
  for (const std::size_t count : what.outer) blocks *= count;
  return blocks;
}

/// One work-item a group, which the host device gives to a thread: some blocks of transforms.
template <typename Real>
sycl::event submit(sycl::queue& queue, const leaf<Real>& what, const bound<Real>& with,
                   const events& depends) {
  const auto run = best<Real>().blocks;
  const std::size_t row = 2 * vector_bytes() / sizeof(Real), points_of_group = 32768 / row;
  const std::size_t blocks = blocks_of(what),
                    per_group = std::max<std::size_t>(1, points_of_group / what.rows),
                    groups = (blocks + per_group - 1) / per_group;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const leaf<Real> all = captured(what, with, h);
    // The host device aligns local memory to 128 bytes.
    sycl::local_accessor<Real> memory((what.rows + (what.paired != pairing::none ? 1 : 0)) * row, h);
    h.parallel_for(sycl::nd_range<1>(groups, 1), [=](sycl::nd_item<1> item) {
      const std::size_t first = item.get_group(0) * per_group;
      run(all, &memory[0], first, std::min(first + per_group, blocks));
    });
  });
}

template <typename Real>
sycl::event submit(sycl::queue& queue, const map<Real, Real, Real>& what, const bound<Real>& with,
                   const events& depends) {
  const auto run = best<Real>().points;
  constexpr std::size_t most = 16384; // points of a group
  const std::size_t chunks = (what.points + most - 1) / most, lines = what.size() / what.points,
                    per_group = std::max<std::size_t>(1, most / what.points), all_chunks = chunks * lines,
                    groups = (all_chunks + per_group - 1) / per_group;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const map<Real, Real, Real> all = captured(what, with, h);
    h.parallel_for(sycl::nd_range<1>(groups, 1), [=](sycl::nd_item<1> item) {
      const std::size_t begin = item.get_group(0) * per_group, end = std::min(begin + per_group, all_chunks);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t first = i % chunks * most;
        run(all, i / chunks, first, std::min(first + most, all.points));
      }
    });
  });
}

template <typename Side>
bool is_contiguous(const Side& side) {
  return side.imaginary == 0 ? side.step == 1
                             : side.step == 2 && (side.imaginary == 1 || side.imaginary == -1);
}

} // namespace

std::size_t vector_bytes() { return best<float>().vector_bytes; }

template <typename Real>
bool maps_in_vectors(const map<Real, Real, Real>& what) {
  return (what.how == mapping::copy || what.how == mapping::split || what.how == mapping::join) &&
         is_contiguous(what.in) && is_contiguous(what.out) && what.points != 0;
}
template bool maps_in_vectors<float>(const map<float, float, float>&);
template bool maps_in_vectors<double>(const map<double, double, double>&);

template <>
sycl::event map_in_vectors<float>(sycl::queue& queue, const map<float, float, float>& what,
                                  const bound<float>& with, const events& depends) {
  return submit(queue, what, with, depends);
}
template <>
sycl::event map_in_vectors<double>(sycl::queue& queue, const map<double, double, double>& what,
                                   const bound<double>& with, const events& depends) {
  return submit(queue, what, with, depends);
}
template <>
sycl::event run_in_vectors<float>(sycl::queue& queue, const leaf<float>& what, const bound<float>& with,
                                  const events& depends) {
  return submit(queue, what, with, depends);
}
template <>
sycl::event run_in_vectors<double>(sycl::queue& queue, const leaf<double>& what, const bound<double>& with,
                                   const events& depends) {
  return submit(queue, what, with, depends);
}

} // namespace prism::fft
