// Ordinary programs, usual and unusual: kernels in classes, templates, macros and namespaces, every way to
// name and write a kernel function, shortcuts of queues and accessors, and extensions that programs expect.
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

// These names need no <CL/sycl.hpp>.
static_assert(std::is_same_v<sycl::string_class, std::string> &&
              std::is_same_v<sycl::vector_class<int>, std::vector<int>>);

#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <map>
#include <memory>
#include <thread>

using namespace sycl;
using prism_test::error_of;

namespace {

std::vector<int> filled(std::size_t n, const std::function<void(queue&, buffer<int>&)>& run) {
  std::vector<int> data(n);
  queue q;
  buffer<int> b(data);
  run(q, b);
  q.wait();
  const host_accessor a(b);
  return std::vector<int>(a.begin(), a.end());
}

// ---- where kernels are written

class simulation {
public:
  explicit simulation(int step) : m_step(step) {}
  void run_by_copy_of_this(queue& q, buffer<int>& b) {
    q.submit([&](handler& h) {
      accessor out(b, h, write_only);
      h.parallel_for(b.get_range(), [=, self = *this](id<1> i) { out[i] = self.value(i); });
    });
  }
  void run_by_members(queue& q, buffer<int>& b) {
    q.submit([&](handler& h) {
      accessor out(b, h, write_only);
      const auto step = m_step;
      h.parallel_for(b.get_range(), [=](id<1> i) { out[i] = step * static_cast<int>(i[0]) + offset; });
    });
  }
  static void run_static(queue& q, buffer<int>& b) {
    q.submit([&](handler& h) {
      accessor out(b, h, write_only);
      h.parallel_for<simulation>(b.get_range(),
                                 [=](id<1> i) { out[i] = static_cast<int>(i[0]) * 5 + offset; });
    });
  }
  static constexpr int offset = 1;

private:
  int value(id<1> i) const { return m_step * static_cast<int>(i[0]) + offset; }
  int m_step;
};
TEST(everyday, kernels_in_members) {
  simulation s(5);
  std::vector<int> expected(50);
  for (std::size_t i = 0; i < 50; ++i) expected[i] = static_cast<int>(i) * 5 + 1;
  EXPECT_EQ(filled(50, [&](queue& q, buffer<int>& b) { s.run_by_copy_of_this(q, b); }), expected);
  EXPECT_EQ(filled(50, [&](queue& q, buffer<int>& b) { s.run_by_members(q, b); }), expected);
  EXPECT_EQ(filled(50, [&](queue& q, buffer<int>& b) { simulation::run_static(q, b); }), expected);
}

template <typename T, int Factor>
class scaled; // kernel names with arguments
template <typename T, int Factor>
void scale(queue& q, buffer<T>& b) {
  q.submit([&](handler& h) {
    accessor a{b, h};
    h.parallel_for<scaled<T, Factor>>(b.get_range(), [=](auto i) { a[i] *= static_cast<T>(Factor); });
  });
}
TEST(everyday, kernels_in_templates) {
  queue q;
  std::vector<int> ints(10, 1);
  std::vector<float> floats(10, 1.0f);
  {
    buffer bi(ints);
    buffer bf(floats);
    scale<int, 3>(q, bi);
    scale<int, 4>(q, bi);
    scale<float, 2>(q, bf);
  }
  EXPECT_EQ(ints[9], 12);
  EXPECT_EQ(floats[9], 2.0f);
}

#define FILL_WITH(value)                                                                                     \
  q.submit([&](handler& h) {                                                                                 \
    accessor out(b, h, write_only);                                                                          \
    h.parallel_for(b.get_range(), [=](id<1> i) { out[i] = (value); });                                       \
  })
TEST(everyday, several_kernels_on_one_line) {
  EXPECT_EQ(filled(4,
                   [](queue& q, buffer<int>& b) {
    FILL_WITH(1);
    FILL_WITH(2);
    FILL_WITH(7);
  }),
            std::vector<int>(4, 7));
}

struct by_id {
  accessor<int, 1, access_mode::write> out;
  void operator()(id<1> i) const { out[i] = 1; }
};
struct by_item {
  accessor<int, 1, access_mode::write> out;
  void operator()(item<1> i) const { out[i.get_id()] = static_cast<int>(i.get_range(0)); }
};
struct by_template {
  accessor<int, 1, access_mode::write> out;
  template <typename Item>
  void operator()(Item i) const {
    out[i] = static_cast<int>(i.get_linear_id());
  }
};
template <typename Functor>
std::vector<int> by_functor() {
  return filled(8, [](queue& q, buffer<int>& b) {
    q.submit([&](handler& h) {
      Functor f{accessor<int, 1, access_mode::write>(b, h)};
      h.parallel_for(range<1>(8), f);
    });
  });
}
TEST(everyday, every_form_of_kernel_function) {
  EXPECT_EQ(by_functor<by_id>(), std::vector<int>(8, 1));
  EXPECT_EQ(by_functor<by_item>(), std::vector<int>(8, 8));
  EXPECT_EQ(by_functor<by_template>(), prism_test::counted(8));
  const auto with = [](auto kernel) {
    return filled(8, [&](queue& q, buffer<int>& b) {
      q.submit([&](handler& h) {
        accessor out(b, h, write_only);
        h.parallel_for(8, kernel(out));
      });
    });
  };
  EXPECT_EQ(with([](auto out) { return [=](auto i) { out[i] = static_cast<int>(i); }; }),
            prism_test::counted(8));
  EXPECT_EQ(with([](auto out) { return [=](std::size_t i) { out[i] = static_cast<int>(i); }; }),
            prism_test::counted(8));
  EXPECT_EQ(with([](auto out) { return [=](int i) { out[i] = i; }; }), prism_test::counted(8));
  EXPECT_EQ(with([](auto out) { return [=](const item<1>& i) { out[i] = static_cast<int>(i[0]); }; }),
            prism_test::counted(8));
  EXPECT_EQ(with([](auto out) { return [=](item<1, false> i) { out[i] = static_cast<int>(i.get_id(0)); }; }),
            prism_test::counted(8));
}

class declared_here_only;
namespace some::where {
struct nested {
  class name;
};
} // namespace some::where
TEST(everyday, every_kind_of_kernel_name) {
  queue q;
  q.single_task<declared_here_only>([] {});
  q.single_task<some::where::nested::name>([] {});
  q.single_task<class never_declared_elsewhere>([] {});
  q.single_task<std::integral_constant<int, 3>>([] {});
  q.wait();
}

template <int N>
struct many {
  static void run(queue& q, buffer<int>& b) {
    many<N - 1>::run(q, b);
    q.submit([&](handler& h) {
      accessor a(b, h);
      h.single_task<many<N>>([=] { a[0] = a[0] + N; });
    });
  }
};
template <>
struct many<0> {
  static void run(queue&, buffer<int>&) {}
};
TEST(everyday, dozens_of_kernels_in_a_file) {
  EXPECT_EQ(filled(1, [](queue& q, buffer<int>& b) { many<30>::run(q, b); })[0], 465);
}

// ---- data

constexpr int table[] = {2, 3, 5, 7, 11, 13, 17, 19};
static const float weights[3] = {0.25f, 0.5f, 0.25f};
TEST(everyday, constant_tables) {
  EXPECT_EQ(filled(8,
                   [](queue& q, buffer<int>& b) {
    q.submit([&](handler& h) {
      accessor out(b, h, write_only);
      h.parallel_for(8, [=](id<1> i) { out[i] = table[i] + static_cast<int>(weights[1] * 4); });
    });
  }),
            (std::vector<int>{4, 5, 7, 9, 13, 15, 19, 21}));
}

struct odd_layout {
  char c;
  double d;
  unsigned low : 3, high : 7;
  union {
    float f;
    std::uint32_t bits;
  };
  std::array<std::pair<short, int>, 3> pairs;
};
TEST(everyday, structs_with_padding_bit_fields_and_unions) {
  queue q;
  odd_layout in{};
  in.c = 'x';
  in.low = 5;
  in.high = 100;
  in.f = 1.0f;
  in.pairs[2] = {short(-3), 44};
  buffer<std::int64_t> b{range<1>(5)};
  q.submit([&](handler& h) {
    accessor out(b, h, write_only);
    h.single_task([=] {
      out[0] = in.c;
      out[1] = in.low;
      out[2] = in.high;
      out[3] = in.bits;
      out[4] = in.pairs[2].first * 1000 + in.pairs[2].second;
    });
  });
  const host_accessor a(b);
  EXPECT_EQ((std::vector<std::int64_t>(a.begin(), a.end())),
            (std::vector<std::int64_t>{'x', 5, 100, 0x3f800000, -2956}));
}
struct large {
  int values[2048];
};
// Members of the derived class are in the tail padding of the base, directly after its five bytes.
struct flagged {
  int value = 0;
  bool flag = false;
  flagged() = default;
  flagged(int v, bool f) : value(v), flag(f) {}
};
struct flagged_with_tail : flagged {
  signed char a = 0, b = 0, c = 0;
};

TEST(everyday, copies_of_five_bytes_do_not_change_the_bytes_around_them) {
  std::vector<flagged_with_tail> data(64);
  for (int i = 0; i < 64; ++i) {
    data[i].value = i;
    data[i].flag = i % 3 == 0;
    data[i].a = static_cast<signed char>(i), data[i].b = static_cast<signed char>(-i), data[i].c = 7;
  }
  {
    queue q;
    buffer<flagged_with_tail> b(data);
    q.submit([&](handler& h) {
      accessor all(b, h, read_write);
      h.parallel_for(32, [=](id<1> i) {
        const flagged low = all[i[0]], high = all[63 - i[0]];
        static_cast<flagged&>(all[i[0]]) = low.flag ? high : low;
        static_cast<flagged&>(all[63 - i[0]]) = low.flag ? low : high;
      });
    });
  }
  for (int i = 0; i < 64; ++i) {
    const bool swapped = std::min(i, 63 - i) % 3 == 0;
    const int from = swapped ? 63 - i : i;
    EXPECT_EQ(data[i].value, from);
    EXPECT_EQ(data[i].flag, from % 3 == 0);
    EXPECT_EQ(data[i].a, i);
    EXPECT_EQ(data[i].b, -i);
    EXPECT_EQ(data[i].c, 7);
  }
}

TEST(everyday, eight_kilobytes_of_captured_data) {
  large big{};
  for (int i = 0; i < 2048; ++i) big.values[i] = i * 3;
  const auto result = filled(2048, [&](queue& q, buffer<int>& b) {
    q.submit([&](handler& h) {
      accessor out(b, h, write_only);
      h.parallel_for(2048, [=](id<1> i) { out[i] = big.values[i]; });
    });
  });
  EXPECT_EQ(result[2047], 2047 * 3);
}
TEST(everyday, memcpy_and_unroll_and_restrict_in_kernels) {
  const auto result = filled(4, [](queue& q, buffer<int>& b) {
    q.submit([&](handler& h) {
      accessor out(b, h, read_write);
      h.parallel_for(4, [=](id<1> i) {
        float f = 1.0f;
        std::uint32_t bits = 0;
        std::memcpy(&bits, &f, sizeof f);
        int* __restrict p = &out[0];
        int sum = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) sum += k;
        p[i] = sum + static_cast<int>(bits >> 23) + std::min(3, 4);
      });
    });
  });
  EXPECT_EQ(result, std::vector<int>(4, 6 + 127 + 3));
}

