// Matrices of a sub-group as cooperative matrices. No driver here has them: the words are read, and
// `spirv-val` validates them if it is of 2023.4 or later (SPIRV-Tools before that do not know the extension;
// those before 2025.2 do not know SPV_KHR_bfloat16).
// `./prism setup --all` unpacks such a one from Python's registry.
#include "compiler/device_ir/matrix_kind.hpp"
#include "compiler/spirv/cooperative_matrix.hpp"
#include "devices/api/matrix_products.hpp"
#include "devices/vulkan/lower/lower.hpp"
#include "kernel_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace {

using namespace prism;
using namespace prism::test;
namespace khr = compiler::spirv::khr;
using kind = compiler::matrix_kind;

std::string number(const kind& k) {
  return std::to_string(unsigned(k.component) | unsigned(k.rows) << 8 | unsigned(k.columns) << 16 |
                        unsigned(k.use) << 24);
}

std::vector<std::vector<std::uint32_t>> instructions(const std::vector<std::uint32_t>& module, spv::Op code) {
  std::vector<std::vector<std::uint32_t>> all;
  for (std::size_t at = 5; at < module.size(); at += module[at] >> 16)
    if ((module[at] & 0xffff) == std::uint32_t(code))
      all.emplace_back(module.begin() + long(at) + 1, module.begin() + long(at + (module[at] >> 16)));
  return all;
}

/// Of the user, else of Python's registry, else of the path.
std::string validator() {
  if (const char* const program = std::getenv("PRISM_TEST_SPIRV_VAL")) return program;
  const std::filesystem::path unpacked = PRISM_REGISTRY_SPIRV_VAL;
  return std::filesystem::exists(unpacked) ? "'" + unpacked.string() + "'" : "spirv-val";
}

/// Empty if the program spirv-val accepts the module. Throws its version if it does not know the extension.
struct too_old {
  std::string why;
};
std::string validated(const std::vector<std::uint32_t>& module) {
  const std::string file = testing::TempDir() + "prism_matrix_" + std::to_string(::getpid()) + ".spv";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(module.data()), std::streamsize(module.size() * 4));
  const std::string command = validator() + " --target-env vulkan1.3 " + file + " 2>&1";
  std::string text;
  FILE* const output = ::popen(command.c_str(), "r");
  if (output == nullptr) throw too_old{"spirv-val cannot be started"};
  char line[256];
  while (std::fgets(line, sizeof line, output) != nullptr) text += line;
  const int status = ::pclose(output);
  std::remove(file.c_str());
  if (status == 0) return "";
  if (text.find("Invalid opcode: 4456") != text.npos ||
      text.find("Invalid capability operand: 6022") != text.npos ||
      text.find("Invalid capability operand: 5116") != text.npos || text.find("not found") != text.npos)
    throw too_old{"spirv-val does not know SPV_KHR_cooperative_matrix or SPV_KHR_bfloat16: " + text};
  return text.empty() ? "status " + std::to_string(status) : text;
}

/// c += a * b over `steps` tiles of a row, then each element is doubled, and c is stored.
std::string product(const kind& a, const kind& b, const kind& c, const std::string& bits_type,
                    const std::string& change) {
  const std::string A = number(a), B = number(b), C = number(c);
  return R"(define void @k(ptr %captured) {
entry:
  %pa = load ptr, ptr %captured, align 8
  %qb = getelementptr i8, ptr %captured, i64 8
  %pb = load ptr, ptr %qb, align 8
  %qc = getelementptr i8, ptr %captured, i64 16
  %pc = load ptr, ptr %qc, align 8
  %qn = getelementptr i8, ptr %captured, i64 24
  %steps = load i64, ptr %qn, align 8
  %zero = call i64 @__prism_matrix_fill(i32 )" +
         C + R"(, i64 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ %zero, %entry ], [ %more, %loop ]
  %at = mul i64 %i, 16
  %fa = getelementptr i8, ptr %pa, i64 %at
  %fb = getelementptr i8, ptr %pb, i64 %at
  %a = call i64 @__prism_matrix_load(i32 )" +
         A + R"(, ptr %fa, i64 64, i32 0)
  %b = call i64 @__prism_matrix_load(i32 )" +
         B + R"(, ptr %fb, i64 64, i32 1)
  %more = call i64 @__prism_matrix_mad(i32 )" +
         C + ", i32 " + A + ", i32 " + B + ", i32 " + C + R"(, i64 %a, i64 %b, i64 %sum)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %steps
  br i1 %done, label %elements, label %loop
elements:
  %length = call i32 @__prism_matrix_length(i32 )" +
         C + R"()
  br label %each
each:
  %j = phi i32 [ 0, %elements ], [ %k, %each ]
  %held = phi i64 [ %more, %elements ], [ %changed, %each ]
  %bits = call i64 @__prism_matrix_element(i64 %held, i32 )" +
         C + R"(, i32 %j)
  %word = trunc i64 %bits to )" +
         bits_type + "\n" + change + R"(  %wide = zext )" + bits_type + R"( %new to i64
  %changed = call i64 @__prism_matrix_with_element(i64 %held, i32 )" +
         C + R"(, i32 %j, i64 %wide)
  %k = add i32 %j, 1
  %last = icmp uge i32 %k, %length
  br i1 %last, label %end, label %each
