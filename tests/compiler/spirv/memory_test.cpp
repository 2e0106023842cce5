// Private, local and constant arrays, pointers stored in memory, atomics, and refusals.
#include <cstring>
#include <numeric>

#include "kernel_fixture.hpp"

namespace {

using namespace prism;
using namespace prism::test;

const std::string start = std::string("define void @k(ptr %c) {\nentry:\n") + global_id + R"(
  %out = load ptr, ptr %c, align 8
  %q = getelementptr i32, ptr %out, i64 %id
)";

TEST_F(spirv_kernel, a_private_array_is_indexed_at_run_time) {
  const auto out = make<std::int32_t>(64);
  run(start + R"(
  %a = alloca [8 x i32], align 16
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %n, %fill ]
  %p = getelementptr [8 x i32], ptr %a, i64 0, i64 %i
  %v = mul i64 %i, %id
  %w = trunc i64 %v to i32
  store i32 %w, ptr %p, align 4
  %n = add i64 %i, 1
  %more = icmp ult i64 %n, 8
  br i1 %more, label %fill, label %read
read:
  %low = and i64 %id, 7
  %r = getelementptr i32, ptr %a, i64 %low
  %x = load i32, ptr %r, align 4
  store i32 %x, ptr %q, align 4
  ret void
})",
      {out.address}, {{4, 1, 1}, {16, 1, 1}});
  for (int i = 0; i < 64; ++i) ASSERT_EQ(out.host[i], (i & 7) * i) << i;
}

TEST_F(spirv_kernel, a_private_array_may_be_read_in_other_types_than_it_was_written) {
  const auto out = make<std::int32_t>(64);
  run(start + R"(
  %a = alloca [16 x i8], align 8
  %d = uitofp i64 %id to double
  store double %d, ptr %a, align 8
  %h = getelementptr i8, ptr %a, i64 8
  store i64 81985529216486895, ptr %h, align 8
  %low = and i64 %id, 15
  %b = getelementptr i8, ptr %a, i64 %low
  %x = load i8, ptr %b, align 1
  %half = getelementptr i8, ptr %a, i64 6
  %y = load i16, ptr %half, align 2
  %x32 = zext i8 %x to i32
  %y32 = zext i16 %y to i32
  %ys = shl i32 %y32, 8
  %r = or i32 %ys, %x32
  store i32 %r, ptr %q, align 4
  ret void
})",
      {out.address}, {{4, 1, 1}, {16, 1, 1}});
  for (int i = 0; i < 64; ++i) {
    unsigned char bytes[16];
    const double d = i;
    const std::uint64_t word = 81985529216486895u;
    std::memcpy(bytes, &d, 8);
    std::memcpy(bytes + 8, &word, 8);
    ASSERT_EQ(out.host[i], (bytes[7] << 16 | bytes[6] << 8 | bytes[i & 15])) << i;
  }
}

TEST_F(spirv_kernel, unaligned_global_accesses_are_made_of_pieces) {
  const auto out = make<std::int32_t>(16);
  const auto bytes = make<std::uint8_t>(64);
  for (int i = 0; i < 64; ++i) bytes.host[i] = static_cast<std::uint8_t>(i * 7 + 200);
  run(start + R"(
  %cb = getelementptr i8, ptr %c, i64 8
  %b = load ptr, ptr %cb, align 8
  %p = getelementptr i8, ptr %b, i64 %id
  %v = load i32, ptr %p, align 1
  %twice = mul i64 %id, 2
  %ph = getelementptr i8, ptr %b, i64 %twice
  %w = load float, ptr %ph, align 2
  %wb = bitcast float %w to i32
  %r = xor i32 %v, %wb
  store i32 %r, ptr %q, align 1
  ret void
})",
      {out.address, bytes.address}, {{1, 1, 1}, {16, 1, 1}});
  for (int i = 0; i < 16; ++i) {
    std::int32_t a, b;
    std::memcpy(&a, bytes.host + i, 4);
    std::memcpy(&b, bytes.host + 2 * i, 4);
    ASSERT_EQ(out.host[i], a ^ b) << i;
  }
}

