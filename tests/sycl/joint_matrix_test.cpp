// joint_matrix (sycl_ext_oneapi_matrix, sycl_ext_intel_matrix): refused without PRISM_JOINT_MATRIX, else
// every operation against loops on the host. Sums are exact in float, so each result has one right value.
#include "tests/sycl/common.hpp"

#include <sycl/ext/oneapi/matrix/matrix.hpp>

#include <cmath>
#include <cstdlib>
#include <random>

namespace {

using namespace sycl;
namespace mx = ext::oneapi::experimental::matrix;
namespace imx = ext::intel::experimental::matrix;
using ext::oneapi::bfloat16;
using mx::layout;
using mx::use;
using tf32 = mx::precision::tf32;
using prism_test::error_of;

bool is_asked_for() {
  const char* text = std::getenv("PRISM_JOINT_MATRIX");
  return text != nullptr && std::string(text) == "emulate";
}

#define SKIP_UNLESS_ASKED_FOR()                                                                              \
  if (!is_asked_for()) GTEST_SKIP() << "PRISM_JOINT_MATRIX=emulate is not set"

template <typename T>
constexpr bool is_on(const device& on) {
  if (std::is_same_v<T, double>) return on.has(aspect::fp64);
  if (std::is_same_v<T, half>) return on.has(aspect::fp16);
  return true;
}

template <typename T>
using element = std::conditional_t<std::is_same_v<T, tf32>, float, T>;

/// Small integers, and quarters for types of floating-point numbers.
template <typename T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<T> all;
  for (std::size_t i = 0; i < count; ++i) {
    const int n = static_cast<int>(random() % 33) - 16;
    if constexpr (std::is_integral_v<T>) all.push_back(static_cast<T>(std::is_signed_v<T> ? n * 7 : n + 200));
    else all.push_back(static_cast<T>(static_cast<float>(n) / 4));
  }
  return all;
}

template <typename T>
double number(const T& value) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) return static_cast<float>(value);
  else return static_cast<double>(value);
}

/// Where row-major element (row, column) of a matrix stands in memory with this layout and stride.
template <typename T>
std::size_t offset(layout how, std::size_t row, std::size_t column, std::size_t stride) {
  constexpr std::size_t packed = sizeof(T) >= 4 ? 1 : 4 / sizeof(T);
  if (how == layout::col_major) return column * stride + row;
  if (how == layout::ext_intel_packed) return row / packed * stride + column * packed + row % packed;
  return row * stride + column;
}
/// The stride of a whole matrix.
template <typename T>
std::size_t stride_of(layout how, std::size_t rows, std::size_t columns) {
  if (how == layout::col_major) return rows;
  if (how == layout::ext_intel_packed) return columns * (sizeof(T) >= 4 ? 1 : 4 / sizeof(T));
  return columns;
}

/// Sub-group sizes to try: all of the device, with groups of two sub-groups and of one and a half.
std::vector<std::size_t> group_sizes(const queue& q) {
  std::vector<std::size_t> sizes;
  for (const std::size_t each : q.get_device().get_info<info::device::sub_group_sizes>()) {
    sizes.push_back(2 * each);
    if (each > 1) sizes.push_back(each + each / 2);
  }
  return sizes;
}

template <typename T>
auto global(const T* memory) {
  return address_space_cast<access::address_space::global_space, access::decorated::no>(memory);
}
template <typename T>
auto global(T* memory) {
  return address_space_cast<access::address_space::global_space, access::decorated::no>(memory);
}

/// One product of large matrices by tiles of M x K and K x N, one tile of the result for each sub-group.
template <typename A, typename B, typename C, std::size_t M, std::size_t N, std::size_t K,
          layout LayoutA = layout::row_major, layout LayoutB = layout::row_major,
          layout LayoutC = layout::row_major>
