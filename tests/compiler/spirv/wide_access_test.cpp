// Which loads and stores become one access of a vector, and that memory holds the same afterwards.
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "devices/vulkan/lower/argument_buffers.hpp"
#include "kernel_fixture.hpp"

namespace {

using namespace prism::test;

/// %x and %y are pointers at 0 and 8 of the captured block; %px and %py point to the work-item's 64 bytes.
const std::string start = std::string("define void @k(ptr %c) {\nentry:\n") + global_id + R"(
  %x = load ptr, ptr %c, align 8, !invariant.load !0
  %yp = getelementptr i8, ptr %c, i64 8
  %y = load ptr, ptr %yp, align 8, !invariant.load !0
  %px = getelementptr [64 x i8], ptr %x, i64 %id
  %py = getelementptr [64 x i8], ptr %y, i64 %id
  %own = alloca [4 x i32], align 16
)";
const std::string end = "  ret void\n}\n!0 = !{}\n";

std::string address(const std::string& name, const std::string& pointer, int offset) {
  return "  %" + name + " = getelementptr i8, ptr %" + pointer + ", i64 " + std::to_string(offset) + "\n";
}
std::string load(const std::string& name, const std::string& type, const std::string& pointer, int offset,
                 int align) {
  return address("p" + name, pointer, offset) + "  %" + name + " = load " + type + ", ptr %p" + name +
         ", align " + std::to_string(align) + "\n";
}
std::string store(const std::string& name, const std::string& type, const std::string& pointer, int offset,
                  int align) {
  static int number = 0;
  const std::string place = "s" + std::to_string(number++);
  return address(place, pointer, offset) + "  store " + type + " %" + name + ", ptr %" + place + ", align " +
         std::to_string(align) + "\n";
}

/// The accesses of global memory in the module that is made of the body, but for those of the captured block,
/// which is never in the window of host memory: "4x32" is a load of four numbers of 32 bits, "=" before it a
/// store.
std::string accesses(const std::string& body) {
  using namespace prism::devices::vulkan::lower;
  const std::string text = start + body + end;
  const auto emitted = emit_text(text);
  EXPECT_EQ(emitted.refusal, "") << text;
  EXPECT_EQ(validate(emitted.words), "") << text;
  std::map<id, std::string> types, pointees, pointers; // by type, by pointer type, by pointer
  std::string found;
  std::set<id> window; // addresses that may be in the window of host memory
  for_each(emitted.words, [&](const instruction& i) {
    const auto& o = i.operands;
    if (i.code == spv::OpTypeInt) types[o[0]] = std::to_string(o[1]);
    if (i.code == spv::OpTypeVector) types[o[0]] = std::to_string(o[2]) + "x" + types[o[1]];
    if (i.code == spv::OpTypePointer) pointees[o[0]] = types[o[2]];
    if (i.code == spv::OpSelect) window.insert(o[1]);
    if (i.code == spv::OpConvertUToPtr && window.count(o[2]) != 0) pointers[o[1]] = pointees[o[0]];
    const bool loads = i.code == spv::OpLoad;
    if ((!loads && i.code != spv::OpStore) || pointers.count(o[loads ? 2 : 0]) == 0) return;
    found += (found.empty() ? "" : " ") + std::string(loads ? "" : "=") + pointers[o[loads ? 2 : 0]];
  });
  return found;
}

/// Loads of `count` numbers at ascending addresses, the first with the alignment, and stores of them to %py.
std::string copy(const std::string& type, int bytes, int count, int align, int from = 0) {
  std::string body;
  const auto known = [&](int offset) {
    return (from + offset) % align == 0 ? align : (from + offset) & -(from + offset);
  };
  for (int k = 0; k < count; ++k)
    body += load("v" + std::to_string(k), type, "px", from + k * bytes, std::max(bytes, known(k * bytes)));
  for (int k = 0; k < count; ++k)
    body += store("v" + std::to_string(k), type, "py", from + k * bytes, std::max(bytes, known(k * bytes)));
  return body;
}

TEST(wide_access, has_two_or_four_numbers_and_at_most_sixteen_bytes) {
  EXPECT_EQ(accesses(copy("float", 4, 4, 16)), "4x32 =4x32");
  EXPECT_EQ(accesses(copy("i32", 4, 2, 8)), "2x32 =2x32");
  EXPECT_EQ(accesses(copy("half", 2, 4, 8)), "4x16 =4x16");
  EXPECT_EQ(accesses(copy("i16", 2, 2, 4)), "2x16 =2x16");
  EXPECT_EQ(accesses(copy("i8", 1, 4, 4)), "4x8 =4x8");
  EXPECT_EQ(accesses(copy("i8", 1, 16, 16)), "4x8 4x8 4x8 4x8 =4x8 =4x8 =4x8 =4x8");
  EXPECT_EQ(accesses(copy("float", 4, 3, 16)), "2x32 32 =2x32 =32");
  EXPECT_EQ(accesses(copy("float", 4, 8, 32)), "4x32 4x32 =4x32 =4x32");
}