TEST_F(spirv_kernel, a_constant_table_is_read) {
  const auto out = make<std::int32_t>(16);
  run("@table = private constant [4 x { i8, i32, double }] [{ i8, i32, double } { i8 1, i32 20, double 0.5 "
      "}, "
      "{ i8, i32, double } { i8 -2, i32 -30, double 1.5 }, { i8, i32, double } zeroinitializer, "
      "{ i8, i32, double } { i8 undef, i32 7, double 8.0 }]\n" +
          start + R"(
  %low = and i64 %id, 3
  %pi = getelementptr [4 x { i8, i32, double }], ptr @table, i64 0, i64 %low, i32 1
  %pd = getelementptr [4 x { i8, i32, double }], ptr @table, i64 0, i64 %low, i32 2
  %i = load i32, ptr %pi, align 4
  %d = load double, ptr %pd, align 8
  %b = load i8, ptr getelementptr ([4 x { i8, i32, double }], ptr @table, i64 0, i64 1, i32 0), align 1
  %e = fmul double %d, 2.0
  %f = fptosi double %e to i32
  %b32 = sext i8 %b to i32
  %s = add i32 %i, %f
  %r = add i32 %s, %b32
  store i32 %r, ptr %q, align 4
  ret void
})",
      {out.address}, {{1, 1, 1}, {16, 1, 1}});
  constexpr int expected[] = {20 + 1 - 2, -30 + 3 - 2, -2, 7 + 16 - 2};
  for (int i = 0; i < 16; ++i) ASSERT_EQ(out.host[i], expected[i & 3]) << i;
}

TEST_F(spirv_kernel, a_pointer_may_choose_between_a_constant_and_a_private_array) {
  const auto out = make<std::int32_t>(16);
  run("@table = private constant [2 x i32] [i32 11, i32 22]\n" + start + R"(
  %a = alloca [2 x i32], align 4
  store i32 33, ptr %a, align 4
  %a1 = getelementptr i32, ptr %a, i64 1
  store i32 44, ptr %a1, align 4
  %odd = trunc i64 %id to i1
  %p = select i1 %odd, ptr @table, ptr %a
  %half = lshr i64 %id, 1
  %low = and i64 %half, 1
  %e = getelementptr i32, ptr %p, i64 %low
  %x = load i32, ptr %e, align 4
  store i32 %x, ptr %q, align 4
  ret void
})",
      {out.address}, {{1, 1, 1}, {16, 1, 1}});
  for (int i = 0; i < 16; ++i)
    ASSERT_EQ(out.host[i], i % 2 == 1 ? (i / 2 % 2 == 1 ? 22 : 11) : (i / 2 % 2 == 1 ? 44 : 33)) << i;
}

TEST_F(spirv_kernel, a_list_of_private_nodes_ends_at_null) {
  const auto out = make<std::int32_t>(8);
  run(start + R"(
  %a = alloca { i32, ptr }, align 8
  %b = alloca { i32, ptr }, align 8
  %d = alloca { i32, ptr }, align 8
  %an = getelementptr { i32, ptr }, ptr %a, i64 0, i32 1
  %bn = getelementptr { i32, ptr }, ptr %b, i64 0, i32 1
  %dn = getelementptr { i32, ptr }, ptr %d, i64 0, i32 1
  store i32 1, ptr %a, align 8
  store i32 20, ptr %b, align 8
  store i32 300, ptr %d, align 8
  %odd = trunc i64 %id to i1
  %next = select i1 %odd, ptr %b, ptr %d
  store ptr %next, ptr %an, align 8
  store ptr %d, ptr %bn, align 8
  store ptr null, ptr %dn, align 8
  br label %walk
walk:
  %p = phi ptr [ %a, %entry ], [ %n, %walk ]
  %s = phi i32 [ 0, %entry ], [ %t, %walk ]
  %v = load i32, ptr %p, align 8
  %t = add i32 %s, %v
  %pn = getelementptr { i32, ptr }, ptr %p, i64 0, i32 1
  %n = load ptr, ptr %pn, align 8
  %end = icmp eq ptr %n, null
  br i1 %end, label %done, label %walk
done:
  store i32 %t, ptr %q, align 4
  ret void
})",
      {out.address}, {{1, 1, 1}, {8, 1, 1}});
  for (int i = 0; i < 8; ++i) ASSERT_EQ(out.host[i], i % 2 == 1 ? 321 : 301) << i;
}

