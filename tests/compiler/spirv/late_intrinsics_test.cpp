// Intrinsics that LLVM makes when it combines instructions, and of loop bounds, possibly late. No user may
// see a refusal because of one. The tests pass each intrinsic to the emitters, in every width, and compare
// the results with the host's arithmetic. The OpenCL C must contain none.
#include <bit>
#include <functional>
#include <limits>

#include "kernel_fixture.hpp"

namespace {

using namespace prism;
using namespace prism::test;

struct intrinsic {
  const char* call; // T is the type's name; computes the value %r of %x and %y
  const char* declared;
  std::function<std::uint64_t(std::uint64_t, std::uint64_t, unsigned)>
      expected; // the expected result for zero-extended values and the width
};

std::uint64_t low(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
std::int64_t with_sign(std::uint64_t value, unsigned bits) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}
std::int64_t highest(unsigned bits) { return static_cast<std::int64_t>(~std::uint64_t{0} >> (65 - bits)); }
std::int64_t limited(__int128 value, unsigned bits) {
  return static_cast<std::int64_t>(value > highest(bits)                  ? __int128(highest(bits))
                                   : value < -__int128(highest(bits)) - 1 ? -__int128(highest(bits)) - 1
                                                                          : value);
}

#define VALUE [](std::uint64_t x, std::uint64_t y, [[maybe_unused]] unsigned n) -> std::uint64_t
#define SIGNED const std::int64_t a = with_sign(x, n), b = with_sign(y, n);

const intrinsic intrinsics[] = {
    {"T @llvm.smin.T(T %x, T %y)", "T @llvm.smin.T(T, T)", VALUE{SIGNED return std::min(a, b);
}
}
, {"T @llvm.smax.T(T %x, T %y)", "T @llvm.smax.T(T, T)", VALUE{SIGNED return std::max(a, b);
}
}
, {"T @llvm.umin.T(T %x, T %y)", "T @llvm.umin.T(T, T)", VALUE{return std::min(x, y);
}
}
, {"T @llvm.umax.T(T %x, T %y)", "T @llvm.umax.T(T, T)", VALUE{return std::max(x, y);
}
}
, {"T @llvm.abs.T(T %x, i1 false)", "T @llvm.abs.T(T, i1)",
   VALUE{SIGNED return a < 0 ? 0 - std::uint64_t(a) : std::uint64_t(a) + 0 * b;
}
}
, {"T @llvm.ctpop.T(T %x)", "T @llvm.ctpop.T(T)", VALUE{return std::popcount(x) + 0 * y;
}
}
, {"T @llvm.ctlz.T(T %x, i1 false)", "T @llvm.ctlz.T(T, i1)",
   VALUE{return std::countl_zero(x) - (64 - n) + 0 * y;
}
}
, {"T @llvm.cttz.T(T %x, i1 false)", "T @llvm.cttz.T(T, i1)",
   VALUE{return std::min<std::uint64_t>(std::countr_zero(x), n) + 0 * y;
}
}
, {"T @llvm.bitreverse.T(T %x)", "T @llvm.bitreverse.T(T)", VALUE{std::uint64_t r = 0 * y;
for (unsigned i = 0; i < n; ++i) r |= (x >> i & 1) << (n - 1 - i);
return r;
}
}
, {"T @llvm.fshl.T(T %x, T %y, T 5)", "T @llvm.fshl.T(T, T, T)", VALUE{return x << 5 | y >> (n - 5);
}
}
, {"T @llvm.fshr.T(T %x, T %x, T %y)", "T @llvm.fshr.T(T, T, T)", VALUE{const auto s = y % n;
return s == 0 ? x : x >> s | x << (n - s);
}
}
, {"T @llvm.uadd.sat.T(T %x, T %y)", "T @llvm.uadd.sat.T(T, T)",
   VALUE{return low(x + y, n) < x ? ~std::uint64_t{0} : x + y;
}
}
, {"T @llvm.usub.sat.T(T %x, T %y)", "T @llvm.usub.sat.T(T, T)", VALUE{return x < y ? 0 : x - y;
}
}
, {"T @llvm.sadd.sat.T(T %x, T %y)", "T @llvm.sadd.sat.T(T, T)",
   VALUE{SIGNED return limited(__int128(a) + b, n);
}
}
, {"T @llvm.ssub.sat.T(T %x, T %y)", "T @llvm.ssub.sat.T(T, T)",
   VALUE{SIGNED return limited(__int128(a) - b, n);
}
}
, {"T @llvm.scmp.T.T(T %x, T %y)", "T @llvm.scmp.T.T(T, T)", VALUE{SIGNED return (a > b) - (a < b);
}
}
, {"T @llvm.ucmp.T.T(T %x, T %y)", "T @llvm.ucmp.T.T(T, T)", VALUE{return (x > y) - (x < y);
}
}
, {"T @llvm.expect.T(T %x, T 0)", "T @llvm.expect.T(T, T)", VALUE{return x + 0 * y;
}
}
,
}
;
// For an even number of bytes.
const intrinsic swap = {"T @llvm.bswap.T(T %x)", "T @llvm.bswap.T(T)", VALUE{std::uint64_t r = 0 * y;
for (unsigned i = 0; i < n; i += 8) r |= (x >> i & 255) << (n - 8 - i);
return r;
}
}
;

std::string with_type(std::string text, unsigned bits) {
  const std::string type = "i" + std::to_string(bits);
  for (std::size_t at = text.find('T'); at != std::string::npos; at = text.find('T', at))
    text.replace(at, 1, type);
  return text;
}

/// Of one bit: LLVM makes them of conditions.
std::vector<intrinsic> of_conditions() {
  std::vector<intrinsic> found;
  for (const intrinsic& what : intrinsics)
    for (const char* name : {"min", "max", "ctpop", "ctlz", "cttz", "bitreverse"})
      if (std::string(what.call).find(name) != std::string::npos) found.push_back(what);
  return found;
}

/// Work-item n computes the result for the n-th pair of words.
std::string kernel_of(const intrinsic& what, unsigned bits) {
  const std::string type = "i" + std::to_string(bits);
  std::string text =
      "declare " + with_type(what.declared, bits) + "\ndefine void @k(ptr %c) {\n" + global_id + R"(
  %in = load ptr, ptr %c, align 8
  %co = getelementptr i8, ptr %c, i64 8
  %out = load ptr, ptr %co, align 8
  %pair = shl i64 %id, 1
  %second = or disjoint i64 %pair, 1
  %px = getelementptr i64, ptr %in, i64 %pair
  %py = getelementptr i64, ptr %in, i64 %second
  %wx = load i64, ptr %px, align 8
  %wy = load i64, ptr %py, align 8
)";
  for (const std::string name : {"x", "y"})
    text += bits == 64 ? "  %" + name + " = or i64 %w" + name + ", 0\n"
                       : "  %" + name + " = trunc i64 %w" + name + " to " + type + "\n";
  text += "  %r = call " + with_type(what.call, bits) + "\n";
  text += bits == 64 ? "  %wide = or i64 %r, 0\n" : "  %wide = zext " + type + " %r to i64\n";
  return text +
         "  %pr = getelementptr i64, ptr %out, i64 %id\n  store i64 %wide, ptr %pr, align 8\n  ret void\n}\n";
}

