// Attention without the matrix of scores, for devices other than processors: a work-item has a few queries,
// goes over the keys in blocks, and keeps the running maximum and sum of their softmax (Milakov & Gimelshein
// 2018, "Online normalizer calculation for softmax"; Dao, Fu, Ermon, Rudra & Re 2022, "FlashAttention"). Keys
// are copied transposed and values padded before, so that blocks are whole vectors.
#include "kernels/nn/attention.hpp"

#include "kernels/blas/product.hpp"

#include <algorithm>
#include <limits>

namespace prism::nn {
namespace {

constexpr size_t lanes = 16, queries = 4, keys = 32, most_width = 256;

size_t padded(size_t n, size_t to) { return (n + to - 1) / to * to; }

/// to(n, c, i, j) = from(n, c, i, j), and 0 beyond from's extents.
template <typename R>
struct padded_copy {
  planes<const R> from;
  planes<R> to;
  size_t channels, height, width, from_height, from_width;
  void operator()(sycl::id<1> id) const {
    const position4 p(id[0], channels, height, 1);
    for (size_t j = 0; j < width; ++j)
      *to.at(p.n, p.c, p.i, j) = p.i < from_height && j < from_width ? *from.at(p.n, p.c, p.i, j) : R(0);
  }
};

template <typename R>
struct attended {
  using vector = sycl::vec<R, int(lanes)>;
  static constexpr int of_keys = int(keys / lanes);
  planes<const R> q, k, v, mask; // k: d x keys
  planes<R> y;
  R scale;
  bool causal, has_mask;
  size_t heads, blocks, rows, columns, depth, width;

  void operator()(sycl::id<1> id) const {
    const position4 p(id[0], heads, blocks, 1);
    const size_t first = p.i * queries, count = sycl::min(queries, rows - first);
    R most[queries], sum[queries], out[queries][most_width];
    const size_t whole = (width + lanes - 1) / lanes * lanes;
    for (size_t r = 0; r < queries; ++r) {
      most[r] = -std::numeric_limits<R>::infinity(), sum[r] = 0;
      for (size_t e = 0; e < whole; ++e) out[r][e] = R(0);
    }
    // The last query that uses the most keys; a sum that wraps around means none.
    const size_t visible = last_key(first + count - 1);
    for (size_t key = 0; key < visible; key += keys) {
      R score[queries][keys];
      multiply_keys(p, first, count, key, score);
      for (size_t r = 0; r < count; ++r) soften(p, first + r, key, score[r], most[r], sum[r], out[r], whole);
      for (size_t r = count; r < queries; ++r)
        for (size_t j = 0; j < keys; ++j) score[r][j] = R(0);
      add_values(p, key, score, out, whole);
    }
    for (size_t r = 0; r < count; ++r)
      for (size_t e = 0; e < width; ++e)
        *y.at(p.n, p.c, first + r, e) = sum[r] == R(0) ? R(0) : out[r][e] / sum[r];
  }

private:
  /// The number of keys that a query may use.
  size_t last_key(size_t query) const {
    if (!causal) return columns;
    return query + 1 + columns <= rows ? 0 : sycl::min(columns, query + 1 + columns - rows);
  }
  void multiply_keys(const position4& p, size_t first, size_t count, size_t key,
                     R (&score)[queries][keys]) const {
    vector sums[queries][of_keys];
    const R* from[queries];
#pragma unroll
    for (size_t r = 0; r < queries; ++r) {
      from[r] = q.at(p.n, p.c, first + sycl::min(r, count - 1), 0);
#pragma unroll
      for (int i = 0; i < of_keys; ++i) sums[r][i] = vector(R(0));
    }
    for (size_t d = 0; d < depth; ++d) {
      const R* const line = k.at(p.n, p.c, d, key);
      vector right[of_keys];
#pragma unroll
      for (int i = 0; i < of_keys; ++i) right[i].load(0, line + i * int(lanes));
#pragma unroll
      for (size_t r = 0; r < queries; ++r) {
        const vector left(from[r][ptrdiff_t(d) * q.stride[3]]);
#pragma unroll
        for (int i = 0; i < of_keys; ++i) sums[r][i] += left * right[i];
      }
    }
#pragma unroll
    for (size_t r = 0; r < queries; ++r)
#pragma unroll
      for (int i = 0; i < of_keys; ++i) sums[r][i].store(0, score[r] + i * int(lanes));
  }
  /// Turns the scores of a query into powers, relative to the new maximum, to which the old ones are scaled.
  void soften(const position4& p, size_t query, size_t key, R (&score)[keys], R& most, R& sum,
              R (&out)[most_width], size_t whole) const {
    const size_t end = last_key(query), used = end <= key ? 0 : sycl::min(keys, end - key);
    R highest = most;
    for (size_t j = 0; j < keys; ++j) {
      score[j] *= scale;
      if (has_mask && j < used) score[j] += *mask.at(p.n, p.c, query, key + j);
      if (j >= used) score[j] = -std::numeric_limits<R>::infinity();
    }
    for (size_t j = 0; j < keys; ++j) highest = sycl::fmax(highest, score[j]);
    bool is_number = true;
    for (size_t j = 0; j < used; ++j) is_number = is_number && score[j] == score[j];
    if (highest == -std::numeric_limits<R>::infinity() && is_number) { // no key so far
      for (size_t j = 0; j < keys; ++j) score[j] = R(0);
      return;
    }
    for (size_t j = 0; j < keys; ++j) score[j] = sycl::exp(score[j] - highest);
    R total = 0;
    for (size_t j = 0; j < keys; ++j) total += score[j];
    const R factor = sycl::exp(most - highest);
    sum = sum * factor + total;
    if (factor != R(1))
      for (size_t e = 0; e < whole; ++e) out[e] *= factor;
    most = highest;
  }
  void add_values(const position4& p, size_t key, const R (&power)[queries][keys],
                  R (&out)[queries][most_width], size_t whole) const {
    const size_t count = sycl::min(keys, columns - key);
    for (size_t e = 0; e < whole; e += lanes) {
      vector sums[queries];
#pragma unroll
      for (size_t r = 0; r < queries; ++r) sums[r].load(0, out[r] + e);
      const R* line = v.at(p.n, p.c, key, e);
      for (size_t j = 0; j < count; ++j, line += v.stride[2]) {
        vector right;
        right.load(0, line);
#pragma unroll
        for (size_t r = 0; r < queries; ++r) sums[r] += vector(power[r][j]) * right;
      }
#pragma unroll
      for (size_t r = 0; r < queries; ++r) sums[r].store(0, out[r] + e);
    }
  }
};

template <typename R>
sycl::event copy_padded(sycl::queue& queue, const tensor4<R>& from, const tensor4<R>& to,
                        const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(to.extent[0] * to.extent[1] * to.extent[2]),
                   padded_copy<R>{from.read(h), to.write(h), to.extent[1], to.extent[2], to.extent[3],
                                  from.extent[2], from.extent[3]});
  });
}

} // namespace

