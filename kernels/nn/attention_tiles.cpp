// Attention on processors: a group has a block of queries and goes over the keys in blocks. The scores of a
// block and their products with the values are products of matrices in the tiles of
// <kernels/blas/gemm_tile.hpp>. Between them the running maximum and sum of the softmax are updated (Milakov
// & Gimelshein 2018, "Online normalizer calculation for softmax"; Dao, Fu, Ermon, Rudra & Re 2022,
// "FlashAttention"). Keys and values are packed into panels before. A group has one work-item, because one
// thread runs each group.
#include "kernels/blas/gemm_tile.hpp"
#include "kernels/blas/product.hpp"
#include "kernels/nn/attention.hpp"
#include "kernels/nn/exponential.hpp"

#include <algorithm>
#include <limits>

namespace prism::nn {
namespace {

constexpr size_t block_keys = 128;

size_t panels_of(size_t n, size_t width) { return (n + width - 1) / width; }

/// Panel p of a head holds `width` lines of `from`, in order of their steps: line l of step s is at s * width
/// + l. Lines beyond from's are 0; so are the steps beyond, up to `steps`.
template <typename R>
struct packed_panel {
  planes<const R> from;
  planes<R> to; // heads x panels x (steps * width)
  size_t heads, panels, width, lines, used_steps, steps;
  ptrdiff_t line, step; // strides in `from`
  void operator()(sycl::id<1> id) const {
    const position4 p(id[0], heads, panels, 1);
    R* const panel = to.at(p.n, p.c, p.i, 0);
    const R* const first = from.at(p.n, p.c, 0, 0) + ptrdiff_t(p.i * width) * line;
    const size_t count = sycl::min(width, lines - p.i * width);
    if (count != width || used_steps != steps)
      for (size_t i = 0; i < steps * width; ++i) panel[i] = R(0);
    if (line == 1) {
      for (size_t s = 0; s < used_steps; ++s)
        for (size_t l = 0; l < count; ++l) panel[s * width + l] = first[ptrdiff_t(s) * step + ptrdiff_t(l)];
    } else {
      for (size_t l = 0; l < count; ++l)
        for (size_t s = 0; s < used_steps; ++s)
          panel[s * width + l] = first[ptrdiff_t(l) * line + ptrdiff_t(s) * step];
    }
  }
};

template <typename R>
tensor4<R> packed(sycl::queue& queue, const tensor4<R>& from, int line, int step, size_t width, size_t steps,
                  const events& depends) {
  const size_t panels = panels_of(from.extent[line], width);
  const tensor4<R> to(from.extent[0], from.extent[1], panels, steps * width);
  queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(from.extent[0] * from.extent[1] * panels),
                   packed_panel<R>{from.read(h), to.write(h), from.extent[1], panels, width,
                                   from.extent[line], from.extent[step], steps, from.stride[line],
                                   from.stride[step]});
  });
  return to;
}

/// The work of a group. Its memory: rows x depth of queries in panels, rows x block_keys of scores, rows x
/// padded width of the result, a maximum and a sum for each row.
template <typename Tile>
struct attended_block {
  using R = typename Tile::real;
  static constexpr size_t tile_rows = Tile::rows, tile_keys = Tile::columns;
  static constexpr int lanes_of_row = Tile::lanes::size();

  planes<const R> q, keys, values, mask;
  planes<R> y;
  R scale;
  bool causal, has_mask;
  size_t heads, blocks, block_rows, rows, columns, depth, width, padded_width;

  static size_t local_elements(size_t block_rows, size_t depth, size_t padded_width) {
    return block_rows * (depth + block_keys + padded_width + 2);
  }

  struct memory {
    R *queries, *scores, *out, *most, *sum;
  };

  void run(size_t group, R* local) const {
    const position4 p(group, heads, blocks, 1);
    const size_t first = p.i * block_rows, count = sycl::min(block_rows, rows - first);
    const memory in{local, local + block_rows * depth, local + block_rows * (depth + block_keys),
                    local + block_rows * (depth + block_keys + padded_width),
                    local + block_rows * (depth + block_keys + padded_width + 1)};
    begin(p, first, count, in);
    const size_t visible = last_key(first + count - 1);
    for (size_t key = 0; key < visible; key += block_keys)
      for (size_t row = 0; row < count; row += tile_rows) {
        const size_t used = sycl::min(tile_rows, count - row),
                     end = sycl::min(last_key(first + row + used - 1), key + block_keys);
        if (end <= key) continue;
        multiply_keys(p, row, key, end, in);
        for (size_t r = row; r < row + used; ++r) soften(p, first + r, r, key, end, in);
        add_values(p, row, key, end, in);
      }
    for (size_t r = 0; r < count; ++r) {
      const R total = in.sum[r], factor = total == R(0) ? R(0) : R(1) / total;
      for (size_t e = 0; e < width; ++e)
        *y.at(p.n, p.c, first + r, e) = in.out[r * padded_width + e] * factor;
    }
  }

private:
  /// One more than the last key that a query may use.
  size_t last_key(size_t query) const {
    if (!causal) return columns;
    return query + 1 + columns <= rows ? 0 : sycl::min(columns, query + 1 + columns - rows);
  }

