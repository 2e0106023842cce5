// The coherence map: examples with their exact copies, random programs compared with a model that tracks
// every byte, and the summary of copies.
#include "runtime/memory/coherence_map.hpp"
#include "runtime/observe/transfer_log.hpp"

#include <gtest/gtest.h>
#include <random>

using namespace prism::memory;

namespace {

using prism::memory::access; // the C library has a function of this name

constexpr memory_id host{0}, gpu{1}, other{2};
constexpr topology separate{memory_set(host), host}; // the host can access only its own memory
const shape line{1, 1, 100};

byte_box span_of(std::uint64_t lo, std::uint64_t hi) { return {{0, 0, lo}, {1, 1, hi}}; }

access use(memory_id at, byte_box where, bool reads, bool writes) { return {at, where, reads, writes}; }

/// Applies one access and returns the copies.
std::vector<planned_copy> step(coherence_map& l, const access& a, const topology& t = separate) {
  plan p = plan_accesses(l, {&a, 1}, t, whole(l.geometry));
  l = std::move(p.after);
  return p.copies;
}

TEST(coherence_map, the_first_read_on_a_device_copies_once) {
  coherence_map l = make_coherence_map(line, memory_set(host));
  const auto first = step(l, use(gpu, whole(line), true, false));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].why, copy_reason::first_use);
  EXPECT_EQ(first[0].from, host);
  EXPECT_EQ(first[0].where.bytes(), 100u);
  EXPECT_TRUE(step(l, use(gpu, whole(line), true, false)).empty());
  EXPECT_TRUE(step(l, use(host, whole(line), true, false)).empty());
}

TEST(coherence_map, a_read_after_a_remote_write_copies_once) {
  coherence_map l = make_coherence_map(line, memory_set(host));
  step(l, use(gpu, whole(line), true, true));
  access back = use(host, whole(line), true, false);
  back.why = copy_reason::host_read;
  const auto copies = step(l, back);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].why, copy_reason::host_read);
  EXPECT_TRUE(step(l, back).empty());
}

TEST(coherence_map, a_copy_that_failed_is_made_again) {
  coherence_map l = make_coherence_map(line, memory_set(host));
  step(l, use(gpu, whole(line), true, false));
  forget(l, gpu, whole(line));
  EXPECT_FALSE(holds(l, gpu, whole(line)));
  EXPECT_EQ(step(l, use(gpu, whole(line), true, false)).size(), 1u);
}

TEST(coherence_map, a_failed_copy_does_not_invalidate_later_writes) {
  coherence_map l = make_coherence_map(line, memory_set(host));
  step(l, use(gpu, whole(line), true, false)); // fails, which is known later
  byte_box first = whole(line);
  first.hi[2] = 40;
  step(l, use(gpu, first, false, true));
  step(l, use(host, first, true, false)); // does not reach the range of the failed copy
  const byte_box written[] = {first};
  forget(l, gpu, whole(line), written);
  EXPECT_TRUE(holds(l, gpu, first));
  EXPECT_FALSE(holds(l, gpu, whole(line)));
}

TEST(coherence_map, the_only_current_copy_is_not_discarded) {
  coherence_map l = make_coherence_map(line, memory_set(host));
  byte_box first = whole(line);
  first.hi[2] = 40;
  step(l, use(gpu, whole(line), true, false));
  step(l, use(gpu, first, false, true)); // newer there than on the host
  forget(l, gpu, whole(line));
  EXPECT_TRUE(holds(l, gpu, first));
  EXPECT_FALSE(holds(l, host, first));
  EXPECT_TRUE(holds(l, host, whole(line)) || !holds(l, gpu, whole(line)));
}

TEST(coherence_map, a_write_without_init_copies_nothing) {
  coherence_map l = make_coherence_map(line, memory_set(host));
  EXPECT_TRUE(step(l, use(gpu, whole(line), false, true)).empty());
  EXPECT_FALSE(holds(l, host, whole(line)));
}

TEST(coherence_map, bytes_never_written_are_never_copied) {
  coherence_map l = make_coherence_map(line, {});
  EXPECT_TRUE(step(l, use(gpu, whole(line), true, true)).empty());
  EXPECT_EQ(step(l, use(other, whole(line), true, false)).size(),
            2u); // current on gpu now: the copy goes through the host
}