TEST_F(spirv_kernel, a_list_in_global_memory_is_followed) {
  struct node {
    std::int64_t value;
    std::uint64_t next;
  };
  const auto out = make<std::int32_t>(8);
  const auto nodes = make<node>(8);
  for (int i = 0; i < 8; ++i) nodes.host[i] = {i + 1, i == 7 ? 0 : nodes.address + 16 * (i + 1)};
  run(start + R"(
  %cn = getelementptr i8, ptr %c, i64 8
  %nodes = load ptr, ptr %cn, align 8
  %first = getelementptr { i64, ptr }, ptr %nodes, i64 %id
  br label %walk
walk:
  %p = phi ptr [ %first, %entry ], [ %n, %walk ]
  %s = phi i64 [ 0, %entry ], [ %t, %walk ]
  %v = load i64, ptr %p, align 8
  %t = add i64 %s, %v
  %pn = getelementptr { i64, ptr }, ptr %p, i64 0, i32 1
  %n = load ptr, ptr %pn, align 8
  %end = icmp eq ptr %n, null
  br i1 %end, label %done, label %walk
done:
  %r = trunc i64 %t to i32
  store i32 %r, ptr %q, align 4
  ret void
})",
      {out.address, nodes.address}, {{1, 1, 1}, {8, 1, 1}});
  for (int i = 0; i < 8; ++i) ASSERT_EQ(out.host[i], 36 - i * (i + 1) / 2) << i;
}

TEST_F(spirv_kernel, bytes_and_atomics_share_local_memory) {
  const auto out = make<std::int32_t>(64);
  run(start + R"(
  %arena = call ptr @__prism_local_arena()
  %count = getelementptr i8, ptr %arena, i64 64
  %mine = getelementptr i8, ptr %arena, i64 %l
  %b = trunc i64 %l to i8
  %b3 = mul i8 %b, 3
  %first = icmp eq i64 %l, 0
  br i1 %first, label %clear, label %go
clear:
  store i32 0, ptr %count, align 4
  br label %go
go:
  call void @__prism_barrier(i32 1)
  store i8 %b3, ptr %mine, align 1
  %l32 = trunc i64 %l to i32
  %old = atomicrmw add ptr %count, i32 %l32 monotonic, align 4
  call void @__prism_barrier(i32 1)
  %rev = sub i64 31, %l
  %other = getelementptr i8, ptr %arena, i64 %rev
  %v = load i8, ptr %other, align 1
  %total = load i32, ptr %count, align 4
  %v32 = zext i8 %v to i32
  %s = shl i32 %total, 8
  %r = or i32 %s, %v32
  store i32 %r, ptr %q, align 4
  ret void
})",
      {out.address}, {{2, 1, 1}, {32, 1, 1}}, 128);
  EXPECT_EQ(m_emitted.local_element_bytes, 4u);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(out.host[i], 496 << 8 | (31 - i % 32) * 3) << i;
}

/// Runs `operation`, on %p of type `type` in global or local memory, in 64 work-items. Returns the final
/// contents.
class spirv_atomic : public spirv_kernel {
protected:
  template <typename T>
  T left(const std::string& type, const std::string& body, T before, bool local) {
    const auto out = make<T>(4);
    out.host[0] = before;
    const std::string bytes = std::to_string(sizeof(T));
    std::string text = start;
    if (local)
      text += "  %p = call ptr @__prism_local_arena()\n  %v0 = load " + type + ", ptr %out, align " + bytes +
              "\n  store " + type + " %v0, ptr %p, align " + bytes +
              "\n  call void @__prism_barrier(i32 1)\n";
    else text += "  %p = getelementptr i8, ptr %out, i64 0\n";
    text += "  %i = trunc i64 %l to i32\n" + body;
    if (local)
      text += "\n  call void @__prism_barrier(i32 1)\n  %v1 = load " + type + ", ptr %p, align " + bytes +
              "\n  store " + type + " %v1, ptr %out, align " + bytes;
    this->run(text + "\n  ret void\n}\n", {out.address}, {{1, 1, 1}, {64, 1, 1}}, 64);
    return out.host[0];
  }
};

