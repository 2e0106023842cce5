// Loops of any length compute right results, or an exception reports that the driver stopped them (llvmpipe
// does after 65,535 iterations; no other device here). A wrong result without an error is a failure.
#include "tests/sycl/common.hpp"

namespace {

std::uint32_t step(std::uint32_t x) { return x * 1664525u + 1013904223u + (x >> 3); }

std::uint32_t after(std::uint32_t steps) {
  std::uint32_t x = 7;
  while (steps-- > 0) x = step(x);
  return x;
}

class long_loops : public testing::Test {
protected:
  static constexpr std::size_t items = 100;

  bool is_llvmpipe() const {
    return m_queue.get_device().get_info<sycl::info::device::name>().find("llvmpipe") != std::string::npos;
  }

  /// Runs `kernel(item, limit)` -> value for each item. `limit` is read from memory.
  template <typename Name, typename Kernel>
  std::vector<std::uint32_t> run(const std::vector<std::uint32_t>& limits, const Kernel& kernel) {
    std::vector<std::uint32_t> values(items);
    m_error.clear();
    sycl::buffer<std::uint32_t> from(limits), to(values);
    m_queue.submit([&](sycl::handler& h) {
      sycl::accessor read(from, h, sycl::read_only);
      sycl::accessor write(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for<Name>(sycl::range<1>(items), [=](sycl::id<1> i) { write[i] = kernel(i[0], read[i]); });
    });
    try {
      m_queue.wait_and_throw();
    } catch (const sycl::exception& e) {
      m_error = e.what();
      return {}; // the values are not valid, and reading them throws
    }
    sycl::host_accessor result(to, sycl::read_only);
    return {result.begin(), result.end()};
  }

  template <typename Name, typename Kernel>
  void is_right(std::uint32_t limit, std::uint32_t steps, const Kernel& kernel) {
    EXPECT_EQ(run<Name>(std::vector<std::uint32_t>(items, limit), kernel), std::vector(items, after(steps)));
    EXPECT_EQ(m_error, "");
  }

  template <typename Name, typename Kernel>
  void is_right_or_reported(std::uint32_t limit, std::uint32_t steps, const Kernel& kernel) {
    if (!is_llvmpipe()) return is_right<Name>(limit, steps, kernel);
    run<Name>(std::vector<std::uint32_t>(items, limit), kernel);
    EXPECT_NE(m_error.find("ran more than 65,535 loop iterations"), std::string::npos) << m_error;
    is_right<class short_again>(10, 10, [](std::size_t, std::uint32_t n) { // the queue still works
      std::uint32_t x = 7;
      for (std::uint32_t k = 0; k < n; ++k) x = step(x);
      return x;
    });
  }

  sycl::queue m_queue{[](sycl::exception_list list) {
    for (const std::exception_ptr& each : list) std::rethrow_exception(each);
  }};
  std::string m_error;
};

TEST_F(long_loops, below_the_limit) {
  is_right<class below>(60000, 60000, [](std::size_t, std::uint32_t n) {
    std::uint32_t x = 7;
    for (std::uint32_t k = 0; k < n; ++k) x = step(x);
    return x;
  });
}

TEST_F(long_loops, just_below_the_limit) {
  is_right<class just_below>(65500, 65500, [](std::size_t, std::uint32_t n) {
    std::uint32_t x = 7;
    for (std::uint32_t k = 0; k < n; ++k) x = step(x);
    return x;
  });
}

TEST_F(long_loops, constant_length) {
  is_right_or_reported<class constant>(0, 70000, [](std::size_t, std::uint32_t) {
    std::uint32_t x = 7;
    for (int k = 0; k < 70000; ++k) x = step(x);
    return x;
  });
}

TEST_F(long_loops, nested) {
  is_right_or_reported<class nested>(300, 90000, [](std::size_t, std::uint32_t n) {
    std::uint32_t x = 7;
    for (std::uint32_t k = 0; k < n; ++k)
      for (std::uint32_t j = 0; j < n; ++j) x = step(x);
    return x;
  });
}

TEST_F(long_loops, length_from_the_data) {
  is_right_or_reported<class from_data>(70001, 70000, [](std::size_t, std::uint32_t n) {
    std::uint32_t x = 7, done = 1;
    while (done < n) {
      x = step(x);
      done += 1 + (x == 0 && n == 0);
    }
    return x;
  });
}

TEST_F(long_loops, one_item_of_many) {
  std::vector<std::uint32_t> limits(items, 3), expected(items, after(3));
  limits[77] = 66000;
  expected[77] = after(66000);
  const auto values = run<class one_of_many>(limits, [](std::size_t, std::uint32_t n) {
    std::uint32_t x = 7;
    for (std::uint32_t k = 0; k < n; ++k) x = step(x);
    return x;
  });
  if (is_llvmpipe()) EXPECT_NE(m_error, "");
  else EXPECT_EQ(values, expected);
}

TEST_F(long_loops, divergent_work_items) {
  const auto values =
      run<class ways>(std::vector<std::uint32_t>(items, 40000), [](std::size_t i, std::uint32_t n) {
    std::uint32_t x = 7;
    if (i % 2 == 0) {
      for (std::uint32_t k = 0; k < n; ++k) x = step(x);
      return x;
    }
    for (std::uint32_t k = 0; k < n; ++k) x = step(x ^ 1u) ^ 1u;
    return x;
  });
  std::vector<std::uint32_t> expected(items, after(40000));
  for (std::size_t i = 1; i < items; i += 2) {
    expected[i] = 7;
    for (int k = 0; k < 40000; ++k) expected[i] = step(expected[i] ^ 1u) ^ 1u;
  }
  if (m_error.empty())
    EXPECT_EQ(values, expected); // llvmpipe counts the iterations of all branches for all items of a vector
  else EXPECT_TRUE(is_llvmpipe()) << m_error;
}

TEST_F(long_loops, with_barriers) {
  constexpr std::size_t group = 16;
  const auto run_rounds = [&](std::uint32_t rounds, std::uint32_t steps) {
    std::vector<std::uint32_t> values(4 * group);
    m_error.clear();
    sycl::buffer<std::uint32_t> to(values);
    m_queue.submit([&](sycl::handler& h) {
      sycl::accessor write(to, h, sycl::write_only, sycl::no_init);
      sycl::local_accessor<std::uint32_t> shared(group, h);
      h.parallel_for<class barriers>(sycl::nd_range<1>(4 * group, group), [=](sycl::nd_item<1> item) {
        const std::size_t me = item.get_local_id(0);
        std::uint32_t x = 7;
        for (std::uint32_t r = 0; r < rounds; ++r) {
          for (std::uint32_t k = 0; k < steps; ++k) x = step(x);
          shared[me] = x;
          sycl::group_barrier(item.get_group());
          x = shared[(me + 1) % group];
          sycl::group_barrier(item.get_group());
        }
        write[item.get_global_id(0)] = x;
      });
    });
    try {
      m_queue.wait_and_throw();
    } catch (const sycl::exception& e) {
      m_error = e.what();
      return std::vector<std::uint32_t>(); // the values are not valid, and reading them throws
    }
    sycl::host_accessor result(to, sycl::read_only);
    return std::vector<std::uint32_t>(result.begin(), result.end());
  };
  EXPECT_EQ(run_rounds(20, 1000), std::vector(4 * group, after(20000)));
  EXPECT_EQ(m_error, "");
  const auto values = run_rounds(70, 1000);
  if (is_llvmpipe())
    EXPECT_NE(m_error.find("ran more than 65,535 loop iterations"), std::string::npos) << m_error;
  else EXPECT_EQ(values, std::vector(4 * group, after(70000)));
}

} // namespace