TEST(wide_access, of_two_numbers_of_64_bits_moves_them_as_four_words) {
  EXPECT_EQ(accesses(copy("double", 8, 2, 16)), "4x32 =4x32");
  EXPECT_EQ(accesses(copy("i64", 8, 4, 32)), "4x32 4x32 =4x32 =4x32");
  const std::string loads = load("a", "i64", "px", 0, 16) + load("b", "i64", "px", 8, 8);
  EXPECT_EQ(accesses(loads + store("b", "i64", "py", 0, 16) + store("a", "i64", "py", 8, 8)),
            "64 64 =64 =64");
  EXPECT_EQ(accesses(loads + store("a", "i64", "py", 0, 16) + store("b", "i64", "py", 8, 8) +
                     store("b", "i64", "py", 24, 8)),
            "64 64 =64 =64 =64");
}

TEST(wide_access, is_aligned_to_its_size) {
  EXPECT_EQ(accesses(copy("float", 4, 4, 4)), "32 32 32 32 =32 =32 =32 =32");
  EXPECT_EQ(accesses(copy("float", 4, 4, 8)), "2x32 2x32 =2x32 =2x32");
  EXPECT_EQ(accesses(copy("float", 4, 5, 16, 4)), "32 2x32 2x32 =32 =2x32 =2x32");
  EXPECT_EQ(accesses(copy("i8", 1, 4, 1)), "8 8 8 8 =8 =8 =8 =8");
  EXPECT_EQ(accesses(copy("i64", 8, 2, 8)), "64 64 =64 =64");
}

TEST(wide_access, may_join_other_types_of_one_size_in_any_order) {
  EXPECT_EQ(accesses(load("b", "float", "px", 4, 4) + load("a", "i32", "px", 0, 8) +
                     store("a", "i32", "py", 4, 4) + store("b", "float", "py", 0, 16)),
            "2x32 =2x32");
  EXPECT_EQ(accesses(load("a", "i32", "px", 0, 8) + load("b", "i16", "px", 4, 4) +
                     store("a", "i32", "py", 0, 8) + store("b", "i16", "py", 4, 4)),
            "32 16 =32 =16");
}

TEST(wide_access, joins_the_members_of_an_array_of_structures) {
  EXPECT_EQ(accesses(R"(
  %p = getelementptr {float, float}, ptr %x, i64 %id
  %a = load float, ptr %p, align 8
  %q = getelementptr {float, float}, ptr %x, i64 %id, i32 1
  %b = load float, ptr %q, align 4
  %r = getelementptr {float, float}, ptr %y, i64 %id, i32 1
  store float %a, ptr %r, align 4
  %other = add i64 %id, 1
  %s = getelementptr {float, float}, ptr %y, i64 %other
  store float %b, ptr %s, align 8
)"),
            "2x32 =32 =32");
}

TEST(wide_access, does_not_move_past_what_may_use_its_memory) {
  const std::string a = load("a", "i32", "px", 0, 8), b = load("b", "i32", "px", 4, 4);
  const auto between = [&](const std::string& code) {
    return accesses(a + code + b + "  store volatile i32 %a, ptr %own\n  store volatile i32 %b, ptr %own\n");
  };
  EXPECT_EQ(between(""), "2x32");
  EXPECT_EQ(between(store("a", "i32", "py", 0, 8)), "32 =32 32") << "another pointer";
  EXPECT_EQ(between(store("a", "i32", "px", 4, 4)), "32 =32 32") << "the same bytes";
  EXPECT_EQ(between(store("a", "i32", "px", 8, 4)), "2x32 =32") << "other bytes";
  EXPECT_EQ(between(store("a", "i32", "px", 0, 4)), "2x32 =32") << "bytes that were loaded before";
  EXPECT_EQ(between("  call void @__prism_barrier(i32 3)\n"), "32 32");
  EXPECT_EQ(between("  call void @__prism_fence(i32 4, i32 3)\n"), "32 32");
  EXPECT_EQ(between("  %old = atomicrmw add ptr %py, i32 1 monotonic\n"), "32 32");
  EXPECT_EQ(between("  %o = load volatile i32, ptr %py, align 4\n"), "32 32 32");

  const std::string first = "  %one = zext i1 true to i32\n" + store("one", "i32", "px", 0, 8);
  const std::string second = store("one", "i32", "px", 4, 4), use = "  store volatile i32 %o, ptr %own\n";
  EXPECT_EQ(accesses(first + second), "=2x32");
  EXPECT_EQ(accesses(first + load("o", "i32", "py", 0, 4) + second + use), "=32 32 =32") << "another pointer";
  EXPECT_EQ(accesses(first + load("o", "i32", "px", 0, 4) + second + use), "=32 32 =32") << "the same bytes";
  EXPECT_EQ(accesses(first + load("o", "i32", "px", 8, 4) + second + use), "32 =2x32") << "other bytes";
  EXPECT_EQ(accesses(first + store("one", "i32", "px", 0, 8) + second), "=32 =2x32") << "a second time";
  EXPECT_EQ(accesses(first + "  store volatile i32 %one, ptr %px, align 4\n" + second), "=32 =32 =32");
  EXPECT_EQ(accesses(first + "  br label %next\nnext:\n" + second), "=32 =32") << "another block";
}

