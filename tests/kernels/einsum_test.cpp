// <prism/einsum.hpp> on one device against loops over all names in long double.
#include "tests/kernels/blas_operands.hpp"

#include <prism/einsum.hpp>

#include <map>
#include <sstream>

namespace {

using namespace blas_test;
using prism::einsum::einsum;
using prism::einsum::explain;
using names = std::map<char, std::size_t>;
using extents = std::vector<std::size_t>;

std::size_t count_of(const extents& of) {
  std::size_t out = 1;
  for (const std::size_t n : of) out *= n;
  return out;
}

/// Terms of "ab,bc->ac".
std::vector<std::string> terms_of(std::string text) {
  text.replace(text.find("->"), 2, ",");
  std::vector<std::string> out;
  std::istringstream all(text + ",");
  for (std::string one; std::getline(all, one, ',');) out.push_back(one);
  return out;
}

template <typename T>
prism::tensor_view<T> in_rows(T* data, const extents& of) {
  prism::tensor_view<T> out(data);
  out.rank = of.size();
  std::ptrdiff_t apart = 1;
  for (std::size_t d = of.size(); d-- > 0;)
    out.extent[d] = of[d], out.stride[d] = apart, apart *= std::ptrdiff_t(of[d]);
  return out;
}

/// The number of an element of a contiguous tensor.
std::size_t index_of(const std::string& term, const names& at, const extents& of) {
  std::size_t out = 0;
  for (std::size_t d = 0; d < term.size(); ++d) out = out * of[d] + (of[d] == 1 ? 0 : at.at(term[d]));
  return out;
}

struct sums {
  std::vector<exact> value;
  std::vector<long double> size; // of absolute values
};
/// `text` has letters only and a result.
template <typename T>
sums by_definition(const std::string& text, const std::vector<std::vector<T>>& data,
                   const std::vector<extents>& shape, extents& result) {
  std::vector<std::string> term = terms_of(text);
  const std::string out = term.back();
  term.pop_back();
  names size, at;
  for (std::size_t i = 0; i < term.size(); ++i)
    for (std::size_t d = 0; d < term[i].size(); ++d)
      size[term[i][d]] = std::max(size[term[i][d]], shape[i][d]), at[term[i][d]] = 0;
  result.clear();
  std::size_t all = 1;
  for (const char name : out) result.push_back(size[name]);
  for (const auto& one : size) all *= one.second;
  sums sum{std::vector<exact>(count_of(result)), std::vector<long double>(count_of(result))};
  for (std::size_t n = 0; n < all; ++n) {
    std::size_t rest = n;
    for (auto& [name, position] : at) position = rest % size[name], rest /= size[name];
    exact product = 1;
    for (std::size_t i = 0; i < term.size(); ++i)
      product *= exactly(data[i][index_of(term[i], at, shape[i])]);
    const std::size_t to = index_of(out, at, result);
    sum.value[to] += product, sum.size[to] += std::abs(product);
  }
  return sum;
}

template <typename T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
  return operand<T>(count, 1, layout::column_major, seed).memory;
}

template <typename T>
void check(const std::string& text, const std::vector<extents>& shape, std::string letters = "",
           bool in_usm = false) {
  if (letters.empty()) letters = text;
  sycl::queue queue;
  if (in_usm && !queue.get_device().has(sycl::aspect::usm_shared_allocations)) return;
  std::vector<std::vector<T>> data;
  for (const extents& one : shape) data.push_back(numbers<T>(count_of(one) + 1, unsigned(data.size() + 1)));
  extents result;
  const sums expected = by_definition(letters, data, shape, result);
  std::vector<T> found(expected.value.size() + 1, T(7));
  if (in_usm) {
    std::vector<T*> memory;
    std::vector<prism::tensor_view<const T>> in;
    for (std::size_t i = 0; i < data.size(); ++i) {
      memory.push_back(sycl::malloc_shared<T>(data[i].size(), queue));
      std::copy(data[i].begin(), data[i].end(), memory.back());
      in.push_back(in_rows<const T>(memory.back(), shape[i]));
    }
    T* const out = sycl::malloc_shared<T>(found.size(), queue);
    std::copy(found.begin(), found.end(), out);
    einsum(queue, text, in, in_rows(out, result)).wait();
    std::copy(out, out + found.size(), found.begin());
    for (T* const one : memory) sycl::free(one, queue);
    sycl::free(out, queue);
  } else {
    using place = prism::buffer_place<T>;
    const auto view = [](const sycl::buffer<T, 1>& memory, const extents& of) {
      prism::tensor_view<T, place> out{place(memory)};
      const prism::tensor_view<T> plain = in_rows<T>(nullptr, of);
      out.rank = plain.rank, out.extent = plain.extent, out.stride = plain.stride;
      return out;
    };
    std::vector<prism::tensor_view<const T, prism::buffer_place<const T>>> in;
    for (std::size_t i = 0; i < data.size(); ++i)
      in.emplace_back(view(sycl::buffer<T, 1>(data[i].data(), sycl::range<1>(data[i].size())), shape[i]));
    sycl::buffer<T, 1> out(found.data(), sycl::range<1>(found.size()));
    einsum(queue, text, in, view(out, result));
  }
  for (std::size_t i = 0; i < expected.value.size(); ++i)
    ASSERT_LE(std::abs(exactly(found[i]) - expected.value[i]), 40 * unit<T>() * expected.size[i])
        << text << ", element " << i;
  EXPECT_EQ(found.back(), T(7)) << text << ": behind the result";
}

