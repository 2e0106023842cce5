// prism::specialise: kernels that are built again for the integers of their launches compute the same bits,
// and unsuitable kernels are refused by name. Which build is faster depends on the machine: every test passes
// with either outcome.
#include "tests/sycl/common.hpp"

#include <prism/specialise.hpp>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <thread>

#include <unistd.h>

namespace {

using state = prism::specialisation::state;

bool is_of_plain_text(const prism::specialisation& one) {
  return one.values.find("without the work-group function") != std::string::npos;
}

/// The outcomes for values, or the one of the plain text.
std::vector<prism::specialisation> of_kernel(const std::string& part_of_name, bool of_plain_text = false) {
  std::vector<prism::specialisation> found;
  for (prism::specialisation& one : prism::specialisations())
    if (one.kernel.find(part_of_name) != std::string::npos && is_of_plain_text(one) == of_plain_text)
      found.push_back(std::move(one));
  return found;
}

bool is_decided(const std::vector<prism::specialisation>& all) {
  for (const prism::specialisation& one : all)
    if (one.what == state::building || one.what == state::measuring) return false;
  return !all.empty();
}

/// Launches until each of the kernel's sets of values has an outcome.
template <typename Launch>
std::vector<prism::specialisation> launch_until_decided(const std::string& kernel, Launch launch) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  do launch();
  while (!is_decided(of_kernel(kernel)) && std::chrono::steady_clock::now() < end &&
         !testing::Test::HasFatalFailure());
  return of_kernel(kernel);
}

/// Expects one outcome, measured, for these values.
void expect_measured(const std::vector<prism::specialisation>& all, const std::string& values) {
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].what == state::kept || all[0].what == state::rejected) << all[0].reason;
  if (all[0].what == state::kept) {
    EXPECT_GT(all[0].ratio, 0);
    EXPECT_LT(all[0].ratio, 1);
  }
  EXPECT_NE(all[0].values.find(values), std::string::npos) << all[0].values;
}

void expect_refused(const std::vector<prism::specialisation>& all, const std::string& reason) {
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].what, state::refused);
  EXPECT_NE(all[0].reason.find(reason), std::string::npos) << all[0].reason;
}

bool on_pocl(const sycl::queue& q) {
  return q.get_device().get_platform().get_info<sycl::info::platform::name>().find(
             "Portable Computing Language") != std::string::npos;
}
bool on_host(const sycl::queue& q) { return q.get_backend() == sycl::backend::ext_prism_host; }

class windows;
/// Sums of the 2 * radius + 1 neighbours, in integers.
void sum_windows(sycl::queue& q, sycl::buffer<int>& in, sycl::buffer<int>& out, int radius) {
  q.submit([&](sycl::handler& h) {
    const sycl::accessor from(in, h, sycl::read_only);
    const sycl::accessor to(out, h, sycl::write_only);
    const int n = int(in.size());
    h.parallel_for<windows>(in.size(), [=](sycl::id<1> id) {
      const int i = int(id[0]);
      int sum = 0;
      for (int k = -radius; k <= radius; ++k)
        if (i + k >= 0 && i + k < n) sum += from[std::size_t(i + k)] * (k + radius + 1);
      to[id] = sum;
    });
  });
}

std::vector<int> windows_of(const std::vector<int>& in, int radius) {
  std::vector<int> out(in.size());
  for (int i = 0; i < int(in.size()); ++i)
    for (int k = -radius; k <= radius; ++k)
      if (i + k >= 0 && i + k < int(in.size()))
        out[std::size_t(i)] += in[std::size_t(i + k)] * (k + radius + 1);
  return out;
}

void expect_windows(sycl::queue& q, const std::vector<int>& data, int radius) {
  std::vector<int> result(data.size(), -1);
  {
    sycl::buffer<int> in(data), out(result);
    sum_windows(q, in, out, radius);
  }
  ASSERT_EQ(result, windows_of(data, radius));
}

