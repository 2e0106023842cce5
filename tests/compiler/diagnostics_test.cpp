// The messages for code that no device can run.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

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
  return std::string(PRISM_TEST_CLANG) +
         " -std=c++17 -I" PRISM_TEST_INCLUDE " -Rpass='^$' -fpass-plugin=" + plugin +
         " -Xclang -load -Xclang " + plugin + " " + options;
}

const result& forbidden() {
  static const result r =
      run("cd " PRISM_TEST_SOURCES " && " + compile("-O1 -ferror-limit=0 -c forbidden.cpp -o /dev/null"));
  return r;
}

std::string line_with(const std::string& text) {
  std::ifstream file(PRISM_TEST_SOURCES "/forbidden.cpp");
  std::string line;
  for (int n = 1; std::getline(file, line); ++n)
    if (line.find(text) != std::string::npos) return "forbidden.cpp:" + std::to_string(n);
  return "no line with " + text;
}

/// One message: its location, its text, and the kernel that it names.
void expect_message(const std::string& place, const std::string& words, const std::string& kernel) {
  const std::string& all = forbidden().output;
  for (std::size_t at = all.find(place); at != std::string::npos; at = all.find(place, at + 1)) {
    const std::size_t end = all.find("in kernel '", at);
    if (end == std::string::npos) break;
    const std::string message = all.substr(at, all.find('\n', end) - at);
    if (message.find(words) != std::string::npos && message.find("::" + kernel + "'") != std::string::npos)
      return;
  }
  ADD_FAILURE() << "no message at " << place << " with \"" << words << "\" in kernel " << kernel
                << "; the output was\n"
                << all;
}

} // namespace

TEST(diagnostics, ftime_report_lists_the_time_of_each_pass_of_prism) {
  const std::string output =
      run("cd " PRISM_TEST_SOURCES " && " + compile("-O1 -ftime-report -c one_target.cpp -o /dev/null"))
          .output;
  const std::size_t table = output.find("PRISM's passes");
  ASSERT_NE(table, std::string::npos) << output;
  for (const char* pass : {"run_shared_pipeline", "lower_for_target", "link_builtins", "emit_opencl",
                           "emit_spirv", "add_native_group", "LLVM's passes for kernels"})
    EXPECT_NE(output.find(pass, table), std::string::npos) << pass;
}

TEST(diagnostics, a_kernel_without_a_name_is_called_by_function_file_and_line) {
  const std::string output =
      run("cd " PRISM_TEST_SOURCES " && " + compile("-O1 -ferror-limit=0 -c kernel_names.cpp -o /dev/null"))
          .output;
  for (const char* name :
       {"free_function (kernel_names.cpp:17)", "function_template (kernel_names.cpp:21)",
        "physics::solver<int>::step (kernel_names.cpp:27)", "a lambda (kernel_names.cpp:31)", "functor",
        "a lambda (kernel_names.cpp:40)", "inside"})
    EXPECT_NE(output.find("in kernel '" + std::string(name) + "'"), std::string::npos)
        << name << " is not in\n"
        << output;
  for (const char* word : {"$_", "'lambda", "_Z"}) {
    for (std::size_t at = output.find("in kernel '"); at != std::string::npos;
         at = output.find("in kernel '", at + 1))
      EXPECT_EQ(output.substr(at, output.find('\n', at) - at).find(word), std::string::npos)
          << output.substr(at, 120);
  }
}