void check_product() {
  prism_test::error_log errors;
  queue q(errors.handler());
  if (!is_on<A>(q.get_device()) || !is_on<C>(q.get_device()))
    GTEST_SKIP() << q.get_device().get_info<info::device::name>() << " has no halves or doubles";
  constexpr std::size_t rows = 3 * M, columns = 2 * N, inner = 2 * K;
  using a_type = element<A>;
  using b_type = element<B>;
  const auto a = numbers<a_type>(rows * inner, 1);
  const auto b = numbers<b_type>(inner * columns, 2);
  const auto c = numbers<C>(rows * columns, 3);
  const std::size_t stride_a = stride_of<a_type>(LayoutA, rows, inner);
  const std::size_t stride_b = stride_of<b_type>(LayoutB, inner, columns);
  const std::size_t stride_c = stride_of<C>(LayoutC, rows, columns);
  for (const std::size_t size : group_sizes(q)) {
    std::vector<C> result(rows * columns);
    {
      buffer<a_type> from_a(a.data(), range<1>(a.size()));
      buffer<b_type> from_b(b.data(), range<1>(b.size()));
      buffer<C> from_c(c.data(), range<1>(c.size())), to(result.data(), range<1>(result.size()));
      q.submit([&](handler& h) {
        const accessor in_a(from_a, h, read_only);
        const accessor in_b(from_b, h, read_only);
        const accessor in_c(from_c, h, read_only);
        const accessor out(to, h, write_only, no_init);
        h.parallel_for(nd_range<1>(6 * size, size), [=](nd_item<1> item) {
          const sub_group group = item.get_sub_group();
          // tiles are dealt to all sub-groups of the launch
          const std::size_t groups = group.get_group_linear_range();
          for (std::size_t tile = item.get_group(0) * groups + group.get_group_linear_id(); tile < 6;
               tile += 6 * groups) {
            const std::size_t row = tile / 2 * M, column = tile % 2 * N;
            mx::joint_matrix<sub_group, A, use::a, M, K, LayoutA> left;
            mx::joint_matrix<sub_group, B, use::b, K, N, LayoutB> right;
            mx::joint_matrix<sub_group, C, use::accumulator, M, N> sum;
            const auto pointer_a = in_a.template get_multi_ptr<access::decorated::no>();
            const auto pointer_b = in_b.template get_multi_ptr<access::decorated::no>();
            const auto pointer_c = in_c.template get_multi_ptr<access::decorated::no>();
            mx::joint_matrix_load(group, sum, pointer_c + offset<C>(LayoutC, row, column, stride_c), stride_c,
                                  LayoutC);
            for (std::size_t k = 0; k < inner; k += K) {
              mx::joint_matrix_load(group, left, pointer_a + offset<a_type>(LayoutA, row, k, stride_a),
                                    stride_a);
              mx::joint_matrix_load(group, right, pointer_b + offset<b_type>(LayoutB, k, column, stride_b),
                                    stride_b);
              mx::joint_matrix_mad(group, sum, left, right, sum);
            }
            mx::joint_matrix_store(group, sum,
                                   out.template get_multi_ptr<access::decorated::no>() +
                                       offset<C>(LayoutC, row, column, stride_c),
                                   stride_c, LayoutC);
          }
        });
      });
    }
    q.wait_and_throw();
    for (const std::string& each : errors.texts) { // on llvmpipe, where one work-item is a sub-group
      if (each.find("loop iterations in one work-item") != each.npos) GTEST_SKIP() << each;
      FAIL() << each;
    }
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t at = offset<C>(LayoutC, row, column, stride_c);
        C expected = c[at];
        for (std::size_t tile = 0; tile < inner; tile += K) { // the result is rounded after each product
          double sum = number(expected);
          for (std::size_t k = tile; k < tile + K; ++k)
            sum += number(a[offset<a_type>(LayoutA, row, k, stride_a)]) *
                   number(b[offset<b_type>(LayoutB, k, column, stride_b)]);
          expected = std::is_integral_v<C> ? static_cast<C>(sum) : static_cast<C>(static_cast<float>(sum));
        }
        ASSERT_EQ(number(result[at]), number(expected))
            << "row " << row << " column " << column << " group of " << size;
      }
  }
}