  void begin(const position4& p, size_t first, size_t count, const memory& in) const {
    for (size_t row = 0; row < count; row += tile_rows) {
      R* const panel = in.queries + row * depth;
      for (size_t r = 0; r < tile_rows; ++r) {
        const R* const from = q.at(p.n, p.c, first + sycl::min(row + r, count - 1), 0);
        for (size_t d = 0; d < depth; ++d)
          panel[d * tile_rows + r] = scale * from[ptrdiff_t(d) * q.stride[3]];
      }
    }
    for (size_t r = 0; r < block_rows; ++r)
      in.most[r] = -std::numeric_limits<R>::infinity(), in.sum[r] = R(0);
    for (size_t i = 0; i < block_rows * padded_width; ++i) in.out[i] = R(0);
  }

  /// The scores of a tile's rows for the keys [key, end); those behind `end` in its last panel are garbage.
  void multiply_keys(const position4& p, size_t row, size_t key, size_t end, const memory& in) const {
    for (size_t k = key; k < end; k += tile_keys) {
      blas::finished<Tile> product;
      Tile::multiply(product, {in.queries + row * depth, 1, ptrdiff_t(tile_rows), 0},
                     {keys.at(p.n, p.c, k / tile_keys, 0), 1, ptrdiff_t(tile_keys), 0}, depth);
      for (size_t r = 0; r < tile_rows; ++r)
        for (size_t x = 0; x < tile_keys; ++x)
          in.scores[(row + r) * block_keys + (k - key) + x] = product[0][r][x];
    }
  }

  /// Turns the scores of a row into powers, relative to the new maximum, to which sum and result are scaled.
  /// A NaN among the scores makes the sum NaN. Without any key so far all powers are 0.
  void soften(const position4& p, size_t query, size_t row, size_t key, size_t end, const memory& in) const {
    constexpr R least = -std::numeric_limits<R>::infinity();
    constexpr size_t wide = size_t(lanes_of_row);
    R* const score = in.scores + row * block_keys;
    const size_t used = sycl::min(end, last_key(query)) <= key ? 0 : sycl::min(end, last_key(query)) - key,
                 whole = (end - key + tile_keys - 1) / tile_keys * tile_keys;
    for (size_t j = used; j < whole; ++j) score[j] = least;
    if (has_mask) {
      const R* const line = mask.at(p.n, p.c, query, key);
      if (mask.stride[3] == 1)
        for (size_t j = 0; j < used; ++j) score[j] += line[j];
      else
        for (size_t j = 0; j < used; ++j) score[j] += line[ptrdiff_t(j) * mask.stride[3]];
    }
    R most[wide], total[wide];
    for (size_t i = 0; i < wide; ++i) most[i] = in.most[row], total[i] = R(0);
    for (size_t j = 0; j < whole; j += wide)
      for (size_t i = 0; i < wide; ++i) most[i] = score[j + i] > most[i] ? score[j + i] : most[i];
    R highest = most[0];
    for (size_t i = 1; i < wide; ++i) highest = most[i] > highest ? most[i] : highest;
    const R base = highest == least ? R(0) : highest;
    for (size_t j = 0; j < whole; j += wide)
      for (size_t i = 0; i < wide; ++i) {
        const R power = exponential_of(score[j + i] - base);
        score[j + i] = power, total[i] += power;
      }
    R sum = total[0];
    for (size_t i = 1; i < wide; ++i) sum += total[i];
    const R factor = exponential_of(in.most[row] - base);
    in.sum[row] = in.sum[row] * factor + sum;
    in.most[row] = highest;
    if (factor != R(1))
      for (size_t e = 0; e < padded_width; ++e) in.out[row * padded_width + e] *= factor;
  }