// ---- accessors and buffers

TEST(everyday, properties_in_braces) {
  EXPECT_EQ(filled(8,
                   [](queue& q, buffer<int>& b) {
    q.submit([&](handler& h) {
      accessor out{b, h, write_only, {no_init}};
      h.parallel_for(8, [=](id<1> i) { out[i] = 4; });
    });
    {
      host_accessor host{b, read_write, {}};
      host[0] = 5;
    }
    q.submit([&](handler& h) {
      accessor out{b, h, range<1>(2), id<1>(6), write_only, property_list{no_init}};
      h.parallel_for(2, [=](id<1> i) { out[i] = 9; });
    });
  }),
            (std::vector<int>{5, 4, 4, 4, 4, 4, 9, 9}));
}
TEST(everyday, tags_deduce_accessors) {
  queue q;
  buffer<float, 2> b{range<2>(4, 4)};
  q.submit([&](handler& h) {
    auto a = b.get_access(h, read_only);
    static_assert(std::is_same_v<decltype(a), accessor<float, 2, access_mode::read>>);
    auto c = b.get_access<access_mode::write>(h);
    static_assert(std::is_same_v<decltype(c), accessor<float, 2, access_mode::write>>);
  });
  auto host = b.get_host_access(read_only);
  static_assert(std::is_same_v<decltype(host), host_accessor<float, 2, access_mode::read>>);
}