TEST(joint_matrix, kernels_are_refused_unless_the_user_asks_for_them) {
  queue q;
  const device on = q.get_device();
  const auto combinations = on.get_info<ext::oneapi::experimental::info::device::matrix_combinations>();
  if (!combinations.empty() && combinations[0].msize != 0)
    GTEST_SKIP() << on.get_info<info::device::name>() << " has matrix units: see matrix_units_test.cpp";
  EXPECT_EQ(on.has(aspect::ext_intel_matrix), is_asked_for());
  EXPECT_EQ(combinations.empty(), !is_asked_for());
  if (is_asked_for()) GTEST_SKIP() << "PRISM_JOINT_MATRIX asks for joint_matrix";
  std::string why;
  prism_test::error_log errors;
  const errc code = error_of([&] {
    queue own(on, errors.handler());
    own.parallel_for(nd_range<1>(8, 8), [](nd_item<1> item) {
      mx::joint_matrix<sub_group, float, use::accumulator, 8, 8> sum;
      mx::joint_matrix_fill(item.get_sub_group(), sum, 1.0f);
    });
    own.wait_and_throw();
  }, &why);
#if defined(PRISM_TEST_COMPILED)
  EXPECT_EQ(code, errc::kernel_not_supported);
#else
  if (!errors.texts.empty()) why = errors.texts[0];
#endif
  EXPECT_NE(why.find("PRISM_JOINT_MATRIX=emulate"), std::string::npos) << why;
  static_cast<void>(code);
}

TEST(joint_matrix, combinations_are_those_of_the_types_that_the_device_has) {
  SKIP_UNLESS_ASKED_FOR();
  const device on = queue().get_device();
  using mx::matrix_type;
  const auto all = on.get_info<ext::oneapi::experimental::info::device::matrix_combinations>();
  const auto has = [&](matrix_type a, matrix_type b, matrix_type c, matrix_type d) {
    std::size_t found = 0;
    for (const mx::combination& each : all)
      found += each.atype == a && each.btype == b && each.ctype == c && each.dtype == d;
    EXPECT_LE(found, 1u);
    return found == 1;
  };
  EXPECT_TRUE(has(matrix_type::sint8, matrix_type::uint8, matrix_type::sint32, matrix_type::sint32));
  EXPECT_TRUE(has(matrix_type::bf16, matrix_type::bf16, matrix_type::fp32, matrix_type::fp32));
  EXPECT_TRUE(has(matrix_type::tf32, matrix_type::tf32, matrix_type::fp32, matrix_type::fp32));
  EXPECT_FALSE(has(matrix_type::fp32, matrix_type::fp32, matrix_type::fp32, matrix_type::fp32));
  EXPECT_EQ(has(matrix_type::fp16, matrix_type::fp16, matrix_type::fp32, matrix_type::fp32),
            on.has(aspect::fp16));
  EXPECT_EQ(has(matrix_type::fp64, matrix_type::fp64, matrix_type::fp64, matrix_type::fp64),
            on.has(aspect::fp64));
  for (const mx::combination& each : all) {
    EXPECT_EQ(each.max_msize, 32u);
    EXPECT_EQ(each.max_nsize, 64u);
    EXPECT_EQ(each.max_ksize, 64u);
    EXPECT_EQ(each.msize + each.nsize + each.ksize, 0u);
  }
}

TEST(joint_matrix, products_of_bytes_are_exact) {
  SKIP_UNLESS_ASKED_FOR();
  check_product<std::int8_t, std::int8_t, std::int32_t, 8, 16, 32>();
  check_product<std::int8_t, std::uint8_t, std::int32_t, 5, 16, 32>();
  check_product<std::uint8_t, std::int8_t, std::int32_t, 16, 3, 16>();
  check_product<std::uint8_t, std::uint8_t, std::int32_t, 16, 16, 64>();
}

TEST(joint_matrix, products_of_half_are_exact_in_float_and_rounded_once_in_half) {
  SKIP_UNLESS_ASKED_FOR();
  check_product<half, half, float, 16, 16, 16>();
  check_product<half, half, half, 8, 32, 16>();
}

TEST(joint_matrix, products_of_bfloat16_are_exact_in_float_and_rounded_once_in_bfloat16) {
  SKIP_UNLESS_ASKED_FOR();
  check_product<bfloat16, bfloat16, float, 8, 16, 16>();
  check_product<bfloat16, bfloat16, float, 32, 64, 16>();
  check_product<bfloat16, bfloat16, bfloat16, 8, 16, 16>();
}

TEST(joint_matrix, products_of_tf32_and_of_double_are_exact) {
  SKIP_UNLESS_ASKED_FOR();
  check_product<tf32, tf32, float, 16, 16, 8>();
  check_product<double, double, double, 8, 8, 4>();
}

