// Random control flow, irreducible too: each function runs on the device and, as data, on the host.
//
// A program is a list of blocks; a block mixes the state, and goes one of two ways by a bit of it. Blocks that are
// entered from behind count steps, so every program ends. Half of the programs let whole work-groups go the same way
// and exchange values through local memory between barriers.
#include <cstdlib>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "kernel_check.hpp"

namespace {

using namespace prism;
using namespace prism::test;

struct block {
  std::uint32_t factor, addend;
  unsigned bit;          // of the deciding value
  unsigned targets[2];   // block numbers; the count of blocks means the end
  bool counts;
  bool decides;
  bool exchanges;        // values between work-items
};

struct program {
  std::vector<block> blocks;
  bool uniform;          // the deciding value is the same in a work-group
};

constexpr unsigned group_size = 16, groups = 4, steps = 40;

program make_program(std::mt19937& random, bool uniform) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  program made;
  made.uniform = uniform;
  const unsigned count = 2 + below(14);
  for (unsigned i = 0; i < count; ++i) {
    block one{};
    one.factor = static_cast<std::uint32_t>(random()) | 1;
    one.addend = static_cast<std::uint32_t>(random());
    one.bit = 8 + below(16);
    one.decides = below(5) != 0;
    for (unsigned& target : one.targets)
      target = below(3) == 0 ? below(count) : std::min(count, i + 1 + below(3));
    for (unsigned& target : one.targets)
      if (target == 0) target = std::min(1u, count); // LLVM's entry block has no predecessors
    one.exchanges = uniform && below(3) == 0;
    made.blocks.push_back(one);
  }
  for (unsigned i = 0; i < count; ++i)
    for (unsigned target : made.blocks[i].targets)
      if (target <= i) made.blocks[target].counts = true;
  return made;
}

struct item {
  std::uint32_t x, y, u, left;
};

item initial(const program& what, unsigned index) {
  const std::uint32_t seed = index * 2654435761u + 12345u;
  return {seed, 0, what.uniform ? (index / group_size) * 40503u + 77u : seed, steps};
}

/// Whole groups in step: when the deciding value is uniform they all go the same way.
void run_on_host(const program& what, std::vector<item>& items) {
  const unsigned width = what.uniform ? group_size : 1;
  for (unsigned first = 0; first < items.size(); first += width) {
    unsigned at = 0;
    while (at < what.blocks.size()) {
      const block& one = what.blocks[at];
      bool ended = false;
      for (unsigned i = first; i < first + width; ++i)
        if (one.counts) ended |= items[i].left-- == 0;
      if (ended) break;
      for (unsigned i = first; i < first + width; ++i) {
        items[i].x = items[i].x * one.factor + one.addend;
        items[i].y ^= items[i].x >> 5;
        items[i].u = what.uniform ? items[i].u * one.factor + one.addend : items[i].x;
      }
      if (one.exchanges) {
        std::vector<std::uint32_t> kept;
        for (unsigned i = 0; i < width; ++i) kept.push_back(items[first + i].x);
        for (unsigned i = 0; i < width; ++i) items[first + i].x += kept[(i + 3) % width];
      }
      at = one.targets[one.decides && (items[first].u >> one.bit & 1) != 0];
    }
  }
}

