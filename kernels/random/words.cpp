// The words of both engines. A work-item of Philox computes a block, one of MRG32k3a a run of words, to whose
// beginning it jumps by powers of two.
#include "kernels/random/steps.hpp"

#include <algorithm>

namespace prism::random {
namespace {

/// The block and the word in it of the first four words. Those of work-item t are t * stride blocks behind.
struct first_words {
  std::uint64_t key, stride, low[4], high[4];
  std::uint32_t lane[4];
  explicit first_words(philox_engine from) : key(from.key()), stride(from.stride()) {
    for (int j = 0; j < 4; ++j) {
      low[j] = from.low(), high[j] = from.high(), lane[j] = from.lane();
      from.skip(1);
    }
  }
  block at(int j, std::uint64_t t) const {
    const std::uint64_t distance = t * stride, sum = low[j] + distance;
    return philox(sum, high[j] + upper_half(t, stride) + (sum < distance ? 1 : 0), key);
  }
};
inline std::uint32_t word_of_block(const block& b, std::uint32_t lane) {
  return lane < 2 ? lane == 0 ? b.word[0] : b.word[1] : lane == 2 ? b.word[2] : b.word[3];
}

/// A buffer of numbers that the host computes.
sycl::buffer<std::uint32_t, 1> table_of(const std::vector<std::uint32_t>& values) {
  sycl::buffer<std::uint32_t, 1> out{sycl::range<1>(values.size())};
  const sycl::host_accessor<std::uint32_t, 1, sycl::access_mode::write> to(out, sycl::no_init);
  std::copy(values.begin(), values.end(), to.begin());
  return out;
}

} // namespace

sycl::event write_words(sycl::queue& queue, const philox_engine& from, const word_place& to, std::size_t n,
                        const events& depends) {
  const first_words first(from);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    std::uint32_t* const out = to.read_write(h);
    h.parallel_for(sycl::range<1>((n + 3) / 4), [=](sycl::id<1> item) {
      const std::uint64_t t = item[0];
      std::uint32_t w[4];
      if (first.stride == 1) {
        const std::uint32_t lane = first.lane[0];
        const block here = first.at(0, t);
        for (int j = 0; j < 4; ++j) w[j] = here.word[j];
        if (lane != 0) {
          const block behind = first.at(3, t);
          for (std::uint32_t j = 0; j < 4; ++j)
            w[j] = j + lane < 4 ? word_of_block(here, j + lane) : word_of_block(behind, j + lane - 4);
        }
      } else {
        for (int j = 0; j < 4; ++j) w[j] = word_of_block(first.at(j, t), first.lane[j]);
      }
      if (4 * t + 4 <= n) {
        for (int j = 0; j < 4; ++j) out[4 * t + std::uint64_t(j)] = w[j];
      } else {
        for (int j = 0; j < 3; ++j)
          if (4 * t + std::uint64_t(j) < n) out[4 * t + std::uint64_t(j)] = w[j];
      }
    });
  });
}

sycl::event write_words(sycl::queue& queue, const mrg32k3a_engine& from, const word_place& to, std::size_t n,
                        bool spread, const events& depends) {
  constexpr std::size_t shortest = 64, most_items = 16384;
  const std::size_t length = std::max(shortest, (n + most_items - 1) / most_items),
                    items = (n + length - 1) / length;
  // Jumps over 1, 2, 4, ... runs, then the step from one word to the next.
  std::vector<std::uint32_t> values;
  mrg32k3a::jump by = mrg32k3a::power(from.step(), length);
  int powers = 0;
  for (; std::size_t(1) << powers < items; ++powers) {
    values.insert(values.end(), by.begin(), by.end());
    by = mrg32k3a::product(by, by);
  }
  values.insert(values.end(), from.step().begin(), from.step().end());
  const word_place table(table_of(values));
  const mrg32k3a::state start = from.state();
  const bool leaps = from.leaps();
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    std::uint32_t* const out = to.read_write(h);
    const std::uint32_t* const jumps = table.read_only(h);
    h.parallel_for(sycl::range<1>(items), [=](sycl::id<1> item) {
      mrg32k3a::state at = start;
      for (int k = 0; k < powers; ++k)
        if (item[0] >> k & 1) at = mrg32k3a::jumped(jumps + 18 * k, at);
      const std::size_t first = item[0] * length, last = sycl::min(first + length, n);
      for (std::size_t i = first; i < last; ++i) {
        const mrg32k3a::state here = at;
        const std::uint32_t z = mrg32k3a::next(at);
        if (leaps) at = mrg32k3a::jumped(jumps + 18 * powers, here);
        out[i] = spread ? spread_word(z) : z;
      }
    });
  });
}

sycl::event make_from_table(sycl::queue& queue, std::int64_t first,
                            const std::vector<std::uint32_t>& thresholds, const word_place& to, std::size_t n,
                            const events& depends) {
  const auto count = static_cast<std::uint32_t>(thresholds.size());
  const word_place table(table_of(thresholds.empty() ? std::vector<std::uint32_t>(1) : thresholds));
  const auto lowest = static_cast<std::uint32_t>(first);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    std::uint32_t* const out = to.read_write(h);
    const std::uint32_t* const limits = table.read_only(h);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
      const std::uint32_t word = out[i[0]];
      std::uint32_t low = 0, high = count; // the first limit above the word is in [low, high]
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (limits[middle] <= word) low = middle + 1;
        else high = middle;
      }
      out[i[0]] = lowest + low;
    });
  });
}

} // namespace prism::random