end:
  call void @__prism_matrix_store(i64 %changed, i32 )" +
         C + R"(, ptr %pc, i64 16, i32 0)
  ret void
}
)";
}

constexpr const char* doubled_float = R"(  %real = bitcast i32 %word to float
  %twice = fadd float %real, %real
  %new = bitcast float %twice to i32
)";

TEST(spirv_matrix, products_of_halves_accumulate_in_float) {
  const kind a{kind::float16, 16, 8, kind::a}, b{kind::float16, 8, 16, kind::b},
      c{kind::float32, 16, 16, kind::accumulator};
  const compiler::spirv_result made = emit_text(product(a, b, c, "i32", doubled_float));
  ASSERT_EQ(made.refusal, "");
  EXPECT_NE(made.features & image::cooperative_matrix, 0u);
  EXPECT_EQ(instructions(made.words, khr::op_type_cooperative_matrix).size(), 3u);
  EXPECT_EQ(instructions(made.words, khr::op_cooperative_matrix_load).size(), 2u);
  EXPECT_EQ(instructions(made.words, khr::op_cooperative_matrix_store).size(), 1u);
  EXPECT_EQ(instructions(made.words, khr::op_cooperative_matrix_length).size(), 1u);
  const auto products = instructions(made.words, khr::op_cooperative_matrix_mul_add);
  ASSERT_EQ(products.size(), 1u);
  EXPECT_EQ(products[0].size(), 5u) << "floating-point numbers have no signs to state";
}

TEST(spirv_matrix, products_of_bytes_state_which_are_signed) {
  const kind a{kind::sint8, 16, 32, kind::a}, b{kind::uint8, 32, 16, kind::b},
      c{kind::sint32, 16, 16, kind::accumulator};
  const compiler::spirv_result made = emit_text(product(a, b, c, "i32", "  %new = shl i32 %word, 1\n"));
  ASSERT_EQ(made.refusal, "");
  const auto products = instructions(made.words, khr::op_cooperative_matrix_mul_add);
  ASSERT_EQ(products.size(), 1u);
  ASSERT_EQ(products[0].size(), 6u);
  EXPECT_EQ(products[0][5], khr::a_is_signed | khr::c_is_signed | khr::result_is_signed);
}

TEST(spirv_matrix, products_of_unsigned_bytes_are_unsigned) {
  const kind a{kind::uint8, 16, 32, kind::a}, b{kind::uint8, 32, 16, kind::b},
      c{kind::sint32, 16, 16, kind::accumulator};
  const compiler::spirv_result made = emit_text(product(a, b, c, "i32", "  %new = shl i32 %word, 1\n"));
  ASSERT_EQ(made.refusal, "");
  const auto products = instructions(made.words, khr::op_cooperative_matrix_mul_add);
  ASSERT_EQ(products.size(), 1u);
  EXPECT_EQ(products[0].size(), 5u) << "the sum is of unsigned numbers then";
}

/// The upper half of a float, whose lower half is 0 then.
constexpr const char* doubled_bfloat16 = R"(  %high = zext i16 %word to i32
  %bits32 = shl i32 %high, 16
  %real = bitcast i32 %bits32 to float
  %twice = fadd float %real, %real
  %sum32 = bitcast float %twice to i32
  %shifted = lshr i32 %sum32, 16
  %new = trunc i32 %shifted to i16
)";

const kind bfloat16_a{kind::bfloat16, 16, 8, kind::a}, bfloat16_b{kind::bfloat16, 8, 16, kind::b},
    bfloat16_c{kind::bfloat16, 16, 16, kind::accumulator}, float_c{kind::float32, 16, 16, kind::accumulator};