template <typename T>
class einsums : public testing::Test {
protected:
  void SetUp() override {
    if (!has_type<T>(sycl::queue())) GTEST_SKIP() << "the device has no such numbers";
  }
};
using einsum_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(einsums, einsum_types);

TYPED_TEST(einsums, of_two_operands_are_sums_of_products) {
  using T = TypeParam;
  check<T>("ik,kj->ij", {{5, 7}, {7, 3}});
  check<T>("ik,kj->ij", {{40, 33}, {33, 50}}, "", true);
  check<T>("ki,jk->ji", {{7, 5}, {3, 7}});
  check<T>("ij,j->i", {{6, 9}, {9}});
  check<T>("i,i->", {{1000}, {1000}});
  check<T>("i,j->ij", {{5}, {6}});
  check<T>("bij,bjk->bik", {{4, 5, 6}, {4, 6, 3}}, "", true);
  check<T>("ijb,jkb->kbi", {{9, 8, 3}, {8, 10, 3}});
  check<T>("abcd,cdbe->ae", {{2, 3, 4, 5}, {4, 5, 3, 6}});
  check<T>("abcd,dcbe->ae", {{2, 3, 4, 5}, {5, 4, 3, 6}});
  check<T>("ij,ji->", {{6, 9}, {9, 6}}); // sums whose operands have other strides
  check<T>("cij,cji->c", {{3, 40, 50}, {3, 50, 40}});
  check<T>("ab,ab->ab", {{4, 5}, {4, 5}});
  check<T>("abx,by->a", {{3, 4, 5}, {4, 6}});
  check<T>("bhqd,bhkd->bhqk", {{2, 3, 4, 8}, {2, 3, 5, 8}});
}
TYPED_TEST(einsums, of_one_operand_are_sums_traces_diagonals_and_permutations) {
  using T = TypeParam;
  check<T>("ijk->kij", {{3, 4, 5}});
  check<T>("ii->", {{9, 9}});
  check<T>("ii->i", {{6, 6}}, "", true);
  check<T>("iji->j", {{4, 5, 4}});
  check<T>("ijk->j", {{6, 3, 7}});
  check<T>("ij->", {{300, 400}});
  check<T>("i->i", {{8}});
}
TYPED_TEST(einsums, of_several_operands_are_contracted_in_pairs) {
  using T = TypeParam;
  check<T>("ij,jk,kl->il", {{3, 8}, {8, 4}, {4, 9}});
  check<T>("ea,fb,abcd,gc,hd->efgh", {{3, 4}, {3, 5}, {4, 5, 3, 2}, {2, 3}, {4, 2}}, "", true);
  check<T>("a,b,c,a,b,c,a,b,c->abc", {{2}, {3}, {4}, {2}, {3}, {4}, {2}, {3}, {4}});
  check<T>("ii,ij,j->", {{5, 5}, {5, 4}, {4}});
}
TYPED_TEST(einsums, broadcast_dimensions_without_names_and_extents_of_one) {
  using T = TypeParam;
  check<T>("...ij,...jk->...ik", {{2, 3, 4, 5}, {3, 5, 6}}, "abij,bjk->abik");
  check<T>("...ij,...jk->...ik", {{2, 1, 4, 5}, {3, 5, 6}}, "abij,bjk->abik");
  check<T>("...,...->...", {{4, 1}, {5}}, "ab,b->ab");
  check<T>("i...->...", {{4, 3, 2}}, "iab->ab");
  check<T>("ij,jk->ik", {{3, 1}, {5, 4}});
  check<T>("ij , kj", {{3, 4}, {5, 4}}, "ij,kj->ik");
  check<T>("ba", {{3, 4}}, "ba->ab");
}

