// Which sources and command lines prism++ compiles with precompiled headers.
#include <gtest/gtest.h>

#include "compiler/driver/header_cache.hpp"

namespace {

using prism::driver::leading_headers;
using prism::driver::parse;
using words = std::vector<std::string>;

} // namespace

TEST(header_cache, a_source_may_begin_with_comments_standard_headers_and_prisms) {
  const struct {
    const char* text;
    words headers;
  } rows[] = {
      {"#include <sycl/sycl.hpp>\nint main() {}\n", {"sycl/sycl.hpp"}},
      {"// a\n/* b\n c */\n\n#include <vector>\n # include <sycl/sycl.hpp> // why\n", {"sycl/sycl.hpp"}},
      {"#include <sycl/sycl.hpp>\n#include <cmath>\n#include <prism/prism.hpp>\n#include \"own.hpp\"\n",
       {"sycl/sycl.hpp", "prism/prism.hpp"}},
      {"#include /* odd */ <sycl/sycl.hpp>\r\n", {"sycl/sycl.hpp"}},
      {"#include <sycl/sycl.hpp>\n#define N 4\n#include <prism/prism.hpp>\n", {"sycl/sycl.hpp"}},
  };
  for (const auto& row : rows) EXPECT_EQ(leading_headers(row.text), row.headers) << row.text;
}

TEST(header_cache, what_may_change_the_meaning_of_a_header_ends_the_list) {
  for (const char* text :
       {"", "#include <CL/sycl.hpp>\n", "#define N 4\n#include <sycl/sycl.hpp>\n",
        "#include \"first.hpp\"\n#include <sycl/sycl.hpp>\n",
        "#include <sys/types.h>\n#include <sycl/sycl.hpp>\n", "#if 1\n#include <sycl/sycl.hpp>\n#endif\n",
        "#pragma pack(1)\n#include <sycl/sycl.hpp>\n", "int x;\n#include <sycl/sycl.hpp>\n",
        "#include <vector> int x;\n#include <sycl/sycl.hpp>\n",
        "// continued \\\n\n#include <sycl/sycl.hpp>\n", "/* without end\n#include <sycl/sycl.hpp>\n",
        "#include <sycl/sycl.hpp\n", "#include\n<sycl/sycl.hpp>\n", "#includes <sycl/sycl.hpp>\n", "#",
        "#include <", "\xEF\xBB\xBF#include <sycl/sycl.hpp>\n"})
    EXPECT_EQ(leading_headers(text), words{}) << text;
}

TEST(header_cache, options_that_show_or_change_the_reading_of_headers_keep_it) {
  const auto why = [](const words& arguments) { return why_headers_are_parsed(parse(arguments)); };
  for (const words& fine : {words{"a.cpp"},
                            {"-c", "a.cpp", "-o", "a.o"},
                            {"-O2", "-g", "-DN=3", "-I", "x", "a.cpp", "b.o", "-lm"},
                            {"-MD", "-MF", "a.d", "-c", "a.cpp"},
                            {"-fsyntax-only", "a.cpp"},
                            {"-x", "c++", "-c", "a.text"},
                            {"-Xlinker", "-s", "a.cpp"}})
    EXPECT_EQ(why(fine), "") << fine[0];
  for (const words& kept : {words{"-E", "a.cpp"},
                            {"-MM", "a.cpp"},
                            {"-include", "x.hpp", "a.cpp"},
                            {"-iquote", "x", "a.cpp"},
                            {"-H", "-c", "a.cpp"},
                            {"-include-pch", "x.pch", "a.cpp"},
                            {"-Xclang", "-ast-dump", "a.cpp"},
                            {"-ftime-trace", "a.cpp"},
                            {"--no-header-cache", "a.cpp"},
                            {"a.cpp", "b.c"},
                            {"-c", "a.ii"},
                            {"a.o"},
                            {"-x", "c++-header", "a.hpp"},
                            {"-fprofile-instr-generate", "a.cpp"},
                            {"-DX=a\nb", "a.cpp"}})
    EXPECT_NE(why(kept), "") << kept[0];
}

TEST(header_cache, what_does_not_change_a_header_shares_a_precompiled_one) {
  const auto options = [](const words& arguments) {
    return options_of_headers(parse(arguments), "/project/build");
  };
  EXPECT_EQ(options({"-c", "-g", "-Wall", "-O2", "a.cpp", "-o", "a.o", "-MD", "-MF", "a.d", "-lm"}),
            words{"-O2"});
  for (const char* level : {"-O", "-O1", "-O2", "-O3", "-Og"})
    EXPECT_EQ(options({level, "-fno-unroll-loops", "-fno-slp-vectorize", "-flto=thin", "a.cpp"}),
              words{"-O2"})
        << level;
  for (const char* level : {"-O0", "-Os", "-Oz", "-Ofast"})
    EXPECT_EQ(options({level, "a.cpp"}), words{level});
  EXPECT_EQ(options({"-DN=3", "-D", "M", "-std=c++20", "a.cpp"}), (words{"-DN=3", "-D", "M", "-std=c++20"}));
  EXPECT_EQ(options({"-I.", "-I", "../include", "-isystem/usr/x", "a.cpp"}),
            (words{"-I", "/project/build/", "-I", "/project/include", "-isystem", "/usr/x"}));
}
