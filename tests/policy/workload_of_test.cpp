// The compiler's operation counts compared with counts by hand, on twelve kernels and more; and a policy
// without a handwritten workload.
#include <prism/prism.hpp>

#include <gtest/gtest.h>

namespace {

constexpr std::size_t n = 4096;

template <typename T>
struct arrays {
  T* a = nullptr;
  const T* b = nullptr;
  const T* c = nullptr;
  const int* index = nullptr;
};

/// Makes the compiler emit the kernel; nothing is launched.
template <typename Name, typename F>
void mention(F body) {
  static volatile bool never = false;
  if (never) sycl::queue().parallel_for<Name>(sycl::range<1>(n), body);
}

class copy_k;
class scale_k;
class axpy_k;
class triad_k;
class root_k;
class polynomial_k;
class stencil_k;
class gemm_k;
class daxpy_k;
class gather_k;
class strided_k;
class divergent_k;
class open_loop_k;
class integer_k;

void mention_all(arrays<float> f, arrays<double> d, int length) {
  mention<copy_k>([=](sycl::id<1> i) { f.a[i] = f.b[i]; });
  mention<scale_k>([=](sycl::id<1> i) { f.a[i] = 3.5f * f.b[i]; });
  mention<axpy_k>([=](sycl::id<1> i) { f.a[i] = 3.5f * f.b[i] + f.c[i]; });
  mention<triad_k>([=](sycl::id<1> i) { f.a[i] = f.b[i] * f.c[i] + f.b[i]; });
  mention<root_k>([=](sycl::id<1> i) { f.a[i] = sycl::sqrt(f.b[i] * f.b[i] + f.c[i] * f.c[i]); });
  mention<polynomial_k>([=](sycl::id<1> i) {
    float x = f.b[i], sum = 0;
    for (int k = 0; k < 100; ++k) sum = sum * x + 1.5f;
    f.a[i] = sum;
  });
  mention<stencil_k>([=](sycl::id<1> i) { f.a[i] = 0.25f * (f.b[i] + f.b[i + 1]) + 0.5f * f.b[i + 2]; });
  mention<gemm_k>([=](sycl::id<1> i) {
    float sum = 0;
    for (int k = 0; k < 256; ++k) sum += f.b[(i / 256) * 256 + k] * f.c[k * 256 + i % 256];
    f.a[i] = sum;
  });
  mention<daxpy_k>([=](sycl::id<1> i) { d.a[i] = 3.5 * d.b[i] + d.c[i]; });
  mention<gather_k>([=](sycl::id<1> i) { f.a[i] = f.b[f.index[i]] + f.b[f.index[i] + 1]; });
  mention<strided_k>([=](sycl::id<1> i) { f.a[i * 64] = f.b[i * 64] * 2.0f; });
  mention<divergent_k>([=](sycl::id<1> i) {
    if (f.index[i] > 3) {
      float sum = 0;
      for (int k = 0; k < 1000; ++k) sum = sum * f.b[i] + 0.5f;
      f.a[i] = sum;
    }
  });
  mention<open_loop_k>([=](sycl::id<1> i) {
    float sum = 0;
    for (int k = 0; k < length; ++k) sum += f.b[k] * f.c[k];
    f.a[i] = sum;
  });
  mention<integer_k>([=](sycl::id<1> i) { const_cast<int*>(f.index)[i] = (f.index[i] ^ 5) * 3; });
}

struct expected {
  const char* name;
  prism::workload found;
  double flops, bytes; // of one work-item
  const char* type;
};

} // namespace

