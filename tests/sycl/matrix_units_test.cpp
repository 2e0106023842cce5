// joint_matrix on the matrix units of devices that have them, by info::device::matrix_combinations: values
// against loops on the host, and what these units do not do is refused by name.
#include "tests/sycl/common.hpp"

#include <sycl/ext/oneapi/matrix/matrix.hpp>

#include <algorithm>
#include <random>
#include <type_traits>

namespace {

using namespace sycl;
namespace mx = ext::oneapi::experimental::matrix;
namespace imx = ext::intel::experimental::matrix;
using ext::oneapi::bfloat16;
using mx::layout;
using mx::use;
using prism_test::error_of;

std::vector<mx::combination> products_of(const device& on) {
  return on.get_info<ext::oneapi::experimental::info::device::matrix_combinations>();
}

/// Products without matrix units have no sizes of their own.
bool has_units(const device& on) {
  const auto all = products_of(on);
  return !all.empty() && all[0].msize != 0;
}

#define SKIP_WITHOUT_UNITS(queue)                                                                            \
  if (!has_units((queue).get_device()))                                                                      \
  GTEST_SKIP() << (queue).get_device().get_info<info::device::name>() << " has no matrix units"

template <typename T>
constexpr mx::matrix_type type_of() {
  if (std::is_same_v<T, half>) return mx::matrix_type::fp16;
  if (std::is_same_v<T, bfloat16>) return mx::matrix_type::bf16;
  if (std::is_same_v<T, float>) return mx::matrix_type::fp32;
  if (std::is_same_v<T, double>) return mx::matrix_type::fp64;
  if (std::is_same_v<T, std::int8_t>) return mx::matrix_type::sint8;
  if (std::is_same_v<T, std::uint8_t>) return mx::matrix_type::uint8;
  return mx::matrix_type::sint32;
}

template <typename A, typename B, typename C, std::size_t M, std::size_t N, std::size_t K>
bool has_product(const device& on) {
  const auto all = products_of(on);
  return std::any_of(all.begin(), all.end(), [](const mx::combination& each) {
    return each.msize == M && each.nsize == N && each.ksize == K && each.atype == type_of<A>() &&
           each.btype == type_of<B>() && each.ctype == type_of<C>() && each.dtype == type_of<C>();
  });
}

template <typename T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<T> all;
  for (std::size_t i = 0; i < count; ++i) {
    const int n = static_cast<int>(random() % 17) - 8;
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

template <typename T>
auto global(T* memory) {
  return address_space_cast<access::address_space::global_space, access::decorated::no>(memory);
}

/// The size of whole sub-groups.
std::size_t full_group(const queue& q) {
  const auto sizes = q.get_device().get_info<info::device::sub_group_sizes>();
  return 2 * *std::max_element(sizes.begin(), sizes.end());
}

/// 3 * a * b + 3 * c by tiles, 2 x 2 of them for each sub-group. Memory has more columns than the matrices.
template <typename A, typename B, typename C, std::size_t M, std::size_t N, std::size_t K, layout LayoutB>
void check_tiles(queue& q) {
  constexpr std::size_t rows = 4 * M, columns = 4 * N, inner = 3 * K, more = 16;
  constexpr std::size_t stride_a = inner + more, stride_c = columns + more;
  constexpr std::size_t stride_b = (LayoutB == layout::row_major ? columns : inner) + more;
  const auto from_a = numbers<A>(rows * stride_a, 1);
  const auto from_b = numbers<B>((LayoutB == layout::row_major ? inner : columns) * stride_b, 2);
  const auto from_c = numbers<C>(rows * stride_c, 3);
  const auto place_b = [](std::size_t k, std::size_t column) {
    return LayoutB == layout::row_major ? k * stride_b + column : column * stride_b + k;
  };
  A* const a = malloc_device<A>(from_a.size(), q);
  B* const b = malloc_device<B>(from_b.size(), q);
  C* const c = malloc_device<C>(from_c.size(), q);
  q.copy(from_a.data(), a, from_a.size());
  q.copy(from_b.data(), b, from_b.size());
  q.copy(from_c.data(), c, from_c.size());
  q.wait();
  const std::size_t size = full_group(q);
  q.parallel_for(nd_range<1>(4 * size, size), [=](nd_item<1> item) {
    const sub_group group = item.get_sub_group();
    const std::size_t groups = group.get_group_linear_range();
    for (std::size_t tile = item.get_group(0) * groups + group.get_group_linear_id(); tile < 4;
         tile += 4 * groups) {
      const std::size_t row = tile / 2 * 2 * M, column = tile % 2 * 2 * N;
      mx::joint_matrix<sub_group, A, use::a, M, K, layout::row_major> left[2];
      mx::joint_matrix<sub_group, B, use::b, K, N, LayoutB> right[2];
      mx::joint_matrix<sub_group, C, use::accumulator, M, N> sum[2][2];
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j)
          mx::joint_matrix_load(group, sum[i][j], global(c + (row + i * M) * stride_c + column + j * N),
                                stride_c, layout::row_major);
      for (std::size_t k = 0; k < inner; k += K) {
        for (std::size_t i = 0; i < 2; ++i) {
          mx::joint_matrix_load(group, left[i], global(a + (row + i * M) * stride_a + k), stride_a);
          mx::joint_matrix_load(group, right[i], global(b + place_b(k, column + i * N)), stride_b);
        }
        for (std::size_t i = 0; i < 2; ++i)
          for (std::size_t j = 0; j < 2; ++j)
            mx::joint_matrix_mad(group, sum[i][j], left[i], right[j], sum[i][j]);
      }
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
          mx::joint_matrix_apply(group, sum[i][j], [](C& each) { each = static_cast<C>(each * C(3)); });
          mx::joint_matrix_store(group, sum[i][j], global(c + (row + i * M) * stride_c + column + j * N),
                                 stride_c, layout::row_major);
        }
    }
  }).wait_and_throw();
  std::vector<C> result(from_c.size());
  q.copy(c, result.data(), result.size()).wait_and_throw();
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < stride_c; ++column) {
      const std::size_t at = row * stride_c + column;
      double expected = number(from_c[at]);
      if (column < columns) { // every sum is exact in the result's type
        for (std::size_t k = 0; k < inner; ++k)
          expected += number(from_a[row * stride_a + k]) * number(from_b[place_b(k, column)]);
        expected *= 3;
      }
      ASSERT_EQ(number(result[at]), expected) << "row " << row << " column " << column;
    }
  for (void* each : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c)}) free(each, q);
}

