// One program on all devices: buffers move between backends, events order commands across them, each device's
// queue reads what another one wrote. Run with PRISM_DEVICE_SELECTOR=*; the tests also pass with one device.
// Those of equal devices need two of one kind, as POCL_DEVICES="pthread pthread" gives.
#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>
#include <prism/ledger.hpp>
#include <prism/scope.hpp>

#include <cstdlib>
#include <set>

using prism_test::counted;
using prism_test::error_of;

namespace {

std::vector<sycl::queue> a_queue_each() {
  std::vector<sycl::queue> all;
  for (const sycl::device& d : sycl::device::get_devices()) all.emplace_back(d);
  return all;
}

/// Whether every device keeps buffers in memory of its own, as in a test entry of its own.
bool has_memory_of_its_own() {
  const char* const adopts = std::getenv("PRISM_ADOPT_HOST_MEMORY");
  return adopts != nullptr && adopts == std::string("off");
}

TEST(several_devices, use_one_buffer_in_turn) {
  auto queues = a_queue_each();
  sycl::buffer<int> b{sycl::range<1>(1000)};
  queues[0].submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(1000, [=](sycl::id<1> i) { a[i] = int(i[0]); });
  });
  for (int round = 0; round < 5; ++round) {
    for (auto& q : queues) {
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h);
        h.parallel_for(1000, [=](sycl::id<1> i) { a[i] = a[i] * 3 + 1; });
      });
    }
  }
  std::vector<int> want = counted(1000);
  for (int& v : want) {
    unsigned u = unsigned(v);
    for (std::size_t k = 0; k < 5 * queues.size(); ++k) u = u * 3 + 1;
    v = int(u);
  }
  sycl::host_accessor a(b, sycl::read_only);
  EXPECT_EQ(std::vector<int>(a.begin(), a.end()), want);
}

TEST(several_devices, read_one_buffer_and_write_their_own) {
  auto queues = a_queue_each();
  auto data = counted(512, 7);
  sycl::buffer<int> in(data);
  std::vector<sycl::buffer<int>> out;
  for (std::size_t k = 0; k < queues.size(); ++k) {
    out.emplace_back(sycl::range<1>(512));
    queues[k].submit([&](sycl::handler& h) {
      sycl::accessor r(in, h, sycl::read_only);
      sycl::accessor w(out[k], h, sycl::write_only, sycl::no_init);
      h.parallel_for(512, [=, factor = int(k) + 1](sycl::id<1> i) { w[i] = factor * r[511 - i[0]]; });
    });
  }
  for (std::size_t k = 0; k < queues.size(); ++k) {
    sycl::host_accessor a(out[k], sycl::read_only);
    for (int i = 0; i < 512; ++i) ASSERT_EQ(a[i], (int(k) + 1) * (7 + 511 - i)) << k;
  }
}

TEST(several_devices, write_ranges_that_the_host_and_others_read) {
  auto queues = a_queue_each();
  sycl::buffer<int, 2> b(sycl::range<2>(4 * queues.size(), 64));
  queues.back().submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), -1); });
  for (std::size_t k = 0; k < queues.size(); ++k) {
    queues[k].submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::range<2>(4, 32), sycl::id<2>(4 * k, 16), sycl::write_only);
      h.parallel_for(sycl::range<2>(4, 32), [=](sycl::id<2> i) { a[i] = int(100 * k + i[1]); });
    });
  }
  sycl::buffer<int> sums{sycl::range<1>(queues.size())};
  for (std::size_t k = 0; k < queues.size(); ++k) { // each device sums another one's rows
    queues[(k + 1) % queues.size()].submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_only);
      sycl::accessor s(sums, h, sycl::write_only);
      h.single_task([=] {
        int total = 0;
        for (std::size_t y = 4 * k; y < 4 * k + 4; ++y) {
          for (std::size_t x = 0; x < 64; ++x) total += a[y][x];
        }
        s[k] = total;
      });
    });
  }
  sycl::host_accessor s(sums, sycl::read_only);
  for (std::size_t k = 0; k < queues.size(); ++k) EXPECT_EQ(s[k], 4 * (32 * 100 * int(k) + 496 - 32)) << k;
}

TEST(several_devices, events_order_work_across_backends) {
  auto queues = a_queue_each();
  sycl::event last;
  std::vector<std::size_t> seen;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t k = 0; k < queues.size(); ++k) {
      last = queues[k].single_task(last, [] {});
      last = queues[k].submit([&](sycl::handler& h) {
        h.depends_on(last);
        h.host_task([&seen, k] { seen.push_back(k); });
      });
    }
  }
  last.wait();
  ASSERT_EQ(seen.size(), 3 * queues.size());
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i % queues.size());
}

