// Selectors that match no device: by function, by class, by aspect and by PRISM_DEVICE_SELECTOR. A process
// reads the variable once, so this program starts itself again.
#include "tests/sycl/common.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using prism_test::error_of;

namespace {

int refuses_all(const sycl::device&) { return -1; }
struct throws_its_own {
  int operator()(const sycl::device&) const { throw std::out_of_range("of the selector"); }
};

TEST(no_device, for_a_selector_that_rejects_all) {
  std::string text;
  EXPECT_EQ(error_of([] { sycl::queue q(&refuses_all); }, &text), sycl::errc::runtime);
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(error_of([] { sycl::device d(&refuses_all); }), sycl::errc::runtime);
  EXPECT_EQ(error_of([] { sycl::platform p(&refuses_all); }), sycl::errc::runtime);
  EXPECT_EQ(error_of([] { sycl::queue q([](const sycl::device&) { return -100; }); }), sycl::errc::runtime);
}

TEST(no_device, for_a_selector_that_throws_passes_the_exception_on) {
  EXPECT_THROW(sycl::queue q{throws_its_own()}, std::out_of_range);
}

TEST(no_device, for_aspects_that_no_device_has) {
  std::string text;
  EXPECT_EQ(error_of([] { sycl::queue q(sycl::aspect_selector(sycl::aspect::custom)); }, &text),
            sycl::errc::runtime);
  EXPECT_FALSE(text.empty());
}

/// Runs in the child: prints the result of each way to select a device.
TEST(child, DISABLED_selects_the_default_device) {
  std::string text;
  const auto code = error_of([] { sycl::queue q; }, &text);
  std::printf("queue: %d\n%s\n", int(code), text.c_str());
  std::printf("device: %d\n", int(error_of([] { sycl::device d; })));
}

std::string with_selector(const std::string& selector, const std::string& settings = "") {
  char path[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", path, sizeof path - 1) <= 0) return "";
  const std::string line = settings + " PRISM_DEVICE_SELECTOR='" + selector + "' '" + path +
                           "' --gtest_also_run_disabled_tests --gtest_filter='child.*' 2>&1";
  std::string out;
  if (std::FILE* pipe = ::popen(line.c_str(), "r")) {
    char part[4096];
    while (const std::size_t n = std::fread(part, 1, sizeof part, pipe)) out.append(part, n);
    ::pclose(pipe);
  }
  return out;
}

// main() of common.cpp prints the exception of the default device and exits.
TEST(no_device, for_an_environment_that_matches_nothing_lists_what_is_there) {
  for (const char* selector : {"host:name=nothing-of-this-name", "host:7", "host;!host"}) {
    const std::string text = with_selector(selector);
    EXPECT_NE(text.find("PRISM_DEVICE_SELECTOR"), std::string::npos) << text;
    EXPECT_NE(text.find("host"), std::string::npos) << text;
    EXPECT_EQ(text.find("queue: 0"), std::string::npos) << text;
  }
}

class folder {
public:
  folder() {
    if (::mkdtemp(m_name.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
  }
  ~folder() { std::filesystem::remove_all(m_name); }
  std::filesystem::path name() const { return m_name; }

private:
  std::string m_name = std::filesystem::temp_directory_path() / "prism-no-device-XXXXXX";
};

// Drivers are probed by the program of PRISM_PROBE, here one that behaves like a bad driver.
TEST(no_device, for_a_driver_that_does_not_work_says_what_its_probe_found) {
  const folder here;
  const auto expect = [&](const std::string& probe, const std::string& reason) {
    const std::filesystem::path program = here.name() / "probe";
    std::ofstream(program) << "#!/bin/sh\n" << probe << '\n';
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const std::string settings = "PRISM_PROBE='" + program.native() + "' PRISM_CACHE_DIR='" +
                                 (here.name() / reason.substr(0, 5)).native() +
                                 "' PRISM_PROBE_TIMEOUT_MS=500";
    for (const char* backend : {"opencl", "vulkan"}) {
      const std::string text = with_selector(backend, settings);
      if (text.find("names no backend") != text.npos) continue; // this build has no such backend
      EXPECT_NE(text.find(backend + (" has no devices: " + reason)), std::string::npos) << text;
    }
  };
  expect("sleep 5", "its driver did not answer within 500 ms when probed (PRISM_PROBE_TIMEOUT_MS");
  expect("kill -SEGV $$", "its driver crashed when probed (SIGSEGV)");
  expect("echo prism-probe 1 unusable 0 no devices were found", "no devices were found");
}

TEST(no_device, for_an_environment_that_is_wrong_shows_where) {
  const std::string text = with_selector("opencl:cpu;hots");
  EXPECT_NE(text.find("hots"), std::string::npos) << text;
  EXPECT_NE(text.find("host"), std::string::npos) << text; // the suggested spelling
}

} // namespace