/// Runs what the device has; returns whether that is this product.
template <typename A, typename B, typename C, std::size_t M, std::size_t N, std::size_t K>
bool check_product(queue& q) {
  if (!has_product<A, B, C, M, N, K>(q.get_device())) return false;
  SCOPED_TRACE(std::to_string(M) + " x " + std::to_string(N) + " x " + std::to_string(K));
  check_tiles<A, B, C, M, N, K, layout::row_major>(q);
  // The layout does not depend on the other types: each kernel takes the compiler a second.
  if constexpr (std::is_same_v<A, B> && (std::is_same_v<C, float> || std::is_same_v<A, std::int8_t>))
    check_tiles<A, B, C, M, N, K, layout::col_major>(q);
  return true;
}

/// The sizes of lavapipe (8 x 8 x 8), of Intel's GPUs (8 x 16), of NVIDIA's (16 x 8 and 16 x 16) and of AMD's
/// (16 x 16 x 16).
template <typename A, typename B, typename C>
int check_sizes(queue& q) {
  int found = 0;
  found += check_product<A, B, C, 8, 8, 8>(q);
  found += check_product<A, B, C, 16, 16, 16>(q);
  if constexpr (std::is_same_v<A, half> || std::is_same_v<A, bfloat16>) {
    found += check_product<A, B, C, 8, 16, 16>(q);
    found += check_product<A, B, C, 16, 8, 8>(q);
    found += check_product<A, B, C, 16, 8, 16>(q);
  } else {
    found += check_product<A, B, C, 8, 16, 32>(q);
    if constexpr (std::is_same_v<A, B>) { // not of numbers with and without a sign
      found += check_product<A, B, C, 16, 8, 32>(q);
      found += check_product<A, B, C, 16, 16, 32>(q);
    }
  }
  return found;
}