TEST(specialise, a_requested_kernel_is_built_for_its_integers_and_computes_the_same) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q;
  const std::vector<int> data = prism_test::counted(3000, -700);
  prism::specialise(q.get_device(), {sycl::get_kernel_id<windows>()});
  const auto found = launch_until_decided("windows", [&] { expect_windows(q, data, 3); });
  if (on_host(q)) return expect_refused(found, "no compiler");
  expect_measured(found, ":4=3");
  expect_windows(q, data, 3);
  expect_windows(q, data, 5); // differs from the built value
  expect_windows(q, prism_test::counted(1234, 9), 3);
  expect_windows(q, data, 3);
}

class of_four;
/// Four consecutive numbers for each item. Captures only pointers.
void triple_fours(sycl::queue& q, const int* in, int* out, std::size_t items) {
  q.parallel_for<of_four>(sycl::range<1>(items), [=](sycl::id<1> id) {
    for (std::size_t k = 4 * id[0]; k < 4 * id[0] + 4; ++k) out[k] = in[k] * 3;
  });
}

TEST(specialise, pointer_alignments_are_passed_to_drivers_that_use_them) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q{sycl::property::queue::in_order{}};
  SKIP_WITHOUT(q, usm_device_allocations);
  constexpr std::size_t items = 500, spare = 8;
  const std::vector<int> data = prism_test::counted(4 * items + spare, -900);
  int* const in = sycl::aligned_alloc_device<int>(64, data.size(), q);
  int* const out = sycl::aligned_alloc_device<int>(64, data.size(), q);
  q.copy(data.data(), in, data.size());
  const auto run = [&](std::size_t in_at, std::size_t out_at) {
    q.fill(out, 7, data.size());
    triple_fours(q, in + in_at, out + out_at, items);
    std::vector<int> found(data.size()), expected(data.size(), 7);
    q.copy(out, found.data(), found.size()).wait();
    for (std::size_t i = 0; i < 4 * items; ++i) expected[out_at + i] = data[in_at + i] * 3;
    ASSERT_EQ(found, expected);
  };
  prism::specialise(q.get_device(), {sycl::get_kernel_id<of_four>()});
  const auto all = launch_until_decided("of_four", [&] { run(0, 0); });
  if (on_host(q)) expect_refused(all, "no compiler");
  else if (q.get_backend() == sycl::backend::opencl) expect_measured(all, ":align=64");
  else {
    expect_measured(all, ":8=500"); // the range
    EXPECT_EQ(all[0].values.find("align"), std::string::npos) << all[0].values;
  }
  for (std::size_t at = 0; at < spare; ++at) run(at, at == 0 ? 0 : spare - at);
  run(0, 0);
  sycl::free(in, q);
  sycl::free(out, q);
}

class dots;
/// Sums of products in one order, in separate operations: they must not be contracted.
void sum_products(sycl::queue& q, const float* in, const float* weights, float* out, int count, int radius) {
  q.parallel_for<dots>(sycl::range<1>(std::size_t(count)), [=](sycl::id<1> id) {
    float sum = 0, scale = 1;
    for (int k = 0; k < radius; ++k) {
      const float product = in[int(id[0]) + k] * weights[k];
      const float step = product * float(k);
      sum = sum + step;
      scale = scale * (k == 0 ? 0.0f : 1.0f);
    }
    const float last = radius > 100 ? sum : scale;
    sum = sum + last;
    const float nothing =
        radius == 6 ? 0.0f : 2.0f; // becomes a constant zero; drivers on llvmpipe replace x * 0 by 0
    const float zero = in[int(id[0])] * nothing;
    out[id] = id[0] % 2 == 0 ? sum : zero;
  });
}

/// The bits of the numbers, with one value for all NaNs: the processor decides which operand's NaN a result
/// has.
std::vector<unsigned> bits_of(const float* numbers, int count) {
  std::vector<unsigned> bits(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::memcpy(&bits[i], numbers + i, sizeof(unsigned));
    if ((bits[i] & 0x7fffffffu) > 0x7f800000u) bits[i] = 0x7fc00000u;
  }
  return bits;
}

enum class way { up, down };
template <way>
class enumerated;

