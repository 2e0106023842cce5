// prism::ledger: the copies that a queue's commands needed, their reason, and their line in the program.
#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>
#include <prism/prism.hpp>
#include <sycl/ext/oneapi/experimental/device_global.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>

#include <algorithm>

class adds_one;
class only_looks;
class adds_two;

namespace {

constexpr std::size_t n = 1000;

namespace exts = sycl::ext::oneapi::experimental;
exts::device_global<int[8]> table;

std::string at(unsigned line) { return std::string(__FILE__) + ':' + std::to_string(line); }

void add_one(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for<adds_one>(n, [=](sycl::id<1> i) { a[i] += 1; });
  });
}

bool is_host(const sycl::queue& q) { return q.get_device().get_backend() == sycl::backend::ext_prism_host; }

TEST(ledger, has_each_copy_with_its_reason) {
  sycl::queue q;
  const prism::ledger ledger(q);
  sycl::buffer<int> b{sycl::range<1>(n)};
  {
    sycl::host_accessor a(b, sycl::write_only);
    for (std::size_t i = 0; i < n; ++i) a[i] = int(i);
  }
  add_one(q, b);
  add_one(q, b); // the device already has the bytes
  q.wait();
  const auto copies = ledger.copies();
  if (is_host(q) || copies.empty()) { // the device uses the host's memory in place
    EXPECT_EQ(ledger.bytes(), 0u);
  } else {
    ASSERT_EQ(copies.size(), 1u) << ledger.text();
    EXPECT_EQ(copies[0].bytes, n * sizeof(int));
    EXPECT_EQ(copies[0].from, "host");
    EXPECT_EQ(copies[0].reason, "first use on device");
    EXPECT_EQ(copies[0].command, "adds_one");
    EXPECT_NE(ledger.text().find("4000 bytes were copied"), std::string::npos) << ledger.text();
  }
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[5], 7);
}

TEST(ledger, of_a_queue_has_no_copies_of_other_queues) {
  sycl::queue q, other;
  SKIP_WITHOUT(q, usm_device_allocations);
  const prism::ledger of_q(q), of_all;
  std::vector<int> data(n, 3);
  int* const p = sycl::malloc_device<int>(n, q);
  other.memcpy(p, data.data(), n * sizeof(int)).wait();
  q.memcpy(data.data(), p, 8 * sizeof(int)).wait();
  ASSERT_EQ(of_q.copies().size(), 1u) << of_q.text();
  EXPECT_EQ(of_q.copies()[0].reason, "explicit copy");
  EXPECT_EQ(of_q.bytes(), 8 * sizeof(int));
  EXPECT_EQ(of_all.bytes(), (n + 8) * sizeof(int));
  sycl::free(p, q);
}

TEST(ledger, has_only_copies_of_its_lifetime) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  {
    const sycl::host_accessor a(b, sycl::write_only);
    for (std::size_t i = 0; i < n; ++i) a[i] = 0;
  }
  add_one(q, b);
  const prism::ledger ledger(q);
  add_one(q, b);
  q.wait();
  EXPECT_TRUE(ledger.copies().empty()) << ledger.text();
  EXPECT_NE(ledger.text().find("0 bytes were copied"), std::string::npos);
}

// The host and the device write the same buffer alternately.
TEST(ledger, reports_avoidable_bytes_and_how_to_avoid_them) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  {
    const sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
    a[5] = 0;
  }
  const prism::ledger all;
  for (int round = 0; round < 3; ++round) {
    add_one(q, b);
    {
      const sycl::host_accessor a(b);
      a[5] += 1;
    }
  }
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[5], 6);
  std::size_t written_elsewhere = 0;
  for (const prism::transfer& t : all.copies())
    if (t.reason == "written elsewhere") written_elsewhere += t.bytes;
  const std::string text = all.text();
  const std::string spared =
      " bytes were copied, " + std::to_string(written_elsewhere) + " of them can be avoided";
  if (all.copies().empty()) {
    EXPECT_EQ(text.find("spare"), std::string::npos) << text;
    GTEST_SKIP() << "no copy on " << prism_test::name_of(q.get_device())
                 << ": it uses the host's memory in place";
  }
  EXPECT_EQ(written_elsewhere, 2 * n * sizeof(int))
      << "the first copy to the device is unavoidable: " << text;
  EXPECT_NE(text.find(spared), std::string::npos) << text;
  EXPECT_NE(text.find("to avoid them: the data is written alternately"), std::string::npos) << text;
}

