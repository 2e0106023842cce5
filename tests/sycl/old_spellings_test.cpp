// Programs in the spelling of SYCL 1.2.1, which SYCL 2020 still defines: the old header and its namespace,
// accessors for local memory and the host, selectors and exceptions as classes. They compile with warnings
// and compute right results.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#if defined(__clang__)
#pragma clang diagnostic ignored "-W#pragma-messages"
#endif
#include <CL/sycl.hpp>

#include <unordered_set>

#include "tests/sycl/common.hpp"

namespace {

constexpr auto read_mode = cl::sycl::access::mode::read;
constexpr auto write_mode = cl::sycl::access::mode::write;
constexpr auto discard_mode = cl::sycl::access::mode::discard_write;

class add_kernel;

TEST(old_spellings, vector_addition) {
  cl::sycl::default_selector selector;
  cl::sycl::queue queue(selector, [](cl::sycl::exception_list list) {
    for (cl::sycl::exception_ptr_class const& e : list) std::rethrow_exception(e);
  });
  const size_t n = 1000;
  cl::sycl::vector_class<float> a(n, 1.0f), b(n, 2.0f), c(n);
  {
    cl::sycl::buffer<float, 1> a_buffer(a.data(), cl::sycl::range<1>(n));
    cl::sycl::buffer<float, 1> b_buffer(b.data(), cl::sycl::range<1>(n));
    cl::sycl::buffer<float, 1> c_buffer(c.data(), cl::sycl::range<1>(n));
    EXPECT_EQ(a_buffer.get_count(), n);
    EXPECT_EQ(a_buffer.get_size(), n * sizeof(float));
    queue.submit([&](cl::sycl::handler& cgh) {
      auto in_a = a_buffer.get_access<read_mode>(cgh);
      auto in_b =
          b_buffer.get_access<cl::sycl::access::mode::read, cl::sycl::access::target::constant_buffer>(cgh);
      auto out = c_buffer.get_access<discard_mode, cl::sycl::access::target::global_buffer>(cgh);
      cgh.parallel_for<class add_kernel>(cl::sycl::range<1>(n),
                                         [=](cl::sycl::id<1> i) { out[i] = in_a[i] + in_b[i]; });
    });
    auto result = c_buffer.get_access<read_mode>();
    static_assert(
        std::is_same_v<decltype(result),
                       cl::sycl::accessor<float, 1, read_mode, cl::sycl::access::target::host_buffer>>);
    EXPECT_EQ(result[n - 1], 3.0f);
    EXPECT_EQ(result.get_count(), n);
  }
  for (float value : c) EXPECT_EQ(value, 3.0f);
}

TEST(old_spellings, local_memory_by_accessor) {
  cl::sycl::queue queue;
  std::vector<int> data = prism_test::counted(64);
  {
    cl::sycl::buffer<int, 1> buffer(data.data(), cl::sycl::range<1>(data.size()));
    queue.submit([&](cl::sycl::handler& cgh) {
      auto values = buffer.get_access<cl::sycl::access::mode::read_write>(cgh);
      cl::sycl::accessor<int, 1, cl::sycl::access::mode::read_write, cl::sycl::access::target::local> tile(
          cl::sycl::range<1>(16), cgh);
      cgh.parallel_for<class reverse_tiles>(
          cl::sycl::nd_range<1>(cl::sycl::range<1>(64), cl::sycl::range<1>(16)),
          [=](cl::sycl::nd_item<1> item) {
        tile[item.get_local_id(0)] = values[item.get_global_id()];
        item.barrier(cl::sycl::access::fence_space::local_space);
        values[item.get_global_id()] = tile[15 - item.get_local_id(0)];
      });
    });
  }
  for (int i = 0; i < 64; ++i) EXPECT_EQ(data[static_cast<size_t>(i)], i / 16 * 16 + 15 - i % 16);
}

TEST(old_spellings, two_dimensional_local_memory) {
  using namespace cl::sycl;
  queue q;
  std::vector<int> data(64);
  {
    buffer<int, 2> b(data.data(), range<2>(8, 8));
    q.submit([&](handler& cgh) {
      accessor<int, 2, access::mode::read_write, access::target::local> tile(range<2>(4, 4), cgh);
      auto out = b.get_access<write_mode>(cgh);
      cgh.parallel_for<class transpose_tiles>(nd_range<2>(range<2>(8, 8), range<2>(4, 4)),
                                              [=](nd_item<2> it) {
        tile[it.get_local_id(0)][it.get_local_id(1)] = static_cast<int>(it.get_global_linear_id());
        it.barrier();
        out[it.get_global_id()] = tile[id<2>(it.get_local_id(1), it.get_local_id(0))];
      });
    });
  }
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < 8; ++x) {
      const size_t from = (y / 4 * 4 + x % 4) * 8 + x / 4 * 4 + y % 4;
      EXPECT_EQ(data[y * 8 + x], static_cast<int>(from));
    }
  }
}