TEST(device_code, a_forbidden_construct_fails_the_compilation) { EXPECT_EQ(forbidden().status, 1); }
TEST(device_code, recursion_is_named) {
  expect_message(line_with("class recursion"), "recursion: 'fib", "recursion");
}
TEST(device_code, a_thrown_exception_is_found_with_the_calls_that_lead_to_it) {
  expect_message(line_with("throw std::runtime_error(\"no\")"), "throws an exception", "exception");
  expect_message(line_with("throw std::runtime_error(\"no\")"), "called from " + line_with("int middle"),
                 "exception");
}
TEST(device_code, a_thrown_exception_is_one_error_however_it_is_made) {
  const std::string& all = forbidden().output;
  for (const char* kernel : {"::exception'", "::text_exception'"}) {
    int errors = 0;
    for (std::size_t at = all.find("error: "); at != std::string::npos; at = all.find("error: ", at + 1))
      errors +=
          all.substr(at, all.find('\n', all.find("in kernel '", at)) - at).find(kernel) != std::string::npos;
    EXPECT_EQ(errors, 1) << kernel << all;
  }
  expect_message(line_with("throw std::runtime_error(\"no \""), "throws an exception", "text_exception");
}
TEST(device_code, mutable_globals_are_named) {
  expect_message(line_with("class global_variable"), "'counter'", "global_variable");
}
TEST(device_code, thread_local_variables_are_refused) {
  expect_message(line_with("class tls_k"), "thread-local", "tls_k");
}
TEST(device_code, functions_of_other_files_are_named) {
  expect_message(line_with("class external"), "external_function(int)", "external");
}
TEST(device_code, virtual_calls_are_refused) {
  expect_message(line_with("class virtual_call"), "virtual call", "virtual_call");
}
TEST(device_code, calls_through_pointers_are_refused) {
  expect_message(line_with("class pointer_call"), "pointer to a function", "pointer_call");
}
TEST(device_code, tables_of_functions_and_of_variables_are_refused_with_what_they_hold) {
  expect_message(line_with("class function_table"), "holds the address of the function 'twice",
                 "function_table");
  expect_message(line_with("class object_table"), "an object with virtual functions", "object_table");
  expect_message(line_with("class variable_table"),
                 "holds a pointer to the variable 'counter', which is not constant", "variable_table");
}
TEST(device_code, dynamic_casts_of_pointers_whose_memory_is_not_known_are_refused) {
  expect_message(line_with("class loaded_pointer"), "casts a pointer dynamically", "loaded_pointer");
}
TEST(device_code, group_variables_without_a_name_are_refused) {
  expect_message(line_with("class unnamed_variable"), "uses a work_group_static through a pointer",
                 "unnamed_variable");
}
TEST(device_code, library_functions_are_named) {
  expect_message(line_with("class print>"), "calls 'puts'", "print");
}
TEST(device_code, a_format_that_only_the_run_knows_is_refused) {
  expect_message(line_with("class print_format"), "a format that is not known when compiling",
                 "print_format");
}
TEST(device_code, inline_assembly_is_refused) {
  expect_message(line_with("class assembly"), "inline assembly", "assembly");
}
TEST(device_code, allocation_is_refused_at_the_users_line) {
  expect_message(line_with("class allocation"), "allocates memory", "allocation");
}
TEST(device_code, static_variables_are_refused) {
  expect_message(line_with("class static_local"), "static local variable", "static_local");
}
TEST(device_code, long_double_is_refused) { expect_message(line_with("class ld"), "long double", "ld"); }
TEST(device_code, variable_length_arrays_are_refused) {
  expect_message(line_with("class vla"), "variable length", "vla");
}
TEST(device_code, loops_without_an_end_are_a_warning_since_no_launch_may_come) {
  const std::string text = "::endless' has no device image: an endless loop";
  EXPECT_NE(forbidden().output.find(line_with("class endless")), std::string::npos);
  EXPECT_NE(forbidden().output.find(text), std::string::npos) << forbidden().output;
}
TEST(device_code, a_good_kernel_beside_bad_ones_is_not_blamed) {
  EXPECT_EQ(forbidden().output.find("::good'"), std::string::npos);
}

namespace {

/// Compiles a file of the tests' folder and returns the messages.
result messages_of(const std::string& file, const std::string& options = "") {
  return run("cd " PRISM_TEST_SOURCES " && " + compile("-O1 " + options + " -c " + file + " -o /dev/null"));
}

} // namespace

TEST(target_warnings, stand_at_the_line_and_column_of_the_code_that_the_target_lacks) {
  const result found = messages_of("one_target.cpp");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_NE(found.output.find(
                "one_target.cpp:10:3: warning: kernel 'counts::ordered' has no Vulkan image: a fence of "
                "memory_scope::system"),
            std::string::npos)
      << found.output;
  EXPECT_NE(found.output.find("'next' called from one_target.cpp:16"), std::string::npos) << found.output;
  EXPECT_NE(found.output.find("[-Wprism-target]"), std::string::npos) << found.output;
}

TEST(target_warnings, may_be_errors_or_off) {
  EXPECT_EQ(messages_of("one_target.cpp", "-Xclang -mllvm -Xclang -prism-target-warnings=error").status, 1);
  EXPECT_EQ(messages_of("one_target.cpp", "-Xclang -mllvm -Xclang -prism-target-warnings=off").output, "");
}

