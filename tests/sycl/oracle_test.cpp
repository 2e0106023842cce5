// Random programs of commands (kernels, copies, fills, host tasks, host accesses, graphs; buffers,
// sub-buffers, all kinds of USM, ordinary memory; several queues, devices and threads) compute the same as
// their commands in sequence. If devices fail at random or are lost, memories that no failed command wrote
// must still be right; such programs run in child processes, and in this process with PRISM_WRAP=fault(...),
// which some test entries set. A failing program is reduced before it is printed. PRISM_SOAK=N (./prism test
// --soak N) runs 100 N more commands from new seeds, alternating between these families.
#include "tests/sycl/oracle_child.hpp"

#include "tests/sycl/common.hpp"

#include <prism/ledger.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>

using namespace oracle;

namespace {

/// How the programs of a seed run.
struct family {
  std::string name, wrappers; // wrappers: of the child process; if empty, the programs run in this process
  std::size_t threads = 1, batch = 1;
};

/// Random faults of all kinds, at rates that leave enough right results to compare.
family failing(unsigned seed, std::size_t threads) {
  return {"faults",
          "fault(memory=29~,build=9~,refuse=61~,fail=53~,timeout=71~,copy=47~,delay=23~:1,seed=" +
              std::to_string(seed + 1) + ")",
          threads, 1 + seed % 5};
}
/// Loses all devices of one backend, or all devices, after about half as many submissions as the programs
/// make.
family losing(unsigned seed, std::size_t threads, std::size_t commands) {
  std::vector<std::string> prefixes{""};
  for (const world::device& d : the_world().devices) prefixes.push_back(d.backend + ":");
  const std::size_t setup = 4 * threads,
                    at = setup + (seed * 7919u) % (threads * commands / the_world().devices.size());
  return {"lost device", prefixes[seed % prefixes.size()] + "fault(lost=" + std::to_string(at) + ")", threads,
          1 + seed / 2 % 4};
}

struct totals {
  std::size_t failures = 0, compared = 0, unknown = 0, losses = 0;
};

outcome run(const family& how, const std::vector<std::vector<op>>& programs) {
  return how.wrappers.empty() ? run_beside(programs, how.batch)
                              : run_under(how.wrappers, programs, how.batch);
}

void expect_right(unsigned seed, std::size_t commands, const family& how, totals* sum = nullptr) {
  std::vector<std::vector<op>> programs;
  for (std::size_t t = 0; t < how.threads; ++t)
    programs.push_back(random_program(the_world(), seed * 16 + unsigned(t), commands));
  const outcome found = run(how, programs);
  if (sum != nullptr) {
    sum->failures += found.failures + found.refusals;
    sum->compared += found.compared;
    sum->unknown += found.unknown;
    sum->losses += found.lost;
  }
  if (found.wrong.empty()) return;
  std::string shown;
  const auto fails = [&](const std::vector<op>& p) { return !run(how, {p}).wrong.empty(); };
  const std::vector<op> small = shrink(programs[0], fails, 200);
  if (!fails(small)) shown = "(the first thread's program alone is right)";
  else
    for (const op& o : small) shown += "\n  " + text(o);
  ADD_FAILURE() << "seed " << seed << ", " << how.threads << " threads, " << how.name << " " << how.wrappers
                << ", batches of " << how.batch << ": " << found.wrong
                << "\na small program that fails:" << shown;
}

TEST(oracle, programs_of_one_thread) {
  totals sum;
  for (unsigned seed = 1; seed <= 12 && !HasFailure(); ++seed)
    expect_right(seed, 60, {"", "", 1, 1 + seed % 4}, &sum);
  if (with_faults()) {
    EXPECT_GT(sum.failures, 0u) << "no fault happened: the PRISM_WRAP of this test entry has too few";
    EXPECT_GT(10 * sum.compared, sum.unknown) << "too many commands failed to compare results";
  }
}

TEST(oracle, programs_of_several_threads) {
  totals sum;
  for (unsigned seed = 100; seed < 106 && !HasFailure(); ++seed)
    expect_right(seed, 40, {"", "", 3, 1 + seed % 4}, &sum);
  if (with_faults()) EXPECT_GT(sum.failures, 0u);
}

// PRISM_MEMORY_LIMIT, of less than the programs' memories need together
TEST(oracle, programs_that_do_not_fit_into_the_memory) {
  if (std::getenv("PRISM_MEMORY_LIMIT") == nullptr) GTEST_SKIP() << "PRISM_MEMORY_LIMIT is unset";
  const prism::ledger copies;
  for (unsigned seed = 500; seed < 524 && !HasFailure(); ++seed)
    expect_right(seed, 60, {"", "", 1 + seed % 3, 1});
  std::size_t evicted = 0;
  for (const prism::transfer& t : copies.copies()) evicted += t.reason == "evicted";
  EXPECT_GT(evicted, 50u) << "the memory of this test entry has room for too much";
}

TEST(oracle, programs_on_devices_that_fail_at_random) {
  if (with_faults()) GTEST_SKIP() << "PRISM_WRAP has faults of its own";
  totals sum;
  for (unsigned seed = 200; seed < 204 && !HasFailure(); ++seed)
    expect_right(seed, 60, failing(seed, 1 + seed % 2 * 2), &sum);
  EXPECT_GT(sum.failures, 0u);
  EXPECT_GT(10 * sum.compared, sum.unknown) << "too many commands failed to compare results";
}

TEST(oracle, programs_whose_device_is_lost) {
  if (with_faults()) GTEST_SKIP() << "PRISM_WRAP has faults of its own";
  totals sum;
  for (unsigned seed = 300; seed < 306 && !HasFailure(); ++seed)
    expect_right(seed, 60, losing(seed, 1 + seed % 3, 60), &sum);
  EXPECT_GT(sum.losses, 1u);
  EXPECT_GT(sum.compared, 0u);
}

TEST(oracle, a_failed_reader_does_not_damage_its_buffer) {
  if (!with_faults()) GTEST_SKIP() << "PRISM_WRAP has no fault";
  prism_test::error_log errors;
  sycl::queue q(errors.handler());
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<unsigned> values(1000, 7 * round);
    sycl::buffer<unsigned, 1> in(values.begin(), values.end()), out(sycl::range<1>(1000));
    std::size_t failed_before;
    do { // a different command each time; some copy the bytes to the device
      failed_before = errors.texts.size();
      try {
        q.submit([&](sycl::handler& h) {
          const sycl::accessor from(in, h, sycl::read_only);
          const sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
          h.parallel_for(1000, [=](sycl::id<1> i) { to[i] = from[i] + 1; });
        });
      } catch (const sycl::exception& refused) { // out of memory or a failed build: nothing was submitted
        errors.texts.push_back(refused.what());
      }
      q.wait_and_throw();
    } while (errors.texts.size() > failed_before);
    for (int tries = 0; tries < 10; ++tries) {
      try {
        const sycl::host_accessor result(out, sycl::read_only);
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(result[i], 7 * round + 1) << round << " at " << i;
        break;
      } catch (const sycl::exception&) { // a fault in the copy to the host: the device still has the data
      }
    }
  }
  EXPECT_GT(errors.texts.size(), 0u);
}

