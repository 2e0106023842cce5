// sycl_ext_oneapi_free_function_kernels: functions as kernels, by their names, identifiers and kernel
// objects.
#include "tests/sycl/common.hpp"

#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/ext/oneapi/kernel_properties.hpp>

using prism_test::error_of;

namespace syclex = sycl::ext::oneapi::experimental;
namespace this_item = sycl::ext::oneapi::this_work_item;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<1>))
void fill_up(int start, int* out);

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<1>))
void fill_up(int start, int* out) {
  const std::size_t i = this_item::get_nd_item<1>().get_global_linear_id();
  out[i] = start + int(i);
}

namespace shapes {

struct pair {
  short first;
  double second;
};

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<2>))
void places(int* out, pair what) noexcept {
  const auto it = this_item::get_nd_item<2>();
  out[it.get_global_linear_id()] =
      int(it.get_global_id(0) * 1000 + it.get_local_id(1) * 100) + what.first + int(what.second);
}

template <typename T>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<3>))
void count_down(T* out, T steps) {
  T made = 0;
  while (steps > 0) { // an argument belongs to the work-item
    --steps;
    ++made;
  }
  out[this_item::get_nd_item<3>().get_global_linear_id()] = made;
}

struct holder {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::single_task_kernel)
  static void put(long* out, char value) { *out = value; }
};

} // namespace shapes

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void store(int* out) { *out = 5; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void store(float* out) { *out = 6; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void nothing() {}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<1>))
void reverse_groups(sycl::accessor<int> data, sycl::local_accessor<int> shared) {
  const auto it = this_item::get_nd_item<1>();
  const std::size_t n = it.get_local_range(0), i = it.get_local_id(0);
  shared[i] = data[it.get_global_id(0)];
  sycl::group_barrier(it.get_group());
  data[it.get_global_id(0)] = shared[n - 1 - i];
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void add_up(std::tuple<int, int> what, int* out) { *out = std::get<0>(what) + std::get<1>(what); }

[[sycl::reqd_work_group_size(8)]] SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(
    (syclex::nd_range_kernel<1>)) void in_eights(int* out) {
  *out = int(this_item::get_nd_item<1>().get_local_range(0));
}

void ordinary(int) {}

static_assert(syclex::is_nd_range_kernel_v<fill_up, 1>);
static_assert(!syclex::is_nd_range_kernel_v<fill_up, 2>);
static_assert(!syclex::is_single_task_kernel_v<fill_up>);
static_assert(syclex::is_kernel_v<fill_up>);
static_assert(syclex::is_nd_range_kernel_v<shapes::places, 2>);
static_assert(syclex::is_nd_range_kernel_v<shapes::count_down<int>, 3>);
static_assert(syclex::is_single_task_kernel_v<shapes::holder::put>);
static_assert(syclex::is_single_task_kernel_v<(void (*)(float*))store>);
static_assert(syclex::is_kernel<nothing>::value);
static_assert(!syclex::is_kernel_v<ordinary>);
static_assert(syclex::is_property_key<syclex::nd_range_kernel_key>::value);
static_assert(decltype(syclex::nd_range_kernel<2>)::dimensions == 2);

namespace {

class free_function_kernels : public testing::Test {
protected:
  template <typename T>
  T* shared(std::size_t count) {
    T* const memory = sycl::malloc_shared<T>(count, q);
    m_all.push_back(memory);
    return memory;
  }
  void SetUp() override {
    const sycl::device on = q.get_device();
    if (!on.has(sycl::aspect::usm_shared_allocations))
      GTEST_SKIP() << on.get_info<sycl::info::device::name>() << " has no shared USM";
  }
  void TearDown() override {
    for (void* memory : m_all) sycl::free(memory, q);
  }
  /// Launches the kernel object with the arguments; returns the error.
  template <typename... Args>
  sycl::errc launch(const sycl::kernel& object, std::string* text, Args... args) {
    return error_of([&] {
      q.submit([&](sycl::handler& h) {
        h.set_args(args...);
        h.parallel_for(sycl::nd_range<1>(16, 4), object);
      }).wait_and_throw();
    }, text);
  }

  sycl::queue q{sycl::property::queue::in_order()};

private:
  std::vector<void*> m_all;
};

TEST_F(free_function_kernels, a_launch_passes_and_converts_the_arguments) {
  SKIP_WITHOUT(q, fp64); // shapes::pair has a double
  int* const out = shared<int>(24);
  syclex::nd_launch(q, sycl::nd_range<1>(16, 4), syclex::kernel_function<fill_up>, 'a', out);
  q.wait_and_throw();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(out[i], 'a' + i);

  const syclex::launch_config config(sycl::nd_range<2>({4, 6}, {2, 3}));
  syclex::nd_launch(q, config, syclex::kernel_function<shapes::places>, out, shapes::pair{7, 20.0});
  q.wait_and_throw();
  for (int i = 0; i < 24; ++i) EXPECT_EQ(out[i], i / 6 * 1000 + i % 3 * 100 + 27);
}

TEST_F(free_function_kernels, templates_overloads_and_static_members_are_kernels) {
  int* const out = shared<int>(8);
  long* const wide = shared<long>(1);
  float* const real = shared<float>(8);
  const sycl::nd_range<3> cube({2, 2, 2}, {1, 2, 2});
  syclex::nd_launch(q, cube, syclex::kernel_function<shapes::count_down<int>>, out, 3);
  syclex::nd_launch(q, cube, syclex::kernel_function<shapes::count_down<float>>, real, 4.0f);
  syclex::single_task(q, syclex::kernel_function<shapes::holder::put>, wide, 9);
  syclex::single_task(q, syclex::kernel_function<nothing>);
  q.wait_and_throw();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i] * 10 + int(real[i]), 34);
  EXPECT_EQ(*wide, 9);

  syclex::single_task(q, syclex::kernel_function<(void (*)(int*))store>, out);
  q.submit([&](sycl::handler& h) {
    syclex::single_task(h, syclex::kernel_function<(void (*)(float*))store>, real);
  }).wait_and_throw();
  EXPECT_EQ(*out, 5);
  EXPECT_EQ(*real, 6);
}

