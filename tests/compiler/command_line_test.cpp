// From prism++'s command line to clang's.
#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "compiler/driver/command_line.hpp"

namespace {

using prism::driver::clang_command;
using prism::driver::parse;

const prism::driver::places where{"/llvm/bin/clang++", "/prism/lib/libprism-plugin.so", "/prism/lib", "/prism/include", ""};

std::vector<std::string> command(std::vector<std::string> arguments) { return clang_command(parse(arguments), where); }

bool holds(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

} // namespace

TEST(prismxx, compiling_and_linking_adds_the_plugin_the_headers_and_the_library) {
  const auto all = command({"a.cpp", "-o", "a"});
  EXPECT_EQ(all.front(), "/llvm/bin/clang++");
  for (const char* part : {"-fpass-plugin=/prism/lib/libprism-plugin.so", "/prism/include", "-Rpass=^$", "a.cpp", "-lprism", "-Wl,-rpath,/prism/lib"})
    EXPECT_TRUE(holds(all, part)) << part;
}

TEST(prismxx, compiling_only_does_not_link) {
  for (const char* option : {"-c", "-S", "-E", "-fsyntax-only"}) EXPECT_FALSE(holds(command({option, "a.cpp"}), "-lprism")) << option;
}

TEST(prismxx, linking_objects_adds_the_library) { EXPECT_TRUE(holds(command({"a.o", "b.o", "-shared", "-o", "liba.so"}), "-lprism")); }

TEST(prismxx, the_value_of_an_option_is_no_input) {
  EXPECT_FALSE(parse({"-o", "file"}).has_input);
  EXPECT_TRUE(parse({"-o", "file", "x.cpp"}).has_input);
}

TEST(prismxx, a_command_without_input_goes_to_clang_as_it_is) {
  EXPECT_EQ(command({"-print-search-dirs"}), (std::vector<std::string>{"/llvm/bin/clang++", "-print-search-dirs"}));
}

TEST(prismxx, targets_are_passed_to_the_plugin_under_their_own_names) {
  EXPECT_TRUE(holds(command({"--targets=host,vulkan", "-c", "a.cpp"}), "-prism-targets=host,vulkan"));
  EXPECT_TRUE(holds(command({"-fsycl-targets=spir64", "-fsycl", "-c", "a.cpp"}), "-prism-targets=host,opencl,vulkan"));
  EXPECT_TRUE(holds(command({"--targets=opencl", "-c", "a.cpp"}), "-prism-targets=opencl"));
  EXPECT_FALSE(holds(command({"-fsycl", "-c", "a.cpp"}), "-fsycl"));
}

TEST(prismxx, an_unknown_target_is_refused_with_the_known_ones) {
  try {
    parse({"--targets=cuda", "a.cpp"});
    FAIL() << "accepted";
  } catch (const std::invalid_argument& problem) {
    EXPECT_STREQ(problem.what(), "unknown target 'cuda'; known are host, opencl, vulkan");
  }
}

TEST(prismxx, warnings_about_targets_can_be_switched) {
  EXPECT_TRUE(holds(command({"-Wno-prism-target", "-c", "a.cpp"}), "-prism-target-warnings=off"));
  EXPECT_TRUE(holds(command({"-Werror=prism-target", "-c", "a.cpp"}), "-prism-target-warnings=error"));
  EXPECT_TRUE(holds(command({"-Wno-prism-kernel-names", "-c", "a.cpp"}), "-prism-name-warnings=off"));
  EXPECT_FALSE(holds(command({"-Wprism-kernel-names", "-c", "a.cpp"}), "-Wprism-kernel-names"));
}