TEST_F(spirv_atomic, sequentially_consistent_operations_compute_what_relaxed_ones_do) {
  for (bool local : {false, true}) {
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw add ptr %p, i32 %i seq_cst", 5, local), 5 + 2016);
    EXPECT_EQ(left<std::int64_t>("i64", "  %o = atomicrmw max ptr %p, i64 %l seq_cst", -5, local), 63);
    EXPECT_EQ(
        left<std::int32_t>(
            "i32",
            "  store atomic i32 7, ptr %p seq_cst, align 4\n  %o = load atomic i32, ptr %p seq_cst, align 4\n"
            "  call void @__prism_fence(i32 4, i32 3)",
            5, local),
        7);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = cmpxchg ptr %p, i32 5, i32 8 seq_cst seq_cst", 5, local), 8);
  }
}

TEST_F(spirv_atomic, read_modify_write_in_global_and_local_memory) {
  for (bool local : {false, true}) {
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw add ptr %p, i32 %i monotonic", 5, local), 5 + 2016);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw sub ptr %p, i32 %i monotonic", 5, local), 5 - 2016);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw max ptr %p, i32 %i acq_rel", -9, local), 63);
    EXPECT_EQ(left<std::int32_t>("i32", "  %n = sub i32 0, %i\n  %o = atomicrmw min ptr %p, i32 %n monotonic",
                                 5, local),
              -63);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw umax ptr %p, i32 %i monotonic", -9, local), -9);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw umin ptr %p, i32 %i release", -9, local), 0);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw or ptr %p, i32 %i monotonic", 64, local), 127);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw and ptr %p, i32 -2 acquire", 7, local), 6);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw xor ptr %p, i32 %i monotonic", 7, local), 7);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw xchg ptr %p, i32 12 monotonic", 7, local), 12);
    EXPECT_EQ(left<std::int32_t>("i32", "  %o = atomicrmw nand ptr %p, i32 -1 monotonic", 7, local), 7);
    EXPECT_EQ(left<std::int64_t>("i64", "  %o = atomicrmw add ptr %p, i64 %l monotonic", 1ll << 40, local),
              (1ll << 40) + 2016);
    EXPECT_EQ(left<std::int64_t>("i64", "  %o = atomicrmw max ptr %p, i64 %l monotonic", -5, local), 63);
    EXPECT_EQ(left<float>("float", "  %o = atomicrmw fadd ptr %p, float 0.5 monotonic", 1.0f, local), 33.0f);
    EXPECT_EQ(left<double>("double", "  %o = atomicrmw fadd ptr %p, double 0.25 acq_rel", 1.0, local), 17.0);
    EXPECT_EQ(left<float>("float",
                          "  %f = uitofp i32 %i to float\n  %o = atomicrmw xchg ptr %p, float 2.5 monotonic",
                          1, local),
              2.5f);
  }
}

/// The number of additions of floats in global memory, of one there and one in local memory.
int float_additions(bool native, std::uint64_t& features) {
  const std::string text = start + R"(  %p = getelementptr float, ptr %out, i64 %l
  %arena = call ptr @__prism_local_arena()
  %before = atomicrmw fadd ptr %p, float 0.5 seq_cst, align 4
  %sum = atomicrmw fadd ptr %arena, float %before monotonic, align 4
  ret void
})";
  const auto emitted = emit_text(text, "", native);
  EXPECT_EQ(emitted.refusal, "");
  EXPECT_EQ(validate(emitted.words), "");
  features = emitted.features;
  int found = 0;
  for (std::size_t at = 5; at < emitted.words.size(); at += emitted.words[at] >> 16)
    found += (emitted.words[at] & 0xffff) == 6035; // OpAtomicFAddEXT
  return found;
}

TEST(spirv_float_additions, in_global_memory_are_the_devices_own_on_request) {
  std::uint64_t features = 0;
  EXPECT_EQ(float_additions(true, features), 1);
  EXPECT_NE(features & image::float_atomic_add, 0u);
  EXPECT_EQ(float_additions(false, features), 0);
  EXPECT_EQ(features & image::float_atomic_add, 0u);
}

