// The compiler's proofs about a kernel's accesses, on which fusion relies (and, for `reach`, the order of
// in-order queues). Kernels that access only their own elements, and kernels that access others, each with
// the expected record. A record that claims too much gives wrong results; one that claims too little prevents
// fusion.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "image_format/element_record.hpp"
#include "image_format/fuse_opencl.hpp"
#include "image_format/fuse_spirv.hpp"
#include "image_format/opencl_text.hpp"
#include "tests/compiler/runner.hpp"

namespace {

using prism::image::element_condition;
using prism::image_format::element_record;

std::size_t id() { return __prism_group_id(0) * __prism_local_size(0) + __prism_local_id(0); }

template <class Name, class F>
const prism::image::kernel_record* record_of(const F&) {
  [[maybe_unused]] static const volatile auto body =
      &sycl::detail::kernel_entry<Name, F>; // instantiated, so that the table has it
  return sycl::detail::kernel_slot_of<Name, F>::value.record;
}

template <class Name, class F>
element_record proof(const F& kernel) {
  const auto* record = record_of<Name>(kernel);
  const auto found = record != nullptr ? prism::image_format::find_element_record(*record) : std::nullopt;
  EXPECT_TRUE(found.has_value());
  return found.value_or(element_record{"no record", false, {}, {}, {}});
}

/// For each pointer: "r4": the own element of 4 bytes is read; "w4": it is written; "W4": every work-item
/// writes all of it; "R" and "X": others are read and written. Then conditions and the width of indices.
std::string text_of(const element_record& record) {
  if (!record.refusal.empty()) return "refused: " + record.refusal;
  std::string out;
  for (const auto& slot : record.slots) {
    std::string own;
    if (slot.flags & prism::image::element_is_read) own += 'r';
    if (slot.flags & prism::image::element_is_written_always) own += 'W';
    else if (slot.flags & prism::image::element_is_written) own += 'w';
    if (!own.empty()) own += std::to_string(slot.stride);
    if (slot.flags & prism::image::others_are_read) own += 'R';
    if (slot.flags & prism::image::others_are_written) own += 'X';
    out += (out.empty() ? "" : " ") + (own.empty() ? "-" : own);
  }
  for (const element_condition& each : record.conditions) {
    out += each.what == element_condition::zero ? ", 0 = " : ", step = ";
    out += std::to_string(each.factor);
    for (const std::uint32_t bytes : each.bytes)
      if (bytes != 0) out += " * word of " + std::to_string(bytes);
  }
  return out + (record.narrow_indices ? ", narrow" : "");
}

/// The bytes that the work-items [10, 20) access through the first pointer, from it; "?": not known. All
/// words of the captured block are 7.
std::string reach_text(const element_record& record) {
  std::vector<std::byte> captured(256);
  for (std::size_t at = 0; at < captured.size(); at += 8) captured[at] = std::byte(7);
  const prism::image_format::element_launch launch{{captured.data(), captured.size()}, {100, 1, 1}, true};
  const auto reach = prism::image_format::reach_of(record, 0, launch, {10, 0, 0}, {20, 1, 1});
  return reach ? std::to_string(reach->begin) + " to " + std::to_string(reach->end) : "?";
}

struct pair_of_floats {
  float first, second;
};

// The captures of the kernels; nothing in this file runs. Slots are in the order in which a kernel uses its
// pointers.
#define CAPTURED                                                                                             \
  [[maybe_unused]] float *x = nullptr, *y = nullptr;                                                         \
  [[maybe_unused]] unsigned* numbers = nullptr;                                                              \
  [[maybe_unused]] pair_of_floats* pairs = nullptr;                                                          \
  [[maybe_unused]] volatile std::size_t any = 7;                                                             \
  [[maybe_unused]] const std::size_t range = any, n = any, offset = any;                                     \
  [[maybe_unused]] const std::uint32_t pitch = static_cast<std::uint32_t>(any)

#define EXPECT_PROOF(expected, name, ...)                                                                    \
  EXPECT_EQ(text_of(proof<class name>([=] {                                                                  \
    __prism_dimensions(1); /* as sycl/detail/kernel_wrap.hpp */                                              \
    if (__prism_outside(id(), range)) return;                                                                \
    __VA_ARGS__;                                                                                             \
  })),                                                                                                       \
            expected)

#define EXPECT_BYTES(expected, name, ...)                                                                    \
  EXPECT_EQ(reach_text(proof<class name>([=] {                                                               \
    __prism_dimensions(1);                                                                                   \
    if (__prism_outside(id(), range)) return;                                                                \
    __VA_ARGS__;                                                                                             \
  })),                                                                                                       \
            expected)

} // namespace