namespace {

/// Has the programs' files until the process ends.
class folder_of_programs {
  std::string name_ = testing::TempDir() + "/prism-messages-XXXXXX";

public:
  folder_of_programs() {
    if (!mkdtemp(name_.data())) throw std::runtime_error("no folder " + name_);
  }
  ~folder_of_programs() {
    std::error_code ignored;
    std::filesystem::remove_all(name_, ignored);
  }
  const std::string& name() const { return name_; }
};
const std::string& folder() {
  static const folder_of_programs made;
  return made.name();
}

/// The options that give clang sycl.hpp precompiled, as prism++ does: it is parsed once for each list of
/// definitions, not for each program.
std::string precompiled(const std::string& definitions) {
  static std::map<std::string, std::string> made;
  std::string& file = made[definitions];
  if (file.empty()) {
    file = folder() + "/headers_" + std::to_string(made.size());
    std::ofstream(file + ".hpp") << "#include <sycl/sycl.hpp>\n#include <string>\n";
    const result done = run(compile("-O0 " + definitions + " -fpch-instantiate-templates -x c++-header " +
                                    file + ".hpp -o " + file + ".pch"));
    EXPECT_EQ(done.status, 0) << done.output;
  }
  return definitions + " -include-pch " + file + ".pch ";
}

/// Compiles a program with this lambda as its kernel, in the file `program.cpp`.
result messages_of_kernel(const std::string& before, const std::string& lambda,
                          const std::string& options = "") {
  std::ofstream(folder() + "/program.cpp")
      << "#include <sycl/sycl.hpp>\n#include <string>\n" + before +
             "void run(sycl::queue& q, sycl::buffer<int>& b, int* p) {\n  q.submit([&](sycl::handler& h) {\n"
             "    sycl::accessor reads(b, h, sycl::read_only);\n    h.parallel_for(sycl::range<1>(4),\n" +
             lambda + ");\n  });\n}\n";
  const bool defines = options.starts_with("-D");
  return run("cd " + folder() + " && " +
             compile("-O0 " + precompiled(defines ? options : "") + (defines ? "" : options) +
                     " -c program.cpp -o /dev/null"));
}

} // namespace

TEST(targets, that_are_big_endian_are_refused_by_name) {
  for (const char* machine : {"s390x", "powerpc64"}) {
    const result found =
        messages_of("text/axpy.cpp", std::string("--target=") + machine +
                                         "-linux-gnu -ffreestanding -nostdinc++ -Ifreestanding -I../..");
    EXPECT_NE(found.status, 0);
    EXPECT_NE(found.output.find(std::string("PRISM does not support ") + machine + ": it is big-endian"),
              std::string::npos)
        << found.output;
  }
}

namespace {

/// Expects the text, and after it the user's line: as the location of the error, or as the location that
/// instantiated the template.
void expect_words_and_line(const result& found, const std::string& words, const std::string& line) {
  EXPECT_EQ(found.status, 1) << found.output;
  const std::size_t at = found.output.find(words);
  ASSERT_NE(at, std::string::npos) << found.output;
  EXPECT_NE(found.output.find("program.cpp:" + line + ":", found.output.rfind('\n', at) + 1),
            std::string::npos)
      << found.output;
}

} // namespace

TEST(common_mistakes, a_class_that_is_not_device_copyable_is_refused_at_the_submission) {
  const result found = messages_of_kernel("struct holder { std::string name; int number; } all;\n",
                                          "[=, h = all](sycl::id<1> i) { p[i] = h.number; }",
                                          "-D__PRISM_COMPILER__=1"); // as prism++ does
  expect_words_and_line(found, "a kernel captures 'h' (struct holder), which no device can hold", "8");
  EXPECT_EQ(found.output.find("error:", found.output.find("error:") + 1), std::string::npos) << found.output;
}

TEST(common_mistakes, a_destructor_of_a_class_that_is_copied_by_bytes_is_warned_about) {
  const std::string number = "struct number { int value; ~number() { value = 0; } } one{1};\n",
                    kernel = "[=, n = one](sycl::id<1> i) { p[i] = n.value; }",
                    option = "-D__PRISM_COMPILER__=1";
  const result found = messages_of_kernel(number, kernel, option);
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_NE(
      found.output.find("warning: a kernel captures 'n' (struct number), whose destructor no device runs"),
      std::string::npos)
      << found.output;
  // A class that cannot be copied owns something.
  expect_words_and_line(
      messages_of_kernel("struct owner { int* at; owner() = default; owner(const owner&) = delete;\n"
                         "owner(owner&& o) : at(o.at) {} ~owner() { delete at; } };\nowner make();\n",
                         "[=, o = make()](sycl::id<1> i) { p[i] = *o.at; }", option),
      "a kernel captures 'o' (owner), which no device can hold", "10");
}