TEST(joint_matrix, memory_may_have_each_layout) {
  SKIP_UNLESS_ASKED_FOR();
  check_product<bfloat16, bfloat16, float, 8, 8, 16, layout::col_major, layout::row_major,
                layout::col_major>();
  check_product<bfloat16, bfloat16, float, 8, 16, 16, layout::row_major, layout::ext_intel_packed>();
  check_product<std::int8_t, std::int8_t, std::int32_t, 8, 16, 32, layout::row_major,
                layout::ext_intel_packed>();
  check_product<std::int8_t, std::int8_t, std::int32_t, 8, 8, 32, layout::col_major, layout::col_major,
                layout::col_major>();
  check_product<tf32, tf32, float, 8, 16, 8, layout::col_major, layout::ext_intel_packed>();
}

/// Runs `body(group, out)` in one sub-group, or in each of several, which then write the same values.
template <typename T, typename Body>
std::vector<T> computed(std::size_t count, const std::vector<T>& in, std::size_t size, Body body) {
  queue q;
  std::vector<T> result(count);
  {
    buffer<T> from(in.data(), range<1>(in.size())), to(result.data(), range<1>(count));
    q.submit([&](handler& h) {
      const accessor input(from, h, read_only);
      const accessor output(to, h, read_write);
      h.parallel_for(nd_range<1>(size, size), [=](nd_item<1> item) {
        const sub_group group = item.get_sub_group();
        if (group.get_group_linear_id() == 0)
          body(group, input.template get_multi_ptr<access::decorated::no>(),
               output.template get_multi_ptr<access::decorated::no>());
      });
    });
  }
  return result;
}

constexpr std::size_t m = 6, n = 10;

/// The elements of the matrix, doubled, and how many elements each operation saw.
template <use Use, layout Layout>
void check_apply() {
  queue q;
  const auto in = numbers<std::int32_t>(m * n, 5);
  std::vector<std::int8_t> bytes(in.begin(), in.end());
  for (const std::size_t size : group_sizes(q)) {
    const auto out = computed<std::int8_t>(m * n + 2, bytes, size,
                                           [](const sub_group& group, const auto& from, const auto& to) {
      mx::joint_matrix<sub_group, std::int8_t, Use, m, n, Layout> matrix;
      mx::joint_matrix_load(group, matrix, from, n);
      std::int32_t seen = 0, places = 0;
      mx::joint_matrix_apply(group, matrix, [&](std::int8_t& value) {
        value = static_cast<std::int8_t>(value + 3);
        ++seen;
      });
      imx::joint_matrix_apply(group, matrix, [&](std::int8_t& value, std::size_t row, std::size_t column) {
        value = static_cast<std::int8_t>(value + row);
        places += static_cast<std::int32_t>(row * n + column);
      });
      imx::joint_matrix_store(group, matrix, to, n);
      seen = reduce_over_group(group, seen, plus<std::int32_t>());
      places = reduce_over_group(group, places, plus<std::int32_t>());
      if (group.leader()) {
        to[m * n] = static_cast<std::int8_t>(seen);
        to[m * n + 1] = static_cast<std::int8_t>(places % 127);
      }
    });
    for (std::size_t i = 0; i < m * n; ++i)
      ASSERT_EQ(out[i], static_cast<std::int8_t>(bytes[i] + 3 + i / n)) << i << " group of " << size;
    EXPECT_EQ(out[m * n], std::int8_t(m * n)) << "each element is seen once, group of " << size;
    EXPECT_EQ(out[m * n + 1], std::int8_t(m * n * (m * n - 1) / 2 % 127)) << "group of " << size;
  }
}

TEST(joint_matrix, operations_see_each_element_once_and_know_its_place) {
  SKIP_UNLESS_ASKED_FOR();
  check_apply<use::a, layout::row_major>();
  check_apply<use::b, layout::row_major>();
}

