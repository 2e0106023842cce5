// Programs that use OpenCL themselves: their contexts, queues, memory, kernels and events as SYCL objects,
// and SYCL's objects in their OpenCL calls. The OpenCL library is loaded at run time, as PRISM does.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateCommandQueue exists in every version of a driver
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

#include <prism/graph.hpp>
#include <sycl/backend/opencl.hpp>

#include <dlfcn.h>

using prism_test::error_of;

namespace {

constexpr auto cl = sycl::backend::opencl;

template <typename Function>
Function* named(const char* name) {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);
  return reinterpret_cast<Function*>(library ? dlsym(library, name) : nullptr);
}
#define OPENCL(function) (*named<decltype(function)>(#function))

/// The objects that the program creates with OpenCL calls.
class opencl_interop : public testing::Test {
protected:
  void SetUp() override {
    const sycl::device chosen;
    if (chosen.get_backend() != cl) GTEST_SKIP() << prism_test::name_of(chosen) << " is no OpenCL device";
    if (chosen.get_platform().get_info<sycl::info::platform::name>() == "Oclgrind")
      GTEST_SKIP() << "Oclgrind does not support two users of a queue";
    device = sycl::get_native<cl>(chosen);
    cl_int code = CL_SUCCESS;
    context = OPENCL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    queue = OPENCL(clCreateCommandQueue)(context, device, 0, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    const char* text =
        "kernel void scale(global int* data, int factor, global const int* added) {"
        "  size_t i = get_global_id(0); data[i] = data[i] * factor + added[i]; }"
        "kernel void turn(global int* data, local int* group) {"
        "  size_t i = get_local_id(0), n = get_local_size(0); group[i] = data[get_global_id(0)];"
        "  barrier(CLK_LOCAL_MEM_FENCE); data[get_global_id(0)] = group[(i + 1) % n]; }"
        "kernel void place(global int* data) { data[get_global_id(0) + 10 * get_global_id(1)] = 100 * "
        "get_global_id(0) + get_global_id(1); }"
        "kernel void one(global int* data, float value) { data[0] = (int)value; }";
    program = OPENCL(clCreateProgramWithSource)(context, 1, &text, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    ASSERT_EQ(OPENCL(clBuildProgram)(program, 1, &device, nullptr, nullptr, nullptr), CL_SUCCESS);
  }
  void TearDown() override {
    if (!context) return;
    for (cl_kernel each : kernels) OPENCL(clReleaseKernel)(each);
    OPENCL(clReleaseProgram)(program);
    OPENCL(clReleaseCommandQueue)(queue);
    OPENCL(clReleaseContext)(context);
  }
  sycl::kernel kernel_of(const char* name, const sycl::context& in) {
    cl_int code = CL_SUCCESS;
    kernels.push_back(OPENCL(clCreateKernel)(program, name, &code));
    EXPECT_EQ(code, CL_SUCCESS);
    return sycl::make_kernel<cl>(kernels.back(), in);
  }
  cl_mem memory_of(const std::vector<int>& values) {
    cl_int code = CL_SUCCESS;
    cl_mem made = OPENCL(clCreateBuffer)(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         values.size() * sizeof(int), const_cast<int*>(values.data()), &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  std::vector<int> values_in(cl_mem memory, std::size_t count) {
    std::vector<int> out(count);
    EXPECT_EQ(OPENCL(clEnqueueReadBuffer)(queue, memory, CL_TRUE, 0, count * sizeof(int), out.data(), 0,
                                          nullptr, nullptr),
              CL_SUCCESS);
    return out;
  }

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  std::vector<cl_kernel> kernels;
};

TEST_F(opencl_interop, a_context_made_of_a_cl_context_is_that_context) {
  const sycl::context made = sycl::make_context<cl>(context);
  EXPECT_EQ(made.get_backend(), cl);
  EXPECT_EQ(made.get_devices(), std::vector<sycl::device>{sycl::device()});
  cl_context native = sycl::get_native<cl>(made);
  EXPECT_EQ(native, context);
  OPENCL(clReleaseContext)(native);
  sycl::queue q(made, sycl::device());
  EXPECT_EQ(q.get_device(), sycl::device());
  EXPECT_EQ(q.get_context(), made);
}

TEST_F(opencl_interop, kernels_of_the_program_run_with_accessors_values_and_local_memory) {
  const sycl::context made = sycl::make_context<cl>(context);
  sycl::queue q(made, sycl::device());
  const sycl::kernel scale = kernel_of("scale", made), turn = kernel_of("turn", made);
  EXPECT_EQ(scale.get_info<sycl::info::kernel::function_name>(), "scale");
  EXPECT_EQ(scale.get_info<sycl::info::kernel::num_args>(), 3u);
  std::vector<int> data(64), added(64);
  for (int i = 0; i < 64; ++i) data[std::size_t(i)] = i, added[std::size_t(i)] = 1000 * i;
  {
    sycl::buffer<int> a(data), b(added);
    namespace syclex = sycl::ext::oneapi::experimental;
    syclex::submit(q, [&](sycl::handler& h) {
      syclex::parallel_for(h, sycl::range<1>(64), scale, sycl::accessor(a, h), 3,
                           sycl::accessor(b, h, sycl::read_only));
    });
    q.submit([&](sycl::handler& h) {
      h.set_arg(0, sycl::accessor(a, h));
      h.set_arg(1, sycl::local_accessor<int, 1>(16, h));
      h.parallel_for(sycl::nd_range<1>(64, 16), turn);
    });
    // a second launch, through launch_config, computes once more
    syclex::submit(q, [&](sycl::handler& h) {
      syclex::nd_launch(h, syclex::launch_config(sycl::nd_range<1>(64, 16)), turn, sycl::accessor(a, h),
                        sycl::local_accessor<int, 1>(16, h));
    });
    q.submit([&](sycl::handler& h) { // with SYCL kernels in between
      sycl::accessor all(a, h);
      h.parallel_for(64, [=](sycl::id<1> i) { all[i] += 1; });
    });
  }
  for (int i = 0; i < 64; ++i) {
    const int from = i / 16 * 16 + (i + 2) % 16;
    ASSERT_EQ(data[std::size_t(i)], from * 3 + from * 1000 + 1) << i;
  }
}

TEST_F(opencl_interop, kernels_of_the_program_run_with_usm_offsets_and_as_single_tasks) {
  const sycl::context made = sycl::make_context<cl>(context);
  sycl::queue q(made, sycl::device());
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations))
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " has no shared USM";
  int* const data = sycl::malloc_shared<int>(100, q);
  EXPECT_EQ(sycl::get_pointer_type(data, made), sycl::usm::alloc::shared);
  EXPECT_EQ(sycl::get_pointer_device(data, made), q.get_device());
  q.fill(data, -1, 100).wait();
  const sycl::kernel place = kernel_of("place", made), one = kernel_of("one", made);
  q.submit([&](sycl::handler& h) {
    h.set_args(data);
    h.parallel_for(sycl::range<2>(2, 3), place); // three items in OpenCL's dimension 0
  }).wait();
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 10; ++x)
      ASSERT_EQ(data[x + 10 * y], x < 3 && y < 2 ? 100 * x + y : -1) << x << ' ' << y;
  q.submit([&](sycl::handler& h) {
    h.set_args(data + 5, 7.9f);
    h.single_task(one);
  }).wait();
  EXPECT_EQ(data[5], 7);
  sycl::free(data, q);
}

TEST_F(opencl_interop, kernels_of_the_program_in_a_graph_have_arguments_that_change) {
  const sycl::context made = sycl::make_context<cl>(context);
  sycl::queue q(made, sycl::device());
  const sycl::kernel scale = kernel_of("scale", made), one = kernel_of("one", made);
  std::vector<int> ones(8, 1), tens(8, 10), hundreds(16, 100);
  {
    sycl::buffer<int> added(ones), first(tens), second(hundreds);
    using access = sycl::accessor<int, 1, sycl::access_mode::read_write>;
    prism::command_graph graph(q);
    prism::dynamic_parameter data{access(first)};
    prism::dynamic_parameter factor(3);
    graph.add([&](sycl::handler& h) {
      h.require(data);
      h.set_args(data, factor, sycl::accessor(added, h, sycl::read_only));
      h.parallel_for(8, scale);
    });
    auto ready = graph.finalize({prism::property::graph::updatable()});
    prism::execute_graph(q, ready);
    data.update(access(second, sycl::range<1>(8), sycl::id<1>(0)));
    factor.update(5);
    prism::execute_graph(q, ready).wait(); // unchanged until it is updated
    ready.update(graph);
    prism::execute_graph(q, ready);
  }
  EXPECT_EQ(tens, std::vector<int>(8, (10 * 3 + 1) * 3 + 1));
  std::vector<int> want(16, 100);
  std::fill_n(want.begin(), 8, 501);
  EXPECT_EQ(hundreds, want);
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations)) return;
  int* const memory = sycl::malloc_shared<int>(2, q);
  q.fill(memory, -1, 2).wait();
  prism::command_graph graph(q);
  prism::dynamic_parameter place(memory);
  graph.add([&](sycl::handler& h) {
    h.set_args(place, 7.9f);
    h.single_task(one);
  });
  auto ready = graph.finalize({prism::property::graph::updatable()});
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(std::make_pair(memory[0], memory[1]), std::make_pair(7, -1));
  place.update(memory + 1);
  ready.update(graph);
  memory[0] = 0;
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(std::make_pair(memory[0], memory[1]), std::make_pair(0, 7));
  sycl::free(memory, q);
}

