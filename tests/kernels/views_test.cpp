// Strided views: the meaning of their members, and the views that they reject. Ordinary C++17; nothing runs
// on a device.
#include <prism/views.hpp>

#include <gtest/gtest.h>
#if __has_include(<mdspan>)
#include <mdspan>
#endif

#include <limits>
#include <numeric>
#include <vector>

namespace {

template <typename View>
std::vector<int> elements(const View& v) {
  std::vector<int> found;
  for (std::size_t i = 0; i < v.size; ++i) found.push_back(v.data[static_cast<std::ptrdiff_t>(i) * v.stride]);
  return found;
}
std::vector<std::vector<int>> rows_of(const prism::matrix_view<int>& m) {
  std::vector<std::vector<int>> found;
  for (std::size_t i = 0; i < m.rows; ++i) found.push_back(elements(m.row(i)));
  return found;
}
/// The text of the errc::invalid exception that the call throws; "accepted" if it throws none.
template <typename Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const sycl::exception& e) {
    return e.code() == sycl::make_error_code(sycl::errc::invalid) ? e.what() : "another code";
  }
  return "accepted";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct views : testing::Test {
  std::vector<int> numbers = [] {
    std::vector<int> v(24);
    std::iota(v.begin(), v.end(), 0);
    return v;
  }();
};

