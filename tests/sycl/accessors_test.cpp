// Accessors: modes, tags, shapes, sub-ranges, placeholders, iterators, conversions; host accessors.
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

#include <cstring>
#include <new>

#include <chrono>

using prism_test::counted;
using prism_test::error_of;

namespace {

TEST(accessor, tags_and_deduction_give_mode_and_target) {
  sycl::queue q;
  sycl::buffer<int, 2> b(sycl::range<2>(4, 4));
  q.submit([&](sycl::handler& h) {
    sycl::accessor plain(b, h);
    sycl::accessor read(b, h, sycl::read_only);
    sycl::accessor write(b, h, sycl::write_only, sycl::no_init);
    sycl::accessor part(b, h, sycl::range<2>(2, 2), sycl::id<2>(1, 1), sycl::read_write);
    sycl::accessor task(b, h, sycl::read_only_host_task);
    static_assert(std::is_same_v<decltype(plain), sycl::accessor<int, 2, sycl::access_mode::read_write>>);
    static_assert(std::is_same_v<decltype(read), sycl::accessor<int, 2, sycl::access_mode::read>>);
    static_assert(std::is_same_v<decltype(read)::value_type, const int>);
    static_assert(std::is_same_v<decltype(write), sycl::accessor<int, 2, sycl::access_mode::write>>);
    static_assert(std::is_same_v<decltype(task),
                                 sycl::accessor<int, 2, sycl::access_mode::read, sycl::target::host_task>>);
    EXPECT_EQ(part.get_range(), sycl::range<2>(2, 2));
    EXPECT_EQ(part.get_offset(), sycl::id<2>(1, 1));
    EXPECT_EQ(part.byte_size(), 16u);
    EXPECT_FALSE(plain.is_placeholder());
  });
  static_assert(sycl::accessor<const int>::dimensions == 1);
  static_assert(
      std::is_same_v<sycl::accessor<const int>, sycl::accessor<const int, 1, sycl::access_mode::read>>);
}

template <int D>
void fill_with_linear_ids(sycl::range<D> extent) {
  sycl::queue q;
  std::vector<int> data(extent.size(), -1);
  {
    sycl::buffer<int, D> b(data.data(), extent);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(extent, [=](sycl::item<D> i) { a[i] = int(i.get_linear_id()); });
    });
  }
  EXPECT_EQ(data, counted(extent.size()));
}
TEST(accessor, the_last_dimension_varies_fastest) {
  fill_with_linear_ids(sycl::range<1>(1000));
  fill_with_linear_ids(sycl::range<2>(37, 29));
  fill_with_linear_ids(sycl::range<3>(5, 7, 11));
}

TEST(accessor, subscripts_one_dimension_after_another) {
  sycl::queue q;
  sycl::buffer<int, 3> b(sycl::range<3>(3, 4, 5));
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.parallel_for(b.get_range(),
                   [=](sycl::id<3> i) { a[i[0]][i[1]][i[2]] = int(100 * i[0] + 10 * i[1] + i[2]); });
  });
  sycl::host_accessor a(b, sycl::read_only);
  EXPECT_EQ(a[2][3][4], 234);
  EXPECT_EQ((a[sycl::id<3>(1, 2, 3)]), 123);
}

TEST(accessor, of_a_range_counts_from_its_offset) {
  sycl::queue q;
  auto data = counted(48);
  {
    sycl::buffer<int, 2> b(data.data(), sycl::range<2>(6, 8));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::range<2>(2, 3), sycl::id<2>(1, 2));
      h.parallel_for(sycl::range<2>(2, 3), [=](sycl::id<2> i) { a[i] = -1; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::range<2>(2, 3), sycl::id<2>(4, 5));
      h.single_task([=] {
        a.get_multi_ptr<sycl::access::decorated::no>()[4 * 8 + 5] = 1000;
      }); // the pointer is the start of the buffer
    });
  }
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 8; ++x) {
      const bool in = y >= 1 && y < 3 && x >= 2 && x < 5;
      EXPECT_EQ(data[y * 8 + x], y == 4 && x == 5 ? 1000 : in ? -1 : y * 8 + x) << y << ' ' << x;
    }
  }
}