TEST(common_mistakes, a_write_through_an_accessor_that_reads_is_refused_at_its_line) {
  expect_words_and_line(messages_of_kernel("", "[=](sycl::id<1> i) {\n reads[i] = 1; }"),
                        "cannot assign to return value", "8");
}

TEST(common_mistakes, a_kernel_with_an_argument_of_another_kind_is_refused_at_its_line) {
  expect_words_and_line(messages_of_kernel("", "[=](sycl::nd_item<1> i) { p[i.get_global_id(0)] = 1; }"),
                        "error:", "6");
}

TEST(common_mistakes, a_reduction_without_identity_has_no_other_operator) {
  const result found = messages_of_kernel(
      "", "sycl::reduction(p, [](int a, int b) { return a * b; }),\n[=](sycl::id<1> i, auto& r) {\n r += "
          "reads[i]; }");
  expect_words_and_line(found, "the reduction has another operation than sycl::plus: call combine(value)",
                        "9");
}

namespace {

const std::string one_name =
    "class same;\nvoid first(sycl::queue& q, int* p) { q.single_task<same>([=] { p[0] = 1; }); }\n"
    "void second(sycl::queue& q, int* p) { q.single_task<same>([=] { p[0] = 2; }); }\n";

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

} // namespace

TEST(common_mistakes, a_name_given_to_two_kernels_is_a_warning_at_the_second) {
  const result found = messages_of_kernel(one_name, "[=](sycl::id<1> i) { p[i] = reads[i]; }");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_NE(found.output.find("program.cpp:5:59: warning: another kernel is also named 'same';"),
            std::string::npos)
      << found.output;
  EXPECT_NE(found.output.find("program.cpp:4:58: note: the other kernel is here"), std::string::npos)
      << found.output;
  EXPECT_EQ(count_of("warning:", found.output), 1u) << found.output;
}

TEST(common_mistakes, the_warning_of_a_name_can_be_switched_off) {
  const result found = messages_of_kernel(one_name, "[=](sycl::id<1> i) { p[i] = reads[i]; }",
                                          "-Xclang -mllvm -Xclang -prism-name-warnings=off");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_EQ(found.output, "");
}

TEST(common_mistakes, one_kernel_submitted_twice_and_in_two_shapes_has_its_name_to_itself) {
  const result found = messages_of_kernel(
      "struct sets { int* p; void operator()(sycl::item<1> i) const { p[i] = 1; } void "
      "operator()(sycl::nd_item<1>) const { p[0] = 1; } };\n"
      "template <class T> void all(sycl::queue& q, T* p) {\n  for (int i = 0; i < 2; ++i) "
      "q.parallel_for<class local>(4, [=](sycl::id<1> j) { p[j] = T(i); });\n"
      "  q.parallel_for(4, sycl::reduction(p, sycl::plus<T>()), [=](sycl::id<1>, auto& sum) { sum += 1; "
      "});\n}\n"
      "void more(sycl::queue& q, int* p, float* f) {\n  all(q, p); all(q, f);\n"
      "  q.parallel_for(sycl::range<1>(4), sets{p}); q.parallel_for(sycl::nd_range<1>(4, 2), sets{p});\n}\n",
      "[=](sycl::id<1> i) { p[i] = reads[i]; }");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_EQ(found.output, "");
}