/// Counts the copies in the ledger, and expects each new one to have a line of this file.
class expected_lines {
public:
  explicit expected_lines(const sycl::queue& q) : m_ledger(q) {}
  void operator()(unsigned line) {
    const std::vector<prism::transfer> all = m_ledger.copies();
    ASSERT_GT(all.size(), m_seen) << "line " << line << " has no copy in the ledger";
    for (; m_seen < all.size(); ++m_seen) EXPECT_EQ(all[m_seen].line, at(line)) << all[m_seen].reason;
  }
  std::string text() const { return m_ledger.text(); }

private:
  prism::ledger m_ledger;
  std::size_t m_seen = 0;
};

TEST(ledger, names_the_line_of_each_explicit_copy) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  std::vector<int> data(n, 3);
  int* const p = sycl::malloc_device<int>(n, q);
  int* const d = data.data();
  const std::size_t bytes = n * sizeof(int);
  expected_lines expect(q);
  sycl::event before = q.memcpy(p, d, bytes);
  expect(__LINE__ - 1);
  before.wait();
  q.memcpy(p, d, bytes, before).wait(), expect(__LINE__);
  q.memcpy(p, d, bytes, {before, before}).wait(), expect(__LINE__);
  q.copy(d, p, n).wait(), expect(__LINE__);
  q.copy(p, d, n, before).wait(), expect(__LINE__);
  q.copy(p, d, n, {before}).wait(), expect(__LINE__);
  q.ext_oneapi_memcpy2d(p, 40, d, 40, 20, 4).wait(), expect(__LINE__);
  q.ext_oneapi_memcpy2d(p, 40, d, 40, 20, 4, before).wait(), expect(__LINE__);
  q.ext_oneapi_memcpy2d(p, 40, d, 40, 20, 4, {before, before}).wait(), expect(__LINE__);
  q.ext_oneapi_copy2d(d, 10, p, 10, 5, 4).wait(), expect(__LINE__);
  q.ext_oneapi_copy2d(d, 10, p, 10, 5, 4, std::vector{before}).wait(), expect(__LINE__);
  exts::memcpy(q, p, d, bytes), q.wait(), expect(__LINE__);
  exts::copy(q, d, p, n), q.wait(), expect(__LINE__);
  q.submit([&](sycl::handler& h) {
    h.depends_on(before);
    h.memcpy(p, d, bytes);
  }).wait(),
      expect(__LINE__ - 2);
  q.submit([&](sycl::handler& h) { exts::memcpy(h, p, d, bytes); }).wait(), expect(__LINE__);
  q.submit([&](sycl::handler& h) { h.copy(p, d, n); }, q).wait(), expect(__LINE__);
  sycl::free(p, q);
}

TEST(ledger, has_each_copy_of_each_execution_of_a_graph) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* const p = sycl::malloc_device<int>(n, q);
  int* const other = sycl::malloc_device<int>(n, q);
  q.fill(p, 3, n).wait();
  prism::command_graph graph(q.get_context(), q.get_device());
  graph.begin_recording(q);
  const sycl::event first = q.memcpy(other, p, n * sizeof(int));
  const unsigned line = __LINE__ - 1;
  q.parallel_for<only_looks>(sycl::range<1>(n), first, [=](sycl::id<1> i) { other[i] += 1; });
  graph.end_recording();
  auto ready = graph.finalize();
  const prism::ledger ledger(q);
  for (int run = 1; run <= 2; ++run) {
    prism::execute_graph(q, ready).wait();
    const std::vector<prism::transfer> heard = ledger.copies();
    ASSERT_EQ(heard.size(), std::size_t(run)) << ledger.text();
    EXPECT_EQ(heard.back().bytes, n * sizeof(int));
    EXPECT_EQ(heard.back().line, at(line));
  }
  sycl::free(p, q);
  sycl::free(other, q);
}