// ---- queues

TEST(everyday, pitched_copies) {
  queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  constexpr std::size_t width = 5, height = 4, pitch = 8;
  std::vector<int> in(width * height), out(width * height, -1), whole(pitch * height);
  std::iota(in.begin(), in.end(), 0);
  int* device = malloc_device<int>(pitch * height, q);
  q.fill(device, -7, pitch * height).wait();
  const event copied = q.ext_oneapi_copy2d(in.data(), width, device, pitch, width, height);
  q.ext_oneapi_memcpy2d(out.data(), width * sizeof(int), device, pitch * sizeof(int), width * sizeof(int),
                        height, copied)
      .wait();
  EXPECT_EQ(out, in);
  q.ext_oneapi_fill2d(device + 1, pitch, 50, 2, height).wait();
  q.ext_oneapi_memset2d(device, pitch * sizeof(int), 0, sizeof(int), 2, {event(), event()}).wait();
  q.memcpy(whole.data(), device, whole.size() * sizeof(int)).wait();
  for (std::size_t y = 0; y < height; ++y) {
    const int base = static_cast<int>(y * width);
    const std::vector<int> row(whole.begin() + static_cast<std::ptrdiff_t>(y * pitch),
                               whole.begin() + static_cast<std::ptrdiff_t>((y + 1) * pitch));
    EXPECT_EQ(row, (std::vector<int>{y < 2 ? 0 : base, 50, 50, base + 3, base + 4, -7, -7, -7}));
  }
  EXPECT_EQ(error_of([&] { q.ext_oneapi_memcpy2d(device, 4, in.data(), 20, 8, 2); }), errc::invalid);
  free(device, q);
}
TEST(everyday, enqueue_functions) {
  namespace syclex = sycl::ext::oneapi::experimental;
  queue q{property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* data = malloc_device<int>(64, q);
  std::vector<int> out(64);
  syclex::fill(q, data, 1, 64);
  syclex::parallel_for(q, range<1>(64), [=](item<1> i) { data[i] += static_cast<int>(i[0]); });
  syclex::nd_launch(q, nd_range<1>(64, 8), [=](nd_item<1> i) { data[i.get_global_id(0)] *= 2; });
  syclex::single_task(q, [=] { data[0] = 100; });
  syclex::submit(q, syclex::properties{},
                 [&](handler& h) { syclex::parallel_for(h, range<1>(1), [=](item<1>) { data[1] = 200; }); });
  syclex::prefetch(q, data, 64, syclex::prefetch_type::host);
  syclex::barrier(q);
  syclex::memcpy(q, out.data(), data, 64 * sizeof(int));
  q.wait();
  EXPECT_EQ(out[0], 100);
  EXPECT_EQ(out[1], 200);
  EXPECT_EQ(out[63], 128);
  free(data, q);
}
TEST(everyday, queues_take_hints_of_others) {
  queue q{default_selector_v,
          property_list{property::queue::in_order(), ext::oneapi::property::queue::discard_events(),
                        ext::oneapi::property::queue::priority_high()}};
  EXPECT_TRUE(q.is_in_order());
  EXPECT_TRUE(q.has_property<ext::oneapi::property::queue::priority_high>());
  EXPECT_EQ(q.get_context(), q.get_device().get_platform().ext_oneapi_get_default_context());
  EXPECT_EQ(prism_test::error_of([] {
    queue{property_list{ext::oneapi::property::queue::priority_high(),
                        ext::oneapi::property::queue::priority_low()}};
  }),
            errc::invalid);
}
TEST(everyday, queues_say_whether_they_are_empty) {
  queue q;
  EXPECT_TRUE(q.ext_oneapi_empty());
  std::atomic<bool> go{false};
  q.submit([&](handler& h) {
    h.host_task([&] {
      while (!go) std::this_thread::yield();
    });
  });
  EXPECT_FALSE(q.ext_oneapi_empty());
  EXPECT_FALSE(q.khr_empty());
  go = true;
  q.wait();
  EXPECT_TRUE(q.ext_oneapi_empty());
  EXPECT_TRUE(q.khr_empty());
}
TEST(everyday, barriers_order_what_follows) {
  queue q;
  buffer<int> b{range<1>(1)};
  q.submit([&](handler& h) {
    accessor a(b, h, write_only, no_init);
    h.single_task([=] { a[0] = 1; });
  });
  const event all = q.ext_oneapi_submit_barrier();
  std::atomic<int> seen{0};
  const event task = q.submit([&](handler& h) {
    h.depends_on(all);
    h.host_task([&] { seen = 1; });
  });
  q.submit([&](handler& h) { h.ext_oneapi_barrier({task}); }).wait();
  EXPECT_EQ(seen, 1);
}

TEST(everyday, barriers_delay_later_submissions) {
  queue q, other(q.get_context(), q.get_device());
  std::atomic<bool> done[3]{}, seen[3]{};
  const auto slow_step = [&](queue& on, int step) {
    return on.submit([&, step](handler& h) {
      h.host_task([&, step] {
        prism_test::spend(std::chrono::milliseconds(30)); // a command that does not wait would overtake
        done[step] = true;
      });
    });
  };
  const auto look_after = [&](int step) {
    q.submit([&, step](handler& h) { h.host_task([&, step] { seen[step] = done[step].load(); }); });
  };
  slow_step(q, 0);
  q.ext_oneapi_submit_barrier();
  look_after(0);
  const event elsewhere = slow_step(other, 1);
  q.submit([&](handler& h) { h.ext_oneapi_barrier({elsewhere}); });
  look_after(1);
  int value = 0;
  {
    buffer<int> b(&value, 1);
    q.ext_oneapi_submit_barrier({slow_step(other, 2)});
    q.submit([&](handler& h) {
      accessor a(b, h);
      h.single_task([=] { a[0] = 7; });
    }).wait();
    seen[2] = done[2].load(); // a kernel waits as well
  }
  q.wait();
  EXPECT_EQ(value, 7);
  for (int step = 0; step < 3; ++step) EXPECT_TRUE(seen[step]) << step;
  q.ext_oneapi_submit_barrier(std::vector<event>()).wait(); // a barrier of no events
}

} // namespace