/// Demanglers print an enumerator's value, compilers its name.
TEST(specialise, kernels_have_the_name_of_their_kernel_id) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q;
  const sycl::kernel_id id = sycl::get_kernel_id<enumerated<way::down>>();
  prism::specialise(q.get_device(), {id});
  sycl::buffer<int> numbers(64);
  const auto found = launch_until_decided(id.get_name(), [&] {
    q.submit([&, times = 3](sycl::handler& h) {
      const sycl::accessor to(numbers, h, sycl::write_only);
      h.parallel_for<enumerated<way::down>>(64, [=](sycl::id<1> i) { to[i] = int(i[0]) * times; });
    });
    q.wait_and_throw();
  });
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kernel, id.get_name());
}

TEST(specialise, floating_point_results_keep_all_their_bits) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  constexpr int count = 512, radius = 6;
  float* const in = sycl::malloc_shared<float>(count + radius, q);
  float* const weights = sycl::malloc_shared<float>(radius, q);
  float* const out = sycl::malloc_shared<float>(count, q);
  using limits = std::numeric_limits<float>;
  const float strange[] = {0.0f,
                           -0.0f,
                           1.0f,
                           -1.5f,
                           limits::infinity(),
                           limits::quiet_NaN(),
                           limits::min(),
                           limits::denorm_min(),
                           limits::max(),
                           1e-30f};
  for (int i = 0; i < count + radius; ++i) in[i] = strange[std::size_t(i * i / 7 + i) % std::size(strange)];
  for (int k = 0; k < radius; ++k) weights[k] = k % 2 == 0 ? -0.75f : 0.3f;
  sum_products(q, in, weights, out, count, radius);
  q.wait();
  const std::vector<unsigned> first = bits_of(out, count);
  prism::specialise(q.get_device(), {sycl::get_kernel_id<dots>()});
  const auto found = launch_until_decided("dots", [&] {
    std::fill_n(out, count, 77.0f);
    sum_products(q, in, weights, out, count, radius);
    q.wait();
    ASSERT_EQ(bits_of(out, count), first);
  });
  if (on_host(q)) expect_refused(found, "no compiler");
  else expect_measured(found, ":4=6");
  for (float* memory : {in, weights, out}) sycl::free(memory, q);
}

class contracted;

TEST(specialise, kernels_with_driver_specific_rounding_are_refused_by_name) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q;
  std::vector<float> data(256, 1.25f);
  sycl::buffer<float> b(data);
  prism::specialise(q.get_device(), {sycl::get_kernel_id<contracted>()});
  int rounds = 3;
  const auto found = launch_until_decided("contracted", [&] {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h);
      h.parallel_for<contracted>(256, [=](sycl::id<1> i) {
        float x = a[i];
        for (int r = 0; r < rounds; ++r) x = x * 0.5f + 0.25f;
        a[i] = x;
      });
    });
    q.wait();
  });
  const std::string platform = q.get_device().get_platform().get_info<sycl::info::platform::name>();
  if (on_host(q)) expect_refused(found, "no compiler");
  else if (q.get_backend() != sycl::backend::opencl) expect_refused(found, "-ffp-contract=off");
  else if (platform.find("rusticl") != std::string::npos) expect_refused(found, "floating-point");
  else expect_measured(found, ":4=3");
}

class by_every_count;

TEST(specialise, a_value_that_always_changes_is_not_specialised) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q;
  if (on_host(q)) GTEST_SKIP() << "the host device has no compiler while a program runs";
  std::vector<int> data(500, 0);
  sycl::buffer<int> b(data);
  prism::specialise(q.get_device(), {sycl::get_kernel_id<by_every_count>()});
  int launch = 0, expected = 0;
  const volatile int seven = 7; // not a constant for the compiler
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  const auto without_launch = [&] {
    for (const prism::specialisation& one : of_kernel("by_every_count"))
      if (one.values.find(":4=7") != std::string::npos &&
          (one.what == state::kept || one.what == state::rejected))
        return true;
    return false;
  };
  do {
    const int number = ++launch, times = seven;
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h);
      h.parallel_for<by_every_count>(500, [=](sycl::id<1> i) {
        for (int k = 0; k < times; ++k) a[i] = int(unsigned(a[i]) + unsigned(number ^ k));
      });
    });
    for (int k = 0; k < times; ++k) expected = int(unsigned(expected) + unsigned(number ^ k));
    q.wait();
  } while (!without_launch() && std::chrono::steady_clock::now() < end);
  EXPECT_TRUE(without_launch());
  const sycl::host_accessor a(b, sycl::read_only);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(a[std::size_t(i)], expected);
}