TEST_F(spirv_atomic, compare_exchange_loops) {
  const char* const loop = R"(  %first = load atomic i32, ptr %p monotonic, align 4
  br label %again
again:
  %seen = phi i32 [ %first, %entry ], [ %was, %again ]
  %new = add i32 %seen, 3
  %pair = cmpxchg weak ptr %p, i32 %seen, i32 %new acq_rel monotonic, align 4
  %was = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %go, label %again
go:
)";
  for (bool local : {false, true}) EXPECT_EQ(left<std::int32_t>("i32", loop, 1, local), 1 + 3 * 64);
}

TEST_F(spirv_atomic, release_and_acquire_hand_over_a_value_between_groups) {
  const auto out = make<std::int32_t>(64);
  run(start + R"(
  %flag = getelementptr i32, ptr %out, i64 32
  %producer = icmp eq i64 %id, 0
  br i1 %producer, label %produce, label %consume
produce:
  store i32 77, ptr %out, align 4
  store atomic i32 1, ptr %flag release, align 4
  br label %done
consume:
  %f = load atomic i32, ptr %flag acquire, align 4
  %ready = icmp eq i32 %f, 1
  br i1 %ready, label %read, label %done
read:
  %v = load i32, ptr %out, align 4
  store i32 %v, ptr %q, align 4
  br label %done
done:
  ret void
})",
      {out.address}, {{8, 1, 1}, {1, 1, 1}});
  EXPECT_NE(m_emitted.features & image::memory_model, 0u);
  EXPECT_EQ(out.host[0], 77);
  for (int i = 1; i < 8; ++i) EXPECT_TRUE(out.host[i] == 0 || out.host[i] == 77) << out.host[i];
}

TEST_F(spirv_kernel, fences_need_not_be_reached_by_all_work_items) {
  for (const char* fence : {"3, i32 3", "1, i32 2", "2, i32 1"}) {
    const auto out = make<std::int32_t>(64);
    run(start + R"(
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %n, %again ]
  %n = add i64 %i, 1
  %o = atomicrmw add ptr %out, i32 1 acq_rel
  call void @__prism_fence(i32 )" +
            fence + R"()
  %d = icmp ugt i64 %n, %l
  br i1 %d, label %go, label %again
go:
  ret void
})",
        {out.address}, {{1, 1, 1}, {64, 1, 1}});
    EXPECT_EQ(out.host[0], 64 * 65 / 2) << fence;
  }
}

TEST_F(spirv_kernel, an_endless_loop_that_is_not_entered_does_no_harm) {
  const auto out = make<std::int32_t>(8);
  run(start + R"(
  store i32 5, ptr %q, align 4
  %far = icmp ugt i64 %id, 100
  br i1 %far, label %spin, label %done
spin:
  store volatile i32 6, ptr %q, align 4
  br label %other
other:
  br label %spin
done:
  %end = icmp eq i64 %id, 99
  br i1 %end, label %never, label %good
never:
  unreachable
good:
  ret void
})",
      {out.address}, {{1, 1, 1}, {8, 1, 1}});
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out.host[i], 5);
}

TEST(spirv_refusal, names_what_the_target_lacks) {
  const auto refusal = [](const std::string& body, const std::string& before = "") {
    const compiler::spirv_result result = emit_text(before + start + body + "\n  ret void\n}\n");
    EXPECT_TRUE(result.words.empty());
    return result.refusal;
  };
  EXPECT_NE(refusal("  call void @__prism_fence(i32 2, i32 4)").find("memory_scope::system"),
            std::string::npos);
  EXPECT_NE(refusal("  call void @unknown()", "declare void @unknown()\n").find("'unknown'"),
            std::string::npos);
  EXPECT_NE(refusal("  %a = alloca i32\n  %b = trunc i64 %id to i1\n  %p = select i1 %b, ptr %a, ptr %q\n"
                    "  store i32 1, ptr %p, align 4")
                .find("global or private"),
            std::string::npos);
  EXPECT_NE(refusal("  store i32 1, ptr @g, align 4", "@g = global i32 3\n").find("'g'"), std::string::npos);
  EXPECT_NE(refusal("  %w = zext i64 %id to i128\n  %s = mul i128 %w, %w\n  %t = trunc i128 %s to i32\n"
                    "  store i32 %t, ptr %q, align 4")
                .find("128 bits"),
            std::string::npos);
}

} // namespace
