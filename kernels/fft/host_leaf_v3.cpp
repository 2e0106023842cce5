#include "kernels/fft/host_leaf.hpp"
#include "kernels/fft/vector_leaf.hpp"
#include "kernels/fft/vector_map.hpp"

namespace prism::fft {

template <typename Real, typename Isa>
void run_blocks(const leaf<Real>& what, Real* memory, std::size_t first, std::size_t last) {
  vector_leaf<Real, Isa> transforms(what, memory);
  for (std::size_t block = first; block < last; ++block) transforms.run(block);
}
template <typename Real, typename Isa>
void run_points(const map<Real, Real, Real>& what, std::size_t line, std::size_t first, std::size_t last) {
  vector_map<Real, Isa>::run(what, line, first, last);
}
template void run_blocks<float, isa_v3>(const leaf<float>&, float*, std::size_t, std::size_t);
template void run_blocks<double, isa_v3>(const leaf<double>&, double*, std::size_t, std::size_t);
template void run_points<float, isa_v3>(const map<float, float, float>&, std::size_t, std::size_t,
                                        std::size_t);
template void run_points<double, isa_v3>(const map<double, double, double>&, std::size_t, std::size_t,
                                         std::size_t);

} // namespace prism::fft
