// Random programs of commands (kernels, copies, fills, host tasks, host accesses, graphs; buffers, sub-buffers, USM, ordinary
// memory; several queues, devices and threads) give what running their commands one after the other gives. With a device
// that fails at times (PRISM_WRAP=fault(...), which the test entries set) what no failed command touched must still be right.
// A program that goes wrong is made smaller before it is shown. PRISM_SOAK=N (./prism test --soak N): also
// 100 N commands from new seeds.
#include "tests/sycl/oracle_program.hpp"

#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <thread>

using namespace oracle;

namespace {

bool with_faults() {
  const char* wrap = std::getenv("PRISM_WRAP");
  return wrap != nullptr && std::strstr(wrap, "fault") != nullptr;
}

struct shared_queues {
  world in;
  prism_test::error_log errors;
  std::vector<sycl::queue> queues; // two a device
  shared_queues() {
    std::vector<sycl::device> devices = sycl::device::get_devices();
    in.devices = unsigned(devices.size());
    for (const sycl::device& d : devices) {
      in.device_usm = in.device_usm && d.has(sycl::aspect::usm_device_allocations);
      queues.emplace_back(d, errors.handler(), sycl::property::queue::in_order());
      queues.emplace_back(d, errors.handler());
    }
    in.host_usm = devices[0].has(sycl::aspect::usm_host_allocations);
    in.make();
  }
};

class runner {
public:
  explicit runner(shared_queues& all) : m_all(all), m_in(all.in), m_expected(first_contents(m_in)), m_users(m_in.memories.size()) {
    for (std::size_t m = 0; m < m_in.memories.size(); ++m) m_memories.push_back(make(m));
    for (const object& o : m_in.objects) {
      const bool is_half = m_in.memories[o.memory].where == place::buffer && o.count == half;
      m_views.push_back(m_in.memories[o.memory].where != place::buffer ? nullptr
                        : is_half ? std::make_unique<buffer>(*m_memories[o.memory].as_buffer, sycl::id<1>(o.offset), sycl::range<1>(half))
                                  : std::make_unique<buffer>(*m_memories[o.memory].as_buffer));
    }
  }
  ~runner() {
    for (sycl::queue& q : m_all.queues) q.wait();
    m_views.clear();
    for (std::size_t m = 0; m < m_memories.size(); ++m)
      if (m_memories[m].usm != nullptr) sycl::free(m_memories[m].usm, m_memories[m].owner->get_context());
  }

  /// Empty, or what is wrong.
  std::string run(const std::vector<op>& program) {
    for (std::size_t n = 0; n < program.size(); ++n) {
      const std::size_t failed_before = m_all.errors.texts.size();
      if (const std::string wrong = step(program[n]); !wrong.empty()) return "command " + std::to_string(n) + ": " + wrong;
      apply(m_in, program[n], m_expected);
      if (with_faults()) note_failure(program[n], failed_before);
    }
    return check();
  }

private:
  using buffer = sycl::buffer<unsigned, 1>;
  struct storage {
    std::vector<unsigned> host; // what the buffer was made of, or the plain memory
    std::unique_ptr<buffer> as_buffer;
    unsigned* usm = nullptr;
    sycl::queue* owner = nullptr;
    unsigned* pointer() { return usm != nullptr ? usm : host.data(); }
  };
  struct users { // of memory whose order nobody else knows
    std::vector<sycl::event> events;
  };

  storage make(std::size_t m) {
    storage s;
    s.host = m_expected[m];
    const memory& what = m_in.memories[m];
    if (what.where == place::buffer) {
      s.as_buffer = m % 2 == 0 ? std::make_unique<buffer>(s.host.data(), sycl::range<1>(whole)) // used in place
                               : std::make_unique<buffer>(s.host.begin(), s.host.end());
      s.as_buffer->set_write_back(false);
    } else if (what.where != place::plain) {
      s.owner = &m_all.queues[2 * what.device];
      do s.usm = what.where == place::host_usm ? sycl::malloc_host<unsigned>(half, *s.owner) : sycl::malloc_device<unsigned>(half, *s.owner);
      while (s.usm == nullptr && with_faults());
      if (s.usm == nullptr) throw std::bad_alloc();
      do s.owner->copy(s.host.data(), s.usm, half);
      while (drain()); // a fault may strike here too
    }
    return s;
  }