TEST(old_spellings, atomic_accessors) {
  namespace sy = cl::sycl;
  sy::queue q;
  sy::buffer<int, 1> bins(sy::range<1>(4));
  q.submit([&](sy::handler& h) {
    auto a = bins.get_access<discard_mode>(h);
    h.parallel_for<class clear_bins>(sy::range<1>(4), [=](sy::id<1> i) { a[i] = 0; });
  });
  q.submit([&](sy::handler& h) {
    auto a = bins.get_access<sy::access::mode::atomic>(h);
    sy::accessor<int, 1, sy::access::mode::atomic, sy::access::target::local> own(sy::range<1>(1), h);
    h.parallel_for<class count_bins>(sy::nd_range<1>(sy::range<1>(128), sy::range<1>(32)),
                                     [=](sy::nd_item<1> it) {
      if (it.get_local_id(0) == 0) own[0].store(0);
      it.barrier(sy::access::fence_space::local_space);
      sy::atomic_fetch_add(own[0], 1);
      it.barrier(sy::access::fence_space::local_space);
      if (it.get_local_id(0) == 0) a[3].fetch_add(own[0].load());
      a[it.get_global_id(0) % 2].fetch_add(1);
    });
  });
  auto host = bins.get_access<read_mode>();
  EXPECT_EQ(host[0], 64);
  EXPECT_EQ(host[1], 64);
  EXPECT_EQ(host[2], 0);
  EXPECT_EQ(host[3], 128);
}

TEST(old_spellings, host_accessors_by_target) {
  cl::sycl::buffer<int, 1> b{cl::sycl::range<1>(10)};
  {
    cl::sycl::accessor<int, 1, write_mode, cl::sycl::access::target::host_buffer> host(b);
    for (size_t i = 0; i < 10; ++i) host[i] = static_cast<int>(i);
  }
  cl::sycl::accessor<int, 1, read_mode, cl::sycl::access::target::host_buffer> host =
      b.get_access<read_mode>();
  EXPECT_EQ(host[9], 9);
}

struct prefers_any : cl::sycl::device_selector {
  int operator()(const cl::sycl::device&) const override { return 7; }
};
TEST(old_spellings, selector_classes) {
  prefers_any any;
  cl::sycl::queue q(any);
  EXPECT_EQ(any.select_device(), q.get_device());
  cl::sycl::queue by_temporary{cl::sycl::default_selector{}};
  EXPECT_EQ(by_temporary.get_device(), cl::sycl::device(cl::sycl::default_selector_v));
  EXPECT_GE(q.get_device().get_info<cl::sycl::info::device::max_work_item_sizes>()[0], 1u);
}

TEST(old_spellings, exception_classes) {
  cl::sycl::queue q;
  const auto too_large = [&] {
    q.submit([&](cl::sycl::handler& h) {
      h.parallel_for<class uneven>(cl::sycl::nd_range<1>(10, 3), [=](cl::sycl::nd_item<1>) {});
    });
  };
  EXPECT_THROW(too_large(), cl::sycl::nd_range_error);
  EXPECT_THROW(too_large(), cl::sycl::runtime_error);
  EXPECT_THROW(too_large(), cl::sycl::exception);
  EXPECT_EQ(prism_test::error_of(too_large), sycl::errc::nd_range);
  const auto beyond = [] {
    cl::sycl::buffer<int, 1> whole{cl::sycl::range<1>(4)};
    cl::sycl::buffer<int, 1> part(whole, cl::sycl::id<1>(2), cl::sycl::range<1>(4));
  };
  EXPECT_THROW(beyond(), cl::sycl::invalid_parameter_error);
  EXPECT_THROW(beyond(), cl::sycl::runtime_error);
  try {
    throw cl::sycl::runtime_error("own words");
  } catch (const cl::sycl::exception& e) {
    EXPECT_STREQ(e.what(), "own words");
  }
}