TEST(spirv_matrix, bfloat16_is_a_type_of_its_own_beside_half) {
  const compiler::spirv_result made =
      emit_text(product(bfloat16_a, bfloat16_b, bfloat16_c, "i16", doubled_bfloat16));
  ASSERT_EQ(made.refusal, "");
  const auto capabilities = instructions(made.words, spv::OpCapability);
  const auto has = [&](spv::Capability wanted) {
    return std::ranges::count(capabilities, std::vector{std::uint32_t(wanted)}) == 1;
  };
  EXPECT_TRUE(has(khr::capability_bfloat16_type));
  EXPECT_TRUE(has(khr::capability_bfloat16_cooperative_matrix));
  EXPECT_FALSE(has(spv::CapabilityFloat16)) << "no operation is of halves";
  const auto floats = instructions(made.words, spv::OpTypeFloat);
  EXPECT_EQ(std::ranges::count_if(floats, [](const auto& each) { return each.size() == 3; }), 1);
  using enum devices::matrix_component;
  const devices::matrix_product same_size{16, 16, 8, float16, float16, float16, float16},
      right{16, 16, 8, bfloat16, bfloat16, bfloat16, bfloat16};
  const devices::module_matrices matrices(made.words);
  EXPECT_EQ(matrices.missing_from(std::span(&right, 1)), "");
  EXPECT_EQ(matrices.missing_from(std::span(&same_size, 1)),
            "the product of 16 x 8 elements of bfloat16 and 8 x 16 of bfloat16, added to bfloat16, as "
            "bfloat16");
}

/// What a device with one product lacks for a kernel that multiplies 16 x 32 and 32 x 16 bytes.
std::string missing(kind::component_type left, kind::component_type right,
                    const devices::matrix_product& offered) {
  const kind a{left, 16, 32, kind::a}, b{right, 32, 16, kind::b}, c{kind::sint32, 16, 16, kind::accumulator};
  const compiler::spirv_result made = emit_text(product(a, b, c, "i32", "  %new = shl i32 %word, 1\n"));
  EXPECT_EQ(made.refusal, "");
  return devices::module_matrices(made.words).missing_from(std::span(&offered, 1));
}

TEST(spirv_matrix, devices_are_asked_for_the_products_of_a_module) {
  using enum devices::matrix_component;
  const devices::matrix_product mixed{16, 16, 32, sint8, uint8, sint32, sint32},
      positive{16, 16, 32, uint8, uint8, uint32, uint32}, small{8, 8, 32, sint8, uint8, sint32, sint32};
  EXPECT_EQ(missing(kind::sint8, kind::uint8, mixed), "");
  EXPECT_EQ(missing(kind::uint8, kind::uint8, positive), "");
  const std::string wanted =
      "the product of 16 x 32 elements of int8_t and 32 x 16 of uint8_t, added to int32_t, "
      "as int32_t";
  EXPECT_EQ(missing(kind::sint8, kind::uint8, positive), wanted);
  EXPECT_EQ(missing(kind::sint8, kind::uint8, small), wanted);
  const std::string c = number({kind::float32, 16, 16, kind::accumulator});
  const compiler::spirv_result filled = emit_text(R"(define void @k(ptr %captured) {
  %pc = load ptr, ptr %captured, align 8
  %m = call i64 @__prism_matrix_fill(i32 )" + c + R"(, i64 0)
  call void @__prism_matrix_store(i64 %m, i32 )" + c +
                                                  R"(, ptr %pc, i64 16, i32 0)
  ret void
}
)");
  ASSERT_EQ(filled.refusal, "");
  EXPECT_EQ(devices::module_matrices(filled.words).missing_from(std::span(&mixed, 1)),
            "matrices of 16 x 16 floating-point numbers of 32 bits");
}