namespace {

// Every name that SYCL 2020 revision 12 calls deprecated, and some of SYCL 1.2.1 that it has no more.
const std::vector<std::string> old_spellings = {
    "void select() { sycl::queue a(sycl::default_selector{}); }",
    "void select_cpu() { sycl::queue a(sycl::cpu_selector{}); }",
    "void select_gpu() { sycl::queue a(sycl::gpu_selector{}); }",
    "void select_accelerator() { sycl::queue a(sycl::accelerator_selector{}); }",
    "bool extension(sycl::platform p) { return p.has_extension(\"x\"); }",
    "bool extension(sycl::device d) { return d.has_extension(\"x\"); }",
    "auto asked0(sycl::platform p) { return p.get_info<sycl::info::platform::extensions>(); }",
    "auto asked1(sycl::device d) { return d.get_info<sycl::info::device::image_support>(); }",
    "auto asked2(sycl::device d) { return d.get_info<sycl::info::device::max_constant_buffer_size>(); }",
    "auto asked3(sycl::device d) { return d.get_info<sycl::info::device::max_constant_args>(); }",
    "auto asked4(sycl::device d) { return d.get_info<sycl::info::device::host_unified_memory>(); }",
    "auto asked5(sycl::device d) { return d.get_info<sycl::info::device::is_endian_little>(); }",
    "auto asked6(sycl::device d) { return d.get_info<sycl::info::device::is_compiler_available>(); }",
    "auto asked7(sycl::device d) { return d.get_info<sycl::info::device::is_linker_available>(); }",
    "auto asked8(sycl::device d) { return d.get_info<sycl::info::device::execution_capabilities>(); }",
    "auto asked9(sycl::device d) { return d.get_info<sycl::info::device::queue_profiling>(); }",
    "auto asked10(sycl::device d) { return d.get_info<sycl::info::device::built_in_kernels>(); }",
    "auto asked11(sycl::device d) { return d.get_info<sycl::info::device::profile>(); }",
    "auto asked12(sycl::device d) { return d.get_info<sycl::info::device::extensions>(); }",
    "auto asked13(sycl::device d) { return d.get_info<sycl::info::device::printf_buffer_size>(); }",
    "auto asked14(sycl::device d) { return d.get_info<sycl::info::device::preferred_interop_user_sync>(); }",
    "auto on_the_host() { return sycl::info::device_type::host; }",
    "auto rounds() { return sycl::info::fp_config::correctly_rounded_divide_sqrt; }",
    "auto capability(sycl::info::execution_capability c) { return c; }",
    "auto count(sycl::buffer<int> b) { return b.get_count(); }",
    "auto size(sycl::buffer<int> b) { return b.get_size(); }",
    "auto on_host(sycl::buffer<int> b) { return b.get_access<sycl::access_mode::read>(); }",
    "auto part_on_host(sycl::buffer<int> b) { return "
    "b.get_access<sycl::access_mode::read>(sycl::range<1>(4)); }",
    "auto discard() { return sycl::access_mode::discard_write; }",
    "auto discard_more() { return sycl::access_mode::discard_read_write; }",
    "auto atomic_mode() { return sycl::access_mode::atomic; }",
    "auto place() { return sycl::target::global_buffer; }",
    "auto constant_place() { return sycl::target::constant_buffer; }",
    "auto local_place() { return sycl::target::local; }",
    "auto host_place() { return sycl::target::host_buffer; }",
    "auto old_mode_name() { return sycl::access::mode::read; }",
    "auto old_target_name() { return sycl::access::target::device; }",
    "auto yet_to_bind() { return sycl::access::placeholder::true_t; }",
    "auto bound() { return sycl::access::placeholder::false_t; }",
    "auto count(sycl::accessor<int> a) { return a.get_count(); }",
    "auto size(sycl::accessor<int> a) { return a.get_size(); }",
    "auto most(sycl::accessor<int> a) { return a.max_size(); }",
    "auto pointer(sycl::accessor<int> a) { return a.get_pointer(); }",
    "auto most(sycl::host_accessor<int> a) { return a.max_size(); }",
    "auto most(sycl::local_accessor<int> a) { return a.max_size(); }",
    "auto pointer(sycl::local_accessor<int> a) { return a.get_pointer(); }",
    "constexpr auto constant() { return sycl::access::address_space::constant_space; }",
    "sycl::constant_ptr<int>* constant_pointer = nullptr;",
    "int* plain(sycl::global_ptr<int> p) { return p; }",
    "sycl::global_ptr<int> of_plain(int* p) { return p; }",
    "auto made(int* p) { return sycl::make_ptr<int, sycl::access::address_space::global_space, "
    "sycl::access::decorated::no>(p); }",
    "auto moved() { return sycl::nd_range<1>(8, 4, sycl::id<1>(2)); }",
    "auto offset(sycl::nd_range<2> r) { return r.get_offset(); }",
    "auto offset(sycl::item<2> i) { return i.get_offset(); }",
    "sycl::item<2, true> with_offset(sycl::item<2, false> i) { return i; }",
    "auto offset(sycl::nd_item<2> i) { return i.get_offset(); }",
    "void launch1(sycl::handler& h) { h.parallel_for(sycl::range<1>(4), sycl::id<1>(1), [](sycl::id<1>) {}); "
    "}",
    "void launch2(sycl::handler& h) { h.parallel_for(sycl::range<2>(4, 4), sycl::id<2>(1, 1), "
    "[](sycl::item<2>) {}); }",
    "void launch3(sycl::handler& h) { h.parallel_for(sycl::range<3>(4, 4, 4), sycl::id<3>(1, 1, 1), "
    "[](sycl::id<3>) {}); }",
    "void launch_groups(sycl::handler& h) { h.parallel_for_work_group(sycl::range<1>(4), [](sycl::group<1>) "
    "{}); }",
    "void launch_sized(sycl::handler& h) { h.parallel_for_work_group(sycl::range<1>(4), sycl::range<1>(2), "
    "[](sycl::group<1>) {}); }",
    "void each(sycl::group<1> g) { g.parallel_for_work_item([](auto) {}); }",
    "void each_of(sycl::group<1> g) { g.parallel_for_work_item(sycl::range<1>(3), [](auto) {}); }",
    "auto where(sycl::h_item<1> i) { return i.get_local_id(0); }",
    "sycl::private_memory<int>* each_its_own = nullptr;",
    "void to_local(sycl::group<1> g, sycl::local_ptr<int> l, sycl::global_ptr<int> p) { "
    "g.async_work_group_copy(l, p, 4).wait(); }",
    "void to_global(sycl::group<1> g, sycl::local_ptr<int> l, sycl::global_ptr<int> p) { "
    "g.async_work_group_copy(p, l, 4, 2).wait(); }",
    "void to_local(sycl::nd_item<1> i, sycl::local_ptr<int> l, sycl::global_ptr<int> p) { "
    "i.async_work_group_copy(l, p, 4).wait(); }",
    "void to_global(sycl::nd_item<1> i, sycl::local_ptr<int> l, sycl::global_ptr<int> p) { "
    "i.async_work_group_copy(p, l, 4, 2).wait(); }",
    "sycl::atomic<int>* old_atomic = nullptr;",
    "void store(decltype(*old_atomic) a) { sycl::atomic_store(a, 1); }",
    "auto loaded(decltype(*old_atomic) a) { return sycl::atomic_load(a); }",
    "auto exchanged(decltype(*old_atomic) a, int& e) { return sycl::atomic_compare_exchange_strong(a, e, 1); "
    "}",
    "auto added(decltype(*old_atomic) a) { return sycl::atomic_fetch_add(a, 1); }",
    "auto size(sycl::stream s) { return s.get_size(); }",
    "auto statement(sycl::stream s) { return s.get_max_statement_size(); }",
    "auto count(sycl::float4 v) { return v.get_count(); }",
    "auto size(sycl::float4 v) { return v.get_size(); }", "sycl::byte* octets = nullptr;",
    "float half_of(float x) { return sycl::half_precision::sin(x); }",
    "auto top_bit(int i) { return sycl::any(i); }", "auto top_bits(int i) { return sycl::all(i); }",
    "void hinted(sycl::handler& h) { h.single_task([] [[sycl::vec_type_hint(sycl::int4)]] {}); }",
    // of SYCL 1.2.1 and earlier revisions
    "void wait_in_group(sycl::nd_item<1> i) { i.barrier(); }",
    "void fence(sycl::nd_item<1> i) { i.mem_fence(); }", "void fence(sycl::group<1> g) { g.mem_fence(); }",
    "auto code(const sycl::exception& e) { return e.get_cl_code(); }",
    "void caught() { try { throw 1; } catch (const sycl::runtime_error&) {} }"};

} // namespace