TEST(old_spellings, placeholder_accessors) {
  namespace sy = cl::sycl;
  sy::queue q;
  sy::buffer<int, 1> b(sy::range<1>(16));
  sy::accessor<int, 1, write_mode, sy::access::target::global_buffer, sy::access::placeholder::true_t> out(b);
  q.submit([&](sy::handler& h) {
    h.require(out);
    h.parallel_for<class fill_by_placeholder>(sy::range<1>(16), [=](sy::item<1> i) { out[i] = 3; });
  });
  EXPECT_EQ(sy::host_accessor(b)[15], 3);
}

long distance(cl::sycl::global_ptr<int> from, cl::sycl::global_ptr<const int> to) { return to - from.get(); }

TEST(old_spellings, pointers_of_a_space_and_plain_ones_convert_and_compare) {
  int data[4] = {1, 2, 3, 4};
  cl::sycl::global_ptr<int> p = data;
  int* plain = p + 1;
  EXPECT_EQ(*plain, 2);
  EXPECT_TRUE(p == data && data == p && p != plain && p < plain && plain > p && p <= plain && plain >= p &&
              p != nullptr);
  EXPECT_EQ(plain - p, 1);
  EXPECT_EQ(p - plain, -1);
  EXPECT_EQ(distance(data, data + 3), 3);
  p = data + 2;
  EXPECT_EQ(*p, 3);
  EXPECT_TRUE((cl::sycl::make_ptr<int, cl::sycl::access::address_space::global_space>(data) == data));
  static_assert(!std::is_convertible_v<int*, cl::sycl::raw_global_ptr<int>> &&
                std::is_constructible_v<cl::sycl::raw_global_ptr<int>, int*>);
}

// Other implementations define these names for scalars, in addition to the standard's for vectors of them.
static_assert(std::is_same_v<sycl::uchar, unsigned char> && std::is_same_v<sycl::schar, signed char> &&
              std::is_same_v<sycl::ushort, unsigned short>);
static_assert(std::is_same_v<sycl::uint, unsigned> && std::is_same_v<sycl::ulong, unsigned long>);
static_assert(std::is_same_v<sycl::longlong, long long> &&
              std::is_same_v<sycl::ulonglong, unsigned long long>);
static_assert(std::is_same_v<sycl::longlong2, sycl::vec<long long, 2>> &&
              std::is_same_v<sycl::ulonglong16::element_type, unsigned long long>);
static_assert(sizeof(sycl::schar4) == 4);

} // namespace

TEST(old_spellings, function_objects_of_oneapi) {
  EXPECT_EQ(cl::sycl::ext::oneapi::minimum<int>()(3, 4), 3);
  EXPECT_EQ(cl::sycl::ext::oneapi::plus<>()(3, 4), 7);
}

TEST(old_spellings, abs_of_floating_point_numbers) {
  EXPECT_EQ(cl::sycl::abs(-1.5f), 1.5f);
  EXPECT_EQ(cl::sycl::abs(-2.5), 2.5);
  EXPECT_EQ(cl::sycl::abs(cl::sycl::half(-0.5f)), cl::sycl::half(0.5f));
  const cl::sycl::float2 two = cl::sycl::abs(cl::sycl::float2(-1.5f, 2));
  EXPECT_TRUE(two[0] == 1.5f && two[1] == 2);
  EXPECT_EQ(cl::sycl::abs(-3), 3);
}

