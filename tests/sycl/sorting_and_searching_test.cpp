// Complete small programs as users write them: sorting, scanning, counting and searching, with buffers and
// accessors. Each result is compared with plain C++.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // as users write them
#include "tests/sycl/common.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <queue>
#include <random>

namespace {

using namespace sycl;

std::vector<int> random_ints(std::size_t n, int low, int high, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> value(low, high);
  std::vector<int> v(n);
  for (int& x : v) x = value(random);
  return v;
}

TEST(sorting, bitonic_over_global_memory) {
  constexpr int n = 1024;
  std::vector<int> data = random_ints(n, -5000, 5000), expected = data;
  std::sort(expected.begin(), expected.end());
  {
    queue q;
    buffer<int, 1> b(data.data(), range<1>(n));
    for (int k = 2; k <= n; k *= 2)
      for (int j = k / 2; j > 0; j /= 2)
        q.submit([&](handler& cgh) {
          auto a = b.get_access<access_mode::read_write>(cgh);
          cgh.parallel_for<class bitonic_step>(range<1>(n), [=](id<1> i) {
            const int l = i[0] ^ j;
            if (l > int(i[0])) {
              const bool up = (i[0] & k) == 0;
              if ((up && a[i] > a[l]) || (!up && a[i] < a[l])) {
                const int t = a[i];
                a[i] = a[l];
                a[l] = t;
              }
            }
          });
        });
  }
  EXPECT_EQ(data, expected);
}

TEST(sorting, radix_sort_by_four_bits_with_local_histograms) {
  constexpr int n = 2048, group = 64, groups = n / group, digits = 16;
  std::vector<unsigned> data(n);
  std::mt19937 random(3);
  for (unsigned& x : data) x = random();
  std::vector<unsigned> expected = data;
  std::sort(expected.begin(), expected.end());
  {
    queue q;
    buffer<unsigned> from(data), to{range<1>(n)}, counts{range<1>(groups * digits)};
    from.set_final_data(data.begin());
    for (int shift = 0; shift < 32; shift += 4) {
      q.submit([&](handler& h) {
        accessor in(from, h, read_only);
        accessor c(counts, h, write_only, no_init);
        local_accessor<unsigned, 1> histogram(range<1>(digits), h);
        h.parallel_for(nd_range<1>(n, group), [=](nd_item<1> it) {
          const auto l = it.get_local_id(0);
          if (l < digits) histogram[l] = 0;
          it.barrier(access::fence_space::local_space);
          atomic_ref<unsigned, memory_order::relaxed, memory_scope::work_group,
                     access::address_space::local_space>
              slot(histogram[(in[it.get_global_id()] >> shift) & (digits - 1)]);
          slot++;
          it.barrier(access::fence_space::local_space);
          if (l < digits) c[l * groups + it.get_group(0)] = histogram[l];
        });
      });
      {
        host_accessor c(counts);
        unsigned sum = 0;
        for (std::size_t i = 0; i < groups * digits; ++i) {
          const unsigned here = c[i];
          c[i] = sum;
          sum += here;
        }
      }
      q.submit([&](handler& h) {
        accessor in(from, h, read_only);
        accessor out(to, h, write_only, no_init);
        accessor c(counts, h, read_only);
        h.parallel_for(range<1>(groups), [=](id<1> g) {
          unsigned next[digits];
          for (int d = 0; d < digits; ++d) next[d] = c[d * groups + g[0]];
          for (int i = 0; i < group; ++i) {
            const unsigned value = in[g[0] * group + i];
            out[next[(value >> shift) & (digits - 1)]++] = value;
          }
        });
      });
      q.submit([&](handler& h) {
        accessor in(to, h, read_only);
        accessor out(from, h, write_only);
        h.copy(in, out);
      });
    }
  }
  EXPECT_EQ(data, expected);
}

TEST(sorting, odd_even_merges_within_groups) {
  constexpr int n = 512, group = 128;
  std::vector<int> data = random_ints(n, 0, 99), expected = data;
  for (int g = 0; g < n; g += group) std::sort(expected.begin() + g, expected.begin() + g + group);
  {
    queue q;
    buffer<int> b(data);
    q.submit([&](handler& h) {
      auto a = b.get_access(h);
      local_accessor<int> s(group, h);
      h.parallel_for(nd_range<1>(n, group), [=](nd_item<1> it) {
        const int l = it.get_local_linear_id();
        s[l] = a[it.get_global_id()];
        for (int round = 0; round < group; ++round) {
          group_barrier(it.get_group());
          const int left = 2 * l + (round & 1);
          if (left + 1 < group && s[left] > s[left + 1]) std::swap(s[left], s[left + 1]);
        }
        group_barrier(it.get_group());
        a[it.get_global_id()] = s[l];
      });
    });
  }
  EXPECT_EQ(data, expected);
}

TEST(scans, by_blelloch_with_two_elements_a_work_item) {
  constexpr int block = 128, blocks = 5, n = block * blocks;
  const std::vector<int> in = random_ints(n, -9, 9);
  std::vector<int> out(n), expected(n);
  for (int b = 0; b < blocks; ++b)
    std::exclusive_scan(in.begin() + b * block, in.begin() + (b + 1) * block, expected.begin() + b * block,
                        0);
  {
    queue q;
    buffer<int> bi(in), bo(out);
    q.submit([&](handler& h) {
      accessor i(bi, h, read_only);
      accessor o(bo, h, write_only);
      local_accessor<int> t(block, h);
      h.parallel_for(nd_range<1>(n / 2, block / 2), [=](nd_item<1> it) {
        const int l = it.get_local_id(0), base = it.get_group(0) * block;
        t[2 * l] = i[base + 2 * l];
        t[2 * l + 1] = i[base + 2 * l + 1];
        int offset = 1;
        for (int d = block >> 1; d > 0; d >>= 1) {
          group_barrier(it.get_group());
          if (l < d) t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
          offset *= 2;
        }
        if (l == 0) t[block - 1] = 0;
        for (int d = 1; d < block; d *= 2) {
          offset >>= 1;
          group_barrier(it.get_group());
          if (l < d) {
            const int x = offset * (2 * l + 1) - 1, y = offset * (2 * l + 2) - 1, old = t[x];
            t[x] = t[y];
            t[y] += old;
          }
        }
        group_barrier(it.get_group());
        o[base + 2 * l] = t[2 * l];
        o[base + 2 * l + 1] = t[2 * l + 1];
      });
    });
  }
  EXPECT_EQ(out, expected);
}

TEST(scans, by_hillis_and_steele_with_two_buffers) {
  constexpr int group = 96, n = group * 4;
  const std::vector<int> in = random_ints(n, -50, 50, 7);
  std::vector<int> out(n), expected(n);
  for (int g = 0; g < n; g += group)
    std::inclusive_scan(in.begin() + g, in.begin() + g + group, expected.begin() + g);
  {
    queue q;
    buffer<int> bi(in), bo(out);
    q.submit([&](handler& h) {
      accessor i(bi, h, read_only);
      accessor o(bo, h, write_only);
      local_accessor<int, 2> t(range<2>(2, group), h);
      h.parallel_for(nd_range<1>(n, group), [=](nd_item<1> it) {
        const int l = it.get_local_id(0);
        int now = 0;
        t[now][l] = i[it.get_global_id()];
        group_barrier(it.get_group());
        for (int d = 1; d < group; d *= 2) {
          t[1 - now][l] = l >= d ? t[now][l] + t[now][l - d] : t[now][l];
          now = 1 - now;
          group_barrier(it.get_group());
        }
        o[it.get_global_id()] = t[now][l];
      });
    });
  }
  EXPECT_EQ(out, expected);
}

TEST(counting, a_histogram_with_local_and_global_atomics) {
  constexpr int n = 5000, bins = 37;
  const std::vector<int> data = random_ints(n, 0, 36);
  std::vector<unsigned> seen(bins, 0), expected(bins, 0);
  for (int x : data) ++expected[x];
  {
    queue q;
    buffer<int> b(data);
    buffer<unsigned> c(seen);
    q.submit([&](handler& h) {
      accessor in(b, h, read_only);
      accessor out(c, h, read_write);
      local_accessor<unsigned> mine(bins, h);
      h.parallel_for(nd_range<1>(256, 64), [=](nd_item<1> it) {
        for (int k = it.get_local_id(0); k < bins; k += it.get_local_range(0)) mine[k] = 0;
        group_barrier(it.get_group());
        for (int i = it.get_global_id(0); i < n; i += it.get_global_range(0))
          atomic_ref<unsigned, memory_order::relaxed, memory_scope::work_group>(mine[in[i]]).fetch_add(1u);
        group_barrier(it.get_group());
        for (int k = it.get_local_id(0); k < bins; k += it.get_local_range(0))
          atomic_ref<unsigned, memory_order::relaxed, memory_scope::device>(out[k]).fetch_add(mine[k]);
      });
    });
  }
  EXPECT_EQ(seen, expected);
}

TEST(counting, solutions_of_eight_queens_with_a_private_stack) {
  constexpr int n = 8;
  std::vector<int> counts(n * n, 0);
  {
    queue q;
    buffer<int, 2> b(counts.data(), range<2>(n, n));
    q.submit([&](handler& h) {
      accessor out(b, h, write_only);
      h.parallel_for(range<2>(n, n), [=](item<2> start) {
        int rows[n], solutions = 0, depth = 2;
        rows[0] = int(start[0]);
        rows[1] = int(start[1]);
        const auto fits = [&](int column) {
          for (int c = 0; c < column; ++c) {
            const int d = rows[c] - rows[column];
            if (d == 0 || d == column - c || d == c - column) return false;
          }
          return true;
        };
        if (fits(1)) {
          rows[2] = -1;
          while (depth >= 2) {
            if (++rows[depth] == n) {
              --depth;
              continue;
            }
            if (!fits(depth)) continue;
            if (depth == n - 1) ++solutions;
            else rows[++depth] = -1;
          }
        }
        out[start] = solutions;
      });
    });
  }
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 92);
}