TEST(old_spellings, are_warned_of_in_the_program_and_nowhere_else) {
  // A stream prints what is deprecated, and the objects of the selectors have their classes; neither is the
  // program's spelling.
  std::string program =
      "auto now(sycl::handler& h) { h.parallel_for(1, [s = sycl::stream(64, 64, h)](sycl::item<1> i) { s << "
      "i; }); return sycl::cpu_selector_v; }\n";
  for (const std::string& line : old_spellings) program += line + "\n";
  const result found = messages_of_kernel(program, "[=](sycl::id<1> i) { p[i] = reads[i]; }");
  EXPECT_EQ(found.status, 0) << found.output;
  std::set<std::string> warned;
  std::istringstream text(found.output);
  for (std::string line; std::getline(text, line);)
    if (line.find(": warning: ") != std::string::npos) {
      EXPECT_EQ(line.rfind("program.cpp:", 0), 0u) << line;
      if (line.find("deprecated") != std::string::npos)
        warned.insert(line.substr(0, line.find(':', sizeof "program.cpp")));
    }
  for (std::size_t i = 0; i < old_spellings.size(); ++i)
    EXPECT_EQ(warned.count("program.cpp:" + std::to_string(i + 4)), 1u) << old_spellings[i] << "\n"
                                                                        << found.output;
}