TEST(old_spellings, constant_buffers_give_constant_pointers) {
  std::vector<int> from{3, 1, 4, 1, 5}, to(5);
  {
    cl::sycl::queue queue;
    cl::sycl::buffer<int, 1> from_buffer(from.data(), cl::sycl::range<1>(5));
    cl::sycl::buffer<int, 1> to_buffer(to.data(), cl::sycl::range<1>(5));
    queue.submit([&](cl::sycl::handler& cgh) {
      auto in =
          from_buffer.get_access<cl::sycl::access::mode::read, cl::sycl::access::target::constant_buffer>(
              cgh);
      auto out = to_buffer.get_access<cl::sycl::access::mode::discard_write>(cgh);
      cgh.parallel_for<class constant_pointer_kernel>(cl::sycl::range<1>(5), [=](cl::sycl::id<1> i) {
        const cl::sycl::constant_ptr<int> asked = in.get_pointer();
        const cl::sycl::constant_ptr<int> converted = in;
        const cl::sycl::constant_ptr<const void> untyped(in);
        out[i] = 10 * asked[i[0]] + converted[4 - i[0]] + 0 * *static_cast<const int*>(untyped.get());
      });
    });
  }
  EXPECT_EQ(to, (std::vector<int>{35, 11, 44, 11, 53}));
}

TEST(old_spellings, group_functions_and_atomics_of_oneapi) {
  namespace early = cl::sycl::ONEAPI;
  static_assert(std::is_same_v<
                early::atomic_ref<int, early::memory_order::relaxed, early::memory_scope::device,
                                  cl::sycl::access::address_space::global_space>,
                sycl::ext::oneapi::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device,
                                              sycl::access::address_space::global_space>>);
  constexpr int n = 32;
  std::vector<int> out(8 * n), total(1), reduced(1);
  {
    cl::sycl::queue queue;
    cl::sycl::buffer<int, 1> out_buffer(out.data(), cl::sycl::range<1>(out.size()));
    cl::sycl::buffer<int, 1> total_buffer(total.data(), cl::sycl::range<1>(1)),
        reduced_buffer(reduced.data(), cl::sycl::range<1>(1));
    queue.submit([&](cl::sycl::handler& cgh) {
      auto to = out_buffer.get_access<cl::sycl::access::mode::discard_write>(cgh);
      auto sum = total_buffer.get_access<cl::sycl::access::mode::read_write>(cgh);
      cgh.parallel_for<class early_group_kernel>(
          cl::sycl::nd_range<1>(cl::sycl::range<1>(n), cl::sycl::range<1>(n)),
          [=](cl::sycl::nd_item<1> item) {
        const auto group = item.get_group();
        const int i = static_cast<int>(item.get_local_id(0));
        to[i] = early::broadcast(group, i + 5, 3);
        to[n + i] = early::reduce(group, i, early::plus<int>());
        to[2 * n + i] = early::inclusive_scan(group, i, early::plus<int>());
        to[3 * n + i] = early::exclusive_scan(group, i, 100, early::plus<int>());
        to[4 * n + i] = early::any_of(group, i == 7) + 2 * early::all_of(group, i == 7) +
                        4 * early::none_of(group, i == 77);
        to[5 * n + i] = early::leader(group);
        to[6 * n + i] = sycl::ext::oneapi::reduce(group, i, -1, early::maximum<int>());
        to[7 * n + i] = i == 0;
        group_barrier(group);
        const auto first = &to[7 * n];
        if (early::any_of(group, first, first + n, [](int value) { return value == 1; }) &&
            early::reduce(group, first, first + n, early::plus<int>()) == 1)
          early::atomic_ref<int, early::memory_order::relaxed, early::memory_scope::device,
                            cl::sycl::access::address_space::global_space>(sum[0])
              .fetch_add(i);
      });
    });
    queue.submit([&](cl::sycl::handler& cgh) {
      cgh.parallel_for<class early_reduction_kernel>(
          cl::sycl::range<1>(n), sycl::ext::oneapi::reduction(reduced_buffer, cgh, early::plus<int>()),
          [=](cl::sycl::id<1> i, auto& partial) { partial += static_cast<int>(i[0]); });
    });
  }
  const int sum = n * (n - 1) / 2;
  EXPECT_EQ(total[0], sum);
  EXPECT_EQ(reduced[0], sum);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(out[i], 8);
    EXPECT_EQ(out[n + i], sum);
    EXPECT_EQ(out[2 * n + i], i * (i + 1) / 2);
    EXPECT_EQ(out[3 * n + i], 100 + i * (i - 1) / 2);
    EXPECT_EQ(out[4 * n + i], 5);
    EXPECT_EQ(out[5 * n + i], i == 0);
    EXPECT_EQ(out[6 * n + i], n - 1);
  }
}