class of_groups;

TEST(specialise, a_kernel_with_barriers_is_built_for_its_group_size_too) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q;
  const std::vector<int> data = prism_test::counted(1024);
  prism::specialise(q.get_device(), {sycl::get_kernel_id<of_groups>()});
  const auto run = [&](std::size_t local, int rounds) {
    std::vector<int> result(1024);
    {
      sycl::buffer<int> in(data), out(result);
      q.submit([&](sycl::handler& h) {
        const sycl::accessor from(in, h, sycl::read_only);
        const sycl::accessor to(out, h, sycl::write_only);
        sycl::local_accessor<int> tile(local, h);
        h.parallel_for<of_groups>(sycl::nd_range<1>(1024, local), [=](sycl::nd_item<1> item) {
          const std::size_t me = item.get_local_id(0), size = item.get_local_range(0);
          int sum = from[item.get_global_id()];
          for (int r = 1; r <= rounds; ++r) {
            tile[me] = sum;
            sycl::group_barrier(item.get_group());
            sum += tile[(me + std::size_t(r)) % size];
            sycl::group_barrier(item.get_group());
          }
          to[item.get_global_id()] = sum;
        });
      });
    }
    return result;
  };
  const auto expected = [&](std::size_t local, int rounds) {
    std::vector<int> all = data;
    for (std::size_t g = 0; g < 1024; g += local) {
      for (int r = 1; r <= rounds; ++r) {
        std::vector<int> tile(all.begin() + std::ptrdiff_t(g), all.begin() + std::ptrdiff_t(g + local));
        for (std::size_t me = 0; me < local; ++me)
          all[g + me] = tile[me] + tile[(me + std::size_t(r)) % local];
      }
    }
    return all;
  };
  const auto found = launch_until_decided("of_groups", [&] { ASSERT_EQ(run(64, 3), expected(64, 3)); });
  if (on_host(q)) expect_refused(found, "no compiler");
  else expect_measured(found, ":4=3");
  EXPECT_EQ(run(32, 3), expected(32, 3));
  EXPECT_EQ(run(64, 2), expected(64, 2));
  EXPECT_EQ(run(64, 3), expected(64, 3));
  // If a work-item of the driver can run a whole group, the plain texts were compared first.
  const auto texts = of_kernel("of_groups", true);
  ASSERT_EQ(texts.size(), on_pocl(q) ? 1u : 0u);
  if (texts.empty()) return;
  EXPECT_TRUE(texts[0].what == state::kept || texts[0].what == state::rejected) << texts[0].reason;
  EXPECT_GT(texts[0].ratio, 0);
  if (texts[0].what == state::rejected) {
    EXPECT_NE(texts[0].reason.find("of the work-group function's time"), std::string::npos)
        << texts[0].reason;
  }
}

class of_many_sizes;