TEST_F(opencl_interop, a_cl_mem_becomes_a_buffer_and_gets_the_results) {
  const sycl::context made = sycl::make_context<cl>(context);
  sycl::queue q = sycl::make_queue<cl>(queue, made);
  EXPECT_TRUE(q.is_in_order());
  cl_command_queue native = sycl::get_native<cl>(q);
  EXPECT_EQ(native, queue);
  OPENCL(clReleaseCommandQueue)(native);
  cl_mem memory = memory_of({1, 2, 3, 4});
  {
    auto b = sycl::make_buffer<cl, int>(memory, made);
    EXPECT_EQ(b.size(), 4u);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.parallel_for(4, [=](sycl::id<1> i) { a[i] *= 10; });
    });
    { // the host writes as well, after reading the kernel's results
      sycl::host_accessor a(b);
      EXPECT_EQ(a[3], 40);
      a[0] = -1;
    }
    for (cl_mem each : sycl::get_native<cl>(b)) OPENCL(clReleaseMemObject)(each);
  }
  EXPECT_EQ(values_in(memory, 4), (std::vector<int>{-1, 20, 30, 40}));
  OPENCL(clReleaseMemObject)(memory);
}

TEST_F(opencl_interop, events_convert_in_both_directions) {
  const sycl::context made = sycl::make_context<cl>(context);
  sycl::queue q(made, sycl::device());
  cl_int code = CL_SUCCESS;
  cl_event gate = OPENCL(clCreateUserEvent)(context, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const sycl::event opens = sycl::make_event<cl>({gate}, made);
  EXPECT_EQ(sycl::get_native<cl>(opens), std::vector<cl_event>{gate});
  OPENCL(clReleaseEvent)(gate);
  std::atomic<bool> ran{false};
  sycl::event after = q.submit([&](sycl::handler& h) {
    h.depends_on(opens);
    h.host_task([&] { ran = true; });
  });
  EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(20), [&] { return ran.load(); }));
  OPENCL(clSetUserEventStatus)(gate, CL_COMPLETE);
  after.wait();
  EXPECT_TRUE(ran);
  OPENCL(clReleaseEvent)(gate);

  cl_mem memory = memory_of({0});
  sycl::event done;
  auto b = sycl::make_buffer<cl, int>(memory, made, opens);
  done = q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.single_task([=] { a[0] = 5; });
  });
  std::vector<cl_event> native = sycl::get_native<cl>(done);
  ASSERT_EQ(native.size(), 1u);
  EXPECT_EQ(OPENCL(clWaitForEvents)(1, native.data()), CL_SUCCESS);
  OPENCL(clReleaseEvent)(native[0]);
  EXPECT_EQ(sycl::host_accessor(b)[0], 5);
  OPENCL(clReleaseMemObject)(memory);
}