TEST(coherence_map, copies_between_devices_leave_the_host_current) {
  coherence_map l = make_coherence_map(line, {});
  step(l, use(gpu, whole(line), false, true));
  const auto copies = step(l, use(other, whole(line), true, false));
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].why, copy_reason::via_host);
  EXPECT_EQ(copies[0].to, host);
  EXPECT_EQ(copies[1].from, host);
  EXPECT_TRUE(holds(l, host, whole(line)));
}

TEST(coherence_map, a_partial_write_copies_only_its_range_back) {
  coherence_map l = make_coherence_map(line, memory_set(host));
  step(l, use(gpu, span_of(10, 30), false, true));
  const auto copies = step(l, use(host, whole(line), true, false));
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].where, span_of(10, 30));
}

TEST(coherence_map, reads_of_a_command_precede_its_writes) {
  coherence_map l = make_coherence_map(line, memory_set(host));
  const access both[] = {use(gpu, whole(line), false, true), use(gpu, whole(line), true, false)};
  const plan p = plan_accesses(l, both, separate, whole(line));
  EXPECT_EQ(p.copies.size(), 1u);
}

TEST(coherence_map, equal_neighbours_merge) {
  coherence_map l = make_coherence_map(line, memory_set(host));
  for (std::uint64_t i = 0; i < 100; i += 10) step(l, use(gpu, span_of(i, i + 10), true, true));
  EXPECT_EQ(l.regions.size(), 1u);
}

TEST(coherence_map, many_regions_are_simplified) {
  const shape wide{1, 1, 1000};
  coherence_map l = make_coherence_map(wide, memory_set(host));
  for (std::uint64_t i = 0; i < 1000; i += 4) step(l, use(gpu, span_of(i, i + 2), false, true));
  EXPECT_LE(l.regions.size(), max_regions + 1);
}

/// Each byte has a version; each memory holds some version of it or none.
struct byte_model {
  std::vector<int> current;
  std::vector<std::vector<int>> versions; // the version of each byte, by memory
  int next = 1;
};

class random_coherence_map : public testing::TestWithParam<unsigned> {};

TEST_P(random_coherence_map, agrees_with_a_model_of_every_byte) {
  std::mt19937 random(GetParam());
  const shape s{1 + random() % 3, 1 + random() % 4, 1 + random() % 12};
  const unsigned memories = 2 + random() % 3;
  topology t{memory_set(host), host};
  for (unsigned m = 1; m < memories; ++m)
    if (random() % 3 == 0) t.host_reachable.add(memory_id(m));
  const bool initialised = random() % 2 == 0;
  coherence_map l = make_coherence_map(s, initialised ? memory_set(host) : memory_set());
  byte_model model{std::vector<int>(s.bytes(), initialised ? 1 : 0),
                   std::vector(memories, std::vector<int>(s.bytes(), 0)), 2};
  if (initialised) model.versions[0].assign(s.bytes(), 1);
  const auto each = [&](const byte_box& b, auto&& then) {
    for (auto z = b.lo[0]; z < b.hi[0]; ++z)
      for (auto y = b.lo[1]; y < b.hi[1]; ++y)
        for (auto x = b.lo[2]; x < b.hi[2]; ++x) then(offset_of(s, {z, y, x}));
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<access> accesses(1 + random() % 2);
    const memory_id at{static_cast<std::uint8_t>(random() % memories)};
    for (access& a : accesses) {
      const std::uint64_t limits[3] = {s.slices, s.rows, s.row_bytes};
      a.at = at;
      for (int d = 0; d < 3; ++d) {
        a.where.lo[d] = random() % limits[d];
        a.where.hi[d] = a.where.lo[d] + 1 + random() % (limits[d] - a.where.lo[d]);
      }
      a.reads = random() % 3 != 0;
      a.writes = random() % 2 == 0;
    }
    std::vector<bool> needed(s.bytes());
    for (const access& a : accesses)
      if (a.reads)
        each(a.where, [&](std::uint64_t i) {
          needed[i] = model.current[i] != 0 && model.versions[std::size_t(at)][i] != model.current[i];
        });
    const plan p = plan_accesses(l, accesses, t, whole(s));
    std::vector<int> arrived(s.bytes());
    for (const planned_copy& c : p.copies) {
      ASSERT_TRUE(t.host_reachable.has(c.from) || t.host_reachable.has(c.to));
      each(c.where, [&](std::uint64_t i) {
        ASSERT_EQ(model.versions[std::size_t(c.from)][i], model.current[i]) << "copied stale bytes";
        ASSERT_NE(model.current[i], 0) << "copied bytes that were never written";
        model.versions[std::size_t(c.to)][i] = model.current[i];
        if (c.to == at) ++arrived[i];
        const bool for_the_access = c.why != copy_reason::simplify && c.why != copy_reason::via_host;
        ASSERT_TRUE(!for_the_access || needed[i]) << "unnecessary copy";
      });
    }
    for (const access& a : accesses)
      if (a.reads)
        each(a.where, [&](std::uint64_t i) {
          ASSERT_TRUE(model.current[i] == 0 || model.versions[std::size_t(at)][i] == model.current[i])
              << "reads stale bytes";
          ASSERT_LE(arrived[i], 1) << "copied twice";
        });
    for (const access& a : accesses)
      if (a.writes) {
        each(a.where,
             [&](std::uint64_t i) { model.versions[std::size_t(at)][i] = model.current[i] = model.next; });
        ++model.next;
      }
    l = p.after;
    std::vector<int> covered(s.bytes());
    for (const region& r : l.regions)
      each(r.where, [&](std::uint64_t i) {
        ++covered[i];
        for (unsigned m = 0; m < memories; ++m)
          ASSERT_TRUE(!r.valid.has(memory_id(m)) || model.versions[m][i] == model.current[i])
              << "the coherence map and the model disagree";
      });
    for (int c : covered) ASSERT_EQ(c, 1) << "regions overlap or leave gaps";
  }
}