TEST(specialise, a_kernel_with_changing_sizes_is_not_specialised) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q;
  if (!on_pocl(q))
    GTEST_SKIP() << q.get_device().get_info<sycl::info::device::name>()
                 << " is not PoCL, and only there kernels have two texts";
  prism::specialise(q.get_device(), {sycl::get_kernel_id<of_many_sizes>()});
  std::vector<int> result(64 * 2500);
  sycl::buffer<int> b(result);
  for (std::size_t groups = 1; groups <= 2500; ++groups) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h);
      sycl::local_accessor<int> tile(64, h);
      h.parallel_for<of_many_sizes>(sycl::nd_range<1>(64 * groups, 64), [=](sycl::nd_item<1> item) {
        const std::size_t me = item.get_local_id(0);
        tile[me] = int(me);
        sycl::group_barrier(item.get_group());
        a[item.get_global_id()] += tile[63 - me];
      });
    });
    if (groups == 1) { // the kernel is built
      while (of_kernel("of_many_sizes", true).empty() ||
             of_kernel("of_many_sizes", true)[0].what == state::building)
        std::this_thread::yield();
    }
  }
  q.wait();
  const auto texts = of_kernel("of_many_sizes", true);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0].what, state::rejected);
  EXPECT_NE(texts[0].reason.find("not measured"), std::string::npos) << texts[0].reason;
  const sycl::host_accessor a(b, sycl::read_only);
  for (std::size_t i = 0; i < 64 * 2500; ++i) ASSERT_EQ(a[i], int(63 - i % 64) * int(2500 - i / 64)) << i;
}

// ---- the second start: each start runs this program again, with a cache of its own

const char* text_of(state what) {
  constexpr const char* names[] = {"building", "measuring", "kept", "rejected", "refused"};
  return names[int(what)];
}

/// Prints the outcomes of the kernel after its first launch, and at the end.
TEST(child, DISABLED_uses_the_cache) {
  sycl::queue q;
  const std::vector<int> data = prism_test::counted(20000, -700);
  prism::specialise(q.get_device(), {sycl::get_kernel_id<windows>()});
  const auto print = [](const char* when) {
    for (const prism::specialisation& one : of_kernel("windows"))
      std::fprintf(stderr, "%s: %s %s\n", when, text_of(one.what), one.values.c_str());
  };
  expect_windows(q, data, 9);
  print("first");
  expect_windows(q, data, 9);
  launch_until_decided("windows", [&] { expect_windows(q, data, 9); });
  print("last");
}

/// The output of a start; its exit status in `status`.
std::string text_of_start(const std::string& cache, int& status) {
  char path[PATH_MAX] = {};
  std::string text;
  if (::readlink("/proc/self/exe", path, sizeof path - 1) <= 0) return text;
  const std::string line = "PRISM_LOG=info PRISM_CACHE=eager PRISM_CACHE_DIR='" + cache + "' '" + path +
                           "' --gtest_also_run_disabled_tests --gtest_filter='child.*' 2>&1";
  std::FILE* const pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += char(c);
  status = ::pclose(pipe);
  return text;
}

/// The text after `when`, to the end of its line.
std::string text_after(const std::string& text, const std::string& when) {
  const std::size_t at = text.find('\n' + when + ": ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + when.size() + 3;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(specialise, the_second_start_loads_build_and_verdict_from_the_cache) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q;
  if (on_host(q)) GTEST_SKIP() << "the host device has no compiler while a program runs";
  std::string folder = testing::TempDir() + "prism-specialise-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  int first_status = -1, second_status = -1, third_status = -1;
  const std::string first = text_of_start(folder, first_status),
                    second = text_of_start(folder, second_status);
  std::filesystem::remove_all(folder);
  const std::string fresh = text_of_start(folder, third_status);
  std::filesystem::remove_all(folder);
  ASSERT_EQ(first_status, 0) << first;
  ASSERT_EQ(second_status, 0) << second;
  const std::string verdict = text_after(first, "last");
  EXPECT_TRUE(verdict.rfind("kept ", 0) == 0 || verdict.rfind("rejected ", 0) == 0) << first;
  EXPECT_NE(verdict.find(":4=9"), std::string::npos) << verdict;
  EXPECT_EQ(text_after(first, "first"), "") << first;
  EXPECT_NE(first.find("is built for"), std::string::npos) << first;
  EXPECT_EQ(text_after(second, "first"), verdict) << second; // known before a measurement
  EXPECT_EQ(text_after(second, "last"), verdict) << second;
  EXPECT_EQ(second.find("is built for"), std::string::npos) << second;
  EXPECT_EQ(third_status, 0) << fresh;
  EXPECT_NE(fresh.find("is built for"), std::string::npos)
      << "without the cache there must be a build: " << fresh;
}

} // namespace
