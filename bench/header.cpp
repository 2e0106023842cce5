#include "bench/child.hpp"
#include "bench/rows.hpp"
#include "bench/scratch.hpp"

#include <algorithm>

namespace bench {

namespace {

/// Source of kernels of five kinds, all different: sums, escape times, math, a sorted private array, a tree
/// in local memory.
std::string kernel_heavy_source(int count) {
  std::string text = "#include <sycl/sycl.hpp>\n";
  for (int k = 0; k < count; ++k) {
    const std::string number = std::to_string(k);
    const std::string bodies[] = {
        "float s = 0; for (int j = 0; j < " + std::to_string(k % 7 + 3) + "; ++j) s += a[i] * " + number +
            ".0f + b[(i + j) % n]; c[i] = s;",
        "float x = a[i], y = b[i]; for (int j = 0; j < n && x * x + y * y < 4.0f; ++j) { float t = x * x - "
        "y * y + " +
            number + " * 0.001f; y = 2 * x * y; x = t; if (j % 3 == 0) x += 0.1f; } c[i] = x + y;",
        "c[i] = sycl::exp(a[i]) * sycl::sin(b[i]) + sycl::pow(a[i], " + number + ".5f);",
        "float t[8]; for (int j = 0; j < 8; ++j) t[j] = a[(i * 8 + j) % n]; for (int p = 0; p < 8; ++p) "
        "for (int j = 0; j + 1 < 8; ++j)"
        " if (t[j] > t[j + 1]) { float z = t[j]; t[j] = t[j + 1]; t[j + 1] = z; } c[i] = t[" +
            std::to_string(k % 8) + "];",
        "int m = it.get_local_id(0); l[m] = a[i]; sycl::group_barrier(it.get_group()); for (int s = 32; s "
        "> 0; s >>= 1) { if (m < s)"
        " l[m] += l[m + s] * " +
            number + "; sycl::group_barrier(it.get_group()); } if (m == 0) c[it.get_group(0)] = l[0];"};
    const bool in_groups = k % 5 == 4;
    text += "void f" + number +
            "(sycl::queue& q, float* a, float* b, float* c, int n) { q.submit([&](sycl::handler& h) { " +
            (in_groups ? "sycl::local_accessor<float, 1> l(64, h); " : "") + "h.parallel_for<class k" +
            number + ">(" +
            (in_groups ? "sycl::nd_range<1>(n, 64), [=](sycl::nd_item<1> it) { int i = it.get_global_id(0); "
                       : "sycl::range<1>(n), [=](sycl::id<1> id) { int i = id[0]; ") +
            bodies[k % 5] + " }); }); }\n";
  }
  return text;
}

/// The same file as plain C++, and with images for every device.
void measure_kernel_heavy_file(report& out, const options& how, const scratch& files) {
  constexpr int kernels = 50, most_rounds = 3; // takes seconds each
  const std::string source = files.write("kernels.cpp", kernel_heavy_source(kernels));
  for (const std::string level : {"-O0", "-O2"}) {
    const auto object = [&](const std::string& compiler) {
      return run_child({compiler, "-std=c++17", level, "-isystem", how.headers, "-c", source, "-o",
                        files.path("kernels.o")},
                       headers_as_text);
    };
    out.add({"header",
             "kernels" + level,
             "prism++",
             "prism++ " + level + " of 50 kernels",
             "clang++ " + level + " of the same file",
             alternate(std::min(how.rounds, most_rounds), [&] { return object(how.programs + "/prism++"); },
                       [&] { return object(how.clang); }),
             {goal::kind::ratio, 2.0}});
  }
}

/// A shared library of a thousand kernels, linked from objects; the other side's have no images.
void measure_thousand_kernels(report& out, const options& how, const scratch& files) {
  constexpr int parts = 20, kernels = 50;
  const std::string source = files.write(
      "part.cpp",
      "#include <sycl/sycl.hpp>\n"
      "template <int> class name;\n"
      "template <int N> void add(sycl::queue& q, float* v) {\n"
      "  q.parallel_for<name<N>>(sycl::range<1>(64), [=](sycl::id<1> i) { v[i] = v[i] * float(N % 7) + "
      "sycl::sqrt(v[i] + float(N)); });\n"
      "}\n"
      "template <int... N> void all(sycl::queue& q, float* v, std::integer_sequence<int, N...>) { "
      "(add<PART * 50 + N>(q, v), ...); }\n"
      "template <int> void part(sycl::queue& q, float* v) { all(q, v, std::make_integer_sequence<int, " +
          std::to_string(kernels) +
          ">()); }\n"
          "template void part<PART>(sycl::queue&, float*);\n");
  const auto linked = [&](const std::string& compiler, const std::string& prefix) {
    std::vector<std::string> command{compiler, "-shared", "-o", files.path("thousand.so")};
    for (int part = 0; part < parts; ++part)
      command.push_back(files.path(prefix + std::to_string(part) + ".o"));
    return command;
  };
  for (int part = 0; part < parts; ++part) {
    const std::string number = std::to_string(part);
    run_child({how.programs + "/prism++", "-std=c++17", "-O2", "-fPIC", "-DPART=" + number, "-c", source,
               "-o", files.path("ours" + number + ".o")});
    run_child({how.clang, "-std=c++17", "-O2", "-fPIC", "-isystem", how.headers, "-DPART=" + number, "-c",
               source, "-o", files.path("theirs" + number + ".o")});
  }
  out.add({"header",
           "link",
           "prism++",
           "prism++ links 1000 kernels of 20 objects",
           "clang++ links the same host code",
           alternate(how.rounds, [&] { return run_child(linked(how.programs + "/prism++", "ours")); },
                     [&] { return run_child(linked(how.clang, "theirs")); }),
           {goal::kind::ours, 10.0}});
}

} // namespace

void measure_header(report& out, const options& how) try {
  const scratch files;
  const std::string ours = files.write("ours.cpp", "#include <sycl/sycl.hpp>\nint main() {}\n");
  // The standard headers that sycl.hpp includes, and that most C++ programs include anyway.
  const std::string theirs =
      files.write("theirs.cpp", "#include <algorithm>\n#include <cmath>\n#include <functional>\n"
                                "#include <memory>\n#include <string>\n#include <vector>\nint main() {}\n");
  const goal wanted{goal::kind::ours, 1.0};
  const auto syntax = [&](const std::string& source) {
    return run_child({how.clang, "-std=c++17", "-fsyntax-only", "-I" + how.headers, source});
  };
  out.add({"header", "syntax", "clang++", "clang++ -fsyntax-only of sycl.hpp", "six standard headers",
           alternate(how.rounds, [&] { return syntax(ours); }, [&] { return syntax(theirs); }), wanted});
  const auto object = [&](const std::string& compiler, const std::string& source,
                          const std::vector<std::string>& environment = headers_as_text) {
    return run_child({compiler, "-std=c++17", "-c", source, "-o", files.path("out.o")}, environment);
  };
  out.add({"header", "object", "prism++", "prism++ -c of sycl.hpp", "clang++ -c of six standard headers",
           alternate(how.rounds, [&] { return object(how.programs + "/prism++", ours); },
                     [&] { return object(how.clang, theirs); }),
           wanted});
  const std::vector<std::string> precompiled{"PRISM_CACHE=eager", "PRISM_CACHE_DIR=" + files.path("cache")};
  object(how.programs + "/prism++", ours, precompiled); // makes the file
  out.add({"header",
           "precompiled object",
           "prism++",
           "prism++ -c of sycl.hpp, precompiled",
           "prism++ -c of sycl.hpp, as text",
           alternate(how.rounds, [&] { return object(how.programs + "/prism++", ours, precompiled); },
                     [&] { return object(how.programs + "/prism++", ours); }),
           {goal::kind::ratio, 0.25}});
  measure_kernel_heavy_file(out, how, files);
  if (how.quick) out.skip("header link", "prism++", "left out by --quick");
  else measure_thousand_kernels(out, how, files);
} catch (const std::exception& error) {
  out.skip("header", "clang++", error.what(), true);
}

} // namespace bench