TEST_F(free_function_kernels, accessors_are_arguments_of_a_launch) {
  std::vector<int> values(12);
  std::iota(values.begin(), values.end(), 0);
  {
    sycl::buffer<int> b(values.data(), values.size());
    q.submit([&](sycl::handler& h) {
      syclex::nd_launch(h, sycl::nd_range<1>(12, 4), syclex::kernel_function<reverse_groups>,
                        sycl::accessor<int>(b, h), sycl::local_accessor<int>(4, h));
    });
  }
  EXPECT_EQ(values, (std::vector<int>{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
}

TEST_F(free_function_kernels, functions_have_identifiers_and_bundles) {
  const sycl::context in = q.get_context();
  const sycl::device on = q.get_device();
  const sycl::kernel_id id = syclex::get_kernel_id<fill_up>();
  EXPECT_EQ(id, syclex::get_kernel_id<fill_up>());
  EXPECT_NE(id, syclex::get_kernel_id<shapes::places>());
  const auto all = sycl::get_kernel_ids();
  EXPECT_NE(std::find(all.begin(), all.end(), id), all.end());
  EXPECT_TRUE(syclex::is_compatible<fill_up>(on));
  EXPECT_TRUE((syclex::has_kernel_bundle<fill_up, sycl::bundle_state::executable>(in)));
  EXPECT_TRUE((syclex::has_kernel_bundle<fill_up, sycl::bundle_state::input>(in, {on})));

  const auto bundle = syclex::get_kernel_bundle<fill_up, sycl::bundle_state::executable>(in, {on});
  EXPECT_TRUE(bundle.ext_oneapi_has_kernel<fill_up>());
  EXPECT_TRUE(bundle.ext_oneapi_has_kernel<fill_up>(on));
  EXPECT_FALSE(bundle.ext_oneapi_has_kernel<shapes::places>());
  EXPECT_EQ(error_of([&] { bundle.ext_oneapi_get_kernel<shapes::places>(); }), sycl::errc::invalid);
  const sycl::kernel object = bundle.ext_oneapi_get_kernel<fill_up>();
  EXPECT_EQ(object.get_info<sycl::info::kernel::num_args>(), 2u);
  EXPECT_EQ((syclex::get_kernel_info<nothing, sycl::info::kernel::num_args>(in)), 0u);
  using largest = sycl::info::kernel_device_specific::work_group_size;
  EXPECT_EQ((syclex::get_kernel_info<fill_up, largest>(in, on)), object.get_info<largest>(on));
  EXPECT_EQ((syclex::get_kernel_info<fill_up, largest>(q)), object.get_info<largest>(on));
}

TEST_F(free_function_kernels, kernel_objects_take_arguments_by_number) {
  SKIP_WITHOUT(q, fp64); // shapes::pair has a double
  const sycl::context in = q.get_context();
  int* const out = shared<int>(24);
  const auto bundle = syclex::get_kernel_bundle<fill_up, sycl::bundle_state::executable>(in);
  const sycl::kernel object = bundle.ext_oneapi_get_kernel<fill_up>();
  q.submit([&](sycl::handler& h) {
    h.set_arg(1, out);
    h.set_arg(0, 50);
    h.parallel_for(sycl::nd_range<1>(16, 4), object);
  }).wait_and_throw();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(out[i], 50 + i);

  const auto plane = syclex::get_kernel_bundle<shapes::places, sycl::bundle_state::executable>(in)
                         .ext_oneapi_get_kernel<shapes::places>();
  syclex::nd_launch(q, sycl::nd_range<2>({4, 6}, {2, 3}), plane, out, shapes::pair{1, 2.0});
  q.wait_and_throw();
  for (int i = 0; i < 24; ++i) EXPECT_EQ(out[i], i / 6 * 1000 + i % 3 * 100 + 3);

  long* const wide = shared<long>(1);
  const auto one = syclex::get_kernel_bundle<shapes::holder::put, sycl::bundle_state::executable>(in)
                       .ext_oneapi_get_kernel<shapes::holder::put>();
  q.submit([&](sycl::handler& h) {
    h.set_args(wide, 'x');
    h.single_task(one);
  }).wait_and_throw();
  EXPECT_EQ(*wide, 'x');
}

TEST_F(free_function_kernels, wrong_arguments_of_kernel_objects_are_refused) {
  const sycl::context in = q.get_context();
  int* const out = shared<int>(16);
  std::string text;
  const auto object =
      syclex::get_kernel_bundle<fill_up, sycl::bundle_state::executable>(in).ext_oneapi_get_kernel<fill_up>();
  EXPECT_EQ(launch(object, &text, 1), sycl::errc::kernel_argument);
  EXPECT_NE(text.find("argument 1"), std::string::npos) << text;
  EXPECT_EQ(launch(object, &text, 1, out, 3), sycl::errc::kernel_argument);
  EXPECT_EQ(launch(object, &text, 'a', out), sycl::errc::kernel_argument);
  EXPECT_NE(text.find("1 bytes"), std::string::npos) << text;
  EXPECT_EQ(launch(object, &text, 1, out), sycl::errc::success);

  const auto accessors = syclex::get_kernel_bundle<reverse_groups, sycl::bundle_state::executable>(in)
                             .ext_oneapi_get_kernel<reverse_groups>();
  sycl::buffer<int> b(16);
  EXPECT_EQ(error_of(
                [&] {
    q.submit([&](sycl::handler& h) {
      h.set_args(sycl::accessor<int>(b, h), sycl::local_accessor<int>(4, h));
      h.parallel_for(sycl::nd_range<1>(16, 4), accessors);
    });
  }, &text),
            sycl::errc::kernel_argument);
  EXPECT_NE(text.find("is an accessor; launch the function with nd_launch"), std::string::npos) << text;
  const auto tuple =
      syclex::get_kernel_bundle<add_up, sycl::bundle_state::executable>(in).ext_oneapi_get_kernel<add_up>();
  EXPECT_EQ(error_of([&] { q.submit([&](sycl::handler& h) { h.single_task(tuple); }); }, &text),
            sycl::errc::kernel_argument);
  EXPECT_NE(text.find("not trivially copyable"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) {
      h.set_args(1, out);
      h.parallel_for(sycl::range<1>(16), object);
    });
  }),
            sycl::errc::nd_range);
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) {
      h.set_args(1, out);
      h.parallel_for(sycl::nd_range<2>({4, 4}, {2, 2}), object);
    });
  }),
            sycl::errc::nd_range);
}

