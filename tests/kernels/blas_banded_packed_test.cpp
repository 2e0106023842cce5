// Banded matrices and packed triangles, by each provider that has them, compared with long double; and the
// refusal by name where none has. Every storage is seen as it is, transposed and as the adjoint.
#include "tests/kernels/blas_operands.hpp"

namespace {

using namespace blas_test;
namespace blas = prism::blas;
using blas::diag, blas::uplo;

/// A banded matrix or a packed triangle in the middle of other numbers.
template <typename T>
struct stored {
  std::size_t rows, columns, lower, upper;
  bool by_rows, is_packed = false;
  std::size_t pitch = 0;
  static constexpr std::size_t first = 3;
  std::vector<T> memory;

  /// `triangle`: which one a packed matrix has.
  stored(std::size_t n, uplo triangle, bool lines_are_rows, unsigned seed)
      : rows(n), columns(n), lower(triangle == uplo::lower ? n : 0), upper(triangle == uplo::upper ? n : 0),
        by_rows(lines_are_rows), is_packed(true) {
    fill(n * (n + 1) / 2, seed);
  }
  stored(std::size_t m, std::size_t n, std::size_t below, std::size_t above, bool lines_are_rows,
         unsigned seed)
      : rows(m), columns(n), lower(below), upper(above), by_rows(lines_are_rows), pitch(below + above + 3) {
    fill((by_rows ? m : n) * pitch, seed);
  }
  bool has(std::size_t i, std::size_t j) const { return j <= i + upper && i <= j + lower; }
  std::size_t at(std::size_t i, std::size_t j) const {
    if (!is_packed) return first + (by_rows ? i * pitch + lower + j - i : j * pitch + upper + i - j);
    const bool is_upper = (upper != 0) != by_rows;
    if (by_rows) std::swap(i, j);
    return first + (is_upper ? j * (j + 1) / 2 + i : j * rows - j * (j + 1) / 2 + i);
  }
  exact value(std::size_t i, std::size_t j) const { return has(i, j) ? exactly(memory[at(i, j)]) : exact(0); }

  /// The complete matrix.
  dense meant(meaning what = meaning::general, bool unit = false) const {
    dense out(rows, columns);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        exact one = value(i, j);
        if (what == meaning::symmetric && !has(i, j)) one = value(j, i);
        if (what == meaning::hermitian) one = i == j ? one.real() : has(i, j) ? one : std::conj(value(j, i));
        out(i, j) = unit && i == j ? exact(1) : one;
      }
    return out;
  }
  /// Small numbers away from the diagonal: systems with the triangle are far from singular.
  void condition() {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        if (has(i, j))
          memory[at(i, j)] = i == j ? rounded<T>(exact(2, 1)) : rounded<T>(value(i, j) / exact(2 * rows));
  }

private:
  void fill(std::size_t elements, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<real<T>> any(-1, 1);
    memory.resize(elements + 2 * first);
    for (T& one : memory) {
      if constexpr (is_complex<T>) one = T(any(random), any(random));
      else one = any(random);
    }
  }
};

/// It in the memory of `Base`, in_usm or in_buffer.
template <typename T, template <typename> typename Base>
class placed {
  operand<T> m_line;
  const stored<T>& m_from;
  Base<T> m_memory;
  auto place() const { return m_memory.vector().data + std::ptrdiff_t(stored<T>::first); }

public:
  placed(sycl::queue& queue, const stored<T>& from)
      : m_line(from.memory), m_from(from), m_memory(queue, m_line) {}
  auto banded() const {
    return blas::banded_view<T, decltype(place())>(place(), m_from.rows, m_from.columns, m_from.lower,
                                                   m_from.upper, std::ptrdiff_t(m_from.pitch),
                                                   m_from.by_rows);
  }
  auto packed() const {
    return blas::packed_view<T, decltype(place())>(place(), m_from.rows, m_from.by_rows);
  }
  std::vector<T> found() const { return m_memory.found(); }
};

std::vector<std::string> providers() {
  std::vector<std::string> out;
  for (const blas::implementation& one : blas::implementations())
    if (one.name == "openblas" || one.name == "blis") out.push_back(one.name);
  return out;
}

template <typename T>
class blas_banded_packed : public ::testing::Test {
protected:
  void SetUp() override {
    if (queue.get_device().get_backend() != sycl::backend::ext_prism_host)
      GTEST_SKIP() << queue.get_device().get_info<sycl::info::device::name>()
                   << ": providers have banded and packed matrices on the host device only";
    if (providers().empty())
      GTEST_SKIP() << "neither OpenBLAS (libopenblas0-pthread) nor BLIS (libblis4-pthread) is installed";
  }
  sycl::queue queue;
  static T number(double re, double im) { return rounded<T>(exact(re, is_complex<T> ? im : 0)); }
  const T alpha = number(0.75, 0.5), beta = number(-1.5, 2);