TEST(old_spellings, vectors_of_opencls_types) {
  const cl::sycl::cl_float4 sums = cl::sycl::cl_float4(1.5f) + cl::sycl::cl_float4(0, 1, 2, 3);
  EXPECT_EQ(sums.w(), 4.5f);
  static_assert(std::is_same_v<cl::sycl::cl_ulong2, cl::sycl::vec<cl::sycl::cl_ulong, 2>>);
  static_assert(std::is_same_v<cl::sycl::cl_half, cl::sycl::half>);
  const cl::sycl::cl_half2 halves(999, 2);
  EXPECT_EQ(int(halves.x()) + int(halves.s1()), 1001);
}

TEST(old_spellings, queries_of_other_backends) {
  const cl::sycl::queue queue;
  EXPECT_NE(queue.get_backend(), cl::sycl::backend::ext_oneapi_cuda);
  EXPECT_NE(queue.get_backend(), cl::sycl::backend::ext_oneapi_level_zero);
  EXPECT_NE(queue.get_backend(), cl::sycl::backend::ext_oneapi_hip);
  EXPECT_EQ(cl::sycl::runtime_error("no number").get_cl_code(), 0);
}

TEST(old_spellings, buffers_of_bytes_from_untyped_pointers_and_shared_arrays) {
  char bytes[4] = {1, 2, 3, 4};
  cl::sycl::buffer<char, 1> plain(static_cast<void*>(bytes) == nullptr ? nullptr : bytes,
                                  cl::sycl::range<1>(4),
                                  {sycl::ext::oneapi::property::buffer::use_pinned_host_memory()});
  std::shared_ptr<char[]> copied(new char[4]());
  cl::sycl::queue queue;
  queue.submit([&](cl::sycl::handler& cgh) { cgh.copy(plain.get_access<read_mode>(cgh), copied); }).wait();
  EXPECT_EQ(copied[3], 4);
  static_assert(!std::is_constructible_v<cl::sycl::buffer<char, 1>, void*, void*>);
  char last[4] = {};
  {
    cl::sycl::buffer<char, 1> buffer{cl::sycl::range<1>(4)};
    buffer.set_final_data(static_cast<void*>(last));
    queue.submit([&](cl::sycl::handler& cgh) { cgh.fill(buffer.get_access<discard_mode>(cgh), 'x'); });
  }
  EXPECT_EQ(std::string(last, 4), "xxxx");
}

TEST(old_spellings, halves_in_sets_of_the_standard_library) {
  const std::unordered_set<cl::sycl::cl_half> values{0.0f, -0.0f, 1.5f, 1.5f};
  EXPECT_EQ(values.size(), 2u);
}

#ifdef PRISM_TEST_COMPILED // other compilers do not allow a namespace alias with the namespace's own name
namespace sycl = cl::sycl;
namespace sycl = ::cl::sycl;

TEST(old_spellings, an_alias_of_the_namespace_by_its_own_name) {
  namespace sycl = cl::sycl; // in a function this was always allowed
  sycl::queue queue;
  std::vector<int> to(5);
  {
    ::sycl::buffer<int, 1> buffer(to.data(), sycl::range<1>(5));
    queue.submit([&](sycl::handler& cgh) {
      auto out = buffer.get_access<sycl::access::mode::discard_write>(cgh);
      cgh.parallel_for<class alias_kernel>(sycl::range<1>(5),
                                           [=](cl::sycl::id<1> i) { out[i] = 3 * int(i[0]); });
    });
  }
  EXPECT_EQ(to, (std::vector<int>{0, 3, 6, 9, 12}));
}
#endif
