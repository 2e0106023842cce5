// Operands of the library's own steps as the operands of a description for providers.
#pragma once

#include "kernels/blas/choice.hpp"
#include "kernels/linalg/steps.hpp"
#include "kernels/provider/operation.hpp"

#include <initializer_list>

namespace prism::linalg {

/// Builds the description of one operation, operand after operand.
class described {
public:
  explicit described(std::int32_t operation) : m_request(operation) {}
  template <typename T>
  described& add(const matrix<T>& a) {
    prism_provider_operand& o = next<T>(2, a.where);
    o.extent[0] = std::int64_t(a.rows), o.extent[1] = std::int64_t(a.columns);
    o.stride[0] = a.row_stride / parts_of<T>, o.stride[1] = a.column_stride / parts_of<T>;
    if (a.conjugate) o.flags |= PRISM_CONJUGATED;
    return *this;
  }
  template <typename T>
  described& add(const vector<T>& v) {
    prism_provider_operand& o = next<T>(1, v.where);
    o.extent[0] = std::int64_t(v.size), o.stride[0] = v.stride / parts_of<T>;
    return *this;
  }
  described& uplo(bool lower) {
    m_request.what.uplo = lower ? PRISM_UPLO_LOWER : PRISM_UPLO_UPPER;
    return *this;
  }
  /// A triangle, from the left.
  described& triangle(bool lower, bool unit) {
    m_request.what.side = PRISM_SIDE_LEFT, m_request.what.diag = unit ? PRISM_DIAG_UNIT : PRISM_DIAG_NON_UNIT;
    return uplo(lower);
  }
  template <typename Real>
  described& by(Real alpha, Real beta) {
    m_request.set(m_request.alpha, alpha), m_request.set(m_request.beta, beta);
    return *this;
  }
  /// As the next step of the sequence where a provider of its device is chosen for it; false where none is.
  bool run_by_provider(sequence& s) const {
    const std::optional<sycl::event> done = blas::run_by_provider(s.queue, m_request, s.before);
    if (done) s.then(*done);
    return done.has_value();
  }
  /// A plan for a task of the host in the sequence; nothing where no provider serves it, or none may. On a
  /// part of the host device it uses the threads of this part only.
  std::optional<provider::device_plan> on_host(const sequence& s) const {
    const sycl::device device = s.queue.get_device();
    const unsigned threads = device.get_backend() == sycl::backend::ext_prism_host
                                 ? device.get_info<sycl::info::device::max_compute_units>()
                                 : 0;
    return provider::device_plan::of_host(
        m_request.what, blas::pinned_for(provider::name_of_operation(m_request.what.operation)), threads);
  }

private:
  template <typename T, typename Real>
  prism_provider_operand& next(std::int32_t rank, const place<Real>& where) {
    const int i = m_request.what.operand_count++;
    prism_provider_operand& o = m_request.what.operand[i];
    o.type = blas::detail::type_of<T>::id, o.rank = rank;
    m_request.operands[i] = blas::memory_of<T>(where);
    return o;
  }
  blas::detail::request m_request;
};

/// Runs the plan, if there is one, on operands in the host's memory. False, with a warning, where it fails:
/// nothing has changed then.
inline bool ran(const std::optional<provider::device_plan>& by, std::initializer_list<void*> first) {
  if (!by) return false;
  try {
    by->run_here(first.begin());
    return true;
  } catch (const std::exception& failure) {
    blas::warn(std::string(failure.what()) + "; prism does it");
    return false;
  }
}

} // namespace prism::linalg