TEST(searching, a_binary_search_for_each_work_item) {
  std::vector<int> sorted = random_ints(333, 0, 3000);
  std::sort(sorted.begin(), sorted.end());
  const std::vector<int> wanted = random_ints(500, -10, 3010, 5);
  std::vector<int> at(wanted.size());
  {
    queue q;
    buffer<int> s(sorted), w(wanted), o(at);
    const int n = int(sorted.size());
    q.submit([&](handler& h) {
      accessor a(s, h, read_only);
      accessor x(w, h, read_only);
      accessor out(o, h, write_only);
      h.parallel_for(wanted.size(), [=](auto i) {
        int low = 0, high = n;
        while (low < high) {
          const int middle = low + (high - low) / 2;
          if (a[middle] < x[i]) low = middle + 1;
          else high = middle;
        }
        out[i] = low;
      });
    });
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(at[i], std::lower_bound(sorted.begin(), sorted.end(), wanted[i]) - sorted.begin()) << wanted[i];
}

TEST(searching, a_breadth_first_search_by_levels) {
  constexpr int nodes = 400, degree = 3;
  const std::vector<int> edges = random_ints(nodes * degree, 0, nodes - 1, 9);
  std::vector<int> level(nodes, -1), expected(nodes, -1);
  std::queue<int> open;
  expected[0] = level[0] = 0;
  for (open.push(0); !open.empty(); open.pop())
    for (int e = 0; e < degree; ++e)
      if (const int next = edges[open.front() * degree + e]; expected[next] < 0) {
        expected[next] = expected[open.front()] + 1;
        open.push(next);
      }
  {
    queue q;
    buffer<int> b_edges(edges), b_level(level);
    int again = 1;
    for (int now = 0; again != 0; ++now) {
      again = 0;
      buffer<int> b_again(&again, 1);
      q.submit([&](handler& h) {
        accessor e(b_edges, h, read_only);
        accessor l(b_level, h, read_write);
        accessor go_on(b_again, h, write_only);
        h.parallel_for<class bfs_level>(range<1>(nodes), [=](id<1> i) {
          using shared = atomic_ref<int, memory_order::relaxed, memory_scope::device>;
          if (shared(l[i]).load() != now) return;
          for (int k = 0; k < degree; ++k) {
            const int next = e[i[0] * degree + k];
            int unseen = -1;
            if (shared(l[next]).compare_exchange_strong(unseen, now + 1)) shared(go_on[0]).store(1);
          }
        });
      });
    }
  }
  EXPECT_EQ(level, expected);
}

TEST(strings, edit_distances_of_pairs) {
  constexpr int pairs = 60, length = 20;
  const std::vector<int> letters = random_ints(pairs * length * 2, 'a', 'd', 11);
  std::vector<char> text(letters.begin(), letters.end());
  std::vector<int> seen(pairs);
  const auto distance = [](const auto& t, int pair) {
    int row[length + 1];
    for (int j = 0; j <= length; ++j) row[j] = j;
    for (int i = 1; i <= length; ++i) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= length; ++j) {
        const int change = diagonal + (t[pair * 2 * length + i - 1] != t[(pair * 2 + 1) * length + j - 1]);
        diagonal = row[j];
        row[j] = std::min(change, std::min(row[j], row[j - 1]) + 1);
      }
    }
    return row[length];
  };
  {
    queue q;
    buffer<char> t(text);
    buffer<int> o(seen);
    q.submit([&](handler& h) {
      accessor in(t, h, read_only);
      accessor out(o, h, write_only);
      h.parallel_for(range<1>(pairs), [=](id<1> p) { out[p] = distance(in, int(p[0])); });
    });
  }
  for (int p = 0; p < pairs; ++p) EXPECT_EQ(seen[p], distance(text, p)) << p;
}