  bool is_buffer(unsigned o) const { return m_in.memories[m_in.objects[o].memory].where == place::buffer; }
  unsigned* pointer(unsigned o) { return m_memories[m_in.objects[o].memory].pointer() + m_in.objects[o].offset; }

  template <typename To, typename From>
  static void launch(sycl::handler& h, kind what, To to, From from, unsigned value, std::size_t n) {
    const int number = int(what);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
      const std::size_t at = i[0];
      if (number == int(kind::mix)) to[at] = to[at] * 3 + (from[at] ^ value);
      else if (number == int(kind::scale)) to[at] = to[at] * 5 + value + unsigned(at);
      else to[at] = from[at] * 7 + value;
    });
  }

  /// The command group of anything but graphs, waits and host accesses.
  void say(sycl::handler& h, const op& o) {
    const object &to = m_in.objects[o.to], &from = m_in.objects[o.from];
    const std::size_t n = o.what == kind::scale || o.what == kind::fill || o.what == kind::host_task ? to.count : std::min(to.count, from.count);
    if (o.what == kind::fill) {
      if (!is_buffer(o.to)) return h.fill(pointer(o.to), o.value, n);
      return h.fill(sycl::accessor(*m_views[o.to], h, sycl::range<1>(n), sycl::write_only), o.value);
    }
    if (o.what == kind::copy) return say_copy(h, o, n);
    if (o.what == kind::host_task) return say_host_task(h, o, n);
    const bool one = o.what == kind::scale;
    const auto written = [&] { // what a command overwrites whole needs not be there before
      return o.what == kind::overwrite && n == to.count ? sycl::accessor(*m_views[o.to], h, sycl::read_write, sycl::no_init)
                                                        : sycl::accessor(*m_views[o.to], h, sycl::read_write);
    };
    if (is_buffer(o.to)) {
      const auto target = written();
      if (one) return launch(h, o.what, target, target, o.value, n);
      if (is_buffer(o.from)) return launch(h, o.what, target, sycl::accessor(*m_views[o.from], h, sycl::read_only), o.value, n);
      return launch(h, o.what, target, pointer(o.from), o.value, n);
    }
    if (one) return launch(h, o.what, pointer(o.to), pointer(o.to), o.value, n);
    if (is_buffer(o.from)) return launch(h, o.what, pointer(o.to), sycl::accessor(*m_views[o.from], h, sycl::read_only), o.value, n);
    launch(h, o.what, pointer(o.to), pointer(o.from), o.value, n);
  }
  void say_copy(sycl::handler& h, const op& o, std::size_t n) {
    const sycl::range<1> part(n);
    if (is_buffer(o.to) && is_buffer(o.from))
      return h.copy(sycl::accessor(*m_views[o.from], h, part, sycl::read_only), sycl::accessor(*m_views[o.to], h, part, sycl::write_only));
    if (is_buffer(o.to)) return h.copy(static_cast<const unsigned*>(pointer(o.from)), sycl::accessor(*m_views[o.to], h, part, sycl::write_only));
    if (is_buffer(o.from)) return h.copy(sycl::accessor(*m_views[o.from], h, part, sycl::read_only), pointer(o.to));
    h.memcpy(pointer(o.to), pointer(o.from), n * sizeof(unsigned));
  }
  void say_host_task(sycl::handler& h, const op& o, std::size_t n) {
    const unsigned value = o.value;
    if (!is_buffer(o.to)) {
      unsigned* const to = pointer(o.to);
      return h.host_task([=] {
        for (std::size_t i = 0; i < n; ++i) to[i] = mixed(kind::host_task, to[i], 0, value, i);
      });
    }
    sycl::accessor<unsigned, 1, sycl::access_mode::read_write, sycl::target::host_task> to(*m_views[o.to], h);
    h.host_task([=] {
      for (std::size_t i = 0; i < n; ++i) to[i] = mixed(kind::host_task, to[i], 0, value, i);
    });
  }

  /// Memories of the command whose order the program itself must say.
  void add_unordered(const op& o, std::set<unsigned>& out) const {
    for (const op& each : o.inner) add_unordered(each, out);
    if (o.what == kind::graph) return;
    if (!is_buffer(o.to)) out.insert(m_in.objects[o.to].memory);
    const bool reads = o.what == kind::mix || o.what == kind::overwrite || o.what == kind::copy;
    if (reads && !is_buffer(o.from)) out.insert(m_in.objects[o.from].memory);
  }

  std::string step(const op& o) {
    sycl::queue& q = m_all.queues[o.queue];
    if (o.what == kind::wait) return q.wait(), "";
    if (o.what == kind::host_access) return access(o);
    std::set<unsigned> unordered;
    add_unordered(o, unordered);
    std::vector<sycl::event> after;
    for (const unsigned m : unordered) after.insert(after.end(), m_users[m].events.begin(), m_users[m].events.end());
    sycl::event done;
    try {
      if (o.what == kind::graph) {
        auto graph = made(o);
        for (unsigned run = 0; run < o.runs; ++run) after = {done = prism::execute_graph(q, graph, after)};
      } else {
        done = q.submit([&](sycl::handler& h) {
          h.depends_on(after);
          say(h, o);
        });
      }
    } catch (const sycl::exception& refused) {
      if (!with_faults()) return std::string("refused: ") + refused.what();
      m_all.errors.texts.push_back(refused.what());
      return "";
    }
    for (const unsigned m : unordered) m_users[m].events = {done};
    return "";
  }

  prism::command_graph<prism::graph_state::executable> made(const op& o) {
    const sycl::device on = m_all.queues[o.queue].get_device();
    const sycl::context in = m_all.queues[o.queue].get_context();
    prism::command_graph graph(in, on);
    std::map<unsigned, sycl::event> last_events;
    std::map<unsigned, prism::node> last_nodes;
    sycl::queue recorded = o.how == build::in_order ? sycl::queue(in, on, sycl::property::queue::in_order()) : sycl::queue(in, on);
    if (o.how != build::by_hand) graph.begin_recording(recorded);
    for (const op& each : o.inner) {
      std::set<unsigned> unordered;
      add_unordered(each, unordered);
      if (o.how == build::by_hand) {
        prism::node fresh = graph.add([&](sycl::handler& h) { say(h, each); });
        for (const unsigned m : unordered) {
          const auto known = last_nodes.find(m);
          if (known != last_nodes.end()) graph.make_edge(known->second, fresh);
          last_nodes.insert_or_assign(m, fresh);
        }
        continue;
      }
      const sycl::event done = recorded.submit([&](sycl::handler& h) {
        if (o.how == build::by_events)
          for (const unsigned m : unordered)
            if (last_events.count(m) != 0) h.depends_on(last_events[m]);
        say(h, each);
      });
      for (const unsigned m : unordered) last_events[m] = done;
    }
    graph.end_recording();
    return graph.finalize();
  }

  std::string access(const op& o) {
    try {
      const object& to = m_in.objects[o.to];
      sycl::host_accessor values(*m_views[o.to]);
      for (std::size_t i = 0; i < to.count; ++i) {
        const unsigned expected = m_expected[to.memory][to.offset + i];
        if (values[i] != expected && m_spoilt.count(to.memory) == 0)
          return "element " + std::to_string(i) + " of object " + std::to_string(o.to) + " is " + std::to_string(values[i]) + ", not " +
                 std::to_string(expected);
        values[i] ^= o.value;
      }
    } catch (const sycl::exception& failed) {
      if (!with_faults()) return std::string("host access: ") + failed.what();
      m_all.errors.texts.push_back(failed.what());
    }
    return "";
  }

  /// Whatever was in the memory before.
  bool writes_all(const op& o) const {
    const object &to = m_in.objects[o.to], &from = m_in.objects[o.from];
    const bool one = o.what == kind::fill;
    const std::size_t n = one ? to.count : std::min(to.count, from.count);
    return (one || o.what == kind::copy || o.what == kind::overwrite) && n == m_in.memories[to.memory].count();
  }
  /// With faults, each command ends before the next: a failure is this one's, and all it writes is lost with it.
  void note_failure(const op& o, std::size_t failed_before) {
    for (sycl::queue& q : m_all.queues) q.wait_and_throw();
    const auto spoils = [&](const op& each) {
      const unsigned to = m_in.objects[each.to].memory, from = m_in.objects[each.from].memory;
      const bool reads = each.what == kind::mix || each.what == kind::overwrite || each.what == kind::copy;
      if (m_all.errors.texts.size() > failed_before || (reads && m_spoilt.count(from) != 0)) m_spoilt.insert(to);
      else if (writes_all(each)) m_spoilt.erase(to);
    };
    if (o.what == kind::wait) return;
    if (o.what != kind::graph) return spoils(o);
    for (unsigned run = 0; run < o.runs; ++run) // a run reads what the one before left
      for (const op& each : o.inner) spoils(each);
  }

  std::string check() {
    for (std::size_t m = 0; m < m_memories.size(); ++m) {
      std::vector<unsigned> found(m_in.memories[m].count());
      try {
        if (m_memories[m].as_buffer) {
          const sycl::host_accessor values(*m_memories[m].as_buffer, sycl::read_only);
          for (std::size_t i = 0; i < found.size(); ++i) found[i] = values[i];
        } else {
          for (sycl::event& e : m_users[m].events) e.wait();
          if (m_memories[m].usm != nullptr) m_memories[m].owner->copy(m_memories[m].usm, found.data(), half).wait();
          else found = m_memories[m].host;
        }
        const bool copy_failed = with_faults() && drain();
        if (copy_failed) continue;
      } catch (const sycl::exception& failed) {
        if (with_faults()) continue;
        return std::string("reading memory ") + std::to_string(m) + ": " + failed.what();
      }
      if (found == m_expected[m] || m_spoilt.count(unsigned(m)) != 0) continue;
      const std::size_t at = std::size_t(std::mismatch(found.begin(), found.end(), m_expected[m].begin()).first - found.begin());
      return "memory " + std::to_string(m) + " holds " + std::to_string(found[at]) + " at " + std::to_string(at) + ", not " +
             std::to_string(m_expected[m][at]);
    }
    if (!with_faults() && !m_all.errors.texts.empty()) return "asynchronous error: " + m_all.errors.texts.front();
    return "";
  }
  bool drain() { // true: something failed since
    const std::size_t before = m_all.errors.texts.size();
    for (sycl::queue& q : m_all.queues) q.wait_and_throw();
    return m_all.errors.texts.size() > before;
  }

  shared_queues& m_all;
  const world& m_in;
  contents m_expected;
  std::vector<users> m_users;
  std::vector<storage> m_memories;
  std::vector<std::unique_ptr<buffer>> m_views;
  std::set<unsigned> m_spoilt; // memories
};

