// Kernels for order_test.py, most with a missing barrier; the argument names the one that runs.
#include <sycl/sycl.hpp>

#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int n = 64, groups = 4;

using kernel = std::function<void(sycl::queue&, sycl::buffer<int>&)>;

template <bool HasBarrier>
class reversed;
/// Each work-item reads what another one of its group writes.
template <bool HasBarrier>
void reverse(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    sycl::local_accessor<int> tile(n, h);
    h.parallel_for<reversed<HasBarrier>>(sycl::nd_range<1>(n * groups, n), [=](sycl::nd_item<1> it) {
      const int i = int(it.get_local_id(0));
      tile[i] = a[it.get_global_id()];
      if constexpr (HasBarrier) sycl::group_barrier(it.get_group());
      a[it.get_global_id()] = tile[n - 1 - i];
    });
  });
}

class overwrites;
/// The second barrier of a loop is missing: a work-item writes before its neighbour has read.
void overwrite(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    sycl::local_accessor<int> tile(n, h);
    h.parallel_for<overwrites>(sycl::nd_range<1>(n * groups, n), [=](sycl::nd_item<1> it) {
      const int i = int(it.get_local_id(0));
      tile[i] = a[it.get_global_id()];
      for (int round = 0; round < 3; ++round) {
        sycl::group_barrier(it.get_group());
        const int next = tile[(i + 1) % n];
        tile[i] = next + round;
      }
      a[it.get_global_id()] = tile[i];
    });
  });
}

class of_groups;
/// A group reads what another group writes.
void between_groups(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for<of_groups>(sycl::nd_range<1>(n * groups, n), [=](sycl::nd_item<1> it) {
      const int i = int(it.get_global_id(0));
      a[i] = a[(i + n) % (n * groups)] + 1;
    });
  });
}

class group_local;
/// As reverse, in memory of sycl_ext_oneapi_local_memory and with two dimensions.
void in_group_local_memory(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for<group_local>(sycl::nd_range<2>({groups * 8, 8}, {8, 8}), [=](sycl::nd_item<2> it) {
      auto& tile = *sycl::ext::oneapi::group_local_memory_for_overwrite<int[n]>(it.get_group());
      const auto at = it.get_global_linear_id();
      const auto x = it.get_local_id(1), y = it.get_local_id(0);
      tile[y * 8 + x] = a[at];
      a[at] = tile[x * 8 + y];
    });
  });
}

class sums;
/// Right in all orders: barriers, group functions, and a sum by atomics.
void sum(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    sycl::local_accessor<int> total(1, h);
    h.parallel_for<sums>(sycl::nd_range<1>(n * groups, n), [=](sycl::nd_item<1> it) {
      if (it.get_local_id(0) == 0) total[0] = 0;
      sycl::group_barrier(it.get_group());
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group>(total[0]) +=
          a[it.get_global_id()];
      sycl::group_barrier(it.get_group());
      a[it.get_global_id()] = total[0] + sycl::inclusive_scan_over_group(it.get_group(), 1, sycl::plus<>());
    });
  });
}

} // namespace

int main(int, char** argv) try {
  const std::map<std::string, kernel> kernels = {{"right", reverse<true>},
                                                 {"reverse", reverse<false>},
                                                 {"overwrite", overwrite},
                                                 {"between_groups", between_groups},
                                                 {"sum", sum},
                                                 {"local", in_group_local_memory}};
  sycl::queue q;
  std::vector<int> data(n * groups);
  for (int i = 0; i < n * groups; ++i) data[std::size_t(i)] = i;
  sycl::buffer<int> b(data);
  kernels.at(argv[1])(q, b);
  q.wait_and_throw();
  const sycl::host_accessor a(b, sycl::read_only);
  std::cout << "last " << a[n * groups - 1] << '\n';
} catch (const sycl::exception& e) {
  std::cout << e.what() << '\n';
  return e.code() == sycl::errc::runtime ? 77 : 1;
}
