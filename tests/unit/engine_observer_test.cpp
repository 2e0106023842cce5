// The engine notifies observers of commands, and only of the events that they are interested in.
#include "runtime/observe/observer.hpp"
#include "tests/unit/test_device.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <vector>

using namespace prism;
using namespace prism::test;

namespace {

void do_nothing(const kernel_call&) {}
void lose_device(const kernel_call&) {
  throw devices::device_error(devices::error_category::lost, "TEST_LOST", "run the kernel");
}
test_kernel works(do_nothing, 0, 8), loses_device(lose_device, 0, 8);

/// Records events while it is active. Observers are never removed.
class witness final : public observe::observer {
public:
  static witness& activate(std::uint32_t interests) {
    static witness& one = []() -> witness& {
      auto* made = new witness;
      observe::add(*made);
      return *made;
    }();
    one.m_interests = interests;
    one.groups_seen = one.submitted = one.completed = one.failed = one.waits_seen = 0;
    one.parts = one.graphs = 0;
    one.labels_seen.clear();
    one.events.clear();
    observe::interests_changed();
    return one;
  }
  void deactivate() {
    m_interests = 0;
    observe::interests_changed();
  }

  std::uint32_t interests() const noexcept override { return m_interests; }
  std::shared_ptr<observe::follower> submitting(const observe::submission_event& event) override {
    groups_seen += event.groups.size();
    parts += event.is_part;
    graphs += event.is_graph;
    EXPECT_EQ(event.command, nullptr) << "nothing is planned yet";
    return std::make_shared<one_command>(*this);
  }
  void waited(const observe::wait_event&) override { ++waits_seen; }
  void allocation_changed(const observe::allocation_event& event) override { events.push_back(event.what); }

  std::size_t groups_seen = 0, submitted = 0, completed = 0, failed = 0, waits_seen = 0, parts = 0,
              graphs = 0;
  std::vector<std::string> labels_seen;
  std::vector<observe::allocation_event::kind> events;

private:
  class one_command final : public observe::follower {
  public:
    explicit one_command(witness& of) : m_of(of) {}
    void submitted(const observe::submission_event& event) override {
      EXPECT_NE(event.command, nullptr);
      ++m_of.submitted;
    }
    void completed(const observe::completion_event& event) noexcept override {
      const std::lock_guard lock(m_of.m_mutex);
      ++m_of.completed;
      m_of.failed += event.failed;
      if (event.label != nullptr) m_of.labels_seen.push_back(event.label->text);
    }

  private:
    witness& m_of;
  };
  std::atomic<std::uint32_t> m_interests{0};
  std::mutex m_mutex;
};

command_group named(test_kernel& kernel, const char* name) {
  command_group group = kernel_on(kernel, 1, {}, {0});
  std::get<kernel_command>(group.what).name = name;
  return group;
}

TEST(observers, see_each_command_before_planning_and_at_completion) {
  const auto q = create_queue(far(0), {true, false});
  witness& seen = witness::activate(observe::labels | observe::submissions);
  submit(*q, named(works, "first"));
  submit(*q, named(works, "second"));
  q->wait();
  EXPECT_EQ(seen.groups_seen, 2u);
  EXPECT_EQ(seen.submitted, 2u);
  EXPECT_EQ(seen.completed, 2u);
  EXPECT_EQ(seen.failed, 0u);
  std::sort(seen.labels_seen.begin(),
            seen.labels_seen.end()); // the thread that waits for the last command is notified first
  EXPECT_EQ(seen.labels_seen, (std::vector<std::string>{"first", "second"}));
  seen.deactivate();
}

TEST(observers, see_a_failed_command_once) {
  const auto q = create_queue(far(0), {true, false});
  witness& seen = witness::activate(observe::submissions);
  const command_ptr c = submit(*q, named(loses_device, "fails"));
  c->wait();
  EXPECT_NE(c->failure(), nullptr);
  EXPECT_NE(c->failure(), nullptr);
  EXPECT_EQ(seen.completed, 1u);
  EXPECT_EQ(seen.failed, 1u);
  q->take_failures();
  seen.deactivate();
}

TEST(observers, that_are_inactive_are_not_notified) {
  const auto q = create_queue(far(0), {true, false});
  witness& seen = witness::activate(observe::submissions | observe::waits);
  seen.deactivate();
  EXPECT_EQ(observe::active(), 0u);
  submit(*q, named(works, "unseen"));
  q->wait();
  EXPECT_EQ(seen.groups_seen + seen.submitted + seen.completed + seen.waits_seen, 0u);
}

TEST(observers, see_a_graph_execution_and_its_commands) {
  const auto q = create_queue(far(0), {true, false});
  graph_command task, kernel;
  task.group = std::make_shared<command_group>();
  task.make = [] {
    command_group group;
    group.what = host_task_request{[] {}};
    return group;
  };
  kernel.group = std::make_shared<command_group>(named(works, "in a graph"));
  kernel.after = {0};
  const exec_graph_ptr graph = prepare_graph(far(0), {task, kernel});
  witness& seen = witness::activate(observe::submissions);
  submit_exec_graph(*q, graph, {}).last->wait();
  EXPECT_EQ(seen.graphs, 1u);
  EXPECT_EQ(seen.parts, 1u) << "the host task; the kernel is a submission of the graph itself";
  EXPECT_EQ(seen.groups_seen, 3u) << "two for the graph, one for the host task";
  seen.deactivate();
}

TEST(observers, see_what_the_host_has_waited_for) {
  const auto q = create_queue(far(0), {true, false});
  witness& seen = witness::activate(observe::waits);
  const command_ptr c = submit(*q, named(works, "waited for"));
  c->wait();
  EXPECT_EQ(seen.waits_seen, 1u);
  EXPECT_EQ(c->query(), command_node::status::complete);
  EXPECT_EQ(seen.waits_seen, 2u);
  seen.deactivate();
}

TEST(observers, see_buffers_on_host_memory_and_freed_allocations) {
  using kind = observe::allocation_event::kind;
  witness& seen = witness::activate(observe::allocations);
  int mine[4]{};
  { const buffer_ptr b = int_buffer(4, mine); }
  { const buffer_ptr b = int_buffer(4); }
  usm_free(usm_allocate(far(0), 64, 0, devices::memory_kind::device, nullptr), nullptr);
  EXPECT_EQ(seen.events, (std::vector<kind>{kind::buffer_created, kind::buffer_destroyed,
                                            kind::buffer_destroyed, kind::usm_freed}));
  seen.deactivate();
}

} // namespace