/// Runs the programs at the same time, each on a thread and on memory of its own.
std::string run_beside(const std::vector<std::vector<op>>& programs, std::size_t* failures = nullptr) {
  shared_queues all;
  std::vector<std::string> wrong(programs.size());
  const auto one = [&](std::size_t p) {
    try {
      wrong[p] = runner(all).run(programs[p]);
    } catch (const std::exception& thrown) {
      wrong[p] = std::string("thrown: ") + thrown.what();
    }
  };
  if (programs.size() == 1) {
    one(0);
  } else {
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < programs.size(); ++p) threads.emplace_back(one, p);
    for (std::thread& t : threads) t.join();
  }
  if (failures != nullptr) *failures += all.errors.texts.size();
  for (const std::string& each : wrong)
    if (!each.empty()) return each;
  return "";
}

const world& the_world() {
  static const world made = [] {
    shared_queues all;
    return all.in;
  }();
  return made;
}

void expect_right(unsigned seed, std::size_t commands, std::size_t threads, std::size_t* failures = nullptr) {
  std::vector<std::vector<op>> programs;
  for (std::size_t t = 0; t < threads; ++t) programs.push_back(random_program(the_world(), seed * 16 + unsigned(t), commands));
  const std::string wrong = run_beside(programs, failures);
  if (wrong.empty()) return;
  std::string shown;
  const std::vector<op> small = shrink(programs[0], [](const std::vector<op>& p) { return !run_beside({p}).empty(); }, 200);
  if (run_beside({small}).empty()) shown = "(the first thread's program alone is right)";
  else for (const op& o : small) shown += "\n  " + text(o);
  ADD_FAILURE() << "seed " << seed << ", " << threads << " threads: " << wrong << "\na small program that fails:" << shown;
}

