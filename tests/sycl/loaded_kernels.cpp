// A library with kernels that loaded_library_test.cpp loads and unloads.
#include <sycl/sycl.hpp>

namespace {
struct at_unload {
  void (*call)() = nullptr;
  ~at_unload() {
    if (call != nullptr) call();
  }
} unload;
} // namespace

/// `call` runs when unloading begins, while the loader's lock is held and before PRISM is notified.
extern "C" void when_unloaded(void (*call)()) { unload.call = call; }

extern "C" void fill_squares(sycl::queue& q, sycl::buffer<int>& b, int add, sycl::event& done) {
  done = q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] = int(i[0] * i[0]) + add; });
  });
}

extern "C" void reverse_groups(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    sycl::local_accessor<int> l(16, h);
    h.parallel_for(sycl::nd_range<1>(b.size(), 16), [=](sycl::nd_item<1> i) {
      l[i.get_local_id(0)] = a[i.get_global_id(0)];
      sycl::group_barrier(i.get_group());
      a[i.get_global_id(0)] = l[15 - i.get_local_id(0)];
    });
  });
}