TEST(accessor, of_a_range_has_a_pointer_to_the_buffers_start) {
  sycl::queue q;
  const auto data = counted(1000, 7);
  int first = 0, last = 0, of_part = 0, after_write = 0;
  {
    sycl::buffer<int> b(data.data(), data.size()), out(&first, 1), out_last(&last, 1), out_part(&of_part, 1),
        out_written(&after_write, 1);
    q.submit([&](sycl::handler& h) {
      sycl::accessor part(b, h, sycl::range<1>(10), sycl::id<1>(500), sycl::read_only);
      sycl::accessor f(out, h, sycl::write_only), l(out_last, h, sycl::write_only),
          p(out_part, h, sycl::write_only);
      h.single_task([=] {
        f[0] = part.get_multi_ptr<sycl::access::decorated::no>()[0];
        l[0] = part.get_multi_ptr<sycl::access::decorated::no>()[999];
        p[0] = part[0];
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor part(b, h, sycl::range<1>(10), sycl::id<1>(20), sycl::read_write);
      sycl::accessor w(out_written, h, sycl::write_only);
      h.single_task([=] {
        part[3] += 1000;
        w[0] = part.get_multi_ptr<sycl::access::decorated::no>()[23] +
               part.get_multi_ptr<sycl::access::decorated::no>()[700];
      });
    });
  }
  EXPECT_EQ(first, 7);
  EXPECT_EQ(last, 1006);
  EXPECT_EQ(of_part, 507);
  EXPECT_EQ(after_write, 1030 + 707);
}

TEST(accessor, no_init_of_a_range_keeps_the_other_elements) {
  sycl::queue q;
  auto data = counted(100);
  {
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::range<1>(10), sycl::id<1>(40), sycl::write_only, sycl::no_init);
      h.parallel_for(10, [=](sycl::id<1> i) { a[i] = 7; });
    });
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(data[i], i >= 40 && i < 50 ? 7 : i);
}

TEST(accessor, without_dimensions_is_one_element) {
  sycl::queue q;
  int value = 5;
  {
    sycl::buffer<int> b(&value, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor<int, 0> a(b, h);
      h.single_task([=] { a = a + 6; });
    });
    sycl::host_accessor<int, 0> a(b);
    EXPECT_EQ(a, 11);
    a = 12;
  }
  EXPECT_EQ(value, 12);
}

TEST(accessor, without_dimensions_of_an_empty_buffer_is_empty) {
  sycl::queue q;
  sycl::buffer<int> none{sycl::range<1>(0)}, b{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 0> nothing(none, h);
    sycl::accessor out(b, h, sycl::write_only);
    h.single_task([=] { out[0] = nothing.empty() && nothing.size() == 0 ? 1 : 2; });
  });
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 1);
  EXPECT_TRUE((sycl::host_accessor<int, 0>(none).empty()));
}

TEST(accessor, is_no_placeholder_in_kernels) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(1)};
  sycl::accessor late(b, sycl::read_write);
  q.submit([&](sycl::handler& h) {
    h.require(late);
    h.single_task([=] { late[0] = late.is_placeholder() ? 2 : 1; });
  });
  EXPECT_TRUE(late.is_placeholder());
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 1);
}

TEST(accessor, a_default_one_is_empty_and_may_be_captured) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int> none;
    EXPECT_TRUE(none.empty());
    EXPECT_FALSE(none.is_placeholder());
    sycl::accessor out(b, h, sycl::write_only);
    h.single_task([=] { out[0] = none.empty() ? 1 : 2; });
  });
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 1);
}

TEST(accessor, placeholders_are_bound_by_require) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(10)};
  sycl::accessor a(b, sycl::write_only, sycl::no_init);
  EXPECT_TRUE(a.is_placeholder());
  for (int round = 1; round <= 3; ++round) {
    q.submit([&](sycl::handler& h) {
      h.require(a);
      h.require(a);
      h.parallel_for(10, [=](sycl::id<1> i) { a[i] = int(i[0]) * round; });
    });
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[9], 9 * round);
  }
}

TEST(accessor, placeholders_not_bound_are_refused) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(10)};
  sycl::accessor a(b, sycl::write_only);
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) { h.parallel_for(10, [=](sycl::id<1> i) { a[i] = 1; }); });
  }),
            sycl::errc::kernel_argument);
  sycl::accessor<int, 1, sycl::access_mode::write> destroyed;
  {
    sycl::buffer<int> short_lived{sycl::range<1>(4)};
    destroyed = sycl::accessor<int, 1, sycl::access_mode::write>(short_lived);
  }
  EXPECT_EQ(error_of([&] { q.submit([&](sycl::handler& h) { h.require(destroyed); }); }),
            sycl::errc::invalid);
}

TEST(accessor, wrong_ranges_and_modes_are_refused) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(10)};
  const auto in_group = [&](auto what) {
    return error_of([&] { q.submit([&](sycl::handler& h) { what(h); }); });
  };
  EXPECT_EQ(in_group([&](sycl::handler& h) { sycl::accessor a(b, h, sycl::range<1>(11)); }),
            sycl::errc::invalid);
  EXPECT_EQ(in_group([&](sycl::handler& h) { sycl::accessor a(b, h, sycl::range<1>(1), sycl::id<1>(10)); }),
            sycl::errc::invalid);
  EXPECT_EQ(in_group([&](sycl::handler& h) { sycl::accessor a(b, h, sycl::range<1>(2), sycl::id<1>(-1)); }),
            sycl::errc::invalid);
  EXPECT_EQ(in_group([&](sycl::handler& h) { sycl::accessor a(b, h, sycl::read_only, sycl::no_init); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { sycl::host_accessor a(b, sycl::range<1>(11)); }), sycl::errc::invalid);
}