TEST(joint_matrix, an_operation_reads_and_writes_two_matrices) {
  SKIP_UNLESS_ASKED_FOR();
  queue q;
  const auto in = numbers<float>(2 * m * n, 6);
  for (const std::size_t size : group_sizes(q)) {
    const auto out =
        computed<float>(2 * m * n, in, size, [](const sub_group& group, const auto& from, const auto& to) {
      mx::joint_matrix<sub_group, float, use::accumulator, m, n> x, y;
      mx::joint_matrix_load(group, x, from, n, layout::row_major);
      mx::joint_matrix_load(group, y, from + m * n, n, layout::row_major);
      mx::joint_matrix_apply(group, x, y, [](const float& a, float& b) { b = 2 * a + b; });
      mx::joint_matrix<sub_group, tf32, use::a, m, n, layout::row_major> z, w;
      mx::joint_matrix_load(group, z, from, n);
      mx::joint_matrix_load(group, w, from + m * n, n);
      mx::joint_matrix_apply(group, z, w, [](float& a, float& b) {
        const float sum = a + b;
        b = a - b;
        a = sum;
      });
      mx::joint_matrix_apply(group, z, w, [](float& a, float& b) { b = a * b; });
      mx::joint_matrix_store(group, y, to, n, layout::row_major);
      imx::joint_matrix_store(group, w, to + m * n, n);
    });
    for (std::size_t i = 0; i < m * n; ++i) {
      const float a = in[i], b = in[m * n + i];
      ASSERT_EQ(out[i], 2 * a + b) << i << " group of " << size;
      ASSERT_EQ(out[m * n + i], (a + b) * (a - b)) << i << " group of " << size;
    }
  }
}

TEST(joint_matrix, copies_convert_elements_and_change_the_use) {
  SKIP_UNLESS_ASKED_FOR();
  queue q;
  const auto in = numbers<float>(m * n, 7);
  for (const std::size_t size : group_sizes(q)) {
    const auto out =
        computed<float>(4 * m * n, in, size, [](const sub_group& group, const auto& from, const auto& to) {
      mx::joint_matrix<sub_group, float, use::accumulator, m, n> start, end;
      mx::joint_matrix_load(group, start, from, n, layout::row_major);
      mx::joint_matrix<sub_group, bfloat16, use::a, m, n, layout::row_major> left;
      mx::joint_matrix<sub_group, bfloat16, use::b, m, n, layout::col_major> right;
      mx::joint_matrix<sub_group, tf32, use::a, m, n, layout::col_major> wide;
      mx::joint_matrix_copy(group, start, left); // accumulator to a
      mx::joint_matrix_copy(group, left, right); // a to b
      mx::joint_matrix_copy(group, right, end);  // b to accumulator
      mx::joint_matrix_store(group, end, to, n, layout::row_major);
      mx::joint_matrix_copy(group, start, right); // accumulator to b
      mx::joint_matrix_copy(group, right, wide);  // b to a
      imx::joint_matrix_store(group, wide, to + m * n, m);
      mx::joint_matrix_copy(group, wide, end); // a to accumulator
      mx::joint_matrix_store(group, end, to + 2 * m * n, m, layout::col_major);
      mx::joint_matrix_copy(group, start, end);
      mx::joint_matrix_store(group, end, to + 3 * m * n, n, layout::row_major);
    });
    for (std::size_t i = 0; i < m * n; ++i) {
      const std::size_t by_column = i % n * m + i / n;
      ASSERT_EQ(out[i], in[i]) << i << " group of " << size;
      ASSERT_EQ(out[m * n + by_column], in[i]) << i << " group of " << size;
      ASSERT_EQ(out[2 * m * n + by_column], in[i]) << i << " group of " << size;
      ASSERT_EQ(out[3 * m * n + i], in[i]) << i << " group of " << size;
    }
  }
}