TEST(oracle, programs_of_one_thread) {
  std::size_t failures = 0;
  for (unsigned seed = 1; seed <= 12 && !HasFailure(); ++seed) expect_right(seed, 60, 1, &failures);
  if (with_faults()) EXPECT_GT(failures, 0u) << "no fault struck: the entry's PRISM_WRAP asks for too few";
}

TEST(oracle, a_buffer_that_a_failed_command_only_read_is_still_right) {
  if (!with_faults()) GTEST_SKIP() << "nothing fails: PRISM_WRAP has no fault";
  prism_test::error_log errors;
  sycl::queue q(errors.handler());
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<unsigned> values(1000, 7 * round);
    sycl::buffer<unsigned, 1> in(values.begin(), values.end()), out(sycl::range<1>(1000));
    std::size_t failed_before;
    do { // each time in another command, some of which bring the bytes to the device
      failed_before = errors.texts.size();
      try {
        q.submit([&](sycl::handler& h) {
          const sycl::accessor from(in, h, sycl::read_only);
          const sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
          h.parallel_for(1000, [=](sycl::id<1> i) { to[i] = from[i] + 1; });
        });
      } catch (const sycl::exception& refused) { // no memory, or no program: nothing was submitted
        errors.texts.push_back(refused.what());
      }
      q.wait_and_throw();
    } while (errors.texts.size() > failed_before);
    for (int tries = 0; tries < 10; ++tries) {
      try {
        const sycl::host_accessor result(out, sycl::read_only);
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(result[i], 7 * round + 1) << round << " at " << i;
        break;
      } catch (const sycl::exception&) { // a fault on the way back to the host: the device still has it
      }
    }
  }
  EXPECT_GT(errors.texts.size(), 0u);
}