TEST(wide_access, is_of_global_memory_only) {
  EXPECT_EQ(accesses(R"(
  %arena = call ptr @__prism_local_arena()
)" + load("l0", "i32", "arena", 0, 8) +
                     load("l1", "i32", "arena", 4, 4) + store("l0", "i32", "own", 0, 8) +
                     store("l1", "i32", "own", 4, 4) + load("a", "i32", "own", 0, 4) +
                     store("a", "i32", "py", 0, 4)),
            "=32");
}

/// Straight code of loads and stores of 8 to 64 bits, each aligned to its size, through two pointers to the
/// same memory. A second copy of the code runs on the host.
class random_accesses {
public:
  explicit random_accesses(unsigned seed) : m_random(seed) {}

  std::string text() {
    std::string body = "  %v64_0 = add i64 0, 81985529216486895\n  %v32_0 = add i32 0, 19088743\n"
                       "  %v16_0 = add i16 0, 291\n  %v8_0 = add i8 0, 81\n";
    for (int k = 1; k < 60; ++k) {
      const int log = pick(4), count = 1 << pick(3);
      const bool loads = pick(2) == 0;
      const int first = int(m_registers[log].size());
      add(body, loads, log, count, -1);
      if (loads && pick(3) == 0) add(body, false, log, count, first); // what is only moved
    }
    return start + body + end;
  }

  void run_on_host(unsigned char* memory, int distance) {
    for (const step& one : m_steps) {
      const int log = std::countr_zero(unsigned(one.bytes));
      unsigned char* const at = memory + one.pointer * distance + one.offset;
      if (one.loads) std::memcpy(&m_registers[log][std::size_t(one.value)], at, std::size_t(one.bytes));
      else std::memcpy(at, &m_registers[log][std::size_t(one.value)], std::size_t(one.bytes));
    }
  }

private:
  struct step {
    bool loads;
    int bytes, pointer, offset, value;
  };
  /// Accesses to `count` numbers side by side; stores are of the registers from `from` on, -1: of any.
  void add(std::string& body, bool loads, int log, int count, int from) {
    const int bytes = 1 << log, pointer = pick(2), offset = pick(48 / bytes) * bytes;
    const std::string type = "i" + std::to_string(8 * bytes), base = pointer == 0 ? "px" : "py";
    for (int n = 0; n < count; ++n) {
      auto& registers = m_registers[log];
      step one{loads, bytes, pointer, (offset + n * bytes) % 48, int(registers.size())};
      if (loads) registers.push_back(0);
      else one.value = from < 0 ? pick(one.value) : from + n;
      m_steps.push_back(one);
      const std::string name = "v" + type.substr(1) + "_" + std::to_string(one.value);
      const int align = one.offset % 16 == 0 ? 16 : one.offset & -one.offset;
      body += loads ? load(name, type, base, one.offset, align) : store(name, type, base, one.offset, align);
    }
  }
  int pick(int below) { return int(m_random() % unsigned(below)); }

  std::mt19937 m_random;
  std::vector<step> m_steps;
  std::vector<std::uint64_t> m_registers[4] = {{81}, {291}, {19088743}, {81985529216486895}};
};

TEST_F(spirv_kernel, joined_accesses_leave_memory_as_single_ones_do) {
  for (unsigned seed = 1; seed <= 24; ++seed) {
    const auto memory = make<unsigned char>(512);
    std::vector<unsigned char> expected(512);
    for (int i = 0; i < 512; ++i)
      memory.host[i] = expected[std::size_t(i)] = static_cast<unsigned char>(i * 7 + seed);
    random_accesses code(seed);
    const std::string text = code.text();
    const int distance = int(seed % 4) * 16; // 0: the pointers are equal
    code.run_on_host(expected.data(), distance);
    run(text, {memory.address, memory.address + std::uint64_t(distance)}, {{1, 1, 1}, {1, 1, 1}});
    for (int i = 0; i < 512; ++i)
      ASSERT_EQ(memory.host[i], expected[std::size_t(i)]) << seed << ": " << i << text;
  }
}

} // namespace