TEST(spirv_matrix, a_matrix_that_is_not_aligned_is_reported_by_a_store_of_2) {
  const std::string text = R"(define void @k(ptr %captured) {
entry:
  %pc = load ptr, ptr %captured, align 8
  %address = ptrtoint ptr %pc to i64
  %low = and i64 %address, 15
  %aligned = icmp eq i64 %low, 0
  br i1 %aligned, label %end, label %wrong
wrong:
  REPORT
  br label %end
end:
  %m = call i64 @__prism_matrix_fill(i32 34607105, i64 0)
  call void @__prism_matrix_store(i64 %m, i32 34607105, ptr %pc, i64 16, i32 0)
  ret void
}
)";
  const auto stores = [&](const std::string& report) {
    std::string module = text;
    module.replace(module.find("REPORT"), 6, report);
    const compiler::spirv_result made = emit_text(module);
    EXPECT_EQ(made.refusal, "");
    std::string two; // the constant's id
    for (const auto& each : instructions(made.words, spv::OpConstant))
      if (each.size() == 3 && each[2] == 2) two += " " + std::to_string(each[1]);
    int found = 0;
    for (const auto& each : instructions(made.words, spv::OpStore))
      found += (two + " ").find(" " + std::to_string(each[1]) + " ") != two.npos;
    return found;
  };
  EXPECT_EQ(stores("call void @__prism_matrix_misaligned()"), 1);
  EXPECT_EQ(stores("%nothing = add i64 %low, 1"), 0);
}

/// The row of each element, and its float: by a load whose rows have a stride of 0.
std::string places() {
  const std::string c = number(float_c);
  std::string numbers;
  for (int i = 0; i < 64; ++i) numbers += (i == 0 ? "float " : ", float ") + std::to_string(i) + ".0";
  return "@numbers = linkonce_odr constant [64 x float] [" + numbers + R"(], align 16
define void @k(ptr %captured) {
  %pc = load ptr, ptr %captured, align 8
  %rows = call i64 @__prism_matrix_load(i32 )" +
         c + R"(, ptr @numbers, i64 0, i32 1)
  call void @__prism_matrix_store(i64 %rows, i32 )" +
         c + R"(, ptr %pc, i64 16, i32 0)
  ret void
}
)";
}

TEST(spirv_matrix, constants_are_loaded_from_the_data_of_the_module) {
  const compiler::spirv_result made = emit_text(places());
  ASSERT_EQ(made.refusal, "");
  EXPECT_EQ(instructions(made.words, khr::op_cooperative_matrix_load).size(), 1u);
  EXPECT_EQ(instructions(made.words, spv::OpString).size(), 1u) << "the data";
  try {
    EXPECT_EQ(validated(made.words), "");
  } catch (const too_old& old) {
    GTEST_SKIP() << old.why;
  }
}

TEST(spirv_matrix, devices_that_divide_less_exactly_get_valid_modules_too) {
  devices::vulkan::lower::lacks lacks;
  lacks.exact_floats = true;
  lacks.subnormals = 32;
  try {
    for (const std::string& text :
         {product(bfloat16_a, bfloat16_b, float_c, "i32", R"(  %real = bitcast i32 %word to float
  %quotient = fdiv float %real, 3.0
  %new = bitcast float %quotient to i32
)"),
          places()}) {
      const compiler::spirv_result made = emit_text(text);
      ASSERT_EQ(made.refusal, "");
      const auto lowered = devices::vulkan::lower::lower_module(made.words, lacks);
      ASSERT_EQ(lowered.refusal, "");
      EXPECT_EQ(validated(lowered.words), "") << text;
    }
  } catch (const too_old& old) {
    GTEST_SKIP() << old.why;
  }
}

TEST(spirv_matrix, modules_are_valid) {
  const kind half_a{kind::float16, 16, 8, kind::a}, half_b{kind::float16, 8, 16, kind::b},
      real{kind::float32, 16, 16, kind::accumulator}, byte_a{kind::sint8, 16, 32, kind::a},
      byte_b{kind::uint8, 32, 16, kind::b}, whole{kind::sint32, 16, 16, kind::accumulator};
  try {
    for (const std::string& text : {product(half_a, half_b, real, "i32", doubled_float),
                                    product(byte_a, byte_b, whole, "i32", "  %new = shl i32 %word, 1\n"),
                                    product(bfloat16_a, bfloat16_b, float_c, "i32", doubled_float),
                                    product(bfloat16_a, bfloat16_b, bfloat16_c, "i16", doubled_bfloat16)}) {
      const compiler::spirv_result made = emit_text(text);
      ASSERT_EQ(made.refusal, "");
      EXPECT_EQ(validated(made.words), "") << text;
    }
  } catch (const too_old& old) {
    GTEST_SKIP() << old.why;
  }
}