  /// Calls what(a, x, y) with operands in USM and in buffers, for each provider, and compares y.
  template <typename Call>
  void check(const char* name, const stored<T>& a, const operand<T>& x, const operand<T>& y,
             const expected& sum, const exact& factor, const Call& what) {
    for (const std::string& provider : providers()) {
      const blas::scoped_provider only(provider);
      {
        const in_usm<T> to(queue, y);
        what(placed<T, in_usm>(queue, a), in_usm<T>(queue, x), to);
        queue.wait_and_throw();
        expect_within_bound(name + (" in USM by " + provider), y, to.found(), sum, factor);
      }
      const in_buffer<T> to(queue, y);
      what(placed<T, in_buffer>(queue, a), in_buffer<T>(queue, x), to);
      queue.wait_and_throw();
      expect_within_bound(name + (" in buffers by " + provider), y, to.found(), sum, factor);
    }
  }
  /// Calls what(x, y, a) and compares a, to which `sum` was added.
  template <typename Call>
  void check_update(const char* name, const operand<T>& x, const operand<T>& y, const stored<T>& a,
                    const expected& sum, bool hermitian, const Call& what) {
    for (const std::string& provider : providers()) {
      const blas::scoped_provider only(provider);
      const placed<T, in_usm> in_memory(queue, a);
      what(in_usm<T>(queue, x), in_usm<T>(queue, y), in_memory);
      queue.wait_and_throw();
      expect_added(name + (" in USM by " + provider), a, in_memory.found(), sum, hermitian);
      const placed<T, in_buffer> to(queue, a);
      what(in_buffer<T>(queue, x), in_buffer<T>(queue, y), to);
      queue.wait_and_throw();
      expect_added(name + (" in buffers by " + provider), a, to.found(), sum, hermitian);
    }
  }

private:
  static void expect_added(const std::string& what, const stored<T>& before, const std::vector<T>& found,
                           const expected& sum, bool hermitian) {
    std::vector<bool> written(before.memory.size());
    for (std::size_t i = 0; i < before.rows; ++i)
      for (std::size_t j = 0; j < before.columns; ++j) {
        if (!before.has(i, j)) continue;
        written[before.at(i, j)] = true;
        exact want = before.value(i, j) + sum.value(i, j);
        if (hermitian && i == j) want = want.real();
        const long double bound =
            static_cast<long double>(sum.terms + 2) * unit<T>() * std::abs(sum.size(i, j)) +
            2 * unit<T>() * std::abs(before.value(i, j));
        ASSERT_LE(std::abs(exactly(found[before.at(i, j)]) - want), bound)
            << what << ": element " << i << ", " << j;
      }
    for (std::size_t at = 0; at < written.size(); ++at)
      if (!written[at]) {
        ASSERT_EQ(std::memcmp(&found[at], &before.memory[at], sizeof(T)), 0)
            << what << ": the number at " << at << ", which is no element, has changed";
      }
  }
};
TYPED_TEST_SUITE(blas_banded_packed, all_types, type_names);

enum class seen { as_is, transposed, adjoint };
constexpr std::array all_seen{seen::as_is, seen::transposed, seen::adjoint};

dense turned(const dense& a, seen how) {
  return how == seen::as_is ? a : how == seen::transposed ? transposed(a) : adjoint(a);
}
/// Calls `body` with the view that shows it so.
template <typename View, typename Body>
void show(const View& view, seen how, const Body& body) {
  if (how == seen::as_is) body(view);
  else if (how == seen::transposed) body(view.transposed());
  else body(blas::conjugated(view.transposed()));
}
uplo turned(uplo triangle, seen how) {
  return (triangle == uplo::upper) == (how == seen::as_is) ? uplo::upper : uplo::lower;
}

TYPED_TEST(blas_banded_packed, gbmv_is_within_the_bound_in_both_storages) {
  using T = TypeParam;
  variety<T> any;
  struct shape {
    std::size_t m, n, lower, upper;
  };
  for (const shape& s : {shape{1, 1, 0, 0}, {9, 9, 2, 1}, {12, 7, 0, 3}, {5, 17, 3, 0}, {30, 40, 4, 6}})
    for (const bool by_rows : {false, true})
      for (const seen how : all_seen) {
        const stored<T> a(s.m, s.n, s.lower, s.upper, by_rows, ++any.made);
        const std::size_t to = how == seen::as_is ? s.m : s.n, from = how == seen::as_is ? s.n : s.m;
        const auto x = any.vector(from, 2), y = any.vector(to, any.made % 2 ? 1 : -2);
        expected sum(to, 1);
        sum.add(exactly(this->alpha), turned(a.meant(), how), meant(x));
        this->check("gbmv", a, x, y, sum, exactly(this->beta),
                    [&](const auto& left, const auto& right, const auto& out) {
          show(left.banded(), how, [&](const auto& view) {
            blas::gbmv(this->queue, this->alpha, view, right.vector(), this->beta, out.vector());
          });
        });
      }
}

