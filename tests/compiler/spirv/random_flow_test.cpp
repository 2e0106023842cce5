// Random control flow, also irreducible: each function runs on the device and, as data, on the host.
//
// A program is a list of blocks. A block changes the state and takes one of two branches by a bit of it.
// Blocks that are targets of back edges count steps, so that every program ends. In a third of the programs
// whole work-groups branch together and exchange values through local memory between barriers. In another
// third sub-groups do, and exchange values by shuffles and ballots. Between two exchanges work-items execute
// loops of different length, and must reconverge.
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
  unsigned bit;        // of the value that decides the branch
  unsigned targets[2]; // block numbers; the number of blocks stands for the end
  bool counts;
  bool decides;
  bool exchanges; // between work-items
  bool wanders;   // executes a loop that others leave earlier or later
};

enum class together { alone, work_group, sub_group };

struct program {
  std::vector<block> blocks;
  together in_step; // the work-items for which that value is the same
};

constexpr unsigned group_size = 20, groups = 4,
                   steps = 40; // 20: the last sub-group of a work-group is a partial one

program make_program(std::mt19937& random, together in_step) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  program made;
  made.in_step = in_step;
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
    one.exchanges = in_step != together::alone && below(3) == 0;
    one.wanders = one.exchanges && below(2) == 0;
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

/// The number of work-items from `index` on, the first of those that branch together.
unsigned width_from(const program& what, unsigned index) {
  if (what.in_step == together::alone) return 1;
  if (what.in_step == together::work_group) return group_size;
  return std::min(sub_group_size(), group_size - index % group_size);
}

std::vector<item> initial(const program& what) {
  std::vector<item> items;
  for (unsigned first = 0; first < group_size * groups;)
    for (unsigned left = width_from(what, first), unit = first; left != 0; --left, ++first) {
      const std::uint32_t seed = first * 2654435761u + 12345u;
      items.push_back({seed, 0, what.in_step == together::alone ? seed : unit * 40503u + 77u, steps});
    }
  return items;
}

std::uint32_t wandered(std::uint32_t x) {
  for (std::uint32_t left = x >> 8 & 7; left != 0; --left) {
    x = x * 5 + left;
    if ((x >> 20 & 3) == 0) break;
  }
  return x;
}

void exchange_on_host(const program& what, item* items, unsigned width) {
  std::vector<std::uint32_t> kept;
  std::uint32_t odd = 0;
  for (unsigned i = 0; i < width; ++i) {
    kept.push_back(items[i].x);
    odd |= what.in_step == together::sub_group ? (items[i].x & 1) << i : 0;
  }
  for (unsigned i = 0; i < width; ++i) items[i].x += kept[(i + 3) % width] + odd;
}

/// If the deciding value is uniform, all work-items that branch together take the same branch.
void run_on_host(const program& what, std::vector<item>& items) {
  for (unsigned first = 0, width = 0; first < items.size(); first += width) {
    width = width_from(what, first);
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
        items[i].u = what.in_step != together::alone ? items[i].u * one.factor + one.addend : items[i].x;
        if (one.wanders) items[i].x = wandered(items[i].x);
      }
      if (one.exchanges) exchange_on_host(what, &items[first], width);
      at = one.targets[one.decides && (items[first].u >> one.bit & 1) != 0];
    }
  }
}

constexpr const char* wandering_text = R"(  %w#x = load i32, ptr %x
  %w#s = lshr i32 %w#x, 8
  %w#n = and i32 %w#s, 7
  br label %w#head
w#head:
  %w#left = phi i32 [ %w#n, %WAY ], [ %w#fewer, %w#next ]
  %w#end = icmp eq i32 %w#left, 0
  br i1 %w#end, label %w#done, label %w#body
w#body:
  %w#a = load i32, ptr %x
  %w#b = mul i32 %w#a, 5
  %w#c = add i32 %w#b, %w#left
  store i32 %w#c, ptr %x
  %w#d = lshr i32 %w#c, 20
  %w#e = and i32 %w#d, 3
  %w#f = icmp eq i32 %w#e, 0
  br i1 %w#f, label %w#done, label %w#next
w#next:
  %w#fewer = sub i32 %w#left, 1
  br label %w#head
w#done:
)";
constexpr const char* barrier_text = R"(  %e#x = load i32, ptr %x
  call void @__prism_barrier(i32 1)
  store i32 %e#x, ptr %mine, align 4
  call void @__prism_barrier(i32 1)
  %e#a = load i32, ptr %other, align 4
  %e#b = add i32 %e#x, %e#a
  store i32 %e#b, ptr %x
)";
constexpr const char* shuffle_text = R"(  %e#x = load i32, ptr %x
  %e#a = call i32 @__prism_sub_group_shuffle_i32(i32 %e#x, i32 %neighbour)
  %e#o = trunc i32 %e#x to i1
  %e#v = call i64 @__prism_sub_group_ballot(i1 %e#o)
  %e#w = trunc i64 %e#v to i32
  %e#b = add i32 %e#x, %e#a
  %e#c = add i32 %e#b, %e#w
  store i32 %e#c, ptr %x
)";

