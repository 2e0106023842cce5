#include "kernels/blas/own.hpp"

#include "kernels/blas/estimate.hpp"
#include "kernels/blas/product.hpp"

#include <cstdio>

namespace prism::blas {
namespace {

template <typename T>
factor<real_of<T>> factor_from(const double (&value)[2]) {
  using real = real_of<T>;
  return factor<real>(std::complex<real>(real(value[0]), real(value[1])));
}

/// Matrix operations that are expressed as products.
template <typename T>
class own_products {
  using real = real_of<T>;

public:
  own_products(sycl::queue& queue, const detail::request& what, const events& depends,
               const gemm_parameters& how = {})
      : m_queue(queue), m_what(what), m_depends(depends), m_alpha(factor_from<T>(what.alpha)),
        m_beta(factor_from<T>(what.beta)), m_how(how) {}

  sycl::event level2() {
    switch (m_what.what.operation) {
      case PRISM_GEMV: return times_vector(form::general);
      case PRISM_SYMV: return times_vector(form::symmetric);
      case PRISM_HEMV: return times_vector(form::hermitian);
      case PRISM_GER:
        return submit({m_alpha, column(0), column(1).transposed(), one(), matrix<T>(m_what, 2)});
      case PRISM_SYR: return update(column(0), column(0), 1, false);
      case PRISM_HER: return update(column(0), column(0), 1, true);
      case PRISM_SYR2: return update_twice(column(0), column(1), false, one());
      case PRISM_HER2: return update_twice(column(0), column(1), true, one());
      case PRISM_TRMV: return times_triangle(false, matrix<T>(vector<T>(m_what, 1)), one());
      default: return times_triangle(true, matrix<T>(vector<T>(m_what, 1)), one());
    }
  }
  sycl::event level3() {
    switch (m_what.what.operation) {
      case PRISM_GEMM:
        return submit(
            {m_alpha, operand(0), operand(1), m_beta, operand(2), true, false, false, batch(), m_how});
      case PRISM_SYMM: return mirrored(form::symmetric);
      case PRISM_HEMM: return mirrored(form::hermitian);
      case PRISM_SYRK: return update(operand(0), operand(0), 1, false, m_beta);
      case PRISM_HERK: return update(operand(0), operand(0), 1, true, m_beta);
      case PRISM_SYR2K: return update_twice(operand(0), operand(1), false, m_beta);
      case PRISM_HER2K: return update_twice(operand(0), operand(1), true, m_beta);
      case PRISM_TRMM: return times_triangle(false, operand(1), m_alpha);
      default: return times_triangle(true, operand(1), m_alpha);
    }
  }

private:
  static factor<real> one() { return factor<real>(real(1)); }
  matrix<T> operand(int i, form kind = form::general) const { return matrix<T>(m_what, i, kind); }
  matrix<T> column(int i) const { return matrix<T>(vector<T>(m_what, i)); }
  std::size_t batch() const {
    const prism_provider_operand& c = m_what.what.operand[2];
    return c.rank == 3 ? static_cast<std::size_t>(c.extent[2]) : 1;
  }
  bool is_right() const { return m_what.what.side == PRISM_SIDE_RIGHT; }
  sycl::event submit(const product<T>& what) { return multiply(m_queue, what, m_depends); }

  sycl::event times_vector(form kind) {
    return multiply_vector<T>(m_queue, m_alpha, operand(0, kind), vector<T>(m_what, 1), m_beta,
                              vector<T>(m_what, 2), m_depends);
  }
  sycl::event mirrored(form kind) {
    const matrix<T> a = operand(0, kind), b = operand(1);
    return is_right() ? submit({m_alpha, b, a, m_beta, operand(2)})
                      : submit({m_alpha, a, b, m_beta, operand(2)});
  }
  product<T> triangle_of(const factor<real>& alpha, const matrix<T>& a, const matrix<T>& b,
                         const factor<real>& beta, int c, bool adjoint) const {
    const matrix<T> turned = b.transposed();
    return {alpha,      a,     adjoint ? turned.conjugated() : turned, beta,
            operand(c), false, m_what.what.uplo == PRISM_UPLO_LOWER,   adjoint};
  }
  sycl::event update(const matrix<T>& a, const matrix<T>& b, int c, bool adjoint,
                     const factor<real>& beta = one()) {
    return submit(triangle_of(m_alpha, a, b, beta, c, adjoint));
  }
  sycl::event update_twice(const matrix<T>& a, const matrix<T>& b, bool adjoint, const factor<real>& beta) {
    m_depends.assign(1, submit(triangle_of(m_alpha, a, b, beta, 2, adjoint)));
    factor<real> second = m_alpha;
    if (adjoint) second.parts[1] = -second.parts[1];
    return submit(triangle_of(second, b, a, one(), 2, adjoint));
  }
  sycl::event times_triangle(bool solves, const matrix<T>& b, const factor<real>& alpha) {
    const matrix<T> a = operand(0, form::triangular);
    return is_right() ? triangular<T>(m_queue, solves, alpha, a.transposed(), b.transposed(), m_depends)
                      : triangular<T>(m_queue, solves, alpha, a, b, m_depends);
  }