const std::vector<std::uint64_t> words = {0,
                                          1,
                                          2,
                                          3,
                                          7,
                                          31,
                                          33,
                                          100,
                                          127,
                                          128,
                                          255,
                                          256,
                                          32767,
                                          32768,
                                          65535,
                                          0x7fffffff,
                                          0x80000000,
                                          0xffffffff,
                                          0x100000000,
                                          0x7fffffffffffffff,
                                          0x8000000000000000,
                                          0xffffffffffffffff,
                                          0xfffffffffffffff0,
                                          0x123456789abcdef0};

class late_intrinsics : public spirv_kernel {
protected:
  void check(const intrinsic& what, unsigned bits) {
    const std::size_t count = words.size() * words.size();
    const auto in = make<std::uint64_t>(2 * count), out = make<std::uint64_t>(count);
    for (std::size_t i = 0; i < count; ++i)
      in.host[2 * i] = words[i / words.size()], in.host[2 * i + 1] = words[i % words.size()];
    run(kernel_of(what, bits), {in.address, out.address},
        {{static_cast<std::uint32_t>(count), 1, 1}, {1, 1, 1}});
    if (HasFatalFailure()) return;
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(out.host[i],
                low(what.expected(low(in.host[2 * i], bits), low(in.host[2 * i + 1], bits), bits), bits))
          << with_type(what.call, bits) << " of " << in.host[2 * i] << " and " << in.host[2 * i + 1];
  }
};

TEST_F(late_intrinsics, become_arithmetic_in_spirv) {
  for (unsigned bits : {8u, 16u, 32u, 64u}) {
    for (const intrinsic& what : intrinsics) check(what, bits);
    if (bits > 8) check(swap, bits);
  }
  for (const intrinsic& what : of_conditions()) check(what, 1);
}

TEST(late_intrinsics_in_opencl_c, become_arithmetic_or_functions) {
  for (unsigned bits : {8u, 16u, 32u, 64u})
    for (const intrinsic& what : intrinsics) {
      const compiler::opencl_result result = emit_opencl_text(kernel_of(what, bits));
      EXPECT_EQ(result.refusal, "") << with_type(what.call, bits);
      EXPECT_EQ(result.text.find("llvm"), std::string::npos) << result.text;
    }
  for (const intrinsic& what : of_conditions())
    EXPECT_EQ(emit_opencl_text(kernel_of(what, 1)).refusal, "") << with_type(what.call, 1);
}

TEST(late_intrinsics_in_opencl_c, without_a_form_are_refused_by_name) {
  const compiler::opencl_result result = emit_opencl_text(
      kernel_of({"T @llvm.smul.fix.T(T %x, T %y, i32 3)", "T @llvm.smul.fix.T(T, T, i32)", nullptr}, 32));
  EXPECT_NE(result.refusal.find("llvm.smul.fix"), std::string::npos) << result.refusal;
}

} // namespace