TEST(several_devices, refuse_each_others_memory_and_contexts) {
  const auto platforms = sycl::platform::get_platforms();
  if (platforms.size() < 2) GTEST_SKIP() << "needs two platforms";
  const sycl::device first = platforms[0].get_devices()[0], second = platforms[1].get_devices()[0];
  const sycl::context context(first);
  EXPECT_EQ(error_of([&] { sycl::queue q(context, second); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { sycl::context c({first, second}); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { sycl::malloc_device<int>(1, second, context); }), sycl::errc::invalid);
}

TEST(several_devices, share_one_graph_and_the_ledger_copies_between_them) {
  auto queues = a_queue_each();
  sycl::buffer<int> b{sycl::range<1>(500)};
  prism::command_graph graph(queues);
  graph.begin_recording(queues);
  queues.back().submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(500, [=](sycl::id<1> i) { a[i] = int(i[0]); });
  });
  for (int round = 0; round < 2; ++round)
    for (std::size_t k = 0; k < queues.size(); ++k)
      queues[k].submit([&](sycl::handler& h) {
        sycl::accessor a(b, h);
        h.parallel_for(500, [=, add = int(k)](sycl::id<1> i) { a[i] = a[i] * 2 + add; });
      });
  graph.end_recording();
  const auto ends = graph.add([&](sycl::handler& h) { // the buffer's last writer on the first device
    sycl::accessor a(b, h);
    h.parallel_for(500, [=](sycl::id<1> i) { a[i] += 1; });
  }, prism::property::node::on_queue(queues[0]));
  EXPECT_EQ(ends.get_predecessors().size(), 1u);
  auto ready = graph.finalize();
  const std::string text = ready.describe();
  EXPECT_EQ(text.find(std::to_string(queues.size()) + " devices") != std::string::npos, queues.size() > 1)
      << text;
  std::vector<int> want = counted(500);
  for (int round = 0; round < 2; ++round)
    for (std::size_t k = 0; k < queues.size(); ++k)
      for (int& v : want) v = v * 2 + int(k);
  for (int& v : want) ++v;
  for (sycl::queue& q : queues) { // each of them can execute the whole graph
    const prism::ledger copies;
    prism::execute_graph(q, ready);
    sycl::host_accessor a(b, sycl::read_only);
    ASSERT_EQ(std::vector<int>(a.begin(), a.end()), want);
    if (queues.size() < 2 || !has_memory_of_its_own()) continue;
    const std::vector<prism::transfer> all = copies.copies();
    std::set<std::string> devices;
    std::size_t arrivals = 0; // from the last device twice through all, then to the first
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].bytes, 500 * sizeof(int)) << copies.text();
      if (i > 0) EXPECT_EQ(all[i].from, all[i - 1].to) << copies.text();
      if (all[i].to == "host") continue; // for the host accessor, or between devices without common memory
      ++arrivals;
      devices.insert(all[i].to);
    }
    EXPECT_EQ(arrivals, 2 * queues.size() + 1) << copies.text();
    EXPECT_EQ(devices.size(), queues.size()) << copies.text();
  }
}

TEST(several_devices, keep_the_order_of_the_queue_that_executes_their_graph) {
  auto queues = a_queue_each();
  std::vector<int> seen;
  prism::command_graph graph(queues);
  for (std::size_t k = 0; k < queues.size(); ++k)
    graph.add([&](sycl::handler& h) { h.host_task([&seen, k] { seen.push_back(int(k)); }); },
              {prism::property::node::on_queue(queues[k]), prism::property::node::depends_on_all_leaves()});
  auto ready = graph.finalize();
  sycl::queue in_order(queues[0].get_context(), queues[0].get_device(), sycl::property::queue::in_order());
  std::vector<int> want;
  for (int round = 0; round < 5; ++round) {
    in_order.submit([&](sycl::handler& h) { h.host_task([&seen] { seen.push_back(-1); }); });
    prism::execute_graph(in_order, ready);
    want.push_back(-1);
    for (std::size_t k = 0; k < queues.size(); ++k) want.push_back(int(k));
  }
  in_order.wait();
  EXPECT_EQ(seen, want);
}