/// Ids that programs convert to an int or an unsigned first, as most programs do.
TEST(element_wise, narrow_ids_are_own_ones_in_launches_of_less_than_2_to_the_31) {
  CAPTURED;
  EXPECT_PROOF("W4 r4, narrow", int_id, const int i = int(id()); y[i] = x[i] * 2);
  EXPECT_PROOF("W4 r4, narrow", unsigned_id, const unsigned i = unsigned(id()); y[i] = x[i] * 2);
  EXPECT_PROOF("rW8, narrow", int_pairs, const int i = int(id()); pairs[i].first = pairs[i].second;
               pairs[i].second = 1);
  EXPECT_PROOF("r4X", half_of_it, const int i = int(id()) / 2; x[i] = x[id()]);
  EXPECT_PROOF("r4X", low_half, const std::size_t i = id() & 0xffff; x[i] = x[id()]);
}

TEST(element_wise, own_elements_are_known) {
  CAPTURED;
  EXPECT_PROOF("rW4 r4", axpy, y[id()] = x[id()] + y[id()]);
  EXPECT_PROOF("r4 W4", through_pointers, const float* from = x + id(); float* to = y + id(); *to = *from);
  EXPECT_PROOF("rW8", both_members, const float kept = pairs[id()].first;
               pairs[id()].first = pairs[id()].second; pairs[id()].second = kept);
  EXPECT_PROOF("rW8", two_numbers_each, x[2 * id()] += 1; x[id() * 2 + 1] -= 1);
  EXPECT_PROOF("r4 W4", read_later, const float kept = x[id()]; y[id()] = kept * kept + x[id()]);
}

TEST(element_wise, what_not_every_work_item_writes_whole_is_not_always_written) {
  CAPTURED;
  EXPECT_PROOF("r4 w4", written_if, if (x[id()] > 0) y[id()] = 1);
  EXPECT_PROOF("w4", written_below, if (id() < n) x[id()] = 1);
  EXPECT_PROOF("w4", written_in_a_loop,
               for (std::size_t i = 0; i < n; ++i) x[id()] = float(i) * float(offset));
  EXPECT_PROOF("rw8", one_member, pairs[id()].first = pairs[id()].second);
  EXPECT_PROOF("w8", every_second, x[2 * id()] = 1);
}

TEST(element_wise, other_elements_are_others) {
  CAPTURED;
  EXPECT_PROOF("W4 R", right_neighbour, y[id()] = x[id() + 1]);
  EXPECT_PROOF("W4 r4R", with_neighbour, y[id()] = x[id()] + x[id() - 1]);
  EXPECT_PROOF("X", written_behind, x[id() + 1] = 1);
  EXPECT_PROOF("W4 R", reversed, y[id()] = x[n - 1 - id()]);
  EXPECT_PROOF("W4 R", pairs_of_neighbours, y[id()] = x[id() ^ 1]);
  EXPECT_PROOF("W4 R", halves, y[id()] = x[id() / 2]);
  EXPECT_PROOF("R W4", sums, float sum = 0; for (std::size_t i = 0; i < n; ++i) sum += x[i]; y[id()] = sum);
  EXPECT_PROOF("R r4 W4", gathered, const float kept = x[numbers[id()]]; y[id()] = kept);
  EXPECT_PROOF("X r4", scattered, x[numbers[id()]] = 1);
  EXPECT_PROOF("X", two_at_once, *reinterpret_cast<std::uint64_t*>(x + id()) = 1);
  EXPECT_PROOF("X", the_same_for_all, x[0] = 1);
  EXPECT_PROOF("W4 r4R", of_the_group, y[id()] = x[id()] + x[__prism_local_id(0)]);
  EXPECT_PROOF("W4X", two_strides, x[id()] = 1; x[2 * id()] = 2);
  EXPECT_PROOF("W4 r4 R", chosen, y[id()] = (numbers[id()] > 0 ? x : x + n)[id()]);
}