  void add_values(const position4& p, size_t row, size_t key, size_t end, const memory& in) const {
    for (size_t e = 0; e < padded_width; e += tile_keys) {
      blas::finished<Tile> product;
      Tile::multiply(product, {in.scores + row * block_keys, ptrdiff_t(block_keys), 1, 0},
                     {values.at(p.n, p.c, e / tile_keys, key * tile_keys), 1, ptrdiff_t(tile_keys), 0},
                     end - key);
      for (size_t r = 0; r < tile_rows; ++r)
        for (size_t x = 0; x < tile_keys; ++x) in.out[(row + r) * padded_width + e + x] += product[0][r][x];
    }
  }
};

/// As many tiles of queries in a block as its memory allows, and few enough that each thread has some blocks.
template <typename Tile>
size_t rows_of_block(const sycl::device& device, size_t all_rows, size_t heads, size_t depth, size_t width) {
  constexpr size_t most_tiles = 8, blocks_of_thread = 4, rows = Tile::rows;
  const size_t local = device.get_info<sycl::info::device::local_mem_size>() / sizeof(typename Tile::real),
               fitting = local / attended_block<Tile>::local_elements(rows, depth, width);
  const size_t threads = device.get_info<sycl::info::device::max_compute_units>(),
               even = std::max<size_t>(1, all_rows * heads / (threads * blocks_of_thread * rows));
  return std::min({fitting, even, most_tiles, panels_of(all_rows, rows)}) * rows;
}

template <typename Tile, typename R>
std::optional<sycl::event> attend(sycl::queue& queue, R scale, bool causal, const tensor4<R>& q,
                                  const tensor4<R>& k, const tensor4<R>& v,
                                  const std::optional<tensor4<R>>& mask, const tensor4<R>& y,
                                  const events& depends) {
  constexpr size_t wide = Tile::columns;
  const size_t heads = q.extent[0] * q.extent[1], rows = q.extent[2], depth = q.extent[3],
               columns = k.extent[2], padded_width = panels_of(v.extent[3], wide) * wide;
  const size_t block_rows = rows_of_block<Tile>(queue.get_device(), rows, heads, depth, padded_width);
  if (block_rows == 0) return {};
  const tensor4<R> keys = packed(queue, k, 2, 3, wide, depth, depends),
                   values = packed(queue, v, 3, 2, wide, columns, depends);
  const size_t blocks = panels_of(rows, block_rows);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const attended_block<Tile> block{q.read(h),   keys.read(h), values.read(h), (mask ? *mask : q).read(h),
                                     y.write(h),  scale,        causal,         mask.has_value(),
                                     q.extent[1], blocks,       block_rows,     rows,
                                     columns,     depth,        v.extent[3],    padded_width};
    sycl::local_accessor<R> local(attended_block<Tile>::local_elements(block_rows, depth, padded_width), h);
    h.parallel_for(sycl::nd_range<1>(heads * blocks, 1),
                   [=](sycl::nd_item<1> item)
                       [[sycl::reqd_work_group_size(1)]] { block.run(item.get_group(0), &local[0]); });
  });
}

} // namespace

template <>
std::optional<sycl::event> attend_by_tiles<float>(sycl::queue& queue, float scale, bool causal,
                                                  const tensor4<float>& q, const tensor4<float>& k,
                                                  const tensor4<float>& v,
                                                  const std::optional<tensor4<float>>& mask,
                                                  const tensor4<float>& y, const events& depends) {
  return blas::has_wide_vectors(queue.get_device())
             ? attend<blas::gemm_tile<float, 16, 14, 2, 1>>(queue, scale, causal, q, k, v, mask, y, depends)
             : attend<blas::gemm_tile<float, 8, 6, 2, 1>>(queue, scale, causal, q, k, v, mask, y, depends);
}
template <>
std::optional<sycl::event> attend_by_tiles<double>(sycl::queue& queue, double scale, bool causal,
                                                   const tensor4<double>& q, const tensor4<double>& k,
                                                   const tensor4<double>& v,
                                                   const std::optional<tensor4<double>>& mask,
                                                   const tensor4<double>& y, const events& depends) {
  return blas::has_wide_vectors(queue.get_device())
             ? attend<blas::gemm_tile<double, 8, 14, 2, 1>>(queue, scale, causal, q, k, v, mask, y, depends)
             : attend<blas::gemm_tile<double, 4, 6, 2, 1>>(queue, scale, causal, q, k, v, mask, y, depends);
}

} // namespace prism::nn