TEST_F(opencl_interop, programs_are_kernel_bundles) {
  const sycl::context made = sycl::make_context<cl>(context);
  const auto bundle = sycl::make_kernel_bundle<cl, sycl::bundle_state::executable>(program, made);
  EXPECT_TRUE(bundle.get_kernel_ids().empty());
  EXPECT_EQ(sycl::get_native<cl>(bundle), std::vector<cl_program>{program});
  OPENCL(clReleaseProgram)(program);
  EXPECT_EQ(error_of([&] { sycl::make_kernel_bundle<cl, sycl::bundle_state::input>(program, made); }),
            sycl::errc::invalid);
  const char* wrong = "kernel void broken( {";
  cl_int code = CL_SUCCESS;
  cl_program source = OPENCL(clCreateProgramWithSource)(context, 1, &wrong, nullptr, &code);
  EXPECT_EQ(error_of([&] { sycl::make_kernel_bundle<cl, sycl::bundle_state::executable>(source, made); }),
            sycl::errc::build);
  OPENCL(clReleaseProgram)(source);
}

TEST_F(opencl_interop, kernels_of_sycl_have_native_handles) {
  sycl::queue q;
  int result = 0;
  {
    sycl::buffer<int> b(&result, 1);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only);
      h.single_task<class interop_named>([=] { a[0] = 1; });
    });
  }
  EXPECT_EQ(result, 1);
  const auto id = sycl::get_kernel_id<class interop_named>();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context(), {id});
  cl_kernel native = sycl::get_native<cl>(bundle.get_kernel(id));
  cl_uint references = 0;
  EXPECT_EQ(
      OPENCL(clGetKernelInfo)(native, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references, nullptr),
      CL_SUCCESS);
  EXPECT_GE(references, 1u);
  OPENCL(clReleaseKernel)(native);
  for (cl_program each : sycl::get_native<cl>(bundle)) OPENCL(clReleaseProgram)(each);
}

