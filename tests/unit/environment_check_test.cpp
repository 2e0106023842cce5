// A misspelt variable or value is named, with what was probably meant.
#include "runtime/support/environment_check.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/text.hpp"

#include <gtest/gtest.h>

namespace {

using prism::support::environment_problems;

std::string problem_of(const std::string& setting) {
  const std::string settings[]{setting};
  const auto found = environment_problems(settings);
  return found.empty() ? "" : found.size() == 1 ? found.front() : "several";
}

TEST(environment_problems, a_misspelt_name_is_named_with_the_one_that_was_meant) {
  EXPECT_EQ(problem_of("PRISM_CHEKC=access"),
            "PRISM_CHEKC is no variable of PRISM; did you mean PRISM_CHECK? "
            "(prism-info --environment lists all)");
  EXPECT_NE(problem_of("PRISM_TRCE=t.json").find("PRISM_TRACE?"), std::string::npos);
}

TEST(environment_problems, a_name_that_is_near_no_variable_gets_no_guess) {
  EXPECT_EQ(problem_of("PRISM_FRUIT=apple"),
            "PRISM_FRUIT is no variable of PRISM (prism-info --environment lists all)");
}

TEST(environment_problems, a_value_that_is_not_understood_is_named_with_those_that_are) {
  EXPECT_EQ(problem_of("PRISM_CACHE=offf"),
            "PRISM_CACHE=\"offf\" is not understood; known are: on off eager 1 0 true false yes no");
  EXPECT_EQ(problem_of("PRISM_HOST_KERNELS=fibres"),
            "PRISM_HOST_KERNELS=\"fibres\" is not understood; known are: compiled fibers");
  EXPECT_EQ(problem_of("PRISM_VULKAN_USM=windows"),
            "PRISM_VULKAN_USM=\"windows\" is not understood; known are: window split");
}

TEST(environment_problems, values_that_few_programs_read_are_checked_in_all) {
  EXPECT_EQ(problem_of("PRISM_VULKAN_USM_SIZE=4Q"),
            "PRISM_VULKAN_USM_SIZE=\"4Q\" is not understood: known is a size such as 512M or 4G");
  EXPECT_EQ(problem_of("PRISM_VARIANT=tiled"), "PRISM_VARIANT=\"tiled\" is not understood: known is "
                                               "operation=variant, several separated by commas");
  EXPECT_NE(problem_of("PRISM_PROVIDER=gemm="), "");
  EXPECT_NE(problem_of("PRISM_PROVIDER=not a name"), "");
  EXPECT_NE(
      problem_of("PRISM_PROVIDER_PATH=/tmp:/there/is/no/such/folder").find("/there/is/no/such/folder\""),
      std::string::npos);
  for (const char* setting : {"PRISM_VARIANT=gemm=tiled, reduce=tree", "PRISM_PROVIDER=openblas",
                              "PRISM_PROVIDER=gemm=blis,trsm=prism", "PRISM_PROVIDER_PATH=/tmp",
                              "PRISM_GRAPH_REPLAY=Measure", "PRISM_HOST_ISA=v3", "PRISM_PREPARE=wait"})
    EXPECT_EQ(problem_of(setting), "") << setting;
}

TEST(environment_problems, what_is_right_is_not_mentioned) {
  for (const char* setting :
       {"PRISM_CACHE=OFF", "PRISM_CACHE=", "PRISM_HOST_KERNELS=fibers", "PRISM_ADOPT_HOST_MEMORY=no",
        "PRISM_JOBS=2", "PRISM_SOAK=100", "PATH=/bin", "PRISMATIC=1", "PRISM_CHECK"})
    EXPECT_EQ(problem_of(setting), "") << setting;
  for (const auto& each : prism::support::all_variables())
    EXPECT_EQ(problem_of(std::string(each.name) + '=' + each.default_value), "") << each.name;
}

TEST(environment_problems, each_one_has_a_line_of_its_own) {
  const std::string settings[]{"PRISM_CHEKC=access", "HOME=/root", "PRISM_CACHE=maybe"};
  EXPECT_EQ(environment_problems(settings).size(), 2u);
}

TEST(printable, control_characters_are_written_as_numbers) {
  EXPECT_EQ(prism::support::printable("a\x1b[31mred\x07\x7f"), "a\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(prism::support::printable("two\nlines\tand UTF-8: µ"), "two\nlines\tand UTF-8: µ");
}

} // namespace