TEST(common_mistakes, a_kernel_that_captures_by_reference_is_refused_with_the_names) {
  const result found = messages_of_kernel("", "[&](sycl::id<1> i) { p[i] = reads[i]; }");
  EXPECT_NE(found.output.find("program.cpp:7:1: error: a kernel captures 'p' and 'reads' by reference"),
            std::string::npos)
      << found.output;
  EXPECT_EQ(count_of("error:", found.output), 1u) << found.output;
}

TEST(common_mistakes, one_variable_captured_by_reference_is_refused) {
  const result found =
      messages_of_kernel("", "[=, &h](sycl::id<1> i) { p[i] = sizeof(h) + reads[i]; (void)&h; }");
  expect_words_and_line(found, "a kernel captures 'h' by reference", "7");
  EXPECT_EQ(found.output.find("program.cpp:7:1: error: "), 0u) << found.output;
}

TEST(common_mistakes, a_lambda_with_references_inside_of_a_kernel_is_refused_where_it_stands) {
  const result found =
      messages_of_kernel("auto add(int& n) {\n  return [&n](int x) { return x + n; };\n}\nint total = 0;\n",
                         "[=, plus = add(total)](sycl::id<1> i) { p[i] = plus(reads[i]); }");
  EXPECT_EQ(found.status, 1);
  EXPECT_NE(found.output.find("program.cpp:4:10: error: a kernel captures 'n' by reference"),
            std::string::npos)
      << found.output;
}

TEST(common_mistakes, references_in_functors_and_their_bases_are_refused_where_declared) {
  const result found = messages_of_kernel(
      "struct base {\n  int& total;\n};\nstruct sums : base {\n  void operator()() const { total = 1; }\n};\n"
      "void more(sycl::queue& q, int& n) { q.single_task(sums{{n}}); }\n",
      "[=](sycl::id<1> i) { p[i] = reads[i]; }");
  EXPECT_EQ(found.status, 1);
  EXPECT_NE(found.output.find("program.cpp:4:8: error: a kernel holds 'total', a reference"),
            std::string::npos)
      << found.output;
}

TEST(common_mistakes, references_among_the_kernels_own_variables_are_none) {
  const result found = messages_of_kernel(
      "",
      "[=](sycl::id<1> i) {\n int n = reads[i]; int& m = n; auto twice = [&] { m *= 2; };\n twice(); p[i] = "
      "m; }");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_EQ(found.output, "");
}

TEST(free_function_kernels, what_cannot_be_one_is_refused_by_name) {
  const auto message_of = [](const std::string& property, const std::string& function) {
    return messages_of_kernel("namespace x = sycl::ext::oneapi::experimental;\n" + property + function +
                                  "\nvoid start(sycl::queue& q, int& n) { x::single_task(q, "
                                  "x::kernel_function<f>, n); }\n",
                              "[=](sycl::id<1> i) { p[i] = reads[i]; }")
        .output;
  };
  const std::string task = "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(x::single_task_kernel) ";
  const std::string cases[][3] = {
      {"", "void f(int) {}", "the function is not a kernel of this kind"},
      {task, "int f(int) { return 0; }", "the function of a kernel must return void"},
      {task, "void f(int&) {}", "a kernel cannot have parameters that are references"},
      {"SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((x::work_group_size<32>)) ", "void f(int) {}",
       "PRISM supports only nd_range_kernel and single_task_kernel as properties of a function"},
  };
  for (const auto& [property, function, words] : cases) {
    const std::string output = message_of(property, function);
    EXPECT_NE(output.find(words), std::string::npos) << function << ": " << output;
  }
  EXPECT_EQ(message_of(task, "void f(int) {}"), "");
}