TEST_F(views, row_major_and_column_major_set_the_strides) {
  EXPECT_EQ(rows_of(prism::row_major(numbers.data(), 2, 3)),
            (std::vector<std::vector<int>>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(rows_of(prism::column_major(numbers.data(), 2, 3)),
            (std::vector<std::vector<int>>{{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(rows_of(prism::row_major(numbers.data(), 2, 2, 5)),
            (std::vector<std::vector<int>>{{0, 1}, {5, 6}}));
}

TEST_F(views, a_transposed_view_has_rows_for_columns) {
  const auto m = prism::row_major(numbers.data(), 2, 3).transposed();
  EXPECT_EQ(rows_of(m), (std::vector<std::vector<int>>{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_TRUE(m.is_column_major());
  EXPECT_FALSE(m.is_row_major());
}

TEST_F(views, a_submatrix_keeps_the_strides) {
  const auto m = prism::row_major(numbers.data(), 4, 6).submatrix(1, 2, 2, 3);
  EXPECT_EQ(rows_of(m), (std::vector<std::vector<int>>{{8, 9, 10}, {14, 15, 16}}));
  EXPECT_EQ(rows_of(m.transposed().submatrix(1, 0, 2, 1)), (std::vector<std::vector<int>>{{9}, {10}}));
}

TEST_F(views, rows_columns_and_diagonals_are_vectors) {
  const auto m = prism::row_major(numbers.data(), 3, 4);
  EXPECT_EQ(elements(m.row(1)), (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(elements(m.column(1)), (std::vector<int>{1, 5, 9}));
  EXPECT_EQ(elements(m.diagonal()), (std::vector<int>{0, 5, 10}));
  EXPECT_EQ(elements(m.diagonal(2)), (std::vector<int>{2, 7}));
  EXPECT_EQ(elements(m.diagonal(-1)), (std::vector<int>{4, 9}));
  EXPECT_EQ(elements(m.diagonal(4)), std::vector<int>{});
}

TEST_F(views, negative_strides_begin_at_the_last_element) {
  const prism::vector_view<int> v(numbers.data(), 5);
  EXPECT_EQ(elements(v.reversed()), (std::vector<int>{4, 3, 2, 1, 0}));
  EXPECT_EQ(elements(v.reversed().reversed()), elements(v));
  EXPECT_EQ(elements(v.subvector(4, 3, -2)), (std::vector<int>{4, 2, 0}));
  EXPECT_EQ(elements(v.subvector(1, 2, 3)), (std::vector<int>{1, 4}));
}

TEST_F(views, a_batch_is_a_row_of_matrices) {
  const prism::batch_view<int> batch(prism::row_major(numbers.data(), 2, 3), 4, 6);
  EXPECT_EQ(rows_of(batch[2]), (std::vector<std::vector<int>>{{12, 13, 14}, {15, 16, 17}}));
  EXPECT_EQ(rows_of(batch.transposed()[1]), (std::vector<std::vector<int>>{{6, 9}, {7, 10}, {8, 11}}));
  EXPECT_EQ(rows_of(batch.submatrix(1, 1, 1, 2)[3]), (std::vector<std::vector<int>>{{22, 23}}));
  EXPECT_EQ(rows_of(batch.subbatch(1, 2)[1]), rows_of(batch[2]));
}

TEST_F(views, are_constant_expressions) {
  static int cells[12];
  constexpr auto m = prism::row_major(cells, 3, 4).submatrix(1, 1, 2, 2).transposed();
  static_assert(m.rows == 2 && m.row_stride == 1 && m.column_stride == 4);
  static_assert(m.diagonal().stride == 5);
  constexpr prism::matrix_view<const int> read = m;
  EXPECT_EQ(read.data, cells + 5);
}

TEST_F(views, convert_to_const_and_not_back) {
  static_assert(std::is_convertible_v<prism::vector_view<int>, prism::vector_view<const int>>);
  static_assert(!std::is_convertible_v<prism::vector_view<const int>, prism::vector_view<int>>);
  static_assert(std::is_convertible_v<prism::buffer_matrix_view<int>, prism::buffer_matrix_view<const int>>);
  static_assert(!std::is_convertible_v<prism::buffer_matrix_view<const int>, prism::buffer_matrix_view<int>>);
  static_assert(!std::is_convertible_v<prism::matrix_view<float>, prism::matrix_view<const double>>);
}

TEST_F(views, over_buffers_count_from_their_offset) {
  sycl::buffer<int> buffer(numbers.data(), sycl::range<1>(24));
  const auto m = prism::row_major(buffer, 2, 3, 4, 5).transposed().submatrix(1, 1, 2, 1);
  EXPECT_EQ(m.data.offset, 5 + 1 + 4);
  EXPECT_EQ(m.rows, 2u);
  sycl::buffer<int, 2> grid(sycl::range<2>(4, 6));
  EXPECT_EQ(prism::view_of(grid).row_stride, 6);
  sycl::buffer<int, 3> cube(sycl::range<3>(2, 3, 4));
  EXPECT_EQ(prism::view_of(cube).batch_stride, 12);
}

/// The members of std::mdspan that prism::view_of uses.
struct like_mdspan {
  using data_handle_type = int*;
  static constexpr std::size_t rank() { return 2; }
  int* data_handle() const { return m_data; }
  int extent(std::size_t d) const { return d ? 3 : 2; }
  int stride(std::size_t d) const { return d ? 1 : 6; }
  int* m_data;
};

TEST_F(views, can_be_made_from_a_type_like_mdspan) {
  EXPECT_EQ(rows_of(prism::view_of(like_mdspan{numbers.data()})),
            (std::vector<std::vector<int>>{{0, 1, 2}, {6, 7, 8}}));
}

TEST_F(views, can_be_made_from_std_mdspan) {
#ifdef __cpp_lib_mdspan
  const std::mdspan<int, std::dextents<int, 2>, std::layout_left> span(numbers.data(), 2, 3);
  EXPECT_EQ(rows_of(prism::view_of(span)), (std::vector<std::vector<int>>{{0, 2, 4}, {1, 3, 5}}));
#else
  GTEST_SKIP() << "this standard library has no std::mdspan";
#endif
}

TEST_F(views, reject_submatrices_outside_of_the_matrix) {
  const auto m = prism::row_major(numbers.data(), 3, 4);
  EXPECT_EQ(refusal([&] { (void)m.submatrix(2, 0, 2, 4); }),
            "submatrix: 2 rows from 2 on are not inside of 3");
  EXPECT_EQ(refusal([&] { (void)m.submatrix(0, 5, 1, 0); }),
            "submatrix: 0 columns from 5 on are not inside of 4");
  EXPECT_EQ(refusal([&] { (void)m.row(3); }), "row: 1 rows from 3 on are not inside of 3");
  EXPECT_EQ(refusal([&] { (void)m.column(4); }), "column: 1 columns from 4 on are not inside of 4");
  EXPECT_EQ(refusal([&] { (void)m.diagonal(-4); }), "diagonal: offset -4 is not inside of 3 x 4");
  EXPECT_EQ(refusal([&] { (void)m.row(0).subvector(3, 3, -2); }),
            "subvector: 3 elements from 3 on, -2 apart, are not inside of 4");
  EXPECT_EQ(refusal([&] { (void)m.row(0).subvector(0, 2, 0); }), "subvector: a step of 0");
  EXPECT_EQ(refusal([&] { (void)m.submatrix(0, 0, std::numeric_limits<std::size_t>::max(), 1); }),
            "submatrix: 18446744073709551615 rows from 0 on are not inside of 3");
}

TEST_F(views, reject_a_pitch_shorter_than_a_line) {
  EXPECT_EQ(refusal([&] { (void)prism::row_major(numbers.data(), 2, 5, 4); }),
            "row_major: rows of 5 elements do not fit a pitch of 4");
  EXPECT_EQ(refusal([&] { (void)prism::column_major(numbers.data(), 5, 2, 4); }),
            "column_major: columns of 5 elements do not fit a pitch of 4");
}

TEST_F(views, must_lie_inside_their_buffer) {
  sycl::buffer<int> buffer(sycl::range<1>(10));
  EXPECT_EQ(refusal([&] { prism::require_possible("gemm: a", prism::row_major(buffer, 2, 5)); }), "accepted");
  EXPECT_EQ(refusal([&] { prism::require_possible("gemm: a", prism::row_major(buffer, 2, 5, 6, 0)); }),
            "gemm: a begins at element 0 and reaches from 0 to 10 elements from there; its buffer has 10");
  EXPECT_TRUE(contains(
      refusal([&] { prism::require_possible("x", prism::buffer_vector_view<int>({buffer, 2}, 4, -1)); }),
      "reaches from -3 to 0"));
  EXPECT_EQ(
      refusal([&] { prism::require_possible("x", prism::buffer_vector_view<int>({buffer, 3}, 4, -1)); }),
      "accepted");
  EXPECT_TRUE(contains(
      refusal([&] { prism::require_possible("x", prism::buffer_vector_view<int>({buffer, 10}, 1)); }),
      "begins at element 10"));
  EXPECT_EQ(refusal([&] { prism::require_possible("x", prism::buffer_vector_view<int>({buffer, 10}, 0)); }),
            "accepted");
}

TEST_F(views, reject_null_pointers_and_impossible_sizes) {
  EXPECT_EQ(refusal([&] { prism::require_possible("x", prism::vector_view<int>(nullptr, 3)); }),
            "x has elements and a null pointer");
  EXPECT_EQ(refusal([&] { prism::require_possible("x", prism::vector_view<int>(nullptr, 0)); }), "accepted");
  constexpr auto far = std::numeric_limits<std::ptrdiff_t>::max();
  EXPECT_TRUE(contains(
      refusal([&] { prism::require_possible("x", prism::vector_view<int>(numbers.data(), 3, far)); }),
      "reach beyond 2^63"));
  EXPECT_TRUE(contains(
      refusal([&] { prism::require_possible("a", prism::matrix_view<int>(numbers.data(), 2, 2, far, 1)); }),
      "reach beyond 2^63"));
  EXPECT_TRUE(contains(refusal([&] {
    prism::require_possible(
        "x", prism::vector_view<int>(numbers.data(), 2, std::numeric_limits<std::ptrdiff_t>::min()));
  }),
                       "reach beyond 2^63"));
}

TEST_F(views, know_whether_two_indices_are_the_same_element) {
  int* p = numbers.data();
  EXPECT_TRUE(prism::row_major(p, 3, 4).is_distinct());
  EXPECT_TRUE(prism::row_major(p, 3, 4).transposed().is_distinct());
  EXPECT_FALSE(prism::matrix_view<int>(p, 3, 4, 3, 1).is_distinct());
  EXPECT_FALSE(prism::matrix_view<int>(p, 3, 4, 0, 1).is_distinct());
  EXPECT_FALSE(prism::vector_view<int>(p, 2, 0).is_distinct());
  EXPECT_TRUE(prism::vector_view<int>(p, 1, 0).is_distinct());
  EXPECT_TRUE(prism::matrix_view<int>(p, 3, 4, -4, 1).is_distinct());
  EXPECT_TRUE(prism::matrix_view<int>(p, 1, 4, 0, 1).is_distinct());
}

} // namespace