TEST(matrix_units, products_have_the_values_of_loops) {
  prism_test::error_log errors;
  queue q(errors.handler());
  SKIP_WITHOUT_UNITS(q);
  EXPECT_TRUE(q.get_device().has(aspect::ext_intel_matrix));
  int found = 0;
  if (q.get_device().has(aspect::fp16)) {
    found += check_sizes<half, half, float>(q);
    found += check_sizes<half, half, half>(q);
  }
  found += check_sizes<bfloat16, bfloat16, float>(q);
  found += check_sizes<std::int8_t, std::int8_t, std::int32_t>(q);
  found += check_sizes<std::uint8_t, std::uint8_t, std::int32_t>(q);
  found += check_sizes<std::int8_t, std::uint8_t, std::int32_t>(q);
  if (found == 0)
    GTEST_SKIP() << q.get_device().get_info<info::device::name>() << " has none of the sizes of this test";
}

/// Adds 1 to an accumulator of M x N numbers in memory, and checks them unless the kernel failed.
template <typename C, std::size_t M, std::size_t N>
void add_one(queue& q, const prism_test::error_log& errors, std::size_t size) {
  C* const memory = malloc_device<C>(M * N + 16, q);
  q.fill(memory, C(5), M * N + 16).wait();
  q.parallel_for(nd_range<1>(size, size), [=](nd_item<1> item) {
    const sub_group group = item.get_sub_group();
    if (group.get_group_linear_id() != 0) return;
    mx::joint_matrix<sub_group, C, use::accumulator, M, N> sum;
    mx::joint_matrix_load(group, sum, global(memory), N, layout::row_major);
    mx::joint_matrix_apply(group, sum, [](C& each) { each += C(1); });
    mx::joint_matrix_store(group, sum, global(memory), N, layout::row_major);
  }).wait_and_throw();
  std::vector<C> result(M * N + 16);
  q.copy(memory, result.data(), result.size()).wait_and_throw();
  free(memory, q);
  if (!errors.texts.empty()) return;
  for (std::size_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], C(i < M * N ? 6 : 5)) << i;
}

TEST(matrix_units, memory_that_is_not_aligned_is_an_error_by_name) {
  prism_test::error_log errors;
  queue q(errors.handler());
  SKIP_WITHOUT_UNITS(q);
  const auto check = [&](auto shifted) {
    shifted(0);
    EXPECT_TRUE(errors.texts.empty()) << errors.texts[0];
    shifted(1);
    ASSERT_EQ(errors.texts.size(), 1u);
    EXPECT_NE(errors.texts[0].find("not a multiple of 16 bytes"), std::string::npos) << errors.texts[0];
  };
  const std::size_t size = full_group(q);
  if (has_product<half, half, float, 8, 8, 8>(q.get_device()))
    check([&](std::size_t shift) {
      if (shift == 0) return add_one<float, 8, 8>(q, errors, size);
      float* const memory = malloc_device<float>(96, q);
      q.parallel_for(nd_range<1>(size, size), [=](nd_item<1> item) {
        mx::joint_matrix<sub_group, float, use::accumulator, 8, 8> sum;
        mx::joint_matrix_load(item.get_sub_group(), sum, global(memory + shift), 8, layout::row_major);
        mx::joint_matrix_store(item.get_sub_group(), sum, global(memory), 8, layout::row_major);
      });
      q.wait_and_throw();
      free(memory, q);
    });
  else if (has_product<half, half, float, 16, 16, 16>(q.get_device()))
    check([&](std::size_t shift) {
      if (shift == 0) return add_one<float, 16, 16>(q, errors, size);
      float* const memory = malloc_device<float>(288, q);
      q.parallel_for(nd_range<1>(size, size), [=](nd_item<1> item) {
        mx::joint_matrix<sub_group, float, use::accumulator, 16, 16> sum;
        mx::joint_matrix_load(item.get_sub_group(), sum, global(memory + shift), 16, layout::row_major);
        mx::joint_matrix_store(item.get_sub_group(), sum, global(memory), 16, layout::row_major);
      });
      q.wait_and_throw();
      free(memory, q);
    });
  else GTEST_SKIP() << q.get_device().get_info<info::device::name>() << " has no such product";
}