std::string text_of(const program& what) {
  std::ostringstream out;
  out << R"(define void @k(ptr %c) {
entry:
  %l = call i64 @__prism_local_id(i32 0)
  %g = call i64 @__prism_group_id(i32 0)
  %s = call i64 @__prism_local_size(i32 0)
  %base = mul i64 %g, %s
  %id = add i64 %base, %l
  %arena = call ptr @__prism_local_arena()
  %mine = getelementptr i32, ptr %arena, i64 %l
  %l3 = add i64 %l, 3
  %lo = and i64 %l3, 15
  %other = getelementptr i32, ptr %arena, i64 %lo
  %data = load ptr, ptr %c, align 8
  %p = getelementptr [4 x i32], ptr %data, i64 %id
  %x = alloca i32
  %y = alloca i32
  %u = alloca i32
  %left = alloca i32
)";
  for (int i = 0; const char* name : {"x", "y", "u", "left"}) {
    out << "  %p" << i << " = getelementptr i32, ptr %p, i64 " << i << "\n  %v" << i << " = load i32, ptr %p" << i
        << ", align 4\n  store i32 %v" << i << ", ptr %" << name << "\n";
    ++i;
  }
  out << "  br label %b0\n";
  const auto label = [&](unsigned n) { return n < what.blocks.size() ? "b" + std::to_string(n) : std::string("done"); };
  for (unsigned i = 0; i < what.blocks.size(); ++i) {
    const block& one = what.blocks[i];
    out << "b" << i << ":\n";
    if (one.counts)
      out << "  %l" << i << "a = load i32, ptr %left\n  %l" << i << "b = sub i32 %l" << i << "a, 1\n  store i32 %l" << i
          << "b, ptr %left\n  %l" << i << "c = icmp eq i32 %l" << i << "a, 0\n  br i1 %l" << i << "c, label %done, label %w"
          << i << "\nw" << i << ":\n";
    const auto mix = [&](const char* name, const char* tag) {
      out << "  %" << tag << i << "a = load i32, ptr %" << name << "\n  %" << tag << i << "b = mul i32 %" << tag << i << "a, "
          << one.factor << "\n  %" << tag << i << "c = add i32 %" << tag << i << "b, " << one.addend << "\n  store i32 %"
          << tag << i << "c, ptr %" << name << "\n";
    };
    mix("x", "x");
    out << "  %y" << i << "a = lshr i32 %x" << i << "c, 5\n  %y" << i << "b = load i32, ptr %y\n  %y" << i
        << "c = xor i32 %y" << i << "a, %y" << i << "b\n  store i32 %y" << i << "c, ptr %y\n";
    if (what.uniform) mix("u", "u");
    else out << "  %u" << i << "c = add i32 %x" << i << "c, 0\n  store i32 %u" << i << "c, ptr %u\n";
    if (one.exchanges)
      out << "  call void @__prism_barrier(i32 1)\n  store i32 %x" << i << "c, ptr %mine, align 4\n"
          << "  call void @__prism_barrier(i32 1)\n  %e" << i << "a = load i32, ptr %other, align 4\n  %e" << i
          << "b = add i32 %x" << i << "c, %e" << i << "a\n  store i32 %e" << i << "b, ptr %x\n";
    if (one.decides)
      out << "  %d" << i << "a = lshr i32 %u" << i << "c, " << one.bit << "\n  %d" << i << "b = trunc i32 %d" << i
          << "a to i1\n  br i1 %d" << i << "b, label %" << label(one.targets[1]) << ", label %" << label(one.targets[0])
          << "\n";
    else out << "  br label %" << label(one.targets[0]) << "\n";
  }
  out << "done:\n";
  for (int i = 0; const char* name : {"x", "y", "u", "left"}) {
    out << "  %r" << i << " = load i32, ptr %" << name << "\n  store i32 %r" << i << ", ptr %p" << i << ", align 4\n";
    ++i;
  }
  out << "  ret void\n}\n";
  return out.str();
}

class random_flow : public testing::TestWithParam<unsigned> {};

TEST_P(random_flow, computes_what_the_host_does) {
  if (shared_runner() == nullptr) GTEST_SKIP() << "Vulkan: " << why_no_runner();
  std::mt19937 random(GetParam());
  const program what = make_program(random, GetParam() % 2 == 1);
  const std::string text = text_of(what);
  // Unpromoted state stays in private arrays; promoted state becomes phis; simplified flow is what real kernels have.
  const char* const passes[] = {"", "sroa", "sroa,instcombine,simplifycfg<no-switch-to-lookup>"};
  static const vulkan_runner::memory memory = shared_runner()->allocate(group_size * groups * sizeof(item));
  std::vector<item> expected;
  for (unsigned i = 0; i < group_size * groups; ++i) expected.push_back(initial(what, i));
  const std::vector<item> start = expected;
  run_on_host(what, expected);
  for (const char* prepared : passes) {
    const compiler::spirv_result emitted = emit_text(text, prepared);
    ASSERT_EQ(emitted.refusal, "") << text;
    ASSERT_EQ(validate(emitted.words), "") << text;
    std::memcpy(memory.host, start.data(), start.size() * sizeof(item));
    launch_shape shape{{groups, 1, 1}, {group_size, 1, 1}, 64 / emitted.local_element_bytes};
    ASSERT_EQ(shared_runner()->run(emitted.words, "k", shape, {memory.address}), "");
    const item* found = static_cast<const item*>(memory.host);
    for (unsigned i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found[i].x, expected[i].x) << "item " << i << " after '" << prepared << "'\n" << text;
      ASSERT_EQ(found[i].y, expected[i].y) << "item " << i << " after '" << prepared << "'\n" << text;
      ASSERT_EQ(found[i].left, expected[i].left) << "item " << i << " after '" << prepared << "'\n" << text;
    }
  }
}

/// PRISM_TEST_SEEDS: how many programs.
unsigned seeds() {
  const char* given = std::getenv("PRISM_TEST_SEEDS");
  return given == nullptr ? 60 : static_cast<unsigned>(std::atoi(given));
}

INSTANTIATE_TEST_SUITE_P(seeds, random_flow, testing::Range(1u, seeds() + 1));

} // namespace
