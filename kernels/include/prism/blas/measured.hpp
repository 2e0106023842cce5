// What the tuning database (<prism/tuner.hpp>) has for <prism/blas.hpp>: the names of its results, and the
// parameters of the library's own product. `prism-tune variants gemm` stores the time of each implementation,
// `prism-tune run gemm` the fastest parameters. Calls use both: an implementation that was measured on the
// device, at a size that differs by a factor of at most 16, is preferred to models.
//
//   prism::blas::gemm_with(queue, configuration, 1, a, b, 0, c);   // a trial with explicit parameters
//
// Any thread. Errors: errc::invalid for a configuration outside of every space, and those of gemm.
#pragma once

#include <prism/blas/request.hpp>
#include <prism/tuner.hpp>

namespace prism::blas {

/// A component of the database's keys: results of other versions of the kernels do not count.
inline constexpr const char* measured_version = "2";

/// The sizes of blocks to try; both families have about the same number.
enum class block_family { powers_of_two, fibonacci };

/// The parameters of the own products of float and double. "method": packed (packed panels; on processors
/// only) or registers. Packed: blocks of "row_tiles" register tiles and of "depth" steps. Registers:
/// "group_y" x "group_x" work-items in a group, each with a tile of "tile" x "tile" elements; 8 is 8 x 4 for
/// double.
parameter_space gemm_space(const sycl::device& device, block_family family = block_family::powers_of_two);
/// The parameters without a result of a trial.
configuration gemm_initial(const sycl::device& device, block_family family = block_family::powers_of_two);
/// The key under which the database has the parameters for so many multiplications. They are used for
/// products of which no extent is more than four times another.
tuning_key gemm_parameters_key(const sycl::device& device, double products, bool is_double = false);

namespace detail {
sycl::event run_own_gemm(sycl::queue& queue, const configuration& how, const request& what,
                         const std::vector<sycl::event>& depends);
}

/// C = alpha A B + beta C by the library's own product with these parameters.
template <typename T, typename Place>
sycl::event
gemm_with(sycl::queue& queue, const configuration& how, const typename detail::as_is<T>::type& alpha,
          const typename detail::inputs<T, Place>::matrix& a,
          const typename detail::inputs<T, Place>::matrix& b, const typename detail::as_is<T>::type& beta,
          const matrix_view<T, Place>& c, const std::vector<sycl::event>& depends = {}) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "gemm_with: float and double have parameters");
  return detail::run_own_gemm(queue, how, detail::product_request(alpha, a, b, beta, c), depends);
}

} // namespace prism::blas