INSTANTIATE_TEST_SUITE_P(, random_coherence_map, testing::Range(0u, 300u));

TEST(transfer_summary, counts_bytes_by_reason_and_reports_avoidable_ones) {
  const auto made = [](std::uint64_t bytes, const char* from, const char* to, copy_reason why) {
    return recorded_transfer{bytes, from, to, reason_text(why), "a kernel", "app.cpp:12"};
  };
  const std::string text = summary_of({made(100, "host", "opencl:0", copy_reason::first_use),
                                       made(20, "opencl:0", "host", copy_reason::written_elsewhere),
                                       made(3, "opencl:0", "host", copy_reason::written_elsewhere),
                                       made(4000, "vulkan:0", "host", copy_reason::via_host)});
  EXPECT_EQ(
      text,
      "4123 bytes were copied, 4023 of them can be avoided\n"
      "  100 B in 1 copies host -> opencl:0: first use on device\n"
      "  4000 B in 1 copies vulkan:0 -> host: via host\n"
      "    to avoid them: the two devices share no memory: keep the data on one of them, or split it once\n"
      "  23 B in 2 copies opencl:0 -> host: written elsewhere\n"
      "    to avoid them: the data is written alternately on several devices or the host: run the kernels of "
      "one buffer on one device, and read it on the host less often\n");
}

// A copy that a program cannot avoid, or that it requested, is no waste.
TEST(transfer_summary, advises_against_each_avoidable_kind) {
  const struct {
    copy_reason why;
    const char* words; // null: no copy is avoidable
  } rows[] = {{copy_reason::first_use, nullptr},
              {copy_reason::written_elsewhere, "written alternately"},
              {copy_reason::host_read, nullptr},
              {copy_reason::write_back, nullptr},
              {copy_reason::prefetch, nullptr},
              {copy_reason::via_host, "share no memory"},
              {copy_reason::needs_address, "needs the buffer's address"},
              {copy_reason::simplify, "very many pieces"}};
  for (const auto& row : rows) {
    const std::string text = summary_of({{7, "host", "opencl:0", reason_text(row.why), "", ""}});
    EXPECT_EQ(text.find("7 of them can be avoided") != std::string::npos, row.words != nullptr) << text;
    if (row.words != nullptr) {
      EXPECT_NE(text.find(row.words), std::string::npos) << text;
    }
  }
}

} // namespace
