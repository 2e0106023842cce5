// What a user sees who writes code that no device can run.
#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace {

struct result {
  int status;
  std::string output;
};

result run(const std::string& command) {
  result r{-1, ""};
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return r;
  std::array<char, 4096> part;
  while (std::size_t n = fread(part.data(), 1, part.size(), pipe)) r.output.append(part.data(), n);
  r.status = WEXITSTATUS(pclose(pipe));
  return r;
}

std::string compile(const std::string& options) {
  const std::string plugin = PRISM_TEST_PLUGIN;
  return std::string(PRISM_TEST_CLANG) + " -std=c++17 -I" PRISM_TEST_INCLUDE " -Rpass='^$' -fpass-plugin=" + plugin + " -Xclang -load -Xclang " + plugin + " " + options;
}

const result& forbidden() {
  static const result r = run("cd " PRISM_TEST_SOURCES " && " + compile("-O1 -ferror-limit=0 -c forbidden.cpp -o /dev/null"));
  return r;
}

std::string line_with(const std::string& text) {
  std::ifstream file(PRISM_TEST_SOURCES "/forbidden.cpp");
  std::string line;
  for (int n = 1; std::getline(file, line); ++n)
    if (line.find(text) != std::string::npos) return "forbidden.cpp:" + std::to_string(n);
  return "no line with " + text;
}

/// One message: place, words, and the kernel it belongs to.
void expect_message(const std::string& place, const std::string& words, const std::string& kernel) {
  const std::string& all = forbidden().output;
  for (std::size_t at = all.find(place); at != std::string::npos; at = all.find(place, at + 1)) {
    const std::size_t end = all.find("in kernel '", at);
    if (end == std::string::npos) break;
    const std::string message = all.substr(at, all.find('\n', end) - at);
    if (message.find(words) != std::string::npos && message.find("::" + kernel + "'") != std::string::npos) return;
  }
  ADD_FAILURE() << "no message at " << place << " with \"" << words << "\" in kernel " << kernel << "; the output was\n" << all;
}

} // namespace

TEST(device_code, a_forbidden_construct_fails_the_compilation) { EXPECT_EQ(forbidden().status, 1); }
TEST(device_code, recursion_is_named) { expect_message(line_with("class recursion"), "recursion: 'fib", "recursion"); }
TEST(device_code, a_thrown_exception_is_found_with_the_calls_that_lead_to_it) {
  expect_message(line_with("throw std::runtime_error"), "throws an exception", "exception");
  expect_message(line_with("throw std::runtime_error"), "called from " + line_with("int middle"), "exception");
}
TEST(device_code, mutable_globals_are_named) { expect_message(line_with("class global_variable"), "'counter'", "global_variable"); }
TEST(device_code, thread_local_variables_are_refused) { expect_message(line_with("class tls_k"), "thread-local", "tls_k"); }
TEST(device_code, functions_of_other_files_are_named) { expect_message(line_with("class external"), "external_function(int)", "external"); }
TEST(device_code, virtual_calls_are_refused) { expect_message(line_with("class virtual_call"), "virtual call", "virtual_call"); }
TEST(device_code, calls_through_pointers_are_refused) { expect_message(line_with("class pointer_call"), "pointer to a function", "pointer_call"); }
TEST(device_code, library_functions_are_named) { expect_message(line_with("class print"), "calls 'printf'", "print"); }
TEST(device_code, inline_assembly_is_refused) { expect_message(line_with("class assembly"), "inline assembly", "assembly"); }
TEST(device_code, allocation_is_refused_at_the_users_line) { expect_message(line_with("class allocation"), "allocates memory", "allocation"); }
TEST(device_code, static_variables_are_refused) { expect_message(line_with("class static_local"), "static local variable", "static_local"); }
TEST(device_code, long_double_is_refused) { expect_message(line_with("class ld"), "long double", "ld"); }
TEST(device_code, variable_length_arrays_are_refused) { expect_message(line_with("class vla"), "variable length", "vla"); }
TEST(device_code, loops_without_an_end_are_refused) { expect_message(line_with("class endless"), "a loop that never ends", "endless"); }
TEST(device_code, a_good_kernel_beside_bad_ones_is_not_blamed) { EXPECT_EQ(forbidden().output.find("::good'"), std::string::npos); }

namespace {

/// Compiles a file of the tests' folder for its messages.
result messages_of(const std::string& file, const std::string& options = "") {
  return run("cd " PRISM_TEST_SOURCES " && " + compile("-O1 " + options + " -c " + file + " -o /dev/null"));
}

} // namespace

TEST(target_warnings, stand_at_the_line_and_column_of_the_code_that_the_target_lacks) {
  const result found = messages_of("one_target.cpp");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_NE(found.output.find("one_target.cpp:9:10: warning: kernel 'counts::ordered' has no Vulkan image: memory_order::seq_cst"), std::string::npos) << found.output;
  EXPECT_NE(found.output.find("'next' called from one_target.cpp:14"), std::string::npos) << found.output;
  EXPECT_NE(found.output.find("[-Wprism-target]"), std::string::npos) << found.output;
}

TEST(target_warnings, may_be_errors_or_off) {
  EXPECT_EQ(messages_of("one_target.cpp", "-Xclang -mllvm -Xclang -prism-target-warnings=error").status, 1);
  EXPECT_EQ(messages_of("one_target.cpp", "-Xclang -mllvm -Xclang -prism-target-warnings=off").output, "");
}