TEST(einsum_rules, long_sums_are_as_exact_as_their_bound) { check<float>("i,i->", {{200'000}, {200'000}}); }

TEST(einsum_rules, strides_offsets_and_gaps_are_respected) {
  sycl::queue queue;
  const std::vector<float> a = numbers<float>(200, 1), b = numbers<float>(200, 2);
  std::vector<float> out(100, 7);
  {
    const sycl::buffer<float, 1> x(a.data(), sycl::range<1>(200)), y(b.data(), sycl::range<1>(200)),
        z(out.data(), sycl::range<1>(100));
    auto of_x = prism::tensor(x, {8, 9}, 5), of_y = prism::tensor(y, {9, 4}, 3).permuted({1, 0}),
         of_z = prism::tensor(z, {8, 4}, 90);
    of_x.stride = {-20, 2}, of_x.data = of_x.data + 140;
    of_z.stride = {-11, 2};
    einsum(queue, "ik,jk->ij", {of_x, of_y}, of_z);
  }
  for (std::ptrdiff_t i = 0; i < 8; ++i)
    for (std::ptrdiff_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (std::ptrdiff_t k = 0; k < 9; ++k)
        sum += double(a[std::size_t(145 - 20 * i + 2 * k)]) * double(b[std::size_t(3 + k * 4 + j)]);
      float& found = out[std::size_t(90 - 11 * i + 2 * j)];
      EXPECT_NEAR(found, sum, 1e-5);
      found = 7;
    }
  for (const float rest : out) EXPECT_EQ(rest, 7);
}

TEST(einsum_rules, without_elements_to_sum_the_result_is_zero) {
  check<float>("ik,kj->ij", {{3, 0}, {0, 4}});
  check<float>("ik,kj->ij", {{0, 3}, {3, 4}});
  check<float>("i->", {{0}}, "", true);
  check<float>("ij,jk,kl->il", {{3, 4}, {4, 0}, {0, 2}});
}

TEST(einsum_rules, nan_and_infinity_reach_only_what_depends_on_them) {
  sycl::queue queue;
  std::vector<float> a(12, 1), b(12, 1), c(9, 0);
  a[0] = std::numeric_limits<float>::quiet_NaN(), b[1] = std::numeric_limits<float>::infinity();
  {
    const sycl::buffer<float, 1> x(a.data(), sycl::range<1>(12)), y(b.data(), sycl::range<1>(12)),
        z(c.data(), sycl::range<1>(9));
    einsum(queue, "ik,kj->ij", {prism::tensor(x, {3, 4}), prism::tensor(y, {4, 3})},
           prism::tensor(z, {3, 3}));
  }
  for (std::size_t i = 0; i < 9; ++i)
    if (i < 3) EXPECT_TRUE(std::isnan(c[i])) << i;
    else if (i % 3 == 1) EXPECT_TRUE(std::isinf(c[i])) << i;
    else EXPECT_EQ(c[i], 4) << i;
}