TEST(element_wise, the_bytes_of_a_part_of_the_range_are_known) {
  CAPTURED;
  EXPECT_BYTES("40 to 80", bytes_own, x[id()] = 1);
  EXPECT_BYTES("36 to 84", bytes_of_three, const float sum = x[id() - 1] + x[id()] + x[id() + 1];
               y[id()] = sum);
  EXPECT_BYTES("36 to 80", bytes_guarded, if (id() > 0) x[id() - 1] = x[id()]);
  EXPECT_BYTES("80 to 160", bytes_of_two_each, x[2 * id()] = x[2 * id() + 1]);
  EXPECT_BYTES("-52 to -12", bytes_reversed, x[n - 1 - id()] = 1);
  EXPECT_BYTES("-52 to -12", bytes_reversed_narrow, const int i = int(id()); x[int(pitch) - 1 - i] = 1);
  EXPECT_BYTES("68 to 108", bytes_moved_by_a_word, x[id() + n] = 1);
  EXPECT_BYTES("280 to 536", bytes_stepped_by_a_word, x[id() * n] = 1);
  EXPECT_BYTES("40 to 80", bytes_narrow, const int i = int(id()); x[i] = 1);
  EXPECT_BYTES("0 to 4", bytes_the_same_for_all, x[0] = 1);
  EXPECT_BYTES("?", bytes_scattered, x[numbers[id()]] = 1);
  EXPECT_BYTES("?", bytes_in_a_loop, for (std::size_t i = 0; i < n; ++i) x[i] = 1);
  EXPECT_BYTES("?", bytes_of_a_choice, (x != nullptr && numbers[id()] > 0 ? x : x + n)[id()] = 1);
}

/// A bound of a clamp matters only where it is inside of the part: 7 is below it.
TEST(element_wise, the_bytes_of_clamped_indices_are_known) {
  CAPTURED;
  EXPECT_BYTES("36 to 76", clamped_below, x[id() > 0 ? id() - 1 : 0] = x[std::max(int(id()) - 1, 0)] + 1);
  EXPECT_BYTES("24 to 84", clamped_above, x[id() + 1 < n ? id() + 1 : n - 1] = 1);
  EXPECT_BYTES("24 to 76", clamped_at_both, x[std::min(std::max(int(id()) - 1, 0), int(pitch) - 1)] = 1);
  EXPECT_BYTES("-76 to -36", clamped_and_reversed, x[n - 7 - std::max(id(), n)] = 1);
  EXPECT_BYTES("40 to 84", one_of_two, x[id() + (numbers[id()] > 3 ? 1 : 0)] = 1);
  EXPECT_BYTES("0 to 80", one_of_two_far_apart, x[numbers[id()] > 3 ? id() : 0] = 1);
}

/// A minimum of unsigned numbers is none of signed ones if one of them is below zero: here 0 - 1, of item 0.
TEST(element_wise, clamped_indices_that_wrap_are_not_known) {
  CAPTURED;
  EXPECT_BYTES("?", wrapped_minimum, x[std::min(id() - 1, n - 1)] = 1);
  EXPECT_BYTES("?", narrow_and_too_large, x[int(pitch) * (1 << 29) - int(id())] = 1);
}

TEST(element_wise, captured_values_become_conditions) {
  CAPTURED;
  EXPECT_PROOF("W4, 0 = 1 * word of 8", moved_by_a_word, x[id() + offset] = 1);
  EXPECT_PROOF("W4, step = 1 * word of 8", stepped_by_a_word, x[id() * n] = 1);
  EXPECT_PROOF("W4, step = 1 * word of 4", stepped_by_a_small_word, x[id() * pitch] = 1);
}

TEST(element_wise, narrow_indices_are_recorded) {
  CAPTURED;
  EXPECT_PROOF("W4, 0 = 1 * word of 4, narrow", narrow_index, x[int(id()) + int(pitch)] = 1);
}

