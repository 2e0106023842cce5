// The heap that programs compiled with --stdpar share with their device.
#include "tests/kernels/standard_algorithms.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using std::execution::par_unseq;

class shared_heap : public on_shared_memory {
protected:
  static bool exists() {
    return !prism::stdpar::queue().get_device().has(sycl::aspect::usm_system_allocations);
  }
};

TEST_F(shared_heap, gives_what_each_function_of_the_c_library_promises) {
  const std::size_t n = 1000;
  auto* a = static_cast<int*>(std::malloc(n * sizeof(int)));
  std::fill(par_unseq, a, a + n, 4);
  a = static_cast<int*>(std::realloc(a, 100 * n * sizeof(int)));
  EXPECT_EQ(a[n - 1], 4);
  std::fill(par_unseq, a, a + 100 * n, 5);
  EXPECT_EQ(a[100 * n - 1], 5);
  a = static_cast<int*>(std::realloc(a, 10 * sizeof(int)));
  EXPECT_EQ(a[9], 5);
  std::free(a);
  auto* zeros = static_cast<char*>(std::calloc(n, 3));
  EXPECT_EQ(std::count(par_unseq, zeros, zeros + 3 * n, '\0'), std::ptrdiff_t(3 * n));
  std::free(zeros);
  void* volatile none = std::calloc(~std::size_t(0) / 2, 4);
  EXPECT_EQ(none, nullptr);
  for (const std::size_t alignment : {8u, 64u, 256u, 4096u, 65536u}) {
    void* p = nullptr;
    ASSERT_EQ(posix_memalign(&p, alignment, 3), 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
    void* q = std::aligned_alloc(alignment, alignment * 2);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % alignment, 0u);
    std::free(p);
    std::free(q);
  }
  void* p = nullptr;
  EXPECT_NE(posix_memalign(&p, 24, 3), 0);
  std::free(nullptr);
  for (std::size_t bytes = 0; bytes < 300; ++bytes) {
    auto* each = static_cast<unsigned char*>(std::malloc(bytes));
    ASSERT_NE(each, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(each) % 16, 0u);
    std::fill(each, each + bytes, static_cast<unsigned char>(bytes));
    std::free(each);
  }
}

struct alignas(512) wide {
  int number = 1;
};

TEST_F(shared_heap, gives_objects_their_alignment) {
  std::vector<wide> all(100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.data()) % 512, 0u);
  std::for_each(par_unseq, all.begin(), all.end(), [](wide& w) { w.number = 7; });
  EXPECT_EQ(all[99].number, 7);
  const std::unique_ptr<int[]> plain(new (std::nothrow) int[100]);
  std::fill(par_unseq, plain.get(), plain.get() + 100, 3);
  EXPECT_EQ(plain[99], 3);
}

TEST_F(shared_heap, may_be_freed_by_code_that_was_compiled_otherwise) {
  std::ostringstream text;
  for (int i = 0; i < 2000; ++i) text << "line " << i << "\n";
  std::istringstream in(text.str());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line + std::string(100, 'x'));
  EXPECT_EQ(lines.size(), 2000u);
  EXPECT_TRUE(std::regex_match(lines[17].substr(0, 7), std::regex("line [0-9]+")));
  // getline() of the C library lets a buffer of the program grow.
  std::FILE* const file = std::tmpfile();
  std::fputs(std::string(100'000, 'y').c_str(), file);
  std::rewind(file);
  std::size_t room = 16;
  char* buffer = static_cast<char*>(std::malloc(room));
  EXPECT_EQ(::getline(&buffer, &room, file), 100'000);
  std::free(buffer);
  std::fclose(file);
}

TEST_F(shared_heap, serves_threads_at_once) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong, t] {
      for (int round = 0; round < 20; ++round) {
        std::vector<int> mine(1000 + std::size_t(round), t);
        std::for_each(par_unseq, mine.begin(), mine.end(), [](int& v) { v += 1; });
        wrong[std::size_t(t)] +=
            int(std::count_if(mine.begin(), mine.end(), [=](int v) { return v != t + 1; }));
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

int static_numbers[100];

TEST_F(shared_heap, is_all_that_some_devices_reach_and_they_say_so) {
  int on_the_stack[100];
  for (int* const numbers : {on_the_stack, static_numbers}) {
    if (exists()) {
      try {
        std::fill(par_unseq, numbers, numbers + 100, 1);
        FAIL() << "the device cannot access this memory";
      } catch (const sycl::exception& refused) {
        EXPECT_EQ(refused.code(), sycl::errc::invalid);
        EXPECT_NE(std::string(refused.what()).find("std::fill"), std::string::npos) << refused.what();
        EXPECT_NE(std::string(refused.what()).find("--stdpar"), std::string::npos) << refused.what();
      }
    } else {
      std::fill(par_unseq, numbers, numbers + 100, 1);
      EXPECT_EQ(numbers[99], 1);
    }
  }
}

TEST_F(shared_heap, takes_the_programs_usm_too) {
  sycl::queue& q = prism::stdpar::queue();
  int* const numbers = sycl::malloc_shared<int>(100, q);
  std::fill(par_unseq, numbers, numbers + 100, 6);
  EXPECT_EQ(numbers[99], 6);
  sycl::free(numbers, q);
}

/// What this program prints when it runs one of its tests with this value of PRISM_STDPAR_HEAP.
std::string output_with_heap(const std::string& value, const std::string& test) {
  const std::string command = "PRISM_STDPAR_HEAP='" + value + "' /proc/" + std::to_string(getpid()) +
                              "/exe --gtest_filter='*" + test + "' 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  char piece[4096];
  while (const std::size_t bytes = std::fread(piece, 1, sizeof piece, pipe)) text.append(piece, bytes);
  pclose(pipe);
  return text;
}

TEST_F(shared_heap, serves_again_what_was_freed) {
  std::vector<std::unique_ptr<std::vector<char>>> all;
  try {
    for (int i = 0; i < 64; ++i) all.push_back(std::make_unique<std::vector<char>>(1 << 20));
  } catch (const std::bad_alloc& full) {
    std::puts(full.what());
  }
  void* volatile more = std::malloc(1 << 25);
  if (!more) std::puts("malloc: none");
  std::free(more);
  all.clear();
  EXPECT_EQ(std::vector<char>(1 << 20).size(), std::size_t(1) << 20);
}

TEST_F(shared_heap, says_when_it_is_full) {
  if (!exists()) GTEST_SKIP() << "the host device reaches all memory of the process and has no heap";
  const std::string said = output_with_heap("32M", "serves_again_what_was_freed");
  EXPECT_NE(said.find("PRISM_STDPAR_HEAP sets its size"), std::string::npos) << said;
  EXPECT_NE(said.find("malloc: none"), std::string::npos) << said;
  EXPECT_NE(said.find("[  PASSED  ] 1 test"), std::string::npos) << said;
}

TEST_F(shared_heap, refuses_a_size_that_is_none) {
  if (!exists()) GTEST_SKIP() << "the host device reaches all memory of the process and has no heap";
  for (const char* wrong : {"much", "-1", "0", "12X", "1Gb", "99999999999999999999", "17179869184G"})
    EXPECT_NE(output_with_heap(wrong, "takes_the_programs_usm_too").find("expected bytes such as 512M or 2G"),
              std::string::npos)
        << wrong;
  EXPECT_NE(output_with_heap("65536K", "takes_the_programs_usm_too").find("[  PASSED  ] 1 test"),
            std::string::npos);
}

} // namespace
