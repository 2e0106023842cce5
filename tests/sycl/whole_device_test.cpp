// Extensions for all work of a device or a launch: waiting for a device, queues that discard their events,
// and the root group.
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

using namespace sycl;
namespace exp = ext::oneapi::experimental;
using prism_test::error_of;

/// A host task that ends when `may_end` is set.
void submit_waiting_task(queue q, const std::atomic<bool>& may_end, std::atomic<int>& ended) {
  q.submit([&](handler& h) {
    h.host_task([&] {
      while (!may_end) std::this_thread::yield();
      ++ended;
    });
  });
}

TEST(device_wait, waits_for_all_queues_also_for_those_that_were_destroyed) {
  device d = queue().get_device();
  EXPECT_TRUE(d.has(aspect::ext_oneapi_device_wait));
  std::atomic<bool> may_end{false};
  std::atomic<int> ended{0};
  queue one(d), ordered(d, property::queue::in_order()), elsewhere(context(d), d);
  for (const queue& q : {one, ordered, elsewhere, queue(d)}) submit_waiting_task(q, may_end, ended);
  std::vector<int> out(4, 0);
  buffer<int> data(out.data(), 4);
  one.submit([&](handler& h) {
    accessor a(data, h, write_only);
    h.parallel_for(range<1>(4), [=](id<1> i) { a[i] = 1; });
  });
  std::thread later([&] {
    EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(20), [&] { return ended != 0; }));
    may_end = true;
  });
  d.ext_oneapi_wait();
  EXPECT_EQ(ended, 4);
  EXPECT_TRUE(one.ext_oneapi_empty() && ordered.ext_oneapi_empty() && elsewhere.ext_oneapi_empty());
  later.join();
}

TEST(device_wait, waits_for_the_parts_of_a_device) {
  device d = queue().get_device();
  if (d.get_info<info::device::partition_max_sub_devices>() < 2)
    GTEST_SKIP() << d.get_info<info::device::name>() << " cannot be divided";
  const auto parts = d.create_sub_devices<info::partition_property::partition_equally>(1);
  std::atomic<bool> may_end{false};
  std::atomic<int> ended{0};
  queue part(parts.at(0)), whole(d);
  submit_waiting_task(whole, may_end, ended);
  device(parts.at(0)).ext_oneapi_wait(); // not for the whole device
  EXPECT_EQ(ended, 0);
  submit_waiting_task(part, may_end, ended);
  may_end = true;
  d.ext_oneapi_wait();
  EXPECT_EQ(ended, 2);
}

TEST(device_wait, passes_the_errors_of_every_queue_to_its_handler) {
  device d = queue().get_device();
  std::vector<int> heard;
  const auto handler_of = [&](int number) {
    return [&heard, number](exception_list errors) {
      for (std::size_t i = 0; i < errors.size(); ++i) heard.push_back(number);
    };
  };
  const auto fail = [](queue q) {
    q.submit([](handler& h) { h.host_task([] { throw std::runtime_error("planned"); }); });
  };
  queue first(d, handler_of(1)), second(d, handler_of(2));
  fail(first);
  fail(second);
  fail(queue(d, handler_of(3)));
  d.ext_oneapi_wait();
  EXPECT_TRUE(std::count(heard.begin(), heard.end(), 1) + std::count(heard.begin(), heard.end(), 2) == 0);
  d.ext_oneapi_wait_and_throw();
  std::sort(heard.begin(), heard.end());
  EXPECT_EQ(heard, (std::vector<int>{1, 2, 3}));
  fail(second);
  d.ext_oneapi_wait();
  d.ext_oneapi_throw_asynchronous();
  EXPECT_EQ(heard.size(), 4u);
}

TEST(discarded_events, have_no_state_and_cannot_be_waited_for) {
  namespace property_of = ext::oneapi::property::queue;
  queue q{property_list{property_of::discard_events(), property::queue::in_order()}}, other;
  std::vector<int> out(8, 0);
  event e;
  {
    buffer<int> data(out);
    e = q.submit([&](handler& h) {
      accessor a(data, h, write_only);
      h.parallel_for(range<1>(8), [=](id<1> i) { a[i] = int(i[0]); });
    });
    e = q.submit([&](handler& h) {
      accessor a(data, h);
      h.parallel_for(range<1>(8), [=](id<1> i) { a[i] += 10; });
    });
  }
  q.wait();
  EXPECT_EQ(out[7], 17);
  EXPECT_EQ(e.get_info<info::event::command_execution_status>(),
            info::event_command_status::ext_oneapi_unknown);
  EXPECT_EQ(e.get_backend(), q.get_backend());
  EXPECT_EQ(error_of([&] { e.wait(); }), errc::invalid);
  EXPECT_EQ(error_of([&] { e.wait_and_throw(); }), errc::invalid);
  EXPECT_EQ(error_of([&] { event::wait({event(), e}); }), errc::invalid);
  EXPECT_EQ(error_of([&] { event::wait_and_throw({e}); }), errc::invalid);
  EXPECT_EQ(error_of([&] { e.get_wait_list(); }), errc::invalid);
  EXPECT_EQ(error_of([&] { other.submit([&](handler& h) { h.depends_on(e); }); }), errc::invalid);
  EXPECT_EQ(error_of([&] { other.submit([&](handler& h) { h.depends_on({event(), e}); }); }), errc::invalid);
  EXPECT_EQ(error_of([] {
    queue{property_list{property_of::discard_events(), property::queue::enable_profiling()}};
  }),
            errc::invalid);
  q.ext_oneapi_prod(); // a hint
}

