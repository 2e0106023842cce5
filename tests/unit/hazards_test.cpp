#include "runtime/coherence/hazards.hpp"

#include <gtest/gtest.h>

using namespace prism;
using prism::memory::interval;
using prism::memory::memory_id;
using prism::memory::memory_set;
using runtime::hazards;

namespace {

struct test_node final : runtime::completable {
  bool done = false;
  mutable int asked = 0;
  bool finished() const override {
    ++asked;
    return done;
  }
  bool known_finished() const override { return done; }
  outcome how = outcome::valid;
  outcome result() const override { return how; }
};
std::shared_ptr<test_node> node() { return std::make_shared<test_node>(); }

constexpr interval all{0, 100}, left{0, 50}, right{50, 100};

std::size_t waits(hazards& h, interval i, bool reads, bool writes, memory_set touched = {}) {
  runtime::hazard_list out;
  h.collect(i, reads, writes, touched, out);
  return out.size();
}

TEST(hazards, readers_do_not_wait_for_readers) {
  hazards h;
  h.add(all, false, {}, node());
  EXPECT_EQ(waits(h, all, true, false), 0u);
}

TEST(hazards, a_reader_waits_for_the_last_writer_and_depends_on_its_success) {
  hazards h;
  h.add(all, true, {}, node());
  runtime::hazard_list out;
  h.collect(all, true, false, {}, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out[0].data);
}

TEST(hazards, a_writer_waits_for_readers_but_not_for_their_success) {
  hazards h;
  h.add(all, true, {}, node());
  h.add(all, false, {}, node());
  h.add(all, false, {}, node());
  runtime::hazard_list out;
  h.collect(all, false, true, {}, out);
  EXPECT_EQ(out.size(), 3u);
  for (const runtime::hazard& x : out) EXPECT_FALSE(x.data);
}

TEST(hazards, a_writer_replaces_what_it_covers) {
  hazards h;
  h.add(left, true, {}, node());
  h.add(right, false, {}, node());
  h.add(all, true, {}, node());
  EXPECT_EQ(h.size(), 1u);
}

/// A writer of all bytes that failed; `reported`: the program has received its failure.
std::shared_ptr<test_node> failed_node(bool reported) {
  auto made = node();
  made->done = true;
  made->how = reported ? prism::runtime::completable::outcome::failed_and_reported
                       : prism::runtime::completable::outcome::failed;
  return made;
}

TEST(hazards, a_reader_depends_on_a_failed_writer_until_the_program_has_its_failure) {
  hazards h;
  const auto failed = failed_node(false);
  h.add(all, true, {}, failed);
  prism::runtime::hazard_list out;
  h.collect(left, true, false, {}, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out[0].data);
  EXPECT_EQ(waits(h, left, false, true), 0u); // it replaces the bytes
  failed->how = prism::runtime::completable::outcome::failed_and_reported;
  EXPECT_EQ(waits(h, left, true, false), 0u);
  EXPECT_EQ(h.failed_writer(left), failed);
}

TEST(hazards, failed_bytes_are_valid_again_once_they_are_written) {
  hazards h;
  const auto failed = failed_node(true);
  h.add(all, true, {}, failed);
  for (int reader = 0; reader < 40; ++reader) { // the failed writer is not pruned
    const auto done = node();
    done->done = true;
    h.add(all, false, {}, done);
  }
  const auto good = node();
  good->done = true;
  h.add(left, true, {}, good);
  EXPECT_EQ(h.failed_writer(left), nullptr);
  EXPECT_EQ(h.failed_writer(right), failed);
  h.add(right, true, {}, good);
  EXPECT_EQ(h.failed_writer(all), nullptr);
}

TEST(hazards, memory_of_another_buffer_is_used_after_its_former_users_whether_they_failed_or_not) {
  hazards h;
  const memory_id here{1}, elsewhere{2};
  const auto former = node();
  h.add_former(here, former);
  EXPECT_EQ(waits(h, all, true, false, memory_set(elsewhere)), 0u);
  std::vector<runtime::completable_ref> users;
  h.users(right, users);
  EXPECT_EQ(users.size(), 1u);
  runtime::hazard_list out;
  h.collect(left, true, true, memory_set(here), out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_FALSE(out[0].data);
  users.clear();
  h.users(right, users);
  EXPECT_EQ(users.size(), 0u); // the command that waits for it stands for it
  EXPECT_EQ(waits(h, left, true, false, memory_set(here)), 1u);
  former->done = true;
  former->how = runtime::completable::outcome::failed;
  EXPECT_EQ(waits(h, all, true, true, memory_set(here)), 0u);
  EXPECT_EQ(h.failed_writer(all), nullptr);
}

TEST(hazards, disjoint_ranges_do_not_conflict) {
  hazards h;
  h.add(left, true, {}, node());
  EXPECT_EQ(waits(h, right, true, true), 0u);
  EXPECT_EQ(waits(h, all, true, false), 1u);
}

TEST(hazards, a_partial_writer_keeps_the_rest_of_what_it_overlaps) {
  hazards h;
  h.add(all, true, {}, node());
  h.add(left, true, {}, node());
  EXPECT_EQ(waits(h, right, true, false), 1u);
  EXPECT_EQ(waits(h, left, true, false), 2u);
}

TEST(hazards, completed_commands_are_no_hazard_and_are_removed) {
  hazards h;
  for (int i = 0; i < 1000; ++i) {
    auto n = node();
    n->done = true;
    h.add(all, false, {}, n);
  }
  EXPECT_LT(h.size(), 40u);
  EXPECT_EQ(waits(h, all, false, true), 0u);
}

// Each query is a driver call, for which the driver's own threads may have to wait.
TEST(hazards, removing_completed_commands_calls_no_driver) {
  hazards h;
  const auto who = node();
  for (int i = 0; i < 100; ++i) h.add(all, false, {}, who);
  EXPECT_EQ(who->asked, 0);
}

TEST(hazards, a_reader_waits_for_the_copy_that_fills_its_memory) {
  hazards h;
  h.add(all, false, memory_set(memory_id(1)), node());
  EXPECT_EQ(waits(h, all, true, false, memory_set(memory_id(1))), 1u);
  EXPECT_EQ(waits(h, all, true, false, memory_set(memory_id(2))), 0u);
}

} // namespace
