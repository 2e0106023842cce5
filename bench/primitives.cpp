// Primitives on the host device against oneTBB's sort and loops with OpenMP; on other devices against the
// same call on the host device. Arrays are filled again outside of the measured time.
#include "bench/primitives.hpp"
#include "bench/rows.hpp"

#include <prism/primitives.hpp>

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace bench {

namespace {

namespace primitives = prism::primitives;

std::uint64_t mixed(std::uint64_t i) {
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}

/// USM of one queue.
template <typename T>
class memory {
public:
  memory(sycl::queue& queue, std::size_t n)
      : m_queue(queue), m_size(n), m_data(sycl::malloc_shared<T>(n, queue)) {}
  memory(const memory&) = delete;
  ~memory() { sycl::free(m_data, m_queue); }
  T* data() const { return m_data; }
  prism::vector_view<T> view() const { return {m_data, m_size}; }

private:
  sycl::queue m_queue;
  std::size_t m_size;
  T* m_data;
};

struct by_low_bits {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return (a ^ T(255)) < (b ^ T(255));
  }
};

struct context {
  report& out;
  const options& how;
  sycl::queue queue;
  primitives::workspace workspace;
  std::string device() const { return label(queue.get_device()); }
};

/// The sort of one device, on an array that is filled before each call.
template <typename T, typename Compare>
struct sorting {
  sycl::queue queue;
  primitives::workspace workspace;
  memory<T> keys;
  const std::vector<T>& values;
  Compare before;
  sorting(const sycl::queue& q, const std::vector<T>& all, Compare compare)
      : queue(q), keys(queue, all.size()), values(all), before(compare) {}
  times run() {
    std::copy(values.begin(), values.end(), keys.data());
    return timed([&] { primitives::sort({queue, workspace}, keys.view(), before).wait(); });
  }
};

template <typename T, typename Compare>
void measure_sort(context& c, const std::string& name, std::size_t n, Compare before, double limit) {
  std::vector<T> values(n), expected;
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(mixed(i) >> 8);
  sorting<T, Compare> ours(c.queue, values, before);
  const std::string row = fmt::format("sort of {} {}", n, name);
  const auto is_right = [&] { return std::equal(expected.begin(), expected.end(), ours.keys.data()); };
  if (c.queue.get_device().is_host()) {
    const auto theirs = [&] {
      expected = values;
      return timed([&] { tbb::parallel_sort(expected.begin(), expected.end(), before); });
    };
    const series measured = alternate(c.how.rounds, [&] { return ours.run(); }, theirs);
    if (!is_right()) return c.out.skip("primitives", c.device(), row + ": wrong order", true);
    return c.out.add({"primitives",
                      row,
                      c.device(),
                      "prism::primitives",
                      "tbb::parallel_sort",
                      measured,
                      {goal::kind::ratio, limit}});
  }
  sorting<T, Compare> host(
      sycl::queue(sycl::device([](const sycl::device& d) { return d.is_host() ? 1 : -1; })), values, before);
  c.out.add({"primitives",
             row,
             c.device(),
             "prism::primitives",
             "the host device",
             alternate(c.how.rounds, [&] { return ours.run(); }, [&] { return host.run(); }),
             {}});
  expected.assign(host.keys.data(), host.keys.data() + n);
  if (!is_right()) c.out.skip("primitives", c.device(), row + ": wrong order", true);
}

/// Reduction and scan of one device.
struct summing {
  sycl::queue queue;
  primitives::workspace workspace;
  memory<float> in, out;
  summing(const sycl::queue& q, std::size_t n) : queue(q), in(queue, n), out(queue, n) {
    for (std::size_t i = 0; i < n; ++i) in.data()[i] = float(i % 8); // sums are near in every order
    std::fill(out.data(), out.data() + n, 0.0f);
  }
  times reduce() {
    return timed([&] {
      primitives::reduce({queue, workspace}, in.view(), prism::vector_view<float>(out.data(), 1)).wait();
    });
  }
  times scan() {
    return timed([&] { primitives::inclusive_scan({queue, workspace}, in.view(), out.view()).wait(); });
  }
};

void measure_sums(context& c, std::size_t n) {
  summing ours(c.queue, n);
  const auto add = [&](const std::string& name, const std::string& theirs, auto&& mine, auto&& other,
                       const goal& wanted) {
    c.out.add({"primitives", fmt::format("{} of {} floats", name, n), c.device(), "prism::primitives", theirs,
               alternate(c.how.rounds, mine, other), wanted});
  };
  const auto reduce = [&] { return ours.reduce(); };
  const auto scan = [&] { return ours.scan(); };
  if (!c.queue.get_device().is_host()) {
    summing host(sycl::queue(sycl::device([](const sycl::device& d) { return d.is_host() ? 1 : -1; })), n);
    add("sum", "the host device", reduce, [&] { return host.reduce(); }, {});
    add("scan", "the host device", scan, [&] { return host.scan(); }, {});
    if (std::memcmp(ours.out.data(), host.out.data(), n * sizeof(float)) != 0)
      c.out.skip("primitives", c.device(), "a scan has not the bits that the host device has", true);
    return;
  }
  memory<float> other(c.queue, n);
  std::fill(other.data(), other.data() + n, 0.0f);
  float sum = 0;
  const goal bandwidth{goal::kind::ratio, 1 / 0.95};
  add("sum", "OpenMP", reduce, [&] { return timed([&] { sum = openmp_sum(ours.in.data(), n); }); },
      bandwidth);
  if (std::abs(sum - ours.out.data()[0]) > 1e-3f * sum)
    c.out.skip("primitives", c.device(), "a sum is wrong", true);
  add("scan", "OpenMP", scan,
      [&] { return timed([&] { openmp_inclusive_scan(ours.in.data(), other.data(), n); }); }, bandwidth);
  add("scan", "a copy with OpenMP", scan,
      [&] { return timed([&] { openmp_copy(ours.in.data(), other.data(), n); }); }, {});
}

} // namespace

void measure_primitives(report& out, const options& how, const sycl::device& device) try {
  if (!device.has(sycl::aspect::usm_shared_allocations))
    return out.skip("primitives", label(device), "the device has no shared USM");
  context c{out, how, sycl::queue(device), {}};
  const bool is_host = device.is_host();
  std::vector<std::size_t> sizes{100000, is_host ? 10000000u : 1000000u};
  if (is_host && !how.quick) sizes.push_back(100000000);
  for (const std::size_t n : sizes) {
    measure_sort<std::uint32_t>(c, "std::uint32_t", n, std::less<>(), 1 / 1.5);
    measure_sort<float>(c, "float", n, std::less<>(), 1 / 1.5);
    measure_sort<std::int64_t>(c, "std::int64_t", n, std::less<>(), 1 / 1.5);
    measure_sort<std::uint32_t>(c, "std::uint32_t by comparison", n, by_low_bits(), 1);
    measure_sums(c, n);
  }
} catch (const std::exception& error) {
  out.skip("primitives", label(device), error.what(), true);
}

} // namespace bench