std::string with_number(std::string text, unsigned number, const std::string& before = "") {
  for (std::size_t at = 0; (at = text.find("%WAY", at)) != text.npos;) text.replace(at, 4, "%" + before);
  for (std::size_t at = 0; (at = text.find('#', at)) != text.npos;)
    text.replace(at, 1, std::to_string(number));
  return text;
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
  %lo = urem i64 %l3, 20
  %other = getelementptr i32, ptr %arena, i64 %lo
  %lane = call i32 @__prism_sub_group_local_id()
  %lane3 = add i32 %lane, 3
  %lanes = call i32 @__prism_sub_group_local_size()
  %neighbour = urem i32 %lane3, %lanes
  %data = load ptr, ptr %c, align 8
  %p = getelementptr [4 x i32], ptr %data, i64 %id
  %x = alloca i32
  %y = alloca i32
  %u = alloca i32
  %left = alloca i32
)";
  for (int i = 0; const char* name : {"x", "y", "u", "left"}) {
    out << "  %p" << i << " = getelementptr i32, ptr %p, i64 " << i << "\n  %v" << i << " = load i32, ptr %p"
        << i << ", align 4\n  store i32 %v" << i << ", ptr %" << name << "\n";
    ++i;
  }
  out << "  br label %b0\n";
  const auto label = [&](unsigned n) {
    return n < what.blocks.size() ? "b" + std::to_string(n) : std::string("done");
  };
  for (unsigned i = 0; i < what.blocks.size(); ++i) {
    const block& one = what.blocks[i];
    out << "b" << i << ":\n";
    if (one.counts)
      out << "  %l" << i << "a = load i32, ptr %left\n  %l" << i << "b = sub i32 %l" << i
          << "a, 1\n  store i32 %l" << i << "b, ptr %left\n  %l" << i << "c = icmp eq i32 %l" << i
          << "a, 0\n  br i1 %l" << i << "c, label %done, label %w" << i << "\nw" << i << ":\n";
    const auto mix = [&](const char* name, const char* tag) {
      out << "  %" << tag << i << "a = load i32, ptr %" << name << "\n  %" << tag << i << "b = mul i32 %"
          << tag << i << "a, " << one.factor << "\n  %" << tag << i << "c = add i32 %" << tag << i << "b, "
          << one.addend << "\n  store i32 %" << tag << i << "c, ptr %" << name << "\n";
    };
    mix("x", "x");
    out << "  %y" << i << "a = lshr i32 %x" << i << "c, 5\n  %y" << i << "b = load i32, ptr %y\n  %y" << i
        << "c = xor i32 %y" << i << "a, %y" << i << "b\n  store i32 %y" << i << "c, ptr %y\n";
    if (what.in_step != together::alone) mix("u", "u");
    else out << "  %u" << i << "c = add i32 %x" << i << "c, 0\n  store i32 %u" << i << "c, ptr %u\n";
    if (one.wanders) out << with_number(wandering_text, i, (one.counts ? "w" : "b") + std::to_string(i));
    if (one.exchanges)
      out << with_number(what.in_step == together::work_group ? barrier_text : shuffle_text, i);
    if (one.decides)
      out << "  %d" << i << "a = lshr i32 %u" << i << "c, " << one.bit << "\n  %d" << i << "b = trunc i32 %d"
          << i << "a to i1\n  br i1 %d" << i << "b, label %" << label(one.targets[1]) << ", label %"
          << label(one.targets[0]) << "\n";
    else out << "  br label %" << label(one.targets[0]) << "\n";
  }
  out << "done:\n";
  for (int i = 0; const char* name : {"x", "y", "u", "left"}) {
    out << "  %r" << i << " = load i32, ptr %" << name << "\n  store i32 %r" << i << ", ptr %p" << i
        << ", align 4\n";
    ++i;
  }
  out << "  ret void\n}\n";
  return out.str();
}

class random_flow : public testing::TestWithParam<unsigned> {};

TEST_P(random_flow, computes_what_the_host_does) {
  if (shared_runner() == nullptr) GTEST_SKIP() << "Vulkan: " << why_no_runner();
  std::mt19937 random(GetParam());
  const program what = make_program(random, static_cast<together>(GetParam() % 3));
  const std::string text = text_of(what);
  // Without promotion the state is in private arrays, with promotion it is in phis. Simplified control flow
  // is that of real kernels.
  const char* const passes[] = {"", "sroa", "sroa,instcombine,simplifycfg<no-switch-to-lookup>"};
  static const vulkan_runner::memory memory = shared_runner()->allocate(group_size * groups * sizeof(item));
  std::vector<item> expected = initial(what);
  const std::vector<item> start = expected;
  run_on_host(what, expected);
  for (const char* prepared : passes) {
    const compiler::spirv_result emitted = emit_text(text, prepared);
    ASSERT_EQ(emitted.refusal, "") << text;
    ASSERT_EQ(validate(emitted.words), "") << text;
    std::memcpy(memory.host, start.data(), start.size() * sizeof(item));
    launch_shape shape{{groups, 1, 1}, {group_size, 1, 1}, group_size * 4 / emitted.local_element_bytes};
    ASSERT_EQ(shared_runner()->run(emitted.words, "k", shape, {memory.address}), "");
    const item* found = static_cast<const item*>(memory.host);
    for (unsigned i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found[i].x, expected[i].x) << "item " << i << " after '" << prepared << "'\n" << text;
      ASSERT_EQ(found[i].y, expected[i].y) << "item " << i << " after '" << prepared << "'\n" << text;
      ASSERT_EQ(found[i].left, expected[i].left) << "item " << i << " after '" << prepared << "'\n" << text;
    }
  }
}

/// PRISM_TEST_SEEDS: the number of programs.
unsigned seeds() {
  const char* given = std::getenv("PRISM_TEST_SEEDS");
  return given == nullptr ? 90 : static_cast<unsigned>(std::atoi(given));
}

INSTANTIATE_TEST_SUITE_P(seeds, random_flow, testing::Range(1u, seeds() + 1));

} // namespace