TEST_F(free_function_kernels, attributes_and_device_copyable_parameters_keep_their_meaning) {
  int* const out = shared<int>(2);
  syclex::single_task(q, syclex::kernel_function<add_up>, std::tuple(3, 4), out);
  syclex::nd_launch(q, sycl::nd_range<1>(16, 8), syclex::kernel_function<in_eights>, out + 1);
  q.wait_and_throw();
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(out[1], 8);
  EXPECT_EQ(error_of([&] {
    syclex::nd_launch(q, sycl::nd_range<1>(16, 4), syclex::kernel_function<in_eights>, out);
  }),
            sycl::errc::nd_range);
}

TEST_F(free_function_kernels, an_offset_is_refused) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const sycl::nd_range<1> items(16, 4, 2);
#pragma GCC diagnostic pop
  int* const out = shared<int>(18);
  const auto object = syclex::get_kernel_bundle<fill_up, sycl::bundle_state::executable>(q.get_context())
                          .ext_oneapi_get_kernel<fill_up>();
  std::string text;
  EXPECT_EQ(error_of([&] { syclex::nd_launch(q, items, syclex::kernel_function<fill_up>, 1, out); }, &text),
            sycl::errc::nd_range);
  EXPECT_NE(text.find("offset"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { syclex::nd_launch(q, items, object, 1, out); }, &text), sycl::errc::nd_range);
  EXPECT_NE(text.find("offset"), std::string::npos) << text;
}

TEST_F(free_function_kernels, functions_remain_functions) {
  int* const out = shared<int>(2);
  store(out);
  q.single_task([=] { store(out + 1); }).wait_and_throw();
  EXPECT_EQ(out[0] + out[1], 10);
}

} // namespace