TEST(einsum_rules, what_cannot_be_read_is_refused_with_its_column) {
  sycl::queue queue;
  const sycl::buffer<float, 1> a{sycl::range<1>(12)}, b{sycl::range<1>(12)}, c{sycl::range<1>(12)};
  const auto text_of = [&](const std::string& expression) {
    std::string text;
    EXPECT_EQ(prism_test::error_of(
                  [&] {
      einsum(queue, expression, {prism::tensor(a, {3, 4}), prism::tensor(b, {4, 3})},
             prism::tensor(c, {3, 3}));
    }, &text),
              sycl::errc::invalid)
        << expression;
    return text;
  };
  for (const auto& [expression, part] : std::vector<std::pair<std::string, std::string>>{
           {"ij,j3->i", "column 5: '3'"},
           {"ij,jk-ik", "column 6: '-' without '>'"},
           {"ij,jk->ik->i", "column 10: \"->\" is there twice"},
           {"ij,jk->i,k", "column 9: the result has no ','"},
           {"ij,jk->iik", "column 8: the result names 'i' twice"},
           {"ij,jk->iz", "column 8: no operand has the name 'z'"},
           {"ij..,jk->ik", "column 3: \"...\" has three dots"},
           {"i...j...,jk->ik", "column 6: \"...\" is there twice"},
           {"ijk,jk->ik", "column 1: 3 names for operand 0, which has 2 dimensions"},
           {"ij,ik->jk", "column 4: dimension 0 of operand 1, 'i', has 4 elements; another has 3"},
           {"ij,jk,k->ik", "is of 3 operands; the call has 2"},
           {"i...,jk->ik", "column 10: operands have \"...\" and the result has not"},
           {"ij,jk->i", "the result has 2 dimensions instead of 1"},
           {"ij,jk->ij", "dimension 1 of the result has 3 elements instead of 4"},
           {"", "is of 1 operands; the call has 2"}})
    EXPECT_NE(text_of(expression).find(part), std::string::npos) << expression << ": " << text_of(expression);
}

TEST(einsum_rules, dimensions_of_one_operand_with_one_name_are_not_broadcast) {
  sycl::queue queue;
  const sycl::buffer<float, 1> a{sycl::range<1>(4)}, sum{sycl::range<1>(1)};
  std::string text;
  const auto call = [&] { einsum(queue, "ii->", {prism::tensor(a, {1, 4})}, prism::tensor(sum, {})); };
  EXPECT_EQ(prism_test::error_of(call, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("'i', has 4 elements; another of its dimensions with that name has 1"),
            std::string::npos)
      << text;
}

TEST(einsum_rules, a_result_that_overlaps_is_refused) {
  sycl::queue queue;
  const sycl::buffer<float, 1> a{sycl::range<1>(12)}, b{sycl::range<1>(12)};
  std::string text;
  const auto refused = [&](const auto& call) {
    EXPECT_EQ(prism_test::error_of(call, &text), sycl::errc::invalid);
    return text;
  };
  const auto x = prism::tensor(a, {3, 4});
  EXPECT_NE(refused([&] { einsum(queue, "ij->ij", {x}, x); }).find("begins where operand 0 does"),
            std::string::npos);
  const sycl::buffer<float, 1> again = a.reinterpret<float, 1>(sycl::range<1>(12));
  EXPECT_NE(refused([&] {
    einsum(queue, "ij->ij", {x}, prism::tensor(again, {3, 4}));
  }).find("begins where operand 0 does"),
            std::string::npos);
  auto same = prism::tensor(b, {3, 4});
  same.stride = {0, 1};
  EXPECT_NE(refused([&] { einsum(queue, "ij->ij", {x}, same); }).find("overlap"), std::string::npos);
  EXPECT_NE(refused([&] {
    einsum(queue, "ij->", {prism::tensor(a, {3, 5})}, prism::tensor(b, {}));
  }).find("its buffer has 12"),
            std::string::npos);
}

TEST(einsum_rules, the_order_with_fewest_multiplications_is_taken) {
  EXPECT_EQ(explain("ij,jk,kl->il", {{100, 10}, {10, 100}, {100, 2}}),
            "jk,kl->jl: a product of 10 x 100 and 100 x 2\n"
            "ij,jl->il: a product of 100 x 10 and 10 x 2\n");
  EXPECT_EQ(explain("bij,bjk->bik", {{4, 2, 3}, {4, 3, 5}}), "bij,bjk->bik: 4 products of 2 x 3 and 3 x 5\n");
  EXPECT_EQ(explain("i,i->", {{4}, {4}}), "i,i->: sums of 4 products\n");
}

TEST(einsum_rules, doubles_are_refused_by_name_where_the_device_has_none) {
  sycl::queue queue;
  if (queue.get_device().has(sycl::aspect::fp64)) GTEST_SKIP() << "the device has doubles";
  const sycl::buffer<double, 1> a{sycl::range<1>(4)}, b{sycl::range<1>(4)};
  EXPECT_EQ(
      prism_test::error_of([&] { einsum(queue, "i->i", {prism::tensor(a, {4})}, prism::tensor(b, {4})); }),
      sycl::errc::feature_not_supported);
}

} // namespace
