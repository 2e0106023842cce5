// Random sequences of kernels, reductions, scans and group algorithms over floats, which must compute the
// same bits on every device with any number of cores and any sub-groups: where prism++ --reproducible
// compiled the program, or where its queue asks for it.
#pragma once

#include "tests/sycl/common.hpp"

#include <prism/reproducible.hpp>

#include <cstring>
#include <random>

namespace {

using namespace sycl;

/// Numbers of very different sizes, so that any other order of a sum has other roundings.
template <typename T>
std::vector<T> mixed_numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = std::ldexp(T(int(random() % 2'000'001) - 1'000'000), int(random() % 24) - 32);
  return v;
}

/// One random program. Each step reads and writes `x`, so a difference spreads to all later steps.
template <typename T>
class program {
public:
  program(const device& on, std::size_t n, unsigned seed)
      : m_queue(on, {property::queue::in_order(), prism::property::queue::reproducible()}), m_random(seed),
        m_x(mixed_numbers<T>(n, seed)), m_n(n) {}

  std::vector<T> run(int steps) {
    std::vector<T> other = m_x;
    buffer<T> x(m_x.data(), range<1>(m_n)), y(other.data(), range<1>(m_n));
    for (int k = 0; k < steps; ++k) {
      switch (m_random() % 8) {
        case 0: arithmetic(x, y); break;
        case 1: sum_of_range(x); break;
        case 2: sum_of_groups(x); break;
        case 3: group_sums(x); break;
        case 4: group_scans(x, y); break;
        case 5: joint(x, y); break;
        case 6: group_products(x); break;
        default: several_sums(x); break;
      }
    }
    const host_accessor result(x, read_only);
    return {result.begin(), result.end()};
  }

private:
  std::size_t group() {
    return std::size_t(1) << (3 + m_random() % 6);
  } // 8 to 256, of which m_n is a multiple

