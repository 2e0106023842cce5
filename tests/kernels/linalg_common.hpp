// What the tests of <prism/linalg.hpp> share: index results in both kinds of memory, products in long double,
// and the ratios by which LAPACK's own test suite judges residuals ("LAPACK Users' Guide", testing; working
// note 41). A ratio above the suite's threshold is a failure.
#pragma once

#include "tests/kernels/blas_operands.hpp"

#include <prism/linalg.hpp>

namespace linalg_test {

using namespace blas_test;
using prism::linalg::op;
using prism::linalg::uplo;

/// Thresholds as LAPACK's test suite ships them: linear equations, symmetric eigenvalues and singular values,
/// general eigenvalues.
constexpr long double of_systems = 30, of_symmetric = 50, of_general = 20;

/// Indices in memory of the device while it lives.
class indices_in_usm {
public:
  indices_in_usm(sycl::queue& queue, std::size_t count)
      : m_queue(queue), m_count(count), m_data(sycl::malloc_device<std::int64_t>(count + 1, queue)) {
    queue.fill(m_data, std::int64_t(-77), count + 1).wait();
  }
  ~indices_in_usm() { sycl::free(m_data, m_queue); }
  indices_in_usm(const indices_in_usm&) = delete;
  prism::vector_view<std::int64_t> view() const { return {m_data, m_count}; }
  std::vector<std::int64_t> found() const {
    std::vector<std::int64_t> out(m_count);
    m_queue.copy(m_data, out.data(), m_count).wait();
    return out;
  }

private:
  sycl::queue& m_queue;
  std::size_t m_count;
  std::int64_t* m_data;
};
class indices_in_buffer {
public:
  indices_in_buffer(sycl::queue&, std::size_t count) : m_count(count), m_data(sycl::range<1>(count + 1)) {
    const sycl::host_accessor all(m_data, sycl::write_only);
    std::fill(all.begin(), all.end(), std::int64_t(-77));
  }
  prism::buffer_vector_view<std::int64_t> view() const { return {{m_data}, m_count}; }
  std::vector<std::int64_t> found() const {
    const sycl::host_accessor all(m_data, sycl::read_only);
    return {all.begin(), all.begin() + std::ptrdiff_t(m_count)};
  }

private:
  std::size_t m_count;
  mutable sycl::buffer<std::int64_t, 1> m_data;
};

/// Kinds of memory, of which a device may lack the first.
struct usm {
  static bool is_there(const sycl::queue& queue) {
    return queue.get_device().has(sycl::aspect::usm_device_allocations);
  }
  template <typename T>
  using operands = in_usm<T>;
  using indices = indices_in_usm;
};
struct buffers {
  static bool is_there(const sycl::queue&) { return true; }
  template <typename T>
  using operands = in_buffer<T>;
  using indices = indices_in_buffer;
};

/// The library's own code does every decomposition while it lives; with BLAS_TEST_ANY the chosen provider.
struct own_decompositions {
  own_kernels getrf{"getrf"}, potrf{"potrf"}, geqrf{"geqrf"}, geqp3{"geqp3"}, heev{"heev"}, geev{"geev"},
      gesvd{"gesvd"};
};

/// Sums in registers, and of real parts alone where both are real: this is most of what these tests compute.
inline dense operator*(const dense& a, const dense& b) {
  dense out(a.rows, b.columns);
  const dense by_columns = transposed(b);
  const bool is_real = a.is_real() && b.is_real();
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.columns; ++j) {
      const exact *left = a.values.data() + i * a.columns, *right = by_columns.values.data() + j * a.columns;
      long double real = 0, imaginary = 0;
      if (is_real) {
        for (std::size_t k = 0; k < a.columns; ++k) real += left[k].real() * right[k].real();
      } else {
        for (std::size_t k = 0; k < a.columns; ++k) {
          const exact one = product(left[k], right[k]);
          real += one.real(), imaginary += one.imag();
        }
      }
      out(i, j) = {real, imaginary};
    }
  return out;
}
inline dense operator-(dense a, const dense& b) {
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] -= b.values[i];
  return a;
}
inline dense identity(std::size_t m, std::size_t n) {
  dense out(m, n);
  for (std::size_t i = 0; i < std::min(m, n); ++i) out(i, i) = 1;
  return out;
}
inline dense diagonal_of(const std::vector<exact>& values, std::size_t m, std::size_t n) {
  dense out(m, n);
  for (std::size_t i = 0; i < values.size(); ++i) out(i, i) = values[i];
  return out;
}
inline dense block(const dense& a, std::size_t m, std::size_t n) {
  dense out(m, n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) out(i, j) = a(i, j);
  return out;
}
/// The 1-norm; a NaN is the norm.
inline long double norm1(const dense& a) {
  long double most = 0;
  for (std::size_t j = 0; j < a.columns; ++j) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.rows; ++i) sum += magnitude(a(i, j));
    if (!(sum <= most)) most = sum;
  }
  return most;
}
/// LAPACK's dlamch('Epsilon').
template <typename T>
long double epsilon() {
  return std::numeric_limits<real<T>>::epsilon() / 2;
}
/// |error| / (n |size| eps): 0 of nothing, infinite where `size` is 0 and the error is not.
template <typename T>
long double ratio(const dense& error, long double size, std::size_t n) {
  const long double of_error = norm1(error);
  if (of_error == 0) return 0;
  return of_error / (static_cast<long double>(std::max<std::size_t>(1, n)) * size * epsilon<T>());
}
/// |I - Q^H Q| / (m eps).
template <typename T>
long double lost_orthogonality(const dense& q) {
  return ratio<T>(adjoint(q) * q - identity(q.columns, q.columns), 1, q.rows);
}

/// The operand with what the device has now; what lies between its elements must be as before.
template <typename T, typename In>
operand<T> after(const operand<T>& before, const In& in) {
  operand<T> out = before;
  out.memory = in.found();
  std::vector<bool> inside(out.memory.size());
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < out.columns; ++j) inside[out.index(i, j)] = true;
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (!inside[i]) {
      EXPECT_EQ(std::memcmp(&out.memory[i], &before.memory[i], sizeof(T)), 0)
          << "the number at " << i << ", which is no element, has changed";
    }
  return out;
}

template <typename T>
void set(operand<T>& to, const dense& values) {
  for (std::size_t i = 0; i < to.rows; ++i)
    for (std::size_t j = 0; j < to.columns; ++j) to.at(i, j) = rounded<T>(values(i, j));
}
/// Hermitian with the eigenvalues of a random matrix's square and `shift` on the diagonal.
template <typename T>
void make_positive(operand<T>& a, long double shift = 1) {
  const dense b = meant(a);
  dense square = b * adjoint(b);
  for (std::size_t i = 0; i < a.rows; ++i) square(i, i) = square(i, i).real() + shift;
  set(a, square);
}

/// Sizes around the widths of panels and tiles.
inline const std::vector<std::pair<std::size_t, std::size_t>>& shapes() {
  static const std::vector<std::pair<std::size_t, std::size_t>> all{
      {1, 1}, {2, 2}, {5, 3}, {3, 7}, {16, 16}, {33, 33}, {70, 40}, {40, 70}, {65, 64}, {97, 97}, {130, 129}};
  return all;
}

template <typename T>
struct linalg_typed : ::testing::Test {
  sycl::queue queue;
  own_decompositions own;
  variety<T> make;
  void SetUp() override {
    if (!has_type<T>(queue)) GTEST_SKIP() << "the device has no double precision";
  }
};

} // namespace linalg_test