template <typename Kernel>
std::string refusal_of(std::size_t size, Kernel kernel) {
  prism_test::error_log errors;
  queue q(errors.handler());
  std::string why;
  error_of([&] {
    q.parallel_for(nd_range<1>(size, size), kernel);
    q.wait_and_throw();
  }, &why);
  return errors.texts.empty() ? why : errors.texts[0];
}

TEST(matrix_units, what_units_do_not_do_is_refused_by_name) {
  queue q;
  SKIP_WITHOUT_UNITS(q);
  const std::size_t size = full_group(q);
  const std::string other_type = refusal_of(size, [](nd_item<1> item) {
    mx::joint_matrix<sub_group, mx::precision::tf32, use::a, 8, 8, layout::row_major> matrix;
    mx::joint_matrix_fill(item.get_sub_group(), matrix, 1.0f);
  });
  EXPECT_NE(other_type.find("PRISM_JOINT_MATRIX=emulate"), std::string::npos) << other_type;
  const std::string other_size = refusal_of(size, [](nd_item<1> item) {
    mx::joint_matrix<sub_group, float, use::accumulator, 7, 5> matrix;
    mx::joint_matrix_fill(item.get_sub_group(), matrix, 1.0f);
    float* const nowhere = nullptr;
    mx::joint_matrix_store(item.get_sub_group(), matrix, global(nowhere), 5, layout::row_major);
  });
  EXPECT_NE(other_size.find("matrices of 7 x 5 floating-point numbers"), std::string::npos) << other_size;
}

/// Runs `body(group, from, to)` in one sub-group; memory behind `to` begins as zeros.
template <typename T, typename Body>
std::vector<T> computed(queue& q, const std::vector<T>& in, std::size_t count, Body body) {
  T* const from = malloc_device<T>(in.size(), q);
  T* const to = malloc_device<T>(count, q);
  q.copy(in.data(), from, in.size());
  q.memset(to, 0, count * sizeof(T));
  q.wait();
  const std::size_t size = full_group(q);
  q.parallel_for(nd_range<1>(size, size), [=](nd_item<1> item) {
    const sub_group group = item.get_sub_group();
    if (group.get_group_linear_id() == 0) body(group, from, to);
  }).wait_and_throw();
  std::vector<T> out(count);
  q.copy(to, out.data(), count).wait_and_throw();
  free(from, q);
  free(to, q);
  return out;
}

/// B in rows of 32-bit words: loaded, each element changed by its place, and stored.
template <typename T, std::size_t S>
void check_packed(queue& q) {
  constexpr std::size_t words = 4 / sizeof(T);
  const auto in = numbers<T>(S * S, 4);
  const auto out = computed<T>(q, in, 2 * S * S, [](const sub_group& group, T* from, T* to) {
    mx::joint_matrix<sub_group, T, use::b, S, S, layout::ext_intel_packed> packed;
    mx::joint_matrix<sub_group, T, use::b, S, S, layout::row_major> rows;
    mx::joint_matrix_load(group, packed, global(from), S * words);
    mx::joint_matrix_copy(group, packed, rows);
    imx::joint_matrix_store(group, rows, global(to), S);
    imx::joint_matrix_apply(group, packed, [](T& each, std::size_t row, std::size_t column) {
      each = static_cast<T>(static_cast<float>(each) + static_cast<float>(row + 2 * column));
    });
    imx::joint_matrix_store(group, packed, global(to + S * S), S * words);
  });
  for (std::size_t row = 0; row < S; ++row)
    for (std::size_t column = 0; column < S; ++column) {
      const std::size_t at = row / words * S * words + column * words + row % words;
      ASSERT_EQ(number(out[row * S + column]), number(in[at])) << row << ' ' << column;
      ASSERT_EQ(number(out[S * S + at]), number(in[at]) + double(row + 2 * column)) << row << ' ' << column;
    }
}