  sycl::queue& m_queue;
  const detail::request& m_what;
  events m_depends;
  factor<real> m_alpha, m_beta;
  gemm_parameters m_how;
};

template <typename T>
sycl::event run_typed(sycl::queue& queue, const detail::request& what, const events& depends) {
  switch (what.what.operation) {
    case PRISM_DOT:
    case PRISM_NRM2:
    case PRISM_ASUM:
    case PRISM_IAMAX: return reduction<T>(queue, what, depends);
    default: break;
  }
  switch (what.what.operation >> 8) {
    case 1: return level1<T>(queue, what, depends);
    case 2: return own_products<T>(queue, what, depends).level2();
    default: return own_products<T>(queue, what, depends).level3();
  }
}

} // namespace

prism_provider_support own_support(const sycl::device& device, const prism_provider_operation& what) {
  prism_provider_support answer{};
  answer.struct_size = sizeof answer;
  const bool is_double = what.operand[0].type == PRISM_F64 || what.operand[0].type == PRISM_C64;
  answer.supported = !is_double || device.has(sycl::aspect::fp64);
  if (!answer.supported)
    std::snprintf(answer.reason, sizeof answer.reason, "the device has no double precision");
  if (!provider::is_stored_in_full(what)) {
    answer.supported = 0;
    std::snprintf(answer.reason, sizeof answer.reason, "it has no kernels for banded and packed matrices");
  }
  answer.reproducible = PRISM_REPRODUCIBLE_ALWAYS;
  const own_estimate expected = estimated(what, {device.get_backend() == sycl::backend::ext_prism_host,
                                                 device.is_cpu(), has_wide_vectors(device)});
  answer.efficiency = expected.efficiency, answer.overhead_ns = expected.overhead_ns;
  return answer;
}

sycl::event run_own(sycl::queue& queue, const detail::request& what, const events& depends) {
  switch (what.what.operand[0].type) {
    case PRISM_F32: return run_typed<float>(queue, what, depends);
    case PRISM_F64: return run_typed<double>(queue, what, depends);
    case PRISM_C32: return run_typed<std::complex<float>>(queue, what, depends);
    default: return run_typed<std::complex<double>>(queue, what, depends);
  }
}

sycl::event run_own_gemm(sycl::queue& queue, const detail::request& what, const events& depends,
                         const gemm_parameters& how) {
  if (what.what.operand[0].type == PRISM_F64) return own_products<double>(queue, what, depends, how).level3();
  return own_products<float>(queue, what, depends, how).level3();
}

sycl::event detail::run_rotg(sycl::queue& queue, const request& what, const events& depends) {
  for (int i = 0; i < what.what.operand_count; ++i)
    if (what.what.operand[i].extent[0] != 1)
      prism::detail::refuse_view("rotg: operand " + std::to_string(i) + " has " +
                                 std::to_string(what.what.operand[i].extent[0]) + " elements instead of one");
  require_type(queue.get_device(), what.what, "rotg");
  switch (what.what.operand[0].type) {
    case PRISM_F32: return make_rotation<float>(queue, what, depends);
    case PRISM_F64: return make_rotation<double>(queue, what, depends);
    case PRISM_C32: return make_rotation<std::complex<float>>(queue, what, depends);
    default: return make_rotation<std::complex<double>>(queue, what, depends);
  }
}

} // namespace prism::blas
