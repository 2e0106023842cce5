// Copies of boxes in every direction and fills, against a model that moves byte by byte. Bytes outside the
// box must not change, so whole memories are compared.
#include "tests/devices/conformance/kit.hpp"

#include <cstring>

namespace prism::devices::conformance {
namespace {

struct side {
  std::uint64_t offset, row_pitch, slice_pitch;
};
struct shape {
  std::uint64_t row_bytes, rows, slices;
  side from, to;
};

const shape shapes[] = {
    {1, 1, 1, {0, 0, 0}, {0, 0, 0}},
    {1, 1, 1, {3, 0, 0}, {77, 0, 0}},
    {4096, 1, 1, {0, 0, 0}, {0, 0, 0}},
    {1001, 1, 1, {13, 0, 0}, {7, 0, 0}},
    {16, 8, 1, {0, 16, 128}, {0, 16, 128}}, // rows without gaps
    {16, 8, 1, {4, 24, 0}, {12, 40, 0}},    // slice pitch is ignored for one slice
    {5, 7, 1, {1, 9, 63}, {3, 11, 77}},     // nothing aligned
    {8, 4, 3, {0, 8, 32}, {0, 8, 32}},      // a packed box
    {8, 4, 3, {64, 32, 256}, {8, 16, 80}},
    {7, 5, 3, {5, 13, 91}, {2, 7, 35}}, // odd pitches, packed destination
    {3, 2, 9, {0, 3, 6}, {1, 5, 31}},
    {12, 1, 6, {4, 12, 100}, {8, 12, 36}}, // one row a slice
    {1, 30, 2, {0, 3, 120}, {0, 1, 30}},
};

constexpr std::uint64_t room = 8192;

std::vector<std::byte> model(const shape& s, const std::vector<std::byte>& from, std::vector<std::byte> to) {
  for (std::uint64_t z = 0; z < s.slices; ++z)
    for (std::uint64_t y = 0; y < s.rows; ++y)
      std::memcpy(&to[s.to.offset + z * s.to.slice_pitch + y * s.to.row_pitch],
                  &from[s.from.offset + z * s.from.slice_pitch + y * s.from.row_pitch], s.row_bytes);
  return to;
}

class copy_test : public kit {
protected:
  static location at(memory* object, std::byte* host, const side& s) {
    return {object, host, s.offset, s.row_pitch, s.slice_pitch};
  }
};

TEST_F(copy_test, host_to_device_moves_exactly_the_box) {
  for (const auto& s : shapes) {
    auto from = pattern(room, 1);
    const auto before = pattern(room, 2);
    const auto to = make(before);
    run(copy_command{at(nullptr, from.data(), s.from), at(to.get(), nullptr, s.to), s.row_bytes, s.rows,
                     s.slices});
    EXPECT_EQ(read(*to), model(s, from, before)) << "shape " << &s - shapes;
  }
}

TEST_F(copy_test, device_to_host_moves_exactly_the_box) {
  for (const auto& s : shapes) {
    const auto bytes = pattern(room, 1);
    const auto from = make(bytes);
    auto to = pattern(room, 2);
    const auto expected = model(s, bytes, to);
    run(copy_command{at(from.get(), nullptr, s.from), at(nullptr, to.data(), s.to), s.row_bytes, s.rows,
                     s.slices});
    EXPECT_EQ(to, expected) << "shape " << &s - shapes;
  }
}

TEST_F(copy_test, device_to_device_moves_exactly_the_box) {
  for (const auto& s : shapes) {
    const auto bytes = pattern(room, 1), before = pattern(room, 2);
    const auto from = make(bytes), to = make(before);
    run(copy_command{at(from.get(), nullptr, s.from), at(to.get(), nullptr, s.to), s.row_bytes, s.rows,
                     s.slices});
    EXPECT_EQ(read(*to), model(s, bytes, before)) << "shape " << &s - shapes;
    EXPECT_EQ(read(*from), bytes);
  }
}

TEST_F(copy_test, host_to_host_moves_exactly_the_box) {
  for (const auto& s : shapes) {
    auto from = pattern(room, 1), to = pattern(room, 2);
    const auto expected = model(s, from, to);
    run(copy_command{at(nullptr, from.data(), s.from), at(nullptr, to.data(), s.to), s.row_bytes, s.rows,
                     s.slices});
    EXPECT_EQ(to, expected) << "shape " << &s - shapes;
  }
}

TEST_F(copy_test, copies_between_disjoint_ranges_of_one_allocation) {
  for (const auto& s : shapes) {
    auto expected = pattern(2 * room, 5);
    const auto m = make(expected);
    auto target = s.to;
    target.offset += room;
    auto moved = s;
    moved.to = target;
    expected = model(moved, expected, expected);
    run(copy_command{at(m.get(), nullptr, s.from), at(m.get(), nullptr, target), s.row_bytes, s.rows,
                     s.slices});
    EXPECT_EQ(read(*m), expected) << "shape " << &s - shapes;
  }
}

TEST_F(copy_test, large_copies_are_complete) {
  const auto bytes = pattern((24u << 20) + 5, 9);
  const auto a = make(bytes), b = make(bytes.size());
  run(copy_command{{a.get()}, {b.get()}, bytes.size()});
  EXPECT_TRUE(read(*b) == bytes);
}

TEST_F(copy_test, fills_with_every_pattern_size) {
  for (std::uint64_t size = 1; size <= 128; ++size)
    for (const std::uint64_t offset : {std::uint64_t(0), size, std::uint64_t(3)}) {
      const auto value = pattern(size, unsigned(size));
      auto expected = pattern(4096, 1);
      const auto m = make(expected);
      const auto bytes = size * 9;
      for (std::uint64_t i = 0; i < bytes; ++i) expected[offset + i] = value[i % size];
      run(fill_command{m.get(), offset, bytes, value});
      ASSERT_EQ(read(*m), expected) << "pattern of " << size << " bytes at offset " << offset;
    }
}

TEST_F(copy_test, large_fills_are_complete) {
  for (const std::uint64_t size : {1u, 4u, 12u, 100u}) {
    const auto value = pattern(size, 4);
    const auto bytes = (20u << 20) / size * size;
    const auto m = make(bytes);
    run(fill_command{m.get(), 0, bytes, value});
    const auto result = read(*m);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < bytes; ++i) wrong += result[i] != value[i % size];
    EXPECT_EQ(wrong, 0u) << "pattern of " << size << " bytes";
  }
}

TEST_F(copy_test, the_pattern_may_change_after_submission) {
  const auto m = make(64);
  fill_command fill{m.get(), 0, 64, {std::byte(7)}};
  std::vector<command> commands{fill};
  const auto point = m_queue->submit(commands, {});
  std::get<fill_command>(commands[0]).pattern[0] = std::byte(8);
  commands.clear();
  finish(*m_queue, point);
  EXPECT_EQ(read(*m), std::vector<std::byte>(64, std::byte(7)));
}

} // namespace
} // namespace prism::devices::conformance