/// Memory of S + 3 lines of S + 5 elements, of which the matrix begins in line 4 at element 7.
template <typename T, use Use, layout Layout, std::size_t S>
void check_checked(queue& q) {
  constexpr std::size_t height = S + 3, width = S + 5, line = 4, place = 7;
  const auto in = numbers<T>(height * width, 5);
  const auto out = computed<T>(q, in, 3 * S * S + height * width, [](const sub_group& group, T* from, T* to) {
    constexpr bool has_layout = Use != use::accumulator;
    mx::joint_matrix<sub_group, T, Use, S, S, has_layout ? Layout : layout::dynamic> tile;
    const auto load = [&](std::size_t first_line, std::size_t first_place) {
      if constexpr (has_layout)
        imx::joint_matrix_load_checked(group, tile, global(from), width, height, width, first_line,
                                       first_place);
      else
        imx::joint_matrix_load_checked(group, tile, global(from), width, Layout, height, width, first_line,
                                       first_place);
    };
    const auto store = [&](T* memory) {
      if constexpr (has_layout) imx::joint_matrix_store(group, tile, global(memory), S);
      else mx::joint_matrix_store(group, tile, global(memory), S, Layout);
    };
    load(1, 2); // all of it, and not aligned
    store(to);
    load(line, place);
    store(to + S * S);
    if constexpr (has_layout)
      imx::joint_matrix_store_checked(group, tile, global(to + 3 * S * S), width, height, width, line, place);
    else
      imx::joint_matrix_store_checked(group, tile, global(to + 3 * S * S), width, Layout, height, width, line,
                                      place);
    imx::joint_matrix_fill_checked(group, tile, 5, height, width, line, place);
    mx::joint_matrix_apply(group, tile, [](T& each) { each = static_cast<T>(each + each); });
    store(to + 2 * S * S);
  });
  for (std::size_t i = 0; i < S; ++i)
    for (std::size_t k = 0; k < S; ++k) { // element k of line i
      const bool inside = line + i < height && place + k < width;
      // of fill_checked: rows and columns
      const bool filled = Layout == layout::col_major ? line + k < height && place + i < width : inside;
      const std::size_t at = i * S + k;
      ASSERT_EQ(number(out[at]), number(in[(1 + i) * width + 2 + k])) << i << ' ' << k;
      ASSERT_EQ(number(out[S * S + at]), inside ? number(in[(line + i) * width + place + k]) : 0.0)
          << i << ' ' << k;
      ASSERT_EQ(number(out[2 * S * S + at]), filled ? 10.0 : 0.0) << i << ' ' << k;
    }
  for (std::size_t i = 0; i < height * width; ++i) {
    const bool stored = i / width >= line && i % width >= place;
    ASSERT_EQ(number(out[3 * S * S + i]), stored ? number(in[i]) : 0.0) << i;
  }
}

template <typename T, std::size_t S>
bool check_forms(queue& q) {
  using sum = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, float>;
  if (!has_product<T, T, sum, S, S, S>(q.get_device())) return false;
  SCOPED_TRACE(std::to_string(S));
  check_packed<T, S>(q);
  check_checked<T, use::a, layout::row_major, S>(q);
  check_checked<T, use::b, layout::col_major, S>(q);
  check_checked<sum, use::accumulator, layout::row_major, S>(q);
  return true;
}