TEST(strings, sha256_of_blocks) {
  static constexpr std::uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  std::vector<std::uint32_t> digest(8 * 3);
  const std::vector<std::uint8_t> messages{'a', 'b', 'c', 'x', 'y', 'z', 'a', 'b', 'c'};
  {
    queue q;
    buffer<std::uint8_t> m(messages);
    buffer<std::uint32_t> d(digest);
    q.submit([&](handler& h) {
      accessor in(m, h, read_only);
      accessor out(d, h, write_only);
      h.parallel_for(range<1>(3), [=](id<1> which) {
        std::uint32_t w[64] = {}, s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
        for (int i = 0; i < 3; ++i) w[0] |= std::uint32_t(in[which[0] * 3 + i]) << (24 - 8 * i);
        w[0] |= 0x80;
        w[15] = 24;
        const auto turn = [](std::uint32_t x, int by) { return rotate(x, std::uint32_t(32 - by)); };
        for (int i = 16; i < 64; ++i)
          w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >> 3)) + w[i - 7] +
                 (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >> 10));
        std::uint32_t v[8];
        for (int i = 0; i < 8; ++i) v[i] = s[i];
        for (int i = 0; i < 64; ++i) {
          const std::uint32_t t1 = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
                                   ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
          const std::uint32_t t2 = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
                                   ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
          for (int j = 7; j > 0; --j) v[j] = v[j - 1];
          v[4] += t1;
          v[0] = t1 + t2;
        }
        for (int i = 0; i < 8; ++i) out[which[0] * 8 + i] = s[i] + v[i];
      });
    });
  }
  const std::vector<std::uint32_t> abc{0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                       0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
  EXPECT_EQ(std::vector<std::uint32_t>(digest.begin(), digest.begin() + 8), abc);
  EXPECT_EQ(std::vector<std::uint32_t>(digest.begin() + 16, digest.end()), abc);
  EXPECT_EQ(digest[8], 0x3608bca1u); // xyz
}

} // namespace