/// The readers of images understand the emitters' output: two kernels of this file are fused, as text and as
/// a module.
TEST(element_wise, images_that_the_compiler_writes_are_fused) {
  CAPTURED;
  using namespace prism;
  const image::kernel_record* const records[] = {
      record_of<class joined_first>([=] { x[id()] = y[id()] + 1; }),
      record_of<class joined_second>([=] { y[id()] = x[id()] * 2; })};
  std::vector<image_format::opencl_part> texts;
  std::vector<image_format::spirv_part> modules;
  element_record proofs[2];
  std::uint32_t block = 0, slots = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const image::kernel_record& record = *records[k];
    proofs[k] = image_format::find_element_record(record).value();
    ASSERT_EQ(proofs[k].refusal, "");
    for (std::uint32_t i = 0; i < record.image_count; ++i) {
      const image::kernel_image& each = record.images[i];
      const auto& places = proofs[k].places[image_format::place_list_of(record, &each)];
      const char* const bytes = static_cast<const char*>(static_cast<const void*>(each.data));
      if (each.image_kind == image::kind::opencl_c && texts.size() == k)
        texts.push_back({{bytes, each.size}, &record, places, {}, block});
      if (each.image_kind == image::kind::vulkan_spirv && modules.size() == k)
        modules.push_back(
            {{reinterpret_cast<const std::uint32_t*>(bytes), each.size / 4}, places, {}, block});
    }
    slots += record.slot_count;
    block += (record.argument_bytes + 15) / 16 * 16;
  }
  ASSERT_EQ(texts.size(), 2u);
  ASSERT_EQ(modules.size(), 2u);
  const image_format::fused_text text = image_format::fuse_opencl(texts, "prism_fused", block);
  EXPECT_EQ(text.refusal, "");
  EXPECT_TRUE(text.by_value);
  const std::string head =
      std::string(image_format::kernel_words) + "prism_fused(" + image_format::block_parameter(true);
  const std::size_t kernel = text.text.find(head);
  ASSERT_NE(kernel, std::string::npos) << text.text;
  EXPECT_NE(text.text.find(image_format::slot_parameters(slots - 1), kernel), std::string::npos)
      << "all pointers of both";
  EXPECT_EQ(text.text.find(image_format::slot_parameters(slots), kernel), std::string::npos);
  EXPECT_EQ(text.text.find(image_format::kernel_words, kernel + 1), std::string::npos)
      << "one kernel is left";
  const char* const own_range = "part1.w[0] = block.w[2]";
  ASSERT_NE(text.text.find(own_range), std::string::npos) << text.text;
  texts[1].range_words = 1;
  const std::string with_one_range = image_format::fuse_opencl(texts, "prism_fused", block).text;
  EXPECT_EQ(with_one_range.find(own_range), std::string::npos) << "the second kernel reads the first's range";
  EXPECT_NE(with_one_range.find("part1.w[0] = block.w[0]"), std::string::npos);
  const image_format::fused_module module = image_format::fuse_spirv(modules, "prism_fused");
  EXPECT_EQ(module.refusal, "");
  EXPECT_GT(module.words.size(), modules[0].words.size());
}

TEST(element_wise, kernels_that_are_more_than_accesses_are_refused) {
  CAPTURED;
  EXPECT_PROOF("refused: it has atomic or volatile accesses", counted,
               __atomic_fetch_add(numbers, 1, __ATOMIC_RELAXED));
  EXPECT_PROOF("refused: it has atomic or volatile accesses", not_kept,
               *static_cast<volatile float*>(x + id()) = 1);
  EXPECT_PROOF("refused: it has a barrier", waits, x[id()] = 1; __prism_barrier(1); y[id()] = x[id()]);
  EXPECT_PROOF("refused: it uses local memory", local_memory,
               static_cast<float*>(__prism_local_arena())[0] = x[id()]);
}

#define EXPECT_REACH(expected, name, ...)                                                                    \
  EXPECT_EQ((record_of<class name>([=] { __VA_ARGS__; })->flags & prism::image::reaches_by_slots) != 0,      \
            expected)

TEST(reach, kernels_that_read_pointers_from_memory_access_more_than_their_slots) {
  CAPTURED;
  [[maybe_unused]] float** table = nullptr;
  [[maybe_unused]] const std::uint64_t word = any;
  EXPECT_REACH(true, by_slots, y[id()] = x[id()]);
  EXPECT_REACH(true, by_either_slot, (id() > n ? x : y)[id()] = 1);
  EXPECT_REACH(true, without_memory, (void)id());
  EXPECT_REACH(true, a_captured_word, reinterpret_cast<float*>(word)[id()] = 1); // becomes a slot
  EXPECT_REACH(false, from_a_table, table[id()][0] = 1);
  EXPECT_REACH(false, from_a_number_in_memory, reinterpret_cast<float*>(std::size_t(numbers[id()]))[0] = 1);
}