TEST(several_devices, report_failures_of_their_graph_to_the_queue_that_executes_it) {
  auto queues = a_queue_each();
  prism::command_graph graph(queues);
  graph.add([&](sycl::handler& h) { h.host_task([] { throw std::runtime_error("planted"); }); },
            prism::property::node::on_queue(queues.back()));
  auto ready = graph.finalize();
  int caught = 0;
  sycl::queue q(queues[0].get_context(), queues[0].get_device(), [&](sycl::exception_list all) {
    for (const std::exception_ptr& each : all) {
      try {
        std::rethrow_exception(each);
      } catch (const std::runtime_error& failed) {
        caught += failed.what() == std::string("planted");
      }
    }
  });
  prism::execute_graph(q, ready);
  q.wait_and_throw();
  EXPECT_EQ(caught, 1);
  if (queues.size() < 2) return;
  prism::command_graph alone(queues[0]);
  EXPECT_EQ(error_of([&] { alone.begin_recording(queues[1]); }), sycl::errc::invalid);
  auto empty = alone.finalize();
  EXPECT_EQ(error_of([&] { prism::execute_graph(queues[1], empty); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { prism::command_graph none(std::vector<sycl::queue>{}); }), sycl::errc::invalid);
}

/// Two devices that only their index distinguishes, or none.
std::vector<sycl::device> two_of_one_kind() {
  const auto all = sycl::device::get_devices();
  for (const sycl::device& a : all)
    for (const sycl::device& b : all)
      if (a != b && a.get_platform() == b.get_platform() &&
          a.get_info<sycl::info::device::name>() == b.get_info<sycl::info::device::name>())
        return {a, b};
  return {};
}
/// Fails where POCL_DEVICES states two, else skips.
#define NEED_TWO_OF_ONE_KIND(pair)                                                                           \
  if (pair.empty() && std::getenv("POCL_DEVICES")) FAIL() << "one of PoCL's two devices is missing";         \
  if (pair.empty()) GTEST_SKIP() << "needs two devices of one kind"

TEST(equal_devices, are_two_in_every_list) {
  const auto pair = two_of_one_kind();
  NEED_TWO_OF_ONE_KIND(pair);
  EXPECT_NE(std::hash<sycl::device>()(pair[0]), std::hash<sycl::device>()(pair[1]));
  const auto of_the_platform = pair[0].get_platform().get_devices();
  for (const sycl::device& each : pair)
    EXPECT_EQ(std::count(of_the_platform.begin(), of_the_platform.end(), each), 1);
  EXPECT_EQ(sycl::context(pair).get_devices(), pair);
}

TEST(equal_devices, are_selected_by_their_index) {
  const auto pair = two_of_one_kind();
  NEED_TWO_OF_ONE_KIND(pair);
  const std::string name = pair[0].get_info<sycl::info::device::name>();
  EXPECT_EQ(prism::by_name("opencl:0").device(), pair[0]);
  EXPECT_EQ(prism::by_name("opencl:1").device(), pair[1]);
  EXPECT_EQ(prism::by_name("opencl:name=" + name).device(), pair[0]) << "the first of those that fit";
  EXPECT_EQ(prism::by_name("opencl:name=" + name + ":1").device(), pair[1]);
  EXPECT_EQ(error_of([] { prism::by_name("opencl:2"); }), sycl::errc::runtime);
}

TEST(equal_devices, keep_pointers_apart_and_copy_between_them) {
  const auto pair = two_of_one_kind();
  NEED_TWO_OF_ONE_KIND(pair);
  const sycl::context both(pair);
  sycl::queue first(both, pair[0]), second(both, pair[1]);
  constexpr std::size_t n = 1000;
  int* from = sycl::malloc_device<int>(n, first);
  int* to = sycl::malloc_device<int>(n, second);
  ASSERT_TRUE(from && to);
  EXPECT_EQ(sycl::get_pointer_device(from, both), pair[0]);
  EXPECT_EQ(sycl::get_pointer_device(to, both), pair[1]);
  first.parallel_for(n, [=](sycl::id<1> i) { from[i] = int(i[0]) * 3; }).wait();
  second.fill(to, -1, n).wait();
  second.memcpy(to, from, n * sizeof(int)).wait();
  std::vector<int> seen(n);
  second.parallel_for(n, [=](sycl::id<1> i) { to[i] += 1; }).wait();
  second.memcpy(seen.data(), to, n * sizeof(int)).wait();
  std::vector<int> want(n);
  for (std::size_t i = 0; i < n; ++i) want[i] = int(i) * 3 + 1;
  EXPECT_EQ(seen, want);
  first.memcpy(seen.data(), from, n * sizeof(int)).wait();
  EXPECT_EQ(seen[10], 30) << "the source is as it was";
  sycl::free(from, both), sycl::free(to, both);
}

TEST(equal_devices, have_copies_of_a_buffer_that_the_ledger_names_apart) {
  const auto pair = two_of_one_kind();
  NEED_TWO_OF_ONE_KIND(pair);
  if (!has_memory_of_its_own()) GTEST_SKIP() << "needs PRISM_ADOPT_HOST_MEMORY=off";
  sycl::queue first(pair[0]), second(pair[1]);
  sycl::buffer<int> b{sycl::range<1>(500)};
  const prism::ledger copies;
  for (sycl::queue* q : {&first, &second}) {
    q->submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.parallel_for(500, [=](sycl::id<1> i) { a[i] = int(i[0]); });
    });
    q->wait();
  }
  std::set<std::string> places;
  for (const prism::transfer& each : copies.copies()) places.insert({each.from, each.to});
  EXPECT_EQ(places.count("opencl:0"), 1u) << copies.text();
  EXPECT_EQ(places.count("opencl:1"), 1u) << copies.text();
}

} // namespace