// The model simulates an error: if an object is read after a fill, the results count as wrong.
TEST(oracle, a_failing_program_is_reduced) {
  const auto fails = [](const std::vector<op>& program) {
    for (std::size_t fill = 0; fill < program.size(); ++fill)
      for (std::size_t later = fill + 1; program[fill].what == kind::fill && later < program.size(); ++later)
        if (program[later].what == kind::mix && program[later].from == program[fill].to) return true;
    return false;
  };
  const auto is_in_a_graph = [](const std::vector<op>& program) {
    return program.size() == 1 && std::any_of(program[0].inner.begin(), program[0].inner.end(),
                                              [](const op& o) { return o.what == kind::copy; });
  };
  std::size_t shown = 0, graphs = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::vector<op> program = random_program(the_world(), seed, 200);
    if (fails(program)) {
      const std::vector<op> small = shrink(program, fails, 1000);
      EXPECT_EQ(small.size(), 2u) << "seed " << seed;
      EXPECT_TRUE(fails(small)) << "seed " << seed;
      ++shown;
    }
    for (const op& each : program)
      if (is_in_a_graph({each})) {
        EXPECT_EQ(shrink({each}, is_in_a_graph, 1000)[0].inner.size(), 1u) << "seed " << seed;
        ++graphs;
      }
  }
  EXPECT_GT(shown, 5u);
  EXPECT_GT(graphs, 5u);
}

TEST(oracle, soak) {
  const char* asked = std::getenv("PRISM_SOAK");
  if (asked == nullptr) GTEST_SKIP() << "PRISM_SOAK is unset: ./prism test --soak N sets it";
  const char* from = std::getenv("PRISM_SOAK_SEED");
  const auto wanted = 100 * std::strtoull(asked, nullptr, 10);
  unsigned seed =
      from != nullptr
          ? unsigned(std::strtoul(from, nullptr, 10))
          : unsigned(std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1)) * 1000;
  const unsigned first = seed;
  std::printf("soak: %llu commands from seed %u (PRISM_SOAK_SEED=%u repeats them)\n", wanted, seed, seed);
  constexpr std::size_t each = 400;
  std::size_t done = 0, of_family[3] = {};
  totals sum;
  for (; done < wanted && !HasFailure(); ++seed) {
    const std::size_t threads = 1 + seed % 3, which = with_faults() ? 0 : seed / 3 % 3;
    expect_right(seed, each,
                 which == 1   ? failing(seed, threads)
                 : which == 2 ? losing(seed, threads, each)
                              : family{"", "", threads, 1 + seed % 5},
                 &sum);
    done += each * threads;
    of_family[which] += each * threads;
    if (done / 100'000 != (done - each * threads) / 100'000)
      std::printf("soak: %zu commands\n", done), std::fflush(stdout);
  }
  std::printf("soak: %zu commands (%zu with random faults, %zu with a lost device) of %u seeds, %zu injected "
              "failures reported, %zu devices lost in a process; "
              "%zu memories compared at the end, %zu unknown\n",
              done, of_family[1], of_family[2], seed - first, sum.failures, sum.losses, sum.compared,
              sum.unknown);
}

} // namespace
