// Attention of <prism/nn.hpp> on one device against its definition in double.
#include "tests/kernels/nn_common.hpp"

namespace {

using namespace nn_test;

template <typename T>
class attention : public networks<T> {};
using attention_types = testing::Types<float, double>;
TYPED_TEST_SUITE(attention, attention_types);

constexpr std::size_t batches = 2, heads = 3;

/// softmax(scores) v for each query, of all batches and heads. `excluded` says which keys a query may not
/// use.
template <typename T, typename Excluded>
std::vector<double> defined(const image<T>& q, const image<T>& k, const image<T>& v, double scale,
                            const std::vector<double>& mask, const Excluded& excluded) {
  const std::size_t n = q.n[2], m = k.n[2], d = q.n[3], e = v.n[3];
  std::vector<double> out;
  for (std::size_t bh = 0; bh < batches * heads; ++bh)
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> score(m), result(e);
      double most = -std::numeric_limits<double>::infinity(), sum = 0;
      for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t p = 0; p < d; ++p)
          score[j] += q.at(bh / heads, bh % heads, i, p) * k.at(bh / heads, bh % heads, j, p);
        score[j] = score[j] * scale + (mask.empty() ? 0 : mask[i * m + j]);
        if (!excluded(i, j)) most = std::max(most, score[j]);
      }
      for (std::size_t j = 0; j < m; ++j) {
        if (excluded(i, j) || most == -std::numeric_limits<double>::infinity()) continue;
        const double power = std::exp(score[j] - most);
        sum += power;
        for (std::size_t p = 0; p < e; ++p) result[p] += power * v.at(bh / heads, bh % heads, j, p);
      }
      for (const double x : result) out.push_back(sum == 0 ? 0 : x / sum);
    }
  return out;
}

template <typename T>
void check(std::size_t n, std::size_t m, std::size_t d, std::size_t e, bool causal, bool masked) {
  sycl::queue queue;
  const image<T> q({batches, heads, n, d}, 1), k({batches, heads, m, d}, 2), v({batches, heads, m, e}, 3);
  image<T> mask({1, 1, n, m}, 4), y({batches, heads, n, e}, 5);
  // In causal order the mask's queries are neighbours in memory, else its keys. Every third key is excluded,
  // and all keys of query 2.
  std::vector<double> added(n * m);
  for (std::size_t i = 0; i < n * m; ++i) {
    T& element = mask.data[causal ? i % m * n + i / m : i];
    if (i % 3 == 0 || i / m == 2) element = -std::numeric_limits<T>::infinity();
    added[i] = double(element);
  }
  mask.write();
  nn::attention_options how;
  how.causal = causal;
  auto shared = tensor(mask.memory, {batches, heads, n, m});
  shared.stride = {0, 0, causal ? 1 : std::ptrdiff_t(m), causal ? std::ptrdiff_t(n) : 1};
  if (masked)
    nn::attention<T, prism::buffer_place<T>>(queue, q.view(), k.view(), v.view(), shared, y.view(), how);
  else nn::attention(queue, q.view(), k.view(), v.view(), y.view(), how);
  expect_near(
      y.found(),
      defined(q, k, v, 1 / std::sqrt(double(d)), masked ? added : std::vector<double>(),
              [&](std::size_t i, std::size_t j) { return causal && long(j) > long(i) + long(m) - long(n); }),
      64,
      std::to_string(n) + " queries, " + std::to_string(m) + " keys, causal " + std::to_string(causal) +
          ", masked " + std::to_string(masked));
}

TYPED_TEST(attention, is_right_with_and_without_masks_and_causal_order) {
  for (const bool causal : {false, true})
    for (const bool masked : {false, true}) {
      check<TypeParam>(5, 5, 8, 8, causal, masked);
      check<TypeParam>(33, 70, 20, 24, causal, masked);
      check<TypeParam>(9, 4, 3, 1, causal, masked);
      check<TypeParam>(70, 300, 33, 40, causal, masked); // several blocks of queries and of keys
    }
}

TYPED_TEST(attention, of_the_widest_heads_is_right) { check<TypeParam>(20, 140, 256, 256, false, true); }

TYPED_TEST(attention, of_scores_beyond_the_range_of_powers_is_right) {
  using T = TypeParam;
  sycl::queue queue;
  const image<T> q({batches, heads, 7, 16}, 1), k({batches, heads, 150, 16}, 2),
      v({batches, heads, 150, 8}, 3);
  image<T> y({batches, heads, 7, 8}, 4);
  nn::attention_options how;
  how.scale = 1024; // differences of hundreds, whose powers underflow: one key decides
  nn::attention(queue, q.view(), k.view(), v.view(), y.view(), how);
  // An error of a score is an error of its power: 1024 times as many units.
  expect_near(y.found(), defined(q, k, v, how.scale, {}, [](std::size_t, std::size_t) { return false; }),
              64 * how.scale, "large scores");
}

TYPED_TEST(attention, of_operands_whose_heads_are_interleaved_is_right) {
  using T = TypeParam;
  sycl::queue queue;
  constexpr std::size_t n = 19, d = 24;
  // Stored as batch, position, head, number; the definition reads them as batch, head, position, number.
  const image<T> q({batches, n, heads, d}, 1), k({batches, n, heads, d}, 2), v({batches, n, heads, d}, 3);
  image<T> y({batches, n, heads, d}, 4);
  const auto by_head = [](const image<T>& of) { return of.view().permuted({0, 2, 1, 3}); };
  const auto plain = [&](const image<T>& of) {
    image<T> out({batches, heads, n, d}, 0);
    for (std::size_t b = 0; b < batches; ++b)
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t p = 0; p < d; ++p)
            out.data[((b * heads + h) * n + i) * d + p] = of.data[((b * n + i) * heads + h) * d + p];
    return out;
  };
  nn::attention<T, prism::buffer_place<T>>(queue, by_head(q), by_head(k), by_head(v), by_head(y));
  y.data = y.found();
  expect_near(plain(y).data,
              defined(plain(q), plain(k), plain(v), 1 / std::sqrt(double(d)), {},
                      [](std::size_t, std::size_t) { return false; }),
              64, "interleaved heads");
}

TYPED_TEST(attention, of_a_query_that_is_not_a_number_leaves_the_other_queries_as_they_are) {
  using T = TypeParam;
  sycl::queue queue;
  image<T> q({1, 1, 9, 8}, 1), y({1, 1, 9, 8}, 4);
  const image<T> k({1, 1, 30, 8}, 2), v({1, 1, 30, 8}, 3);
  nn::attention(queue, q.view(), k.view(), v.view(), y.view());
  const std::vector<T> before = y.found();
  q.data[4 * 8 + 3] = std::numeric_limits<T>::quiet_NaN();
  q.write();
  nn::attention(queue, q.view(), k.view(), v.view(), y.view());
  const std::vector<T> after = y.found();
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i / 8 == 4) EXPECT_TRUE(std::isnan(after[i])) << i;
    else EXPECT_EQ(after[i], before[i]) << i;
  }
}

} // namespace