/// Copies a matrix of 16 x 16 halves from work-group memory, which other work-items write by `store`.
std::string from_local_memory(const std::string& store) {
  const std::string half = number({kind::float16, 16, 16, kind::a});
  return R"(define void @k(ptr %captured) {
  %pc = load ptr, ptr %captured, align 8
  %arena = call ptr @__prism_local_arena()
  %l = call i64 @__prism_local_id(i32 0)
)" + store +
         R"(  call void @__prism_barrier(i32 1)
  %m = call i64 @__prism_matrix_load(i32 )" +
         half + R"(, ptr %arena, i64 24, i32 0)
  call void @__prism_matrix_store(i64 %m, i32 )" +
         half + R"(, ptr %pc, i64 16, i32 0)
  ret void
}
)";
}

TEST(spirv_matrix, work_group_memory_has_elements_of_its_own_size) {
  const std::string same = from_local_memory(R"(  %p = getelementptr half, ptr %arena, i64 %l
  store half 1.0, ptr %p, align 2
)"),
                    smaller = from_local_memory(R"(  %p = getelementptr i8, ptr %arena, i64 %l
  store i8 1, ptr %p, align 1
)");
  const auto stride_of = [](const std::string& text) {
    const compiler::spirv_result made = emit_text(text);
    EXPECT_EQ(made.refusal, "");
    const auto loads = instructions(made.words, khr::op_cooperative_matrix_load);
    EXPECT_EQ(loads.size(), 1u);
    std::string text_of_product;
    for (const auto& each : instructions(made.words, spv::OpIMul))
      if (loads.size() == 1 && each[1] == loads[0][4]) text_of_product = "multiplied";
    return text_of_product;
  };
  EXPECT_EQ(stride_of(same), "") << "elements of 2 bytes";
  EXPECT_EQ(stride_of(smaller), "multiplied") << "24 halves are 48 elements of a byte";
  try {
    for (const std::string& text : {same, smaller}) EXPECT_EQ(validated(emit_text(text).words), "");
  } catch (const too_old& old) {
    GTEST_SKIP() << old.why;
  }
}

TEST(spirv_matrix, a_matrix_that_was_never_written_is_zero) {
  const std::string c = number({kind::float32, 16, 16, kind::accumulator});
  const compiler::spirv_result made = emit_text(R"(define void @k(ptr %captured) {
entry:
  %pc = load ptr, ptr %captured, align 8
  %g = call i64 @__prism_group_id(i32 0)
  %first = icmp eq i64 %g, 0
  br i1 %first, label %fills, label %end
fills:
  %one = call i64 @__prism_matrix_fill(i32 )" + c +
                                                R"(, i64 1065353216)
  br label %end
end:
  %held = phi i64 [ %one, %fills ], [ 0, %entry ]
  call void @__prism_matrix_store(i64 %held, i32 )" +
                                                c + R"(, ptr %pc, i64 16, i32 1)
  ret void
}
)");
  ASSERT_EQ(made.refusal, "");
  try {
    EXPECT_EQ(validated(made.words), "");
  } catch (const too_old& old) {
    GTEST_SKIP() << old.why;
  }
}

TEST(spirv_matrix, in_memory_and_of_wrong_sizes_are_refused_by_name) {
  const std::string c = number({kind::float32, 16, 16, kind::accumulator}),
                    a = number({kind::float16, 16, 8, kind::a}), b = number({kind::float16, 16, 16, kind::b});
  const compiler::spirv_result stored = emit_text(R"(define void @k(ptr %captured) {
  %pc = load ptr, ptr %captured, align 8
  %m = call i64 @__prism_matrix_fill(i32 )" + c + R"(, i64 0)
  store i64 %m, ptr %pc, align 8
  ret void
}
)");
  EXPECT_NE(stored.refusal.find("a joint_matrix in memory"), std::string::npos) << stored.refusal;
  const compiler::spirv_result unfit = emit_text(R"(define void @k(ptr %captured) {
  %pc = load ptr, ptr %captured, align 8
  %m = call i64 @__prism_matrix_fill(i32 )" + c + R"(, i64 0)
  %x = call i64 @__prism_matrix_fill(i32 )" + a + R"(, i64 0)
  %y = call i64 @__prism_matrix_fill(i32 )" + b + R"(, i64 0)
  %z = call i64 @__prism_matrix_mad(i32 )" + c + ", i32 " +
                                                 a + ", i32 " + b + ", i32 " + c +
                                                 R"(, i64 %x, i64 %y, i64 %m)
  call void @__prism_matrix_store(i64 %z, i32 )" +
                                                 c + R"(, ptr %pc, i64 16, i32 0)
  ret void
}
)");
  EXPECT_NE(unfit.refusal.find("whose sizes or uses do not fit"), std::string::npos) << unfit.refusal;
}

} // namespace
