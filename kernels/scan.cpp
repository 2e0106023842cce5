// Prefix sums, in three steps for each level. Each group scans its range and writes its total. The same
// function scans the totals (exclusively). Each element adds the total before its group. Within a group:
// Hillis and Steele, "Data parallel algorithms", CACM 29(12), 1986.
#include "kernels/checks.hpp"

#include <prism/kernels/scan.hpp>

#include <algorithm>
#include <type_traits>

namespace prism::kernels {

sycl::event reduce(sycl::queue& queue, sycl::buffer<float>& x, sycl::buffer<float>& result) {
  require_whole(x, "reduce", "x");
  require(result.size() == 1,
          "reduce: the result has " + std::to_string(result.size()) + " elements instead of one");
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor in(x, h, sycl::read_only);
    auto sum =
        sycl::reduction(result, h, sycl::plus<float>(), sycl::property::reduction::initialize_to_identity{});
    h.parallel_for(x.get_range(), sum, [=](sycl::id<1> i, auto& partial) { partial += in[i]; });
  });
}

namespace {

template <typename T>
std::conditional_t<std::is_integral_v<T>, unsigned, T> wrapping(T value) {
  return static_cast<std::conditional_t<std::is_integral_v<T>, unsigned, T>>(value);
}

template <typename T>
void scan_groups(sycl::queue& queue, sycl::buffer<T>& in, sycl::buffer<T>& out, sycl::buffer<T>& totals,
                 std::size_t group, bool inclusive) {
  queue.submit([&](sycl::handler& h) {
    sycl::accessor from(in, h, sycl::read_only);
    sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
    sycl::accessor total(totals, h, sycl::write_only, sycl::no_init);
    sycl::local_accessor<T> sums(group, h);
    const std::size_t n = in.size();
    h.parallel_for(sycl::nd_range<1>(totals.size() * group, group), [=](sycl::nd_item<1> item) {
      const std::size_t l = item.get_local_id(0), i = item.get_global_id(0);
      const T own = i < n ? from[i] : T(0);
      sums[l] = own;
      sycl::group_barrier(item.get_group());
      for (std::size_t distance = 1; distance < group; distance *= 2) {
        const T before = l >= distance ? sums[l - distance] : T(0);
        sycl::group_barrier(item.get_group());
        sums[l] = T(wrapping(sums[l]) + wrapping(before));
        sycl::group_barrier(item.get_group());
      }
      if (i < n) to[i] = inclusive ? sums[l] : l == 0 ? T(0) : sums[l - 1];
      if (l == group - 1) total[item.get_group(0)] = sums[l];
    });
  });
}

template <typename T>
sycl::event add_totals(sycl::queue& queue, sycl::buffer<T>& out, sycl::buffer<T>& before, std::size_t group) {
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor to(out, h, sycl::read_write);
    sycl::accessor add(before, h, sycl::read_only);
    h.parallel_for(out.get_range(),
                   [=](sycl::id<1> i) { to[i] = T(wrapping(to[i]) + wrapping(add[i[0] / group])); });
  });
}

template <typename T>
sycl::event scan(sycl::queue& queue, sycl::buffer<T>& in, sycl::buffer<T>& out, bool inclusive) {
  const std::size_t most = queue.get_device().get_info<sycl::info::device::max_work_group_size>();
  std::size_t group = 256;
  while (group > most) group /= 2;
  sycl::buffer<T> totals(sycl::range<1>((in.size() + group - 1) / group));
  scan_groups(queue, in, out, totals, group, inclusive);
  sycl::buffer<T> before(totals.get_range());
  if (totals.size() > 1) {
    scan(queue, totals, before, false);
  } else {
    queue.submit(
        [&](sycl::handler& h) { h.fill(sycl::accessor(before, h, sycl::write_only, sycl::no_init), T(0)); });
  }
  return add_totals(queue, out, before, group);
}

template <typename T>
sycl::event checked_scan(sycl::queue& queue, sycl::buffer<T>& in, sycl::buffer<T>& out, bool inclusive) {
  require_whole(in, "scan", "in");
  require_whole(out, "scan", "out");
  require(in.size() == out.size(),
          "scan: in has " + std::to_string(in.size()) + " elements, out has " + std::to_string(out.size()));
  require(!(in == out), "scan: in and out are the same buffer");
  return scan(queue, in, out, inclusive);
}

constexpr std::size_t part_sizes[] = {
    64, 1024, 16384}; // tried in order: the largest that still gives enough ranges to keep a device busy

sycl::event parts_scan(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out) {
  const std::size_t n = in.size(),
                    units = queue.get_device().get_info<sycl::info::device::max_compute_units>();
  std::size_t part = part_sizes[0];
  for (const std::size_t size : part_sizes)
    if (n / size >= 8 * units) part = size;
  const std::size_t parts = (n + part - 1) / part;
  sycl::buffer<float> totals{sycl::range<1>(parts)}, before{sycl::range<1>(parts)};
  queue.submit([&](sycl::handler& h) {
    sycl::accessor from(in, h, sycl::read_only);
    sycl::accessor total(totals, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(parts), [=](sycl::id<1> p) {
      float sum = 0;
      for (std::size_t i = p[0] * part, end = std::min(i + part, n); i < end; ++i) sum += from[i];
      total[p] = sum;
    });
  });
  scan(queue, totals, before, false);
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor from(in, h, sycl::read_only), add(before, h, sycl::read_only);
    sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(parts), [=](sycl::id<1> p) {
      float sum = add[p];
      for (std::size_t i = p[0] * part, end = std::min(i + part, n); i < end; ++i) to[i] = sum += from[i];
    });
  });
}

} // namespace

sycl::event inclusive_scan_in_parts(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out) {
  require_whole(in, "scan", "in");
  require_whole(out, "scan", "out");
  require(in.size() == out.size(),
          "scan: in has " + std::to_string(in.size()) + " elements, out has " + std::to_string(out.size()));
  require(!(in == out), "scan: in and out are the same buffer");
  return parts_scan(queue, in, out);
}
sycl::event inclusive_scan(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out) {
  return checked_scan(queue, in, out, true);
}
sycl::event inclusive_scan(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out) {
  return checked_scan(queue, in, out, true);
}
sycl::event exclusive_scan(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out) {
  return checked_scan(queue, in, out, false);
}
sycl::event exclusive_scan(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out) {
  return checked_scan(queue, in, out, false);
}

} // namespace prism::kernels
