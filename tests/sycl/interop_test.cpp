// Interoperability with OpenCL: native handles from objects, objects from native handles, native calls in a
// host task between two kernels.
#include "tests/sycl/common.hpp"

#include <sycl/backend/opencl.hpp>

#include <dlfcn.h>

using prism_test::error_of;

namespace {

constexpr auto cl = sycl::backend::opencl;

TEST(interop, of_another_backend_is_refused) {
  const sycl::queue q;
  if (q.get_backend() == cl) GTEST_SKIP() << "this is OpenCL";
  EXPECT_EQ(error_of([&] { sycl::get_native<cl>(q); }), sycl::errc::backend_mismatch);
  EXPECT_EQ(error_of([&] { sycl::get_native<cl>(q.get_device()); }), sycl::errc::backend_mismatch);
}

TEST(interop, native_handles_convert_back_to_their_objects) {
  const sycl::queue q;
  if (q.get_backend() != cl) GTEST_SKIP() << "not OpenCL";
  const sycl::device d = q.get_device();
  EXPECT_EQ(sycl::make_device<cl>(sycl::get_native<cl>(d)), d);
  EXPECT_EQ(sycl::make_platform<cl>(sycl::get_native<cl>(d.get_platform())), d.get_platform());
  EXPECT_NE(sycl::get_native<cl>(q.get_context()), nullptr);
  int local = 0;
  EXPECT_EQ(error_of([&] { sycl::make_device<cl>(reinterpret_cast<_cl_device_id*>(&local)); }),
            sycl::errc::invalid);
}

TEST(interop, native_calls_in_a_host_task_are_ordered_between_kernels) {
  sycl::queue q;
  if (q.get_backend() != cl) GTEST_SKIP() << "not OpenCL";
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  using fill_function = int (*)(_cl_command_queue*, _cl_mem*, const void*, std::size_t, std::size_t,
                                std::size_t, unsigned, const void*, void*);
  using finish_function = int (*)(_cl_command_queue*);
  const auto fill = reinterpret_cast<fill_function>(dlsym(library, "clEnqueueFillBuffer"));
  const auto finish = reinterpret_cast<finish_function>(dlsym(library, "clFinish"));
  sycl::buffer<int> b{sycl::range<1>(1024)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(1024, [=](sycl::id<1> i) { a[i] = int(i[0]); });
  });
  int code = -1;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.host_task([=, &code](const sycl::interop_handle& native) {
      const auto memory = native.get_native_mem<cl>(a);
      const auto queue = native.get_native_queue<cl>();
      const int five = 5;
      code = fill(queue, memory.at(0), &five, 4, 400, 400, 0, nullptr, nullptr);
      finish(queue);
    });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for(1024, [=](sycl::id<1> i) { a[i] += 1; });
  });
  sycl::host_accessor a(b, sycl::read_only);
  EXPECT_EQ(code, 0);
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(a[i], (i >= 100 && i < 200 ? 5 : i) + 1) << i;
}

} // namespace