template <int D>
void check_root_group(range<D> items) {
  queue q;
  std::vector<int> wrong(items.size(), -1);
  {
    buffer<int> out(wrong);
    q.submit([&](handler& h) {
      accessor a(out, h, write_only);
      h.parallel_for(nd_range<D>(items, items), exp::properties{exp::use_root_sync}, [=](nd_item<D> it) {
        using scope = exp::execution_scope;
        const auto root = it.ext_oneapi_get_root_group();
        const auto part = it.get_sub_group();
        int bad = 0;
        bad |= (root.get_group_id() != id<D>() || root.get_group_linear_id() != 0) << 0;
        bad |= (root.get_group_range().size() != 1 || root.get_group_linear_range() != 1) << 1;
        bad |= (root.get_local_id() != it.get_global_id()) << 2;
        bad |= (root.get_local_range() != items || root.get_max_local_range() != items) << 3;
        bad |= (root.get_local_linear_id() != it.get_global_linear_id()) << 4;
        bad |= (root.leader() != (it.get_global_linear_id() == 0)) << 5;
        bad |= (root.template get_id<scope::work_item>() != it.get_global_id()) << 6;
        bad |= (root.template get_id<scope::work_group>() != it.get_group().get_group_id()) << 7;
        bad |= (root.template get_id<scope::sub_group>() != part.get_group_id()) << 8;
        bad |= (root.template get_range<scope::sub_group>() != part.get_group_range()) << 9;
        bad |= (root.template get_linear_id<scope::work_item>() != it.get_global_linear_id()) << 10;
        bad |= (root.template get_linear_range<scope::work_group>() != 1) << 11;
        bad |= (exp::this_work_item::get_root_group<D>().get_local_linear_range() != items.size()) << 12;
        a[it.get_global_linear_id()] = bad;
      });
    });
  }
  EXPECT_EQ(wrong, std::vector<int>(items.size(), 0));
}

TEST(root_group, has_the_place_of_every_work_item) {
  check_root_group(range<1>(24));
  check_root_group(range<2>(3, 8));
}

class sums_neighbours;

TEST(root_group, a_barrier_shows_what_all_work_items_wrote) {
  queue q;
  const auto kernel = get_kernel_bundle<sums_neighbours, bundle_state::executable>(q.get_context())
                          .get_kernel<sums_neighbours>();
  const std::size_t groups =
      kernel.ext_oneapi_get_info<exp::info::kernel_queue_specific::max_num_work_group_sync>(q);
  ASSERT_GE(groups, 1u);
  constexpr std::size_t local = 32;
  const std::size_t items = groups * local;
  std::vector<int> values(items, 0), sums(items, 0);
  const auto launch = [&](std::size_t launched) {
    buffer<int> in(values), out(sums);
    q.submit([&](handler& h) {
      accessor v(in, h);
      accessor s(out, h);
      h.parallel_for<sums_neighbours>(nd_range<1>(launched, local), exp::properties{exp::use_root_sync},
                                      [=](nd_item<1> it) {
        const auto root = it.ext_oneapi_get_root_group();
        const std::size_t i = root.get_local_linear_id(), n = root.get_local_linear_range();
        v[i] = int(i);
        group_barrier(root);
        s[i] = v[(i + 1) % n] + v[(i + n - 1) % n];
      });
    });
  };
  launch(items);
  for (std::size_t i = 0; i < items; ++i)
    EXPECT_EQ(sums[i], int((i + 1) % items + (i + items - 1) % items)) << i;
  EXPECT_EQ(error_of([&] { launch((groups + 1) * local); }), errc::nd_range);
}

struct synchronised {
  accessor<int> data;
  void operator()(nd_item<1> it) const { data[it.get_global_id()] = 1; }
  auto get(exp::properties_tag) const { return exp::properties{exp::use_root_sync}; }
};

TEST(root_group, the_property_may_be_of_the_kernels_class) {
  queue q;
  buffer<int> data(8);
  const auto launch = [&](std::size_t local) {
    q.submit([&](handler& h) { h.parallel_for(nd_range<1>(8, local), synchronised{accessor(data, h)}); });
  };
  launch(8);
  EXPECT_EQ(error_of([&] { launch(4); }), errc::nd_range);
}

} // namespace
