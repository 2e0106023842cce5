// Queues with the property reproducible: ordinary kernels compute the same bits on every device, next to
// launches on other queues, or are refused with the reason.
#include "tests/sycl/reproducible_programs.hpp"

#include <prism/source_kernel.hpp>

namespace {

/// What the program says when `submit` is called with a queue that asks for the same bits; empty: nothing.
template <typename Submit>
std::string refusal_of(const device& on, const Submit& submit) {
  queue q(on, prism::property::queue::reproducible());
  try {
    submit(q);
    q.wait_and_throw();
    return {};
  } catch (const exception& e) {
    EXPECT_EQ(e.code(), errc::kernel_not_supported) << e.what();
    return e.what();
  }
}

TEST(reproducible_launches, random_programs_of_floats_give_the_same_bits_on_all_devices) {
  expect_same_bits_on_all_devices<float>(40);
}
TEST(reproducible_launches, random_programs_of_doubles_give_the_same_bits_on_all_devices) {
  expect_same_bits_on_all_devices<double>(20);
}

/// Whether the device refuses to round x * y + z twice: the host device, where its processors have fused
/// multiply-adds in their baseline, as AArch64 has.
bool refuses_two_roundings(const device& on) {
#if defined(__FP_FAST_FMA) || defined(__ARM_FEATURE_FMA)
  return on.get_backend() == backend::ext_prism_host;
#else
  static_cast<void>(on);
  return false;
#endif
}
constexpr const char* refused_here =
    "the host's code is for processors with a fused multiply-add and uses it";

/// One kernel on two queues has two programs, and each launch gets its own.
void expect_own_program_of_each_queue(const device& on) {
  queue fixed(on, {property::queue::in_order(), prism::property::queue::reproducible()});
  queue usual(on, property::queue::in_order());
  constexpr std::size_t n = 4096;
  const std::vector<float> numbers = mixed_numbers<float>(n, 7);
  buffer<float> x(numbers.data(), range<1>(n));
  const auto sums = [&](queue& q) {
    std::vector<float> result(n / 256);
    buffer<float> y(result.data(), range<1>(result.size()));
    q.submit([&](handler& h) {
      accessor in(x, h, read_only);
      accessor out(y, h, write_only, no_init);
      h.parallel_for(nd_range<1>(n, 256), [=](nd_item<1> it) {
        const float own = in[it.get_global_id()];
        const float sum = reduce_over_group(it.get_group(), own * own + 0.1f * own, plus<float>());
        if (it.get_local_id(0) == 0) out[it.get_group(0)] = sum;
      });
    });
    const host_accessor all(y, read_only);
    return std::vector<float>(all.begin(), all.end());
  };
  const std::vector<float> first = sums(fixed), other = sums(usual);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(sums(fixed), first);
    EXPECT_EQ(sums(usual), other);
  }
  for (std::size_t g = 0; g < first.size(); ++g) EXPECT_NEAR(first[g], other[g], 1e-3f * std::fabs(first[g]));
}
TEST(reproducible_launches, launches_on_other_queues_between_them_change_nothing) {
  int tested = 0;
  for (const device& d : device::get_devices())
    if (!refuses_two_roundings(d)) {
      expect_own_program_of_each_queue(d);
      ++tested;
    }
  if (tested == 0) GTEST_SKIP() << prism_test::name_of(queue().get_device()) << ": " << refused_here;
}

void expect_the_same_from_a_graph(const device& on) {
  queue q(on, {property::queue::in_order(), prism::property::queue::reproducible()});
  constexpr std::size_t n = 256;
  const std::vector<float> numbers = mixed_numbers<float>(n, 11);
  float* x = malloc_shared<float>(n + 2, q);
  std::copy(numbers.begin(), numbers.end(), x);
  const auto submit = [&](float* to) {
    q.parallel_for(nd_range<1>(n, n), [=](nd_item<1> it) {
      const float sum = reduce_over_group(it.get_group(), x[it.get_global_id()] * 0.3f + 0.1f, plus<float>());
      if (it.get_local_id(0) == 0) *to = sum;
    });
  };
  submit(x + n);
  q.wait();
  namespace graphs = ext::oneapi::experimental;
  graphs::command_graph graph(q.get_context(), q.get_device());
  graph.begin_recording(q);
  submit(x + n + 1);
  graph.end_recording(q);
  auto executable = graph.finalize();
  q.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(x[n], x[n + 1]) << prism_test::name_of(on);
  free(x, q);
}
TEST(reproducible_launches, graphs_keep_the_order_that_their_queue_asked_for) {
  int compared = 0;
  for (const device& d : device::get_devices())
    if (d.has(aspect::usm_shared_allocations) && !refuses_two_roundings(d)) {
      expect_the_same_from_a_graph(d);
      ++compared;
    }
  if (compared == 0)
    GTEST_SKIP() << prism_test::name_of(queue().get_device()) << " has no shared memory, or " << refused_here;
}

void expect_refusals(const device& on) {
  buffer<float> x{range<1>(64)};
  const std::string atomically = refusal_of(on, [&](queue& q) {
    q.submit([&](handler& h) {
      accessor out(x, h, read_write);
      h.parallel_for(range<1>(64), [=](id<1>) {
        atomic_ref<float, memory_order::relaxed, memory_scope::device>(out[0]) += 0.1f;
      });
    });
  });
  EXPECT_NE(atomically.find("add floating-point numbers atomically, in any order; use sycl::reduction"),
            std::string::npos)
      << atomically;
  const std::string by_sub_group = refusal_of(on, [&](queue& q) {
    q.submit([&](handler& h) {
      accessor out(x, h, read_write);
      h.parallel_for(nd_range<1>(64, 64), [=](nd_item<1> it) {
        out[it.get_global_id()] =
            reduce_over_group(it.get_sub_group(), out[it.get_global_id()], plus<float>());
      });
    });
  });
  EXPECT_NE(by_sub_group.find("over sub-groups, which have other sizes on other devices"), std::string::npos)
      << by_sub_group;
  // Integers have no roundings.
  buffer<int> counts{range<1>(65)};
  EXPECT_EQ(refusal_of(on,
                       [&](queue& q) {
    q.submit([&](handler& h) {
      accessor out(counts, h, read_write);
      h.parallel_for(nd_range<1>(64, 64), [=](nd_item<1> it) {
        atomic_ref<int, memory_order::relaxed, memory_scope::device>(out[0]) += 1;
        out[it.get_global_id(0) + 1] += reduce_over_group(it.get_sub_group(), 1, plus<int>());
      });
    });
  }),
            "");
}
TEST(reproducible_launches, sums_whose_order_cannot_be_fixed_are_refused_with_the_reason) {
  for (const device& d : device::get_devices()) expect_refusals(d);
}

TEST(reproducible_launches, kernels_in_opencl_c_are_refused_because_their_order_is_not_known) {
  int tested = 0;
  for (const device& d : device::get_devices(info::device_type::all)) {
    if (d.get_backend() != backend::opencl) continue;
    const prism::source_kernel one(d, "opencl", "kernel void one(global float* x) { x[0] = 1; }", "one");
    const std::string said = refusal_of(d, [&](queue& q) {
      q.submit([&](handler& h) { one.launch(h, {1}, {}, {prism::source_argument::pointer(nullptr)}); });
    });
    EXPECT_NE(said.find("the kernel one cannot have the same bits on every device"), std::string::npos)
        << said;
    ++tested;
  }
  if (tested == 0) GTEST_SKIP() << "no OpenCL driver is installed or selected";
}

} // namespace