template <typename R>
sycl::event attend(sycl::queue& queue, R scale, bool causal, const tensor4<R>& q, const tensor4<R>& k,
                   const tensor4<R>& v, const std::optional<tensor4<R>>& mask, const tensor4<R>& y,
                   const events& depends) {
  if (blas::runs_packed(queue.get_device()))
    if (const auto done = attend_by_tiles(queue, scale, causal, q, k, v, mask, y, depends)) return *done;
  const size_t b = q.extent[0], heads = q.extent[1], columns = k.extent[2];
  tensor4<R> turned = k;
  std::swap(turned.extent[2], turned.extent[3]), std::swap(turned.stride[2], turned.stride[3]);
  const tensor4<R> keys_of(b, heads, k.extent[3], padded(columns, keys)),
      values(b, heads, columns, padded(v.extent[3], lanes));
  const sycl::event first = copy_padded(queue, turned, keys_of, depends),
                    second = copy_padded(queue, v, values, depends);
  const size_t blocks = (q.extent[2] + queries - 1) / queries;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(first), h.depends_on(second);
    h.parallel_for(sycl::range<1>(b * heads * blocks),
                   attended<R>{q.read(h), keys_of.read(h), values.read(h), (mask ? *mask : q).read(h),
                               y.write(h), scale, causal, mask.has_value(), heads, blocks, q.extent[2],
                               columns, q.extent[3], v.extent[3]});
  });
}

#define PRISM_INSTANTIATE(R)                                                                                 \
  template sycl::event attend<R>(sycl::queue&, R, bool, const tensor4<R>&, const tensor4<R>&,                \
                                 const tensor4<R>&, const std::optional<tensor4<R>>&, const tensor4<R>&,     \
                                 const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
#undef PRISM_INSTANTIATE

} // namespace prism::nn