TEST(ledger, names_the_line_of_copies_of_device_globals) {
  sycl::queue q;
  int mine[8] = {};
  expected_lines expect(q);
  q.memcpy(table, mine).wait(), expect(__LINE__);
  q.memcpy(mine, table, sizeof mine, 0, sycl::event()).wait(), expect(__LINE__);
  q.copy(mine, table, 4, 2).wait(), expect(__LINE__);
  q.copy(table, mine).wait(), expect(__LINE__);
}

TEST(ledger, names_the_line_of_copies_between_buffers_and_memory) {
  sycl::queue q;
  std::vector<int> data(n, 3);
  sycl::buffer<int> b{sycl::range<1>(n)}, c{sycl::range<1>(n)};
  using placeholder = sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device>;
  const auto use = [](sycl::buffer<int>& of) { return placeholder(of); };
  expected_lines expect(q);
  q.copy(data.data(), use(b)).wait(), expect(__LINE__);
  q.copy(use(b), use(c)).wait(), expect(__LINE__);
  q.copy(use(c), data.data()).wait(), expect(__LINE__);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.copy(data.data(), a);
  }).wait(),
      expect(__LINE__ - 2);
}

// A device that uses the host's memory in place makes no copy.
TEST(ledger, names_the_line_of_the_submission_that_needs_a_copy) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  {
    sycl::host_accessor a(b, sycl::write_only);
    for (std::size_t i = 0; i < n; ++i) a[i] = int(i);
  }
  const prism::ledger ledger(q);
  const unsigned line = __LINE__ + 1;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for<adds_two>(n, [=](sycl::id<1> i) { a[i] += 2; });
  }).wait();
  for (const prism::transfer& t : ledger.copies()) EXPECT_EQ(t.line, at(line)) << t.reason;
  if (ledger.copies().empty())
    GTEST_SKIP() << "no copy on " << prism_test::name_of(q.get_device())
                 << ": it uses the host's memory in place";
}

TEST(ledger, names_the_lines_of_host_accessors_and_buffers) {
  sycl::queue q;
  std::vector<int> data(n, 3);
  const prism::ledger all;
  std::size_t seen = 0;
  const auto expect = [&](unsigned line) {
    const std::vector<prism::transfer> heard = all.copies();
    for (; seen < heard.size(); ++seen) EXPECT_EQ(heard[seen].line, at(line)) << heard[seen].reason;
  };
  const auto write_there = [&](sycl::buffer<int>& b) {
    add_one(q, b);
    q.wait();
    seen = all.copies().size(); // the copies of add_one
  };
  {
    sycl::buffer b(data);
    const unsigned made = __LINE__ - 1;
    write_there(b);
    {
      const sycl::host_accessor a(b);
      expect(__LINE__ - 1);
    }
    write_there(b);
    {
      const sycl::host_accessor a(b, sycl::read_only);
      expect(__LINE__ - 1);
    }
    write_there(b);
    {
      const sycl::host_accessor a(b, sycl::range<1>(n), sycl::id<1>(0), sycl::read_write);
      expect(__LINE__ - 1);
    }
    write_there(b);
    {
      const auto a = b.get_host_access();
      expect(__LINE__ - 1);
    }
    write_there(b);
    {
      const auto a = b.get_host_access(sycl::read_only);
      expect(__LINE__ - 1);
    }
    write_there(b);
    {
      const auto a =
          b.get_host_access(sycl::range<1>(n), sycl::id<1>(0), sycl::read_write, sycl::property_list());
      expect(__LINE__ - 1);
    }
    write_there(b);
    b = sycl::buffer<int>(sycl::range<1>(1)), expect(made);
  }
  EXPECT_EQ(data[5], 10);
  if (all.copies().empty())
    GTEST_SKIP() << "no copy on " << prism_test::name_of(q.get_device())
                 << ": it uses the host's memory in place";
}

} // namespace