  void arithmetic(buffer<T>& x, buffer<T>& y) {
    const T a = T(int(m_random() % 100)) / 7, b = T(int(m_random() % 100)) / 13;
    m_queue.submit([&](handler& h) {
      accessor in(y, h, read_only);
      accessor out(x, h, read_write);
      h.parallel_for(range<1>(m_n), [=](id<1> i) {
        const T v = out[i] * a + in[i] * b; // may not become a fused multiply-add
        out[i] = (v - b) / (T(1) + sycl::fabs(v)) + sycl::sqrt(sycl::fabs(in[i])) * a - v * b;
      });
    });
  }
  /// The sum, added to some elements.
  void use(buffer<T>& x, buffer<T>& sum) {
    m_queue.submit([&](handler& h) {
      accessor in(sum, h, read_only);
      accessor out(x, h, read_write);
      h.parallel_for(range<1>(m_n), [=](id<1> i) { out[i] = out[i] * T(0.75) + in[0] / T(i[0] + 1); });
    });
  }
  void sum_of_range(buffer<T>& x) {
    buffer<T> sum{range<1>(1)};
    m_queue.submit([&](handler& h) {
      accessor in(x, h, read_only);
      h.parallel_for(range<1>(m_n),
                     reduction(sum, h, plus<T>(), property::reduction::initialize_to_identity{}),
                     [=](id<1> i, auto& s) { s += in[i]; });
    });
    use(x, sum);
  }
  void sum_of_groups(buffer<T>& x) {
    buffer<T> sum{range<1>(1)};
    const std::size_t local = group();
    m_queue.submit([&](handler& h) {
      accessor in(x, h, read_only);
      h.parallel_for(nd_range<1>(m_n, local),
                     reduction(sum, h, plus<T>(), property::reduction::initialize_to_identity{}),
                     [=](nd_item<1> it, auto& s) { s += in[it.get_global_id()] * T(0.3); });
    });
    use(x, sum);
  }
  void several_sums(buffer<T>& x) {
    buffer<T> sum{range<1>(1)}, product{range<1>(1)};
    m_queue.submit([&](handler& h) {
      accessor in(x, h, read_only);
      const auto fresh = property::reduction::initialize_to_identity{};
      h.parallel_for(range<1>(m_n), reduction(sum, h, plus<T>(), fresh),
                     reduction(product, h, multiplies<T>(), fresh), [=](id<1> i, auto& s, auto& p) {
        const T v = in[i] / (T(1) + sycl::fabs(in[i])); // squares of large numbers would overflow
        s += v * v;
        p *= T(1) + v * T(1e-4);
      });
    });
    use(x, sum);
    use(x, product);
  }
  void group_sums(buffer<T>& x) {
    m_queue.submit([&](handler& h) {
      accessor out(x, h, read_write);
      h.parallel_for(nd_range<1>(m_n, group()), [=](nd_item<1> it) {
        const T own = out[it.get_global_id()];
        const T sum = reduce_over_group(it.get_group(), own, plus<T>());
        out[it.get_global_id()] = own * T(0.5) + sum * T(0.01);
      });
    });
  }
  void group_products(buffer<T>& x) {
    m_queue.submit([&](handler& h) {
      accessor out(x, h, read_write);
      h.parallel_for(nd_range<1>(m_n, group()), [=](nd_item<1> it) {
        const T own = out[it.get_global_id()];
        const T factor = T(1) + own / (T(1) + sycl::fabs(own)) * T(0.01);
        const T all = reduce_over_group(it.get_group(), factor, multiplies<T>());
        const T before = exclusive_scan_over_group(it.get_group(), factor, T(1.5), multiplies<T>());
        out[it.get_global_id()] = own * T(0.5) + all + before;
      });
    });
  }
  void group_scans(buffer<T>& x, buffer<T>& y) {
    m_queue.submit([&](handler& h) {
      accessor in(x, h, read_only);
      accessor out(y, h, read_write);
      h.parallel_for(nd_range<1>(m_n, group()), [=](nd_item<1> it) {
        const auto i = it.get_global_id();
        const T before = exclusive_scan_over_group(it.get_group(), in[i], plus<T>());
        out[i] = inclusive_scan_over_group(it.get_group(), in[i] * T(0.1), plus<T>()) - before * T(0.2);
      });
    });
    arithmetic(x, y);
  }
  void joint(buffer<T>& x, buffer<T>& y) {
    const std::size_t n = m_n;
    const bool excludes = m_random() % 2 == 0;
    m_queue.submit([&](handler& h) {
      accessor in(x, h, read_only);
      accessor out(y, h, write_only);
      h.parallel_for(nd_range<1>(64, 64), [=](nd_item<1> it) {
        const auto first = in.template get_multi_ptr<access::decorated::no>().get();
        const auto to = out.template get_multi_ptr<access::decorated::no>().get();
        const T sum = joint_reduce(it.get_group(), first, first + n, plus<T>());
        if (excludes) joint_exclusive_scan(it.get_group(), first, first + n, to, T(0.1), plus<T>());
        else joint_inclusive_scan(it.get_group(), first, first + n, to, plus<T>());
        if (it.get_local_id(0) == 0) to[0] = sum;
      });
    });
    arithmetic(x, y);
  }

  queue m_queue;
  std::mt19937 m_random;
  std::vector<T> m_x;
  std::size_t m_n;
};

template <typename T>
void expect_same_bits_on_all_devices(int programs) {
  constexpr bool needs_double = std::is_same_v<T, double>;
  std::vector<device> devices;
  for (const device& d : device::get_devices())
    if (!needs_double || d.has(aspect::fp64)) devices.push_back(d);
  if (devices.size() < 2)
    GTEST_SKIP() << prism_test::name_of(queue().get_device())
                 << ": no other driver is installed or selected whose device could be compared with it";
  for (int seed = 0; seed < programs; ++seed) {
    const std::size_t n = 256 * (1 + std::size_t(seed) * 7 % 40);
    std::vector<T> first;
    for (const device& d : devices) {
      const std::vector<T> seen = program<T>(d, n, unsigned(seed)).run(6);
      if (first.empty()) first = seen;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_FALSE(std::isnan(double(seen[i]))) << "seed " << seed << ", element " << i;
        ASSERT_EQ(std::memcmp(&first[i], &seen[i], sizeof(T)), 0)
            << "seed " << seed << ", element " << i << ": " << first[i] << " on "
            << prism_test::name_of(devices[0]) << ", " << seen[i] << " on " << prism_test::name_of(d);
      }
    }
  }
}

} // namespace
