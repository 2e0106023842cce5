// The contents of a trace file, and that it contains every span of every thread.
#include "runtime/observe/trace.hpp"
#include "runtime/observe/trace_file.hpp"
#include "runtime/support/text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace prism::support::trace;

namespace {

/// A temporary file name; the file is removed at the end.
class temporary_file {
public:
  temporary_file()
      : m_path(std::filesystem::temp_directory_path() / ("prism-trace-test-" + std::to_string(::getpid()))) {}
  ~temporary_file() {
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
  }
  const char* path() const { return m_path.c_str(); }
  std::vector<std::string> lines() const {
    std::ifstream file(m_path);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(std::move(line));
    return all;
  }

private:
  std::filesystem::path m_path;
};

std::vector<std::string> written(const std::vector<span>& spans) {
  const temporary_file to;
  trace_file file(std::fopen(to.path(), "we"));
  EXPECT_EQ(file.process_of("first device"), trace_file::first_device);
  EXPECT_EQ(file.process_of("second device"), trace_file::first_device + 1);
  EXPECT_EQ(file.process_of("first device"), trace_file::first_device);
  for (const span& each : spans) file.add(each);
  file.close();
  return to.lines();
}

TEST(trace_file, a_span_is_an_event_whose_times_are_exact_in_microseconds) {
  const auto event = [](std::uint64_t begin, std::uint64_t end) {
    return written({{trace_file::host, 7, "submit", "a name", "", begin, end}}).at(2);
  };
  const std::string head = R"({"name":"a name","cat":"submit","ph":"X","pid":1,"tid":7,"ts":)";
  EXPECT_EQ(event(0, 1), head + R"(0.000,"dur":0.001})");
  EXPECT_EQ(event(9'999, 9'999 + 10'000), head + R"(9.999,"dur":10.000})");
  EXPECT_EQ(event(999'999'999, 1'999'999'998), head + R"(999999.999,"dur":999999.999})");
  EXPECT_EQ(event(1'000'000'000, 3'000'000'007), head + R"(1000000.000,"dur":2000000.007})");
  EXPECT_EQ(event(72'732'601'973'591, 72'732'601'973'591), head + R"(72732601973.591,"dur":0.000})");
  EXPECT_EQ(event(5, 4), head + R"(0.005,"dur":0.000})"); // never negative
}

TEST(trace_file, texts_are_quoted_and_lines_and_shared_times_are_arguments) {
  const auto lines = written({{trace_file::host, 1, "host", "say \"\\\n\"", "a.cpp:3", 0, 0},
                              {trace_file::host, 1, "host", "say", "", 0, 0, true},
                              {trace_file::host, 1, "host", "say", "a.cpp:3", 0, 0, true}});
  EXPECT_NE(lines.at(2).find(R"("name":"say \"\\ \"",)"), std::string::npos);
  EXPECT_NE(lines.at(2).find(R"("args":{"line":"a.cpp:3"},)"), std::string::npos);
  EXPECT_NE(lines.at(3).find(R"("args":{"begin":"end of the command before"},)"), std::string::npos);
  EXPECT_NE(lines.at(4).find(R"("args":{"line":"a.cpp:3","begin":"end of the command before"},)"),
            std::string::npos);
}

TEST(trace_file, is_utf8_whatever_bytes_names_and_paths_have) {
  const std::string worst(300, '\xff');
  const auto lines = written({{trace_file::host, 1, "host", "k\xff", "bad\xc3\x28/\xc3\xa4.cpp:3", 0, 0},
                              {trace_file::host, 1, "host", worst, worst, 0, 0}});
  for (const std::string& line : lines) EXPECT_TRUE(prism::support::is_utf8(line)) << line;
  EXPECT_NE(lines.at(2).find("\"k\xef\xbf\xbd\""), std::string::npos) << lines.at(2);
  EXPECT_NE(lines.at(2).find("bad\xef\xbf\xbd(/\xc3\xa4.cpp:3"), std::string::npos) << lines.at(2);
}

TEST(trace_file, says_when_it_could_not_be_written) {
  testing::internal::CaptureStderr();
  trace_file file(std::fopen("/dev/full", "we"), "/dev/full");
  file.add({trace_file::host, 7, "submit", "a name", "", 0, 1});
  file.close();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("PRISM_TRACE: \"/dev/full\" is not complete"), std::string::npos) << text;
}

TEST(trace_file, different_spans_are_separate_events) {
  const span one{trace_file::host, 1, "wait", "ab", "c", 1'000, 2'000};
  std::vector<span> others(6, one);
  others[0].process = trace_file::first_device;
  others[1].row = 2;
  others[2].category = "build";
  others[3].name = "cb";
  others[4].line = "d";
  others[5].begins_at_end_before = true;
  std::vector<span> all;
  for (const span& other : others) all.insert(all.end(), {one, other});
  auto lines = written(all);
  lines.at(lines.size() - 2) += ','; // the last event has no comma
  std::erase_if(lines,
                [](const std::string& line) { return line.find("process_name") != std::string::npos; });
  const auto first = lines.begin() + 1;
  std::set<std::string> different;
  for (std::size_t i = 0; i < all.size(); ++i) {
    different.insert(first[long(i)]);
    EXPECT_EQ(first[long(i)] == *first, i % 2 == 0) << i;
  }
  EXPECT_EQ(different.size(), others.size() + 1);
}

TEST(trace_file, a_device_is_named_once_and_only_when_it_ran_something) {
  const auto lines = written({{trace_file::first_device + 1, 0, "device", "a", "", 0, 1},
                              {trace_file::first_device + 1, 0, "device", "b", "", 2, 3}});
  std::size_t named = 0;
  for (const std::string& line : lines) {
    EXPECT_EQ(line.find("first device"), std::string::npos);
    named +=
        line.find(R"("process_name","ph":"M","pid":11,"args":{"name":"second device"})") != std::string::npos;
  }
  EXPECT_EQ(named, 1u);
}

constexpr unsigned threads = 5, spans = 2'000; // several times the capacity of a thread's buffer

/// Runs in a child process, whose end writes the file: threads that end, one that lives, and the main thread.
[[noreturn]] void trace_and_exit(const char* path) {
  ::setenv("PRISM_TRACE", path, 1);
  if (!on()) std::_Exit(2);
  const track device = device_track("a device");
  const auto work = [&](unsigned thread) {
    const std::string name = "thread " + std::to_string(thread);
    for (unsigned i = 0; i < spans; ++i) {
      host_span("host", name + " span " + std::to_string(i), i, i + 1);
      device_span(device, thread, name + " command " + std::to_string(i), "a.cpp:1", i, i + 1);
    }
    const std::string large(100'000, char('a' + thread)); // more than the capacity of a thread's buffer
    host_span("host", large, 1, 2);
    scope("wait", "wait for ", name);
  };
  std::vector<std::thread> all;
  for (unsigned i = 1; i < threads - 1; ++i) all.emplace_back(work, i);
  for (std::thread& each : all) each.join();
  std::atomic<bool> done{false};
  std::thread([&] {
    work(threads - 1);
    done = true;
    for (;;) ::pause();
  }).detach();
  work(0);
  while (!done) std::this_thread::yield();
  std::exit(0);
}

TEST(trace_DeathTest, no_span_of_any_thread_is_lost) {
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe"); // a new process, because this one may already have read the variable
  const temporary_file to;
  const char* const known = std::getenv("TRACE_TEST_FILE"); // the new process has another process id
  const std::string path = known != nullptr ? known : to.path();
  ::setenv("TRACE_TEST_FILE", path.c_str(), 1);
  EXPECT_EXIT(trace_and_exit(path.c_str()), testing::ExitedWithCode(0), "");
  ::unsetenv("TRACE_TEST_FILE");
  const auto lines = to.lines();
  EXPECT_EQ(lines.size(), 4u + threads * (2 * spans + 2)); // head, two tracks, end
  EXPECT_EQ(lines.back(), "]}");
  std::multiset<std::string> names;
  for (const std::string& line : lines)
    if (const std::string_view head = R"({"name":")"; line.starts_with(head))
      names.insert(line.substr(head.size(), line.find('"', head.size()) - head.size()));
  for (unsigned thread = 0; thread < threads; ++thread) {
    const std::string name = "thread " + std::to_string(thread);
    for (unsigned i = 0; i < spans; ++i) {
      EXPECT_EQ(names.count(name + " span " + std::to_string(i)), 1u) << name << ' ' << i;
      EXPECT_EQ(names.count(name + " command " + std::to_string(i)), 1u) << name << ' ' << i;
    }
    EXPECT_EQ(names.count(std::string(100'000, char('a' + thread))), 1u);
    EXPECT_EQ(names.count("wait for " + name), 1u);
  }
}

} // namespace
