// The translation of prism++'s command line to clang's.
#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "compiler/driver/command_line.hpp"
#include "compiler/driver/launcher.hpp"

namespace {

using prism::driver::clang_command;
using prism::driver::parse;
using prism::driver::request;

const prism::driver::places where{"/llvm/bin/clang++", "/prism/lib/libprism-plugin.so",
                                  "/prism/lib",        "/prism/include",
                                  {"/prism/standard"}, ""};

std::vector<std::string> command(std::vector<std::string> arguments) {
  return clang_command(parse(arguments), where);
}

bool holds(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

TEST(prismxx, compiling_and_linking_adds_the_plugin_the_headers_and_the_library) {
  const auto all = command({"a.cpp", "-o", "a"});
  EXPECT_EQ(all.front(), "/llvm/bin/clang++");
  for (const char* part : {"-fpass-plugin=/prism/lib/libprism-plugin.so", "/prism/include", "-Rpass=^$",
                           "-DSYCL_LANGUAGE_VERSION=202012L", "-D__PRISM_COMPILER__=1", "a.cpp", "-lprism",
                           "-Wl,-rpath,/prism/lib"})
    EXPECT_TRUE(holds(all, part)) << part;
}

TEST(prismxx, standard_algorithms_get_their_header_and_their_library_before_prism) {
  const auto all = command({"--stdpar", "a.cpp"});
  for (const char* part : {"/prism/standard", "prism/stdpar.hpp", "-prism-stdpar"})
    EXPECT_TRUE(holds(all, part)) << part;
  EXPECT_LT(std::find(all.begin(), all.end(), "-lprism_stdpar"),
            std::find(all.begin(), all.end(), "-lprism"));
  EXPECT_FALSE(holds(command({"a.cpp"}), "-lprism_stdpar"));
  EXPECT_FALSE(holds(command({"--stdpar", "-c", "a.cpp"}), "-lprism_stdpar"));
}

TEST(prismxx, an_installation_in_usr_does_not_name_usr_include) {
  EXPECT_TRUE(holds(command({"-c", "a.cpp"}), "-isystem"));
  auto in_usr = where;
  in_usr.include = "/usr/bin/../include";
  EXPECT_FALSE(holds(clang_command(parse({"-c", "a.cpp"}), in_usr), "-isystem"));
}

TEST(prismxx, reproducible_programs_are_not_contracted_even_if_the_user_asks) {
  const auto all = command({"--reproducible", "-c", "a.cpp", "-ffp-contract=fast"});
  EXPECT_TRUE(holds(all, "-D__PRISM_REPRODUCIBLE__=1"));
  EXPECT_EQ(all.back(), "-ffp-contract=off");
  EXPECT_FALSE(holds(command({"-c", "a.cpp"}), "-ffp-contract=off"));
  const auto fast = command({"--reproducible", "-c", "a.cpp", "-ffast-math"});
  const auto at = [&](const char* option) { return std::find(fast.begin(), fast.end(), option); };
  EXPECT_LT(at("-ffast-math"), at("-fno-fast-math"));
  EXPECT_LT(at("-fno-fast-math"), fast.end());
}

// The option precedes the user's options, which may make it an error again.
TEST(prismxx, narrowing_in_braces_is_a_warning_unless_the_user_asks_for_an_error) {
  const auto made = command({"-c", "a.cpp", "-Werror=c++11-narrowing"});
  const auto at = [&](const char* option) {
    return std::find(made.begin(), made.end(), option) - made.begin();
  };
  EXPECT_LT(at("-Wno-error=c++11-narrowing"), at("-Werror=c++11-narrowing"));
  EXPECT_LT(at("-Werror=c++11-narrowing"), std::ssize(made));
}

TEST(prismxx, compiling_only_does_not_link) {
  for (const char* option : {"-c", "-S", "-E", "-fsyntax-only"})
    EXPECT_FALSE(holds(command({option, "a.cpp"}), "-lprism")) << option;
}

TEST(prismxx, precompiling_a_header_does_not_link) {
  EXPECT_FALSE(holds(command({"a.hpp", "-o", "a.pch"}), "-lprism"));
  EXPECT_FALSE(holds(command({"-x", "c++-header", "a", "-o", "a.pch"}), "-lprism"));
  EXPECT_TRUE(holds(command({"-x", "c++-header", "a", "-x", "none", "a.cpp"}), "-lprism"));
}

TEST(prismxx, linking_objects_adds_the_library) {
  EXPECT_TRUE(holds(command({"a.o", "b.o", "-shared", "-o", "liba.so"}), "-lprism"));
}

TEST(prismxx, the_value_of_an_option_is_no_input) {
  EXPECT_FALSE(parse({"-o", "file"}).has_input);
  EXPECT_TRUE(parse({"-o", "file", "x.cpp"}).has_input);
}

TEST(prismxx, a_command_without_input_goes_to_clang_as_it_is) {
  EXPECT_EQ(command({"-print-search-dirs"}),
            (std::vector<std::string>{"/llvm/bin/clang++", "-print-search-dirs"}));
}

TEST(prismxx, targets_are_passed_to_the_plugin_under_their_own_names) {
  EXPECT_TRUE(holds(command({"--targets=host,vulkan", "-c", "a.cpp"}), "-prism-targets=host,vulkan"));
  EXPECT_TRUE(holds(command({"-fsycl-targets=spir64", "-fsycl", "-c", "a.cpp"}),
                    "-prism-targets=host,opencl,vulkan"));
  EXPECT_TRUE(holds(command({"--targets=opencl", "-c", "a.cpp"}), "-prism-targets=opencl"));
  EXPECT_FALSE(holds(command({"-fsycl", "-c", "a.cpp"}), "-fsycl"));
}

TEST(prismxx, the_access_check_is_a_definition_and_an_option_of_the_plugin) {
  EXPECT_TRUE(holds(command({"--check=access", "-c", "a.cpp"}), "-D__PRISM_CHECK_ACCESS__=1"));
  EXPECT_TRUE(holds(command({"--check=access", "-c", "a.cpp"}), "-prism-check=access"));
  EXPECT_FALSE(holds(command({"-c", "a.cpp"}), "-D__PRISM_CHECK_ACCESS__=1"));
  EXPECT_FALSE(holds(command({"-c", "a.cpp"}), "-prism-check=access"));
  EXPECT_THROW(parse({"--check=bounds", "a.cpp"}), std::invalid_argument);
}

TEST(prismxx, build_files_of_other_compilers_serve) {
  for (const char* option : {"-fsycl", "-fsycl-unnamed-lambda", "-fsycl-device-code-split=per_kernel",
                             "-fno-sycl-id-queries-fit-in-int", "-sycl-std=2020", "-Wno-sycl-strict",
                             "--acpp-targets=omp;generic"}) {
    const request asked = parse({option, "a.cpp"});
    EXPECT_EQ(asked.rest, std::vector<std::string>{"a.cpp"}) << option;
    EXPECT_TRUE(asked.warnings.empty()) << option;
  }
  EXPECT_EQ(parse({"-qopenmp", "-fp-model=precise", "a.cpp"}).rest,
            (std::vector<std::string>{"-fopenmp", "-ffp-model=precise", "a.cpp"}));
}

TEST(prismxx, an_option_for_another_compilers_devices_is_ignored_with_a_warning) {
  for (const char* option : {"-Xsycl-target-backend", "-Xsycl-target-backend=nvptx64-nvidia-cuda",
                             "-Xsycl-target-linker", "-Xs"}) {
    const request asked = parse({option, "--cuda-gpu-arch=sm_60", "a.cpp"});
    EXPECT_EQ(asked.rest, std::vector<std::string>{"a.cpp"}) << option;
    ASSERT_EQ(asked.warnings.size(), 1U) << option;
    EXPECT_EQ(asked.warnings[0].rfind("'" + std::string(option) + "' is ignored: ", 0), 0U)
        << asked.warnings[0];
  }
  EXPECT_EQ(parse({"-fsycl-pstl-offload=gpu", "a.cpp"}).warnings.size(), 1U);
  EXPECT_EQ(parse({"-fp-model=source", "a.cpp"}).warnings.size(), 1U);
}

TEST(prismxx, targets_of_other_compilers_leave_out_no_device) {
  for (const char* name : {"spir64", "spir64_x86_64", "nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa",
                           "nvidia_gpu_sm_80", "intel_gpu_pvc", "native_cpu", "host,spir64"})
    EXPECT_NE(parse({"-fsycl-targets=" + std::string(name), "a.cpp"}).targets.find("host,opencl,vulkan"),
              std::string::npos)
        << name;
  EXPECT_THROW(parse({"-fsycl-targets=sprv64", "a.cpp"}), std::invalid_argument);
  for (const char* name : {"spir64", "nvptx64", "gpu"})
    EXPECT_THROW(parse({"--targets=" + std::string(name), "a.cpp"}), std::invalid_argument) << name;
}

TEST(prismxx, options_that_ask_for_a_file_it_does_not_write_are_refused) {
  for (const char* option : {"-fsycl-device-only", "-fsycl-host-only", "-fsycl-link=image", "-fintelfpga",
                             "-fsycl-add-targets=spir64:a.bin", "-fsycl-force-target=spir64"}) {
    try {
      parse({option, "a.cpp"});
      ADD_FAILURE() << option << " was accepted";
    } catch (const std::invalid_argument& problem) {
      EXPECT_EQ(std::string(problem.what()).rfind("'" + std::string(option) + "' is not supported: ", 0), 0U)
          << problem.what();
    }
  }
}

TEST(prismxx, as_launcher_it_compiles_marked_files_and_leaves_others_to_the_compiler) {
  const auto parse_of = [](std::vector<std::string> words, bool own = false) {
    return prism::driver::parse_launch(words, own ? [](const std::string&) { return true; }
                                                  : [](const std::string&) { return false; });
  };
  const auto plain =
      parse_of({"ccache", "--", "/usr/bin/c++", "-D__PRISM_TARGETS__=host+vulkan", "-c", "a.cpp"});
  EXPECT_FALSE(plain.has_kernels);
  EXPECT_EQ(plain.launcher, std::vector<std::string>{"ccache"});
  EXPECT_EQ(plain.compiler, "/usr/bin/c++");
  EXPECT_EQ(plain.options, (std::vector<std::string>{"-c", "a.cpp"}));
  const auto kernels =
      parse_of({"--", "/usr/bin/c++", "-D__PRISM_TARGETS__=host+vulkan", "-D__PRISM_CHECK__=access",
                "-D__PRISM_DEVICE_PASS__", "-D__PRISM_KERNELS__", "-Xclang", "-include-pch", "-Xclang",
                "a.pch", "-Xclang", "-include", "-Xclang", "a.hxx", "-c", "a.cpp"});
  EXPECT_TRUE(kernels.has_kernels);
  EXPECT_FALSE(holds(kernels.options, "a.pch"));
  EXPECT_TRUE(holds(kernels.options, "a.hxx"));
  EXPECT_EQ(parse(kernels.options).targets, "host,vulkan");
  EXPECT_TRUE(parse(kernels.options).checks_access);
  EXPECT_TRUE(parse(kernels.options).has_device_pass);
  const auto own =
      parse_of({"--", "prism++", "-D__PRISM_KERNELS__", "-Xclang", "-include-pch", "-Xclang", "a.pch"}, true);
  EXPECT_EQ(own.options, (std::vector<std::string>{"-Xclang", "-include-pch", "-Xclang", "a.pch"}));
  EXPECT_THROW(parse_of({"c++", "-c", "a.cpp"}), std::invalid_argument);
}

TEST(prismxx, an_unknown_target_is_refused_with_the_known_ones) {
  try {
    parse({"--targets=cuda", "a.cpp"});
    FAIL() << "accepted";
  } catch (const std::invalid_argument& problem) {
    EXPECT_STREQ(problem.what(), "unknown target 'cuda'; known are host, opencl, vulkan");
  }
}

TEST(prismxx, source_locations_end_with_the_kernels_unless_remarks_are_asked_for) {
  EXPECT_TRUE(holds(command({"-O2", "-c", "a.cpp"}), "-prism-drop-locations"));
  for (const char* option : {"-Rpass=inline", "-Rpass-missed=.*", "-fsave-optimization-record"})
    EXPECT_FALSE(holds(command({option, "-c", "a.cpp"}), "-prism-drop-locations")) << option;
}

TEST(prismxx, warnings_about_targets_can_be_switched) {
  EXPECT_TRUE(holds(command({"-Wno-prism-target", "-c", "a.cpp"}), "-prism-target-warnings=off"));
  EXPECT_TRUE(holds(command({"-Werror=prism-target", "-c", "a.cpp"}), "-prism-target-warnings=error"));
  EXPECT_TRUE(holds(command({"-Wno-prism-kernel-names", "-c", "a.cpp"}), "-prism-name-warnings=off"));
  EXPECT_FALSE(holds(command({"-Wprism-kernel-names", "-c", "a.cpp"}), "-Wprism-kernel-names"));
}