TEST(matrix_units, packed_and_checked_memory_and_places_are_computed_on_the_units) {
  prism_test::error_log errors;
  queue q(errors.handler());
  SKIP_WITHOUT_UNITS(q);
  int found = 0;
  if (q.get_device().has(aspect::fp16)) found += check_forms<half, 8>(q) + check_forms<half, 16>(q);
  found += check_forms<bfloat16, 8>(q) + check_forms<bfloat16, 16>(q);
  found += check_forms<std::int8_t, 8>(q) + check_forms<std::int8_t, 16>(q);
  if (found == 0)
    GTEST_SKIP() << q.get_device().get_info<info::device::name>() << " has none of the sizes of this test";
}

/// `narrow` becomes the sum of both, and the float twice itself.
template <typename Narrow, std::size_t S>
bool check_two_types(queue& q) {
  const device on = q.get_device();
  if (!has_product<Narrow, Narrow, float, S, S, S>(on) || !has_product<Narrow, Narrow, Narrow, S, S, S>(on))
    return false;
  const auto in = numbers<float>(S * S, 6);
  const auto out = computed<float>(q, in, 2 * S * S, [](const sub_group& group, float* from, float* to) {
    mx::joint_matrix<sub_group, float, use::accumulator, S, S> wide, back;
    mx::joint_matrix<sub_group, Narrow, use::accumulator, S, S> narrow;
    mx::joint_matrix_load(group, wide, global(from), S, layout::row_major);
    mx::joint_matrix_copy(group, wide, narrow);
    mx::joint_matrix_apply(group, narrow, wide, [](Narrow& x, float& y) {
      x = static_cast<Narrow>(static_cast<float>(x) + y + 1.0f);
      y *= 2;
    });
    mx::joint_matrix_copy(group, narrow, back);
    mx::joint_matrix_store(group, back, global(to), S, layout::row_major);
    mx::joint_matrix_store(group, wide, global(to + S * S), S, layout::col_major);
  });
  for (std::size_t row = 0; row < S; ++row)
    for (std::size_t column = 0; column < S; ++column) {
      const float x = in[row * S + column];
      EXPECT_EQ(out[row * S + column], 2 * x + 1) << row << ' ' << column;
      EXPECT_EQ(out[S * S + column * S + row], 2 * x) << row << ' ' << column;
    }
  return true;
}

TEST(matrix_units, an_operation_sees_the_same_element_of_two_types) {
  prism_test::error_log errors;
  queue q(errors.handler());
  SKIP_WITHOUT_UNITS(q);
  int found = 0;
  if (q.get_device().has(aspect::fp16)) found += check_two_types<half, 8>(q) + check_two_types<half, 16>(q);
  found += check_two_types<bfloat16, 8>(q) + check_two_types<bfloat16, 16>(q);
  if (found == 0)
    GTEST_SKIP() << q.get_device().get_info<info::device::name>() << " has no such accumulators";
}

TEST(matrix_units, incomplete_sub_groups_are_refused_by_name) {
  prism_test::error_log errors;
  queue q(errors.handler());
  SKIP_WITHOUT_UNITS(q);
  const std::size_t size = full_group(q) / 2 * 3 / 2;
  std::string why;
  const auto run = [&](auto launch) {
    error_of([&] {
      launch();
      q.wait_and_throw();
    }, &why);
    if (!errors.texts.empty()) why = errors.texts[0];
    EXPECT_NE(why.find("need whole sub-groups"), std::string::npos) << why;
  };
  if (has_product<half, half, float, 8, 8, 8>(q.get_device()))
    run([&] { add_one<float, 8, 8>(q, errors, size); });
  else if (has_product<half, half, float, 16, 16, 16>(q.get_device()))
    run([&] { add_one<float, 16, 16>(q, errors, size); });
  else GTEST_SKIP() << q.get_device().get_info<info::device::name>() << " has no such product";
}

} // namespace