TEST(joint_matrix, checked_operations_stay_inside_of_the_memory) {
  SKIP_UNLESS_ASKED_FOR();
  constexpr std::size_t rows = 10, columns = 13; // memory; tiles of 8 x 8 and 8 x 16 exceed it
  queue q;
  std::vector<std::int32_t> in = prism_test::counted(rows * columns, 1);
  for (const std::size_t size : group_sizes(q)) {
    const auto out = computed<std::int32_t>(rows * columns + 64 + 128, in, size,
                                            [](const sub_group& group, const auto& from, const auto& to) {
      const auto tiles = to + rows * columns;
      mx::joint_matrix<sub_group, std::int32_t, use::accumulator, 8, 8> tile;
      for (std::size_t row = 0; row < rows; row += 8)
        for (std::size_t column = 0; column < columns; column += 8) {
          imx::joint_matrix_load_checked(group, tile, from, columns, layout::row_major, rows, columns, row,
                                         column);
          imx::joint_matrix_store_checked(group, tile, to, columns, layout::row_major, rows, columns, row,
                                          column);
        }
      mx::joint_matrix_store(group, tile, tiles, 8, layout::row_major); // the last: zeros outside
      imx::joint_matrix_fill_checked(group, tile, 5, rows, columns, 8, 8);
      mx::joint_matrix_store(group, tile, tiles + 64, 8, layout::row_major);
      imx::joint_matrix_load_checked(group, tile, from, columns, layout::col_major, rows, columns, 8, 8);
      mx::joint_matrix_store(group, tile, tiles + 128, 8, layout::row_major);
    });
    for (std::size_t i = 0; i < rows * columns; ++i) ASSERT_EQ(out[i], in[i]) << i << " group of " << size;
    for (std::size_t row = 0; row < 8; ++row)
      for (std::size_t column = 0; column < 8; ++column) {
        const bool inside = 8 + row < rows && 8 + column < columns;
        const bool transposed = 8 + column < rows && 8 + row < columns;
        const std::size_t at = rows * columns + row * 8 + column;
        ASSERT_EQ(out[at], inside ? in[(8 + row) * columns + 8 + column] : 0) << row << ' ' << column;
        ASSERT_EQ(out[at + 64], inside ? 5 : 0) << row << ' ' << column;
        ASSERT_EQ(out[at + 128], transposed ? in[(8 + column) * columns + 8 + row] : 0)
            << row << ' ' << column;
      }
  }
}

TEST(joint_matrix, checked_operations_of_packed_memory_count_its_lines) {
  SKIP_UNLESS_ASKED_FOR();
  constexpr std::size_t k = 8, columns = 12; // 4 lines of 24 elements
  queue q;
  const auto in = numbers<bfloat16>(k * columns, 9);
  for (const std::size_t size : group_sizes(q)) {
    const auto out =
        computed<bfloat16>(2 * k * 8, in, size, [](const sub_group& group, const auto& from, const auto& to) {
      mx::joint_matrix<sub_group, bfloat16, use::b, k, 8, layout::ext_intel_packed> tile;
      imx::joint_matrix_load_checked(group, tile, from, 2 * columns, k / 2, 2 * columns, 1, 2 * 8);
      imx::joint_matrix_store(group, tile, to, 16);
      mx::joint_matrix_fill(group, tile, 7.0f);
      imx::joint_matrix_store_checked(group, tile, to + k * 8, 16, k / 2, 16, 1, 2);
    });
    for (std::size_t line = 0; line < k / 2; ++line)
      for (std::size_t place = 0; place < 16; ++place) {
        const bool inside = line + 1 < k / 2 && place + 16 < 2 * columns;
        const bool filled = line >= 1 && place >= 2;
        ASSERT_EQ(number(out[line * 16 + place]),
                  inside ? number(in[(line + 1) * 2 * columns + 16 + place]) : 0.0)
            << line << ' ' << place;
        ASSERT_EQ(number(out[k * 8 + line * 16 + place]), filled ? 7.0 : 0.0) << line << ' ' << place;
      }
  }
}

