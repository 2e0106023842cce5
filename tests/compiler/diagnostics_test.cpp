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

namespace {

/// A program in a file of its own, `program.cpp`, whose kernel is this lambda.
result messages_of_kernel(const std::string& before, const std::string& lambda) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/program.cpp") << "#include <sycl/sycl.hpp>\n#include <string>\n" + before +
                                                "void run(sycl::queue& q, sycl::buffer<int>& b, int* p) {\n  q.submit([&](sycl::handler& h) {\n"
                                                "    sycl::accessor reads(b, h, sycl::read_only);\n    h.parallel_for(sycl::range<1>(4),\n" +
                                                lambda + ");\n  });\n}\n";
  return run("cd " + folder + " && " + compile("-O0 -c program.cpp -o /dev/null"));
}

/// The words, and in what follows them the user's line: as the error itself or as the place that asked for the template.
void expect_words_and_line(const result& found, const std::string& words, const std::string& line) {
  EXPECT_EQ(found.status, 1) << found.output;
  const std::size_t at = found.output.find(words);
  ASSERT_NE(at, std::string::npos) << found.output;
  EXPECT_NE(found.output.find("program.cpp:" + line + ":", found.output.rfind('\n', at) + 1), std::string::npos) << found.output;
}

} // namespace

TEST(common_mistakes, a_class_that_cannot_be_copied_to_a_device_is_refused_where_the_kernel_is_submitted) {
  const result found = messages_of_kernel("struct holder { std::string name; int number; } all;\n", "[=, h = all](sycl::id<1> i) { p[i] = h.number; }");
  expect_words_and_line(found, "is_device_copyable", "7");
}

TEST(common_mistakes, a_write_through_an_accessor_that_reads_is_refused_at_its_line) {
  expect_words_and_line(messages_of_kernel("", "[=](sycl::id<1> i) {\n reads[i] = 1; }"), "cannot assign to return value", "8");
}

TEST(common_mistakes, a_kernel_with_an_argument_of_another_kind_is_refused_at_its_line) {
  expect_words_and_line(messages_of_kernel("", "[=](sycl::nd_item<1> i) { p[i.get_global_id(0)] = 1; }"), "error:", "6");
}

TEST(common_mistakes, a_reduction_without_identity_has_no_plus_equals_for_an_operation_that_is_none) {
  const result found = messages_of_kernel("", "sycl::reduction(p, [](int a, int b) { return a * b; }),\n[=](sycl::id<1> i, auto& r) {\n r += reads[i]; }");
  expect_words_and_line(found, "no viable overloaded '+='", "9");
}

TEST(common_mistakes, a_name_given_to_two_kernels_is_no_clash) {
  const result found = messages_of_kernel("class same;\nvoid first(sycl::queue& q, int* p) { q.single_task<same>([=] { p[0] = 1; }); }\n"
                                          "void second(sycl::queue& q, int* p) { q.single_task<same>([=] { p[0] = 2; }); }\n",
                                          "[=](sycl::id<1> i) { p[i] = reads[i]; }");
  EXPECT_EQ(found.status, 0) << found.output;
}
