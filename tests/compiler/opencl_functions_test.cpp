// The declarations of image_format/opencl_functions.hpp: every function that the OpenCL C text of a kernel
// may call is among them, as clang's own header declares it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "image_format/opencl_functions.hpp"

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The expressions in OpenCL C of compiler/support/math_table.cpp, with x, y, z for $0, $1, $2.
std::vector<std::string> expressions_of_the_table() {
  const std::string table = text_of(fs::path(PRISM_TEST_SOURCES) / "../../compiler/support/math_table.cpp");
  const std::regex row(R"re(\{"\w+", "([^"]+)", (?:false|true)\})re");
  std::vector<std::string> expressions;
  for (std::sregex_iterator each(table.begin(), table.end(), row), end; each != end; ++each) {
    std::string text = (*each)[1];
    for (const auto& [mark, name] : {std::pair("\\$0", "x"), std::pair("\\$1", "y")})
      text = std::regex_replace(text, std::regex(mark), name);
    expressions.push_back(std::move(text));
  }
  return expressions;
}

constexpr const char* other_calls = R"(
float prism_half(ushort bits) { return vload_half(0, (const __private half*)&bits); }
__kernel void calls(__global uint* a, __local uint* b, __global ulong* c, __local ulong* d, __global half* h,
                    __local half* l, __constant half* k, __global double* x) {
  a[get_global_id(0)] = (uint)get_local_id(0) + (uint)get_local_size(1) + (uint)get_group_id(2);
  a[get_num_groups(0)] = get_work_dim() >> 2;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  a[1] = atomic_add(a, 1u) + atomic_sub(b, 1u) + atomic_xchg(a, 2u) + atomic_cmpxchg(b, 3u, 4u);
  a[2] = atomic_and(a, 1u) + atomic_or(b, 1u) + atomic_xor(a, 2u) + atomic_min(b, 3u) + atomic_max(a, 3u);
  a[3] = (uint)atomic_min((volatile __global int*)a, -1) + (uint)atomic_max((volatile __local int*)b, -1);
  c[1] = atom_add(c, 1ul) + atom_sub(d, 1ul) + atom_xchg(c, 2ul) + atom_cmpxchg(d, 3ul, 4ul);
  c[2] = atom_and(c, 1ul) + atom_or(d, 1ul) + atom_xor(c, 2ul) + atom_min(d, 3ul) + atom_max(c, 3ul);
  c[3] = (ulong)atom_min((volatile __global long*)c, -1l) + (ulong)atom_max((volatile __local long*)d, -1l);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if __OPENCL_C_VERSION__ >= 200
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
#endif
  a[4] = clz(a[5]) + popcount(a[6]) + clz((uchar)a[7]) + popcount((ushort)a[8]);
  c[4] = clz(c[5]) + popcount(c[6]);
  x[0] = fabs(x[1]) + sqrt(x[2]) + floor(x[3]) + ceil(x[4]) + trunc(x[5]) + rint(x[6]);
  a[9] = as_uint(vload_half(0, h) + vload_half(0, l) + vload_half(0, k) + prism_half((ushort)a[10]));
  vstore_half_rte(as_float(a[11]), 0, h);
  vstore_half_rte(x[7], 0, l);
}
)";

std::string program() {
  std::ostringstream text;
  int count = 0;
  for (const std::string& expression : expressions_of_the_table())
    for (const char* type : {"float", "double"}) {
      if (expression.rfind("native_", 0) == 0 && std::string(type) == "double") continue;
      if (expression.find('(') != std::string::npos) {
        text << type << " f" << count++ << "(" << type << " x, uint y) { return " << expression << "; }\n";
        continue;
      }
      const bool takes_two = std::regex_match(
          expression,
          std::regex(
              "atan2(pi)?|fdim|fm(ax|in|od)|hypot|nextafter|pow|powr|remainder|m(ax|in)mag|native_(powr|divide)"));
      const std::string more = expression == "fma" ? ", y, z" : takes_two ? ", y" : "";
      text << type << " f" << count++ << "(" << type << " x, " << type << " y, " << type << " z) { return "
           << expression << "(x" << more << "); }\n";
    }
  return text.str() + other_calls;
}

/// clang's LLVM IR of the program, or its messages.
std::string compiled(const std::string& standard, const std::string& options, std::string_view prelude) {
  const fs::path folder = fs::temp_directory_path() / ("prism-opencl-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "a.cl") << prelude << "#line 1\n" << program();
  const std::string command =
      std::string(PRISM_TEST_CLANG) + " -x cl -cl-std=" + standard + " " + options +
      " --target=x86_64-linux-gnu -Xclang -disable-llvm-passes -S -emit-llvm -w -o - " +
      (folder / "a.cl").string() + " 2>&1";
  std::string text;
  std::FILE* output = popen(command.c_str(), "r");
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, output)) text.append(part, size);
  pclose(output);
  fs::remove_all(folder);
  return text;
}

} // namespace

TEST(opencl_functions, are_all_that_a_kernels_text_calls_and_as_clang_declares_them) {
  EXPECT_GT(expressions_of_the_table().size(), 60u);
  for (const char* standard : {"CL1.2", "CL3.0"}) {
    const std::string theirs = compiled(standard, "", "");
    const std::string ours = compiled(standard,
                                      "-cl-no-stdinc -include opencl-c-base.h " +
                                          std::string(prism::image_format::no_function_header),
                                      prism::image_format::opencl_functions);
    EXPECT_EQ(theirs.find("error:"), std::string::npos) << theirs.substr(0, 2000);
    ASSERT_EQ(ours.find("error:"), std::string::npos) << ours.substr(0, 2000);
    EXPECT_EQ(ours, theirs) << standard;
  }
}