TEST(accessor, converts_from_read_write_to_read) {
  sycl::queue q;
  auto data = counted(10);
  sycl::buffer<int> b(data), out{sycl::range<1>(10)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 1, sycl::access_mode::read_write> rw(b, h);
    sycl::accessor<const int> r = rw;
    sycl::accessor<int, 1, sycl::access_mode::read> r2 = r;
    sycl::accessor w(out, h, sycl::write_only);
    h.parallel_for(10, [=](sycl::id<1> i) { w[i] = r[i] + r2[i]; });
  });
  EXPECT_EQ(sycl::host_accessor(out, sycl::read_only)[4], 8);
}

TEST(accessor, two_of_one_buffer_in_one_command) {
  sycl::queue q;
  auto data = counted(20);
  {
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(b, h, sycl::read_only);
      sycl::accessor w(b, h, sycl::range<1>(10), sycl::id<1>(10), sycl::write_only);
      h.parallel_for(10, [=](sycl::id<1> i) { w[i] = 2 * r[i]; });
    });
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(data[i], i < 10 ? i : 2 * (i - 10));
}

TEST(accessor, iterators_visit_a_range_in_order) {
  auto data = counted(24);
  sycl::buffer<int, 2> b(data.data(), sycl::range<2>(4, 6));
  sycl::host_accessor a(b, sycl::range<2>(2, 3), sycl::id<2>(1, 2), sycl::read_only);
  EXPECT_EQ(std::vector<int>(a.begin(), a.end()), (std::vector<int>{8, 9, 10, 14, 15, 16}));
  EXPECT_EQ(std::vector<int>(a.rbegin(), a.rend()), (std::vector<int>{16, 15, 14, 10, 9, 8}));
  EXPECT_EQ(a.end() - a.begin(), 6);
  EXPECT_EQ(a.begin()[4], 15);
  EXPECT_EQ(*(a.cbegin() + 3), 14);
}

TEST(accessor, iterators_work_in_kernels) {
  sycl::queue q;
  auto data = counted(24);
  sycl::buffer<int, 2> b(data.data(), sycl::range<2>(4, 6));
  sycl::buffer<int> sum{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::range<2>(2, 3), sycl::id<2>(1, 2), sycl::read_only);
    sycl::accessor s(sum, h, sycl::write_only);
    h.single_task([=] {
      int total = 0;
      for (const int v : a) total += v;
      s[0] = total;
    });
  });
  EXPECT_EQ(sycl::host_accessor(sum, sycl::read_only)[0], 72);
}

TEST(accessor, copies_are_equal_and_others_are_not) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(4)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h), c(b, h);
    const auto copy = a;
    EXPECT_EQ(a, copy);
    EXPECT_NE(a, c);
    EXPECT_EQ(std::hash<decltype(a)>()(a), std::hash<decltype(a)>()(copy));
  });
}

TEST(host_accessor, waits_and_delays_later_commands) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(1000)};
  const auto add = [&] {
    return q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.parallel_for(1000, [=](sycl::id<1> i) { a[i] += 1; });
    });
  };
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), 1); });
  sycl::event later;
  {
    sycl::host_accessor a(b);
    EXPECT_EQ(a[999], 1);
    later = add();
    EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(30), [&] {
      return later.get_info<sycl::info::event::command_execution_status>() ==
             sycl::info::event_command_status::complete;
    }));
    for (int& v : a) v = 10;
  }
  later.wait();
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 11);
}

TEST(host_accessor, two_readers_can_exist_at_the_same_time) {
  sycl::queue q;
  auto data = counted(10);
  sycl::buffer<int> b(data);
  sycl::host_accessor a(b, sycl::read_only), c(b, sycl::read_only);
  q.submit([&](sycl::handler& h) {
    sycl::accessor r(b, h, sycl::read_only);
    h.parallel_for(10, [=](sycl::id<1> i) { (void)r[i]; });
  }).wait();
  EXPECT_EQ(a[3], c[3]);
}

