// Operations of <prism/linalg.hpp> for the routines of libprism_lapack.so, and the arguments that LAPACK's
// routines have in common. A routine is counted once, when its arguments are right and no size is asked for;
// it may be several steps.
#pragma once

#include "../stored.hpp"

namespace prism::netlib {

using linalg::detail::task;

/// One operation.
class step : public operands<step, linalg::detail::request> {
public:
  step(const char* routine, task job) : operands(job), m_routine(routine) {}
  step& option(std::int32_t which) { return m_request.option = which, *this; }
  step& lower(bool is_lower) { return m_request.lower = is_lower, *this; }
  step& right(bool is_right) { return m_request.right = is_right, *this; }
  step& adjoint(bool is_adjoint) { return m_request.adjoint = is_adjoint, *this; }
  step& tolerance(double of_largest) { return m_request.tolerance = of_largest, *this; }
  /// Waits for the result.
  void run();

private:
  const char* m_routine;
};
/// X = inv(op(A)) X for what is stored in the triangle `uplo` of A.
template <typename T>
void solve_triangle(const char* routine, const char* uplo, const char* op, const char* diag,
                    const matrix<T>& a, const matrix<T>& x) {
  call(routine, PRISM_TRSM, true)
      .alpha(T(1))
      .side("L")
      .diag(diag)
      .uplo(triangle(uplo, op))
      .add(a.by(op))
      .add(x)
      .run();
}

/// Whether the caller asks for the size of the workspace only; work[0] is that size then, and after a call.
template <typename T>
bool asks_for_size(const int* lwork, T* work, int size) {
  work[0] = T(real_of<T>(size));
  return *lwork == -1;
}

template <typename T>
vector<T> all_of(std::vector<T>& v) {
  return {v.data(), int(v.size()), 1};
}
template <typename T>
vector<T> one(T& element) {
  return {&element, 1, 1};
}
template <typename T>
vector<T> reversed(const vector<T>& v) {
  return v.size == 0 ? v : vector<T>{v.data + (v.size - 1) * v.stride, v.size, -v.stride};
}
template <typename T>
matrix<T> reversed_rows(matrix<T> a) {
  if (a.rows != 0) a.data += (a.rows - 1) * a.down, a.down = -a.down;
  return a;
}
template <typename T>
matrix<T> reversed(const matrix<T>& a) {
  return reversed_rows(reversed_rows(a).transposed()).transposed();
}
template <typename T>
matrix<T> block(const matrix<T>& a, int row, int column, int rows, int columns) {
  matrix<T> out = a;
  out.rows = rows, out.columns = columns;
  if (rows != 0 && columns != 0) out.data += row * a.down + column * a.across;
  return out;
}

template <typename T>
T conjugate_of(const T& value) {
  if constexpr (is_complex<T>) return std::conj(value);
  else return value;
}
template <typename T>
T& at(const matrix<T>& a, int i, int j) {
  return a.data[i * a.down + j * a.across];
}
template <typename T, typename Each>
void for_elements(const matrix<T>& a, const Each& each) {
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i) each(i, j, at(a, i, j));
}
/// Every element becomes its conjugate.
template <typename T>
void conjugate(const matrix<T>& a) {
  if constexpr (is_complex<T>) for_elements(a, [](int, int, T& value) { value = std::conj(value); });
}
template <typename T>
void copy(const matrix<T>& from, const matrix<T>& to) {
  for_elements(to, [&](int i, int j, T& value) {
    value = from.conjugate ? conjugate_of(at(from, i, j)) : at(from, i, j);
  });
}
template <typename T>
full<T> copy_of(const matrix<T>& a) {
  full<T> out(a.rows, a.columns);
  copy(a, out.view());
  return out;
}
template <typename T>
full<T> identity(int n) {
  full<T> out(n, n);
  for (int i = 0; i < n; ++i) out(i, i) = T(1);
  return out;
}
/// The number, from 1, of the first zero on the diagonal, or 0.
template <typename T>
int first_zero(const matrix<T>& a) {
  for (int i = 0; i < std::min(a.rows, a.columns); ++i)
    if (at(a, i, i) == T(0)) return i + 1;
  return 0;
}

} // namespace prism::netlib