TEST(kernel_analysis, counts_operations_of_twelve_kernels_as_by_hand) {
  mention_all({}, {}, 7);
  const sycl::range<1> items(n);
  const expected table[] = {
      {"copy", prism::workload_of<copy_k>(items), -1, 8, ""},
      {"scale", prism::workload_of<scale_k>(items), 1, 8, "fp32"},
      {"axpy", prism::workload_of<axpy_k>(items), 2, 12, "fp32"},
      {"triad", prism::workload_of<triad_k>(items), 2, 12, "fp32"},
      {"root", prism::workload_of<root_k>(items), 4, 12, "fp32"},
      {"polynomial", prism::workload_of<polynomial_k>(items), 200, 8, "fp32"},
      {"stencil", prism::workload_of<stencil_k>(items), 4, 16, "fp32"},
      {"gemm", prism::workload_of<gemm_k>(items), 512, 2052, "fp32"},
      {"daxpy", prism::workload_of<daxpy_k>(items), 2, 24, "fp64"},
      {"gather", prism::workload_of<gather_k>(items), 1, 16, "fp32"},
      {"strided", prism::workload_of<strided_k>(items), 1, 8, "fp32"},
      {"open loop of 40", prism::workload_of<open_loop_k>(items, 40), 80, 324, "fp32"},
  };
  for (const expected& e : table) {
    if (e.flops >= 0) {
      EXPECT_EQ(e.found.data_type, e.type) << e.name;
      EXPECT_NEAR(e.found.flops / n, e.flops, 0.1 * e.flops) << e.name;
    }
    EXPECT_NEAR(e.found.bytes / n, e.bytes, 0.1 * e.bytes) << e.name;
    EXPECT_EQ(e.found.items, n);
  }
}

TEST(kernel_analysis, finds_access_patterns_and_divergence) {
  const sycl::range<1> items(n);
  EXPECT_EQ(prism::workload_of<axpy_k>(items).access, prism::access_pattern::sequential);
  EXPECT_EQ(prism::workload_of<gather_k>(items).access, prism::access_pattern::random);
  EXPECT_EQ(prism::workload_of<strided_k>(items).access, prism::access_pattern::strided);
  EXPECT_LT(prism::workload_of<axpy_k>(items).divergence, 0.05);
  EXPECT_GT(prism::workload_of<divergent_k>(items).divergence, 0.9);
  EXPECT_EQ(prism::workload_of<integer_k>(items).data_type, "int32");
}

TEST(kernel_analysis, a_policy_needs_no_handwritten_workload) {
  const auto fleet = prism::parse_devices(R"(
devices:
  - {name: near, device_type: cpu, memory_hierarchy: [{size_bytes: 64GiB, bandwidth_gbps: 40}], peak_gflops: {fp32: 100, fp64: 100}}
  - {name: fast, device_type: gpu, memory_hierarchy: [{size_bytes: 16GiB, bandwidth_gbps: 400}], peak_gflops: {fp32: 10000},
     launch_latency_us: 1000}
)");
  const auto small = prism::workload_of<polynomial_k>(sycl::range<1>(1000));
  const auto large = prism::workload_of<polynomial_k>(sycl::range<1>(100'000'000));
  EXPECT_EQ(prism::select({}, small, fleet).device().name, "near");
  EXPECT_EQ(prism::select({}, large, fleet).device().name, "fast");
  EXPECT_EQ(prism::select({}, prism::workload_of<daxpy_k>(sycl::range<1>(100'000'000)), fleet).device().name,
            "near")
      << "the device has no fp64";
}

TEST(kernel_policies, each_kernel_runs_where_its_own_policy_selects) {
  mention_all({}, {}, 7);
  const sycl::range<1> items(n);
  EXPECT_EQ(prism::to_text(prism::policy_of<axpy_k>()), prism::to_text(prism::automatic));
  for (const sycl::device& d : sycl::device::get_devices()) {
    const std::string name = prism::describe(d).executes_on;
    prism::set_policy<axpy_k>(prism::parse_policy("require=" + name));
    sycl::queue q = prism::queue_for<axpy_k>(items);
    EXPECT_EQ(q.get_device(), d) << name;
    EXPECT_EQ(prism::queue_for<axpy_k>(sycl::range<1>(7)), q) << "one queue for each device";
    EXPECT_EQ(prism::to_text(prism::policy_of<axpy_k>()),
              prism::to_text(prism::parse_policy("require=" + name)));
    prism::set_policy<scale_k>(prism::parse_policy("require=" + name));
    EXPECT_EQ(prism::queue_for<scale_k>(items), q) << "independent of the kernel";
    prism::clear_policy<scale_k>();
  }
  EXPECT_THROW(prism::set_policy<axpy_k>(prism::parse_policy("require=time_travel")), prism::no_candidate);
  prism::clear_policy<axpy_k>();
  EXPECT_EQ(prism::queue_for<axpy_k>(items).get_device(),
            prism::selector({}, prism::workload_of<axpy_k>(items)).device());
}