TEST(accessor, has_its_properties) {
  sycl::queue q;
  sycl::buffer<int> b(sycl::range<1>(4));
  using sycl::property::no_init;
  sycl::accessor fresh(b, sycl::write_only, sycl::no_init), kept(b, sycl::write_only);
  EXPECT_TRUE(fresh.has_property<no_init>());
  EXPECT_FALSE(kept.has_property<no_init>());
  EXPECT_EQ(error_of([&] { kept.get_property<no_init>(); }), sycl::errc::invalid);
  q.submit([&](sycl::handler& h) {
    sycl::accessor bound(b, h, sycl::write_only, sycl::no_init);
    sycl::accessor plain(b, h, sycl::read_only);
    sycl::local_accessor<int> local(4, h);
    EXPECT_TRUE(bound.has_property<no_init>());
    bound.get_property<no_init>();
    EXPECT_FALSE(plain.has_property<no_init>() || local.has_property<no_init>());
    h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { bound[0] = 1; });
  });
  sycl::host_accessor mine(b, sycl::write_only, sycl::no_init);
  EXPECT_TRUE(mine.has_property<no_init>());
  EXPECT_EQ(error_of([&] { mine.get_property<sycl::property::queue::in_order>(); }), sycl::errc::invalid);
}

TEST(accessor, gives_its_type_to_multi_ptr) {
  sycl::queue q;
  std::vector<int> in = counted(16), out(16);
  {
    sycl::buffer<int> bi(in), bo(out);
    q.submit([&](sycl::handler& h) {
      sycl::accessor i(bi, h, sycl::read_only);
      sycl::accessor o(bo, h, sycl::read_write);
      sycl::local_accessor<int> l(16, h);
      h.parallel_for(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) {
        sycl::multi_ptr from(i);
        sycl::multi_ptr to(o);
        sycl::multi_ptr shared(l);
        static_assert(std::is_same_v<decltype(from), sycl::raw_global_ptr<const int>>);
        static_assert(std::is_same_v<decltype(to), sycl::raw_global_ptr<int>>);
        static_assert(std::is_same_v<decltype(shared), sycl::raw_local_ptr<int>>);
        const std::size_t place = it.get_local_id(0);
        shared[place] = from[place];
        sycl::group_barrier(it.get_group());
        to[place] = shared[15 - place];
      });
    });
  }
  for (int k = 0; k < 16; ++k) EXPECT_EQ(out[k], 15 - k);
}

TEST(multi_ptr, moves_by_items_and_ids) {
  sycl::queue q;
  std::vector<int> out = counted(8);
  {
    sycl::buffer<int> b(out);
    q.submit([&](sycl::handler& h) {
      sycl::accessor o(b, h, sycl::read_write);
      h.parallel_for(8, [=](sycl::item<1> it) {
        sycl::multi_ptr first(o);
        *(first + it) *= 2;
        *((first + 8) - sycl::id<1>(8 - it[0])) += 1;
      });
    });
  }
  for (int k = 0; k < 8; ++k) EXPECT_EQ(out[k], 2 * k + 1);
}

TEST(accessor, takes_a_floating_index) {
  sycl::queue q;
  std::vector<int> out(8, 0);
  {
    sycl::buffer<int> b(out);
    q.submit([&](sycl::handler& h) {
      sycl::accessor o(b, h, sycl::read_write);
      h.parallel_for(8, [=](sycl::item<1> it) {
        const float place = float(it[0]) + 0.5f;
        o[place] = int(it[0]) + 1;
      });
    });
  }
  EXPECT_EQ(out, counted(8, 1));
}

TEST(accessor, get_multi_ptr_points_to_the_buffers_start) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(4)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.single_task([=] {
      auto p = a.get_multi_ptr<sycl::access::decorated::no>();
      for (int i = 0; i < 4; ++i) p[i] = 5 * i;
    });
  });
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[3], 15);
}

struct alignas(16) padded_kernel {
  sycl::accessor<int, 1, sycl::access_mode::write> out;
  alignas(16) int value; // followed by padding
  alignas(16) int factor;
  void operator()(sycl::id<1> i) const { out[i] = value * factor; }
};

// Padding of a kernel is no accessor, even if an accessor of an earlier command group was at this address.
TEST(accessors, from_earlier_groups_in_kernel_padding_are_ignored) {
  SKIP_UNLESS_COMPILED("which words of a kernel are accessors");
  sycl::queue q;
  std::vector<int> data(4);
  sycl::buffer<int> b(data);
  std::uint64_t old_token[2] = {};
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 1, sycl::access_mode::write> a(b, h);
    std::memcpy(old_token, static_cast<const void*>(&a), 8);
    h.parallel_for(4, [=](sycl::id<1> i) { a[i] = 1; });
  });
  alignas(16) unsigned char place[sizeof(padded_kernel)];
  for (std::size_t at = 0; at + 8 <= sizeof place; at += 8) std::memcpy(place + at, old_token, 8);
  q.submit([&](sycl::handler& h) {
    auto* kernel = new (place) padded_kernel{sycl::accessor<int, 1, sycl::access_mode::write>(b, h), 6, 7};
    h.parallel_for(sycl::range<1>(4), *kernel);
  });
  sycl::host_accessor a(b, sycl::read_only);
  EXPECT_EQ(a[3], 42);
}

} // namespace