TEST(joint_matrix, tf32_is_truncated_by_products_and_rounded_on_request) {
  SKIP_UNLESS_ASKED_FOR();
  EXPECT_EQ(mx::round_to_tf32(1.0f + 0x1p-11f), 1.0f + 0x1p-10f); // halfway: away from zero
  EXPECT_EQ(mx::round_to_tf32(-1.0f - 0x1p-11f), -1.0f - 0x1p-10f);
  EXPECT_EQ(mx::round_to_tf32(1.0f + 0x1p-12f), 1.0f);
  EXPECT_EQ(mx::round_to_tf32(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(mx::round_to_tf32(bit_cast<float>(0x7fffffffu))));
  EXPECT_TRUE(std::isnan(mx::round_to_tf32(bit_cast<float>(0x7f800001u))));
  queue q;
  const float exact = 1.0f + 3 * 0x1p-12f; // truncated 1, rounded 1 + 2^-10
  for (const std::size_t size : group_sizes(q)) {
    const auto out =
        computed<float>(4, {exact}, size, [](const sub_group& group, const auto& from, const auto& to) {
      mx::joint_matrix<sub_group, tf32, use::a, 1, 1, layout::row_major> a;
      mx::joint_matrix<sub_group, tf32, use::b, 1, 1, layout::row_major> b;
      mx::joint_matrix<sub_group, float, use::accumulator, 1, 1> c;
      mx::joint_matrix_load(group, a, from, 1);
      mx::joint_matrix_fill(group, b, 1.0f);
      mx::joint_matrix_fill(group, c, 0);
      imx::joint_matrix_store(group, a, to, 1);
      mx::joint_matrix_mad(group, c, a, b, c);
      mx::joint_matrix_store(group, c, to + 1, 1, layout::row_major);
      mx::joint_matrix_apply(group, a, [](float& x) { x = mx::round_to_tf32(x); });
      mx::joint_matrix_fill(group, c, 0);
      mx::joint_matrix_mad(group, c, a, b, c);
      mx::joint_matrix_store(group, c, to + 2, 1, layout::row_major);
    });
    EXPECT_EQ(out[0], exact) << "memory has all bits";
    EXPECT_EQ(out[1], 1.0f);
    EXPECT_EQ(out[2], 1.0f + 0x1p-10f);
  }
}

TEST(joint_matrix, sums_of_bytes_wrap_and_local_memory_holds_tiles) {
  SKIP_UNLESS_ASKED_FOR();
  queue q;
  for (const std::size_t size : group_sizes(q)) {
    std::vector<std::int32_t> result(16 * 16);
    {
      buffer<std::int32_t> to(result.data(), range<1>(result.size()));
      q.submit([&](handler& h) {
        const accessor out(to, h, write_only, no_init);
        const local_accessor<std::int8_t> tile(16 * 64, h);
        h.parallel_for(nd_range<1>(size, size), [=](nd_item<1> item) {
          for (std::size_t i = item.get_local_id(0); i < 16 * 64; i += size) tile[i] = -128;
          group_barrier(item.get_group());
          const sub_group group = item.get_sub_group();
          mx::joint_matrix<sub_group, std::int8_t, use::a, 16, 64, layout::row_major> a;
          mx::joint_matrix<sub_group, std::int8_t, use::b, 64, 16, layout::row_major> b;
          mx::joint_matrix<sub_group, std::int32_t, use::accumulator, 16, 16> c[2] = {};
          const auto memory = tile.get_multi_ptr<access::decorated::no>();
          mx::joint_matrix_prefetch<16, 64>(group, memory.get_raw(), 64, layout::row_major);
          mx::joint_matrix_load(group, a, memory, 64);
          mx::joint_matrix_load(group, b, memory, 16);
          mx::joint_matrix_fill(group, c[0], 0x7fffffff);
          mx::joint_matrix_mad(group, c[1], a, b, c[0]);
          if (group.get_group_linear_id() == 0)
            mx::joint_matrix_store(group, c[1], out.get_multi_ptr<access::decorated::no>(), 16,
                                   layout::row_major);
        });
      });
    }
    for (const std::int32_t each : result)
      ASSERT_EQ(static_cast<std::uint32_t>(each), 0x7fffffffu + 64u * 128u * 128u) << "group of " << size;
  }
}

TEST(joint_matrix, usm_pointers_of_the_accumulator_are_loaded_and_stored) {
  SKIP_UNLESS_ASKED_FOR();
  queue q{property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  float* const memory = malloc_device<float>(2 * m * n, q);
  const auto in = numbers<float>(m * n, 11);
  std::vector<float> out(m * n);
  q.copy(in.data(), memory, m * n);
  q.parallel_for(nd_range<1>(1, 1), [=](nd_item<1> item) {
    mx::joint_matrix<sub_group, float, use::accumulator, m, n> c;
    mx::joint_matrix_load(item.get_sub_group(), c, global(static_cast<const float*>(memory)), n,
                          layout::row_major);
    mx::joint_matrix_store(item.get_sub_group(), c, global(memory + m * n), m, layout::col_major);
  });
  q.copy(memory + m * n, out.data(), m * n).wait();
  free(memory, q);
  for (std::size_t i = 0; i < m * n; ++i) ASSERT_EQ(out[i % n * m + i / n], in[i]) << i;
}

} // namespace