TYPED_TEST(blas_banded_packed, symmetric_and_hermitian_matrices_times_a_vector) {
  using T = TypeParam;
  variety<T> any;
  for (const bool is_packed : {false, true})
    for (const bool hermitian : {false, true})
      for (const uplo triangle : {uplo::upper, uplo::lower})
        for (const bool by_rows : {false, true}) {
          if (is_complex<T> && !hermitian) continue; // refused, see below
          const std::size_t n = 21, k = 4;
          const stored<T> a = is_packed ? stored<T>(n, triangle, by_rows, ++any.made)
                                        : stored<T>(n, n, triangle == uplo::lower ? k : 0,
                                                    triangle == uplo::upper ? k : 0, by_rows, ++any.made);
          const auto x = any.vector(n), y = any.vector(n, 2);
          expected sum(n, 1);
          sum.add(exactly(this->alpha), a.meant(hermitian ? meaning::hermitian : meaning::symmetric),
                  meant(x));
          this->check(is_packed ? "spmv, hpmv" : "sbmv, hbmv", a, x, y, sum, exactly(this->beta),
                      [&](const auto& left, const auto& right, const auto& out) {
            const auto call = [&](const auto& routine, const auto& view) {
              routine(this->queue, triangle, this->alpha, view, right.vector(), this->beta, out.vector());
            };
            if (is_packed && hermitian) call([](auto&&... all) { blas::hpmv(all...); }, left.packed());
            else if (is_packed) call([](auto&&... all) { blas::spmv(all...); }, left.packed());
            else if (hermitian) call([](auto&&... all) { blas::hbmv(all...); }, left.banded());
            else call([](auto&&... all) { blas::sbmv(all...); }, left.banded());
          });
        }
}

TYPED_TEST(blas_banded_packed, triangles_multiply_a_vector_and_bring_it_back) {
  using T = TypeParam;
  variety<T> any;
  for (const bool is_packed : {false, true})
    for (const uplo triangle : {uplo::upper, uplo::lower})
      for (const bool by_rows : {false, true})
        for (const seen how : all_seen) {
          const std::size_t n = 19, k = 3;
          const bool is_unit = any.made % 2 == 0;
          stored<T> a = is_packed ? stored<T>(n, triangle, by_rows, ++any.made)
                                  : stored<T>(n, n, triangle == uplo::lower ? k : 0,
                                              triangle == uplo::upper ? k : 0, by_rows, ++any.made);
          a.condition();
          const auto x = any.vector(n, -2);
          const diag diagonal = is_unit ? diag::unit : diag::non_unit;
          const uplo used = turned(triangle, how);
          expected product(n, 1), same(n, 1);
          product.add(1, turned(a.meant(meaning::triangular, is_unit), how), meant(x));
          same.terms = 8 * n;
          for (std::size_t i = 0; i < n; ++i) same.value(i, 0) = x.value(i), same.size(i, 0) = 2;
          for (const bool back : {false, true})
            this->check(back ? "tbsv, tpsv" : "tbmv, tpmv", a, x, x, back ? same : product, 0,
                        [&](const auto& left, const auto&, const auto& out) {
              const auto run = [&](const auto& multiply, const auto& solve, const auto& stored_view) {
                show(stored_view, how, [&](const auto& view) {
                  multiply(this->queue, used, diagonal, view, out.vector()).wait();
                  if (back) solve(this->queue, used, diagonal, view, out.vector()).wait();
                });
              };
              if (is_packed)
                run([](auto&&... all) { return blas::tpmv(all...); },
                    [](auto&&... all) { return blas::tpsv(all...); }, left.packed());
              else
                run([](auto&&... all) { return blas::tbmv(all...); },
                    [](auto&&... all) { return blas::tbsv(all...); }, left.banded());
            });
        }
}