// The fault here is one of the model: after a fill of an object that is read later the results count as wrong.
TEST(oracle, a_program_that_fails_is_shown_as_a_small_one) {
  const auto fails = [](const std::vector<op>& program) {
    for (std::size_t fill = 0; fill < program.size(); ++fill)
      for (std::size_t later = fill + 1; program[fill].what == kind::fill && later < program.size(); ++later)
        if (program[later].what == kind::mix && program[later].from == program[fill].to) return true;
    return false;
  };
  const auto is_in_a_graph = [](const std::vector<op>& program) {
    return program.size() == 1 && std::any_of(program[0].inner.begin(), program[0].inner.end(), [](const op& o) { return o.what == kind::copy; });
  };
  std::size_t shown = 0, graphs = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::vector<op> program = random_program(the_world(), seed, 200);
    if (fails(program)) {
      const std::vector<op> small = shrink(program, fails, 1000);
      EXPECT_EQ(small.size(), 2u) << "seed " << seed;
      EXPECT_TRUE(fails(small)) << "seed " << seed;
      ++shown;
    }
    for (const op& each : program)
      if (is_in_a_graph({each})) {
        EXPECT_EQ(shrink({each}, is_in_a_graph, 1000)[0].inner.size(), 1u) << "seed " << seed;
        ++graphs;
      }
  }
  EXPECT_GT(shown, 5u);
  EXPECT_GT(graphs, 5u);
}

TEST(oracle, programs_of_several_threads_on_the_same_queues) {
  if (with_faults()) GTEST_SKIP() << "a failure could not be told from that of another thread";
  for (unsigned seed = 100; seed < 106 && !HasFailure(); ++seed) expect_right(seed, 40, 3);
}

TEST(oracle, soak) {
  const char* asked = std::getenv("PRISM_SOAK");
  if (asked == nullptr) GTEST_SKIP() << "PRISM_SOAK is unset: ./prism test --soak N sets it";
  const char* from = std::getenv("PRISM_SOAK_SEED");
  const auto wanted = 100 * std::strtoull(asked, nullptr, 10);
  unsigned seed = from != nullptr ? unsigned(std::strtoul(from, nullptr, 10))
                                  : unsigned(std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1)) * 1000;
  std::printf("soak: %llu commands from seed %u (PRISM_SOAK_SEED=%u repeats them)\n", wanted, seed, seed);
  std::size_t done = 0, failures = 0;
  for (; done < wanted && !HasFailure(); ++seed) {
    const std::size_t threads = with_faults() ? 1 : 1 + seed % 3;
    expect_right(seed, 400, threads, &failures);
    done += 400 * threads;
  }
  std::printf("soak: %zu commands, %zu injected failures\n", done, failures);
}

} // namespace