TEST_F(opencl_interop, mismatched_objects_are_refused) {
  const sycl::context made = sycl::make_context<cl>(context);
  sycl::queue q(made, sycl::device()), other;
  const sycl::kernel scale = kernel_of("scale", made);
  EXPECT_EQ(error_of([&] { other.submit([&](sycl::handler& h) { h.single_task(scale); }); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) {
      h.set_arg(3, 1);
      h.single_task(scale);
    });
  }),
            sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { q.submit([&](sycl::handler& h) { h.set_arg(-1, 1); }); }), sycl::errc::invalid);
  EXPECT_EQ(
      error_of([&] { q.submit([&](sycl::handler& h) { h.parallel_for(sycl::nd_range<1>(10, 3), scale); }); }),
      sycl::errc::nd_range);
  EXPECT_EQ(error_of([&] { sycl::make_queue<cl>(queue, other.get_context()); }), sycl::errc::invalid);
  cl_mem memory = memory_of({1});
  EXPECT_EQ((error_of([&] { sycl::make_buffer<cl, int>(memory, other.get_context()); })),
            sycl::errc::invalid);
  OPENCL(clReleaseMemObject)(memory);
  EXPECT_EQ(error_of([&] { sycl::make_kernel<cl>(kernels.back(), other.get_context()); }),
            sycl::errc::invalid);
}

TEST(native_arguments, of_a_function_object_are_refused) {
  sycl::queue q;
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) {
      h.set_arg(0, 1);
      h.single_task([=] {});
    });
  }),
            sycl::errc::invalid);
}

} // namespace