TYPED_TEST(blas_banded_packed, updates_write_the_packed_triangle_only) {
  using T = TypeParam;
  variety<T> any;
  for (const bool hermitian : {false, true})
    for (const uplo triangle : {uplo::upper, uplo::lower})
      for (const bool by_rows : {false, true}) {
        if (is_complex<T> && !hermitian) continue;
        const std::size_t n = 23;
        const stored<T> a(n, triangle, by_rows, ++any.made);
        const auto x = any.vector(n, 2), y = any.vector(n, -1);
        const auto turn = hermitian ? adjoint : transposed;
        const exact alpha = exactly(this->alpha);
        expected once(n, n), twice(n, n);
        once.add(hermitian ? exact(0.75) : alpha, meant(x), turn(meant(x)));
        twice.add(alpha, meant(x), turn(meant(y)));
        twice.add(hermitian ? std::conj(alpha) : alpha, meant(y), turn(meant(x)));
        this->check_update("spr, hpr", x, y, a, once, hermitian,
                           [&](const auto& left, const auto&, const auto& to) {
          if (hermitian) blas::hpr(this->queue, triangle, real<T>(0.75), left.vector(), to.packed());
          else blas::spr(this->queue, triangle, this->alpha, left.vector(), to.packed());
        });
        this->check_update("spr2, hpr2", x, y, a, twice, hermitian,
                           [&](const auto& left, const auto& right, const auto& to) {
          if (hermitian)
            blas::hpr2(this->queue, triangle, this->alpha, left.vector(), right.vector(), to.packed());
          else blas::spr2(this->queue, triangle, this->alpha, left.vector(), right.vector(), to.packed());
        });
      }
}

/// The code of the error that `what` throws, and a part of its text.
template <typename Call>
void expect_refused(sycl::errc code, const char* part, const Call& what) {
  std::string text;
  EXPECT_EQ(prism_test::error_of(what, &text), code) << text;
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(blas_banded_packed_rules, own_kernels_and_devices_without_a_provider_refuse_by_name) {
  sycl::queue queue;
  sycl::buffer<float> a{sycl::range<1>(32)}, x{sycl::range<1>(4)}, y{sycl::range<1>(4)};
  const auto call = [&] {
    blas::gbmv(queue, 1, blas::banded(a, 4, 4, 1, 2), prism::view_of(x), 0, prism::view_of(y)).wait();
  };
  constexpr const char* reason = "prism: it has no kernels for banded and packed matrices";
  {
    const blas::scoped_provider own("prism");
    expect_refused(sycl::errc::kernel_not_supported, reason, call);
  }
  if (queue.get_device().get_backend() == sycl::backend::ext_prism_host) return;
  expect_refused(sycl::errc::kernel_not_supported, reason, call);
  expect_refused(sycl::errc::kernel_not_supported, "gemv float 4x4 banded", call);
}

TEST(blas_banded_packed_rules, matrices_without_elements_need_no_provider) {
  sycl::queue queue;
  for (const bool transposed : {false, true}) {
    std::vector<float> values{1, 2, 3};
    {
      sycl::buffer<float> a{sycl::range<1>(1)}, x{sycl::range<1>(1)}, y(values);
      const auto none = prism::vector_view<float, prism::buffer_place<float>>(x, 0, 1);
      const auto wide = transposed ? blas::banded(a, 0, 3, 1, 0).transposed() : blas::banded(a, 3, 0, 0, 1);
      blas::gbmv(queue, 1, wide, none, 2, prism::view_of(y));
      blas::spr(queue, uplo::lower, 1, none, blas::packed(a, 0));
      blas::tpsv(queue, uplo::lower, diag::unit, blas::packed(a, 0), none);
    }
    EXPECT_EQ(values, (std::vector<float>{2, 4, 6}));
  }
}

TEST(blas_banded_packed_rules, impossible_storages_are_refused) {
  sycl::queue queue;
  sycl::buffer<float> a{sycl::range<1>(12)}, x{sycl::range<1>(4)};
  const auto v = prism::view_of(x);
  const auto refused = [&](const char* part, const auto& call) {
    expect_refused(sycl::errc::invalid, part, call);
  };
  refused("do not fit a pitch of 2", [&] { blas::banded(a, 4, 4, 1, 1, 2); });
  refused("its buffer has 12",
          [&] { blas::tbmv(queue, uplo::upper, diag::unit, blas::banded(a, 4, 4, 0, 3), v); });
  refused("its buffer has 12", [&] { blas::tpmv(queue, uplo::upper, diag::unit, blas::packed(a, 5), v); });
  refused("diagonals outside of its triangle",
          [&] { blas::tbmv(queue, uplo::upper, diag::unit, blas::banded(a, 4, 4, 1, 0), v); });
  refused("extents disagree", [&] { blas::tpmv(queue, uplo::upper, diag::unit, blas::packed(a, 3), v); });
  if (queue.get_device().get_backend() != sycl::backend::ext_prism_host || providers().empty()) return;
  sycl::buffer<std::complex<float>> c{sycl::range<1>(12)}, z{sycl::range<1>(2)}, to{sycl::range<1>(2)};
  expect_refused(sycl::errc::kernel_not_supported, "no symmetric complex routine", [&] {
    blas::spmv(queue, uplo::upper, 1, blas::packed(c, 2), prism::view_of(z), 0, prism::view_of(to));
  });
}

} // namespace
