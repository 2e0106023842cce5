#include "tests/sycl/oracle_runner.hpp"

#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>

namespace oracle {

namespace {

std::string wrappers() {
  const char* text = std::getenv("PRISM_WRAP");
  return text == nullptr ? "" : text;
}

/// Whether PRISM_WRAP has a fault(lost=...) for devices of this backend.
bool may_be_lost(const std::string& backend) {
  const std::string all = wrappers();
  const std::size_t at = all.find("lost=");
  if (at == all.npos) return false;
  const std::size_t begin = all.rfind(' ', at) + 1; // 0 if there is none
  const std::size_t colon = all.find(':', begin);
  return colon > at || all.compare(begin, colon - begin, backend) == 0;
}

std::string backend_of(const sycl::device& d) {
  const sycl::backend b = d.get_backend();
  return b == sycl::backend::opencl ? "opencl" : b == sycl::backend::ext_prism_vulkan ? "vulkan" : "host";
}

/// Two queues for each device, with the failures that their handlers received.
class queue_set {
public:
  queue_set() {
    for (const sycl::device& d : sycl::device::get_devices()) {
      m_in.devices.push_back({d.has(sycl::aspect::usm_device_allocations),
                              d.has(sycl::aspect::usm_host_allocations),
                              d.has(sycl::aspect::usm_shared_allocations), backend_of(d)});
      for (const sycl::property_list& how :
           {sycl::property_list(sycl::property::queue::in_order()), sycl::property_list()}) {
        m_errors.push_back(std::make_shared<prism_test::error_log>());
        queues.emplace_back(d, [log = m_errors.back()](sycl::exception_list list) { log->handler()(list); },
                            how);
      }
    }
    m_in.make();
  }
  ~queue_set() { wait(); }
  queue_set(const queue_set&) = delete;

  void wait() {
    for (sycl::queue& q : queues) q.wait_and_throw();
  }
  const std::vector<std::string>& errors_of(unsigned queue) const { return m_errors[queue]->texts; }
  std::size_t errors_of() const {
    std::size_t n = 0;
    for (const auto& each : m_errors) n += each->texts.size();
    return n;
  }
  const world& in() const { return m_in; }
  std::vector<sycl::queue> queues;

private:
  world m_in;
  std::vector<std::shared_ptr<prism_test::error_log>> m_errors;
};

class runner {
public:
  runner(queue_set& all, std::size_t batch)
      : m_all(all), m_in(all.in()), m_batch(batch), m_expected(first_contents(m_in)),
        m_users(m_in.memories.size()) {
    for (std::size_t m = 0; m < m_in.memories.size(); ++m) m_memories.push_back(make(m));
    for (const object& o : m_in.objects) {
      const bool is_half = m_in.memories[o.memory].where == place::buffer && o.count == half;
      m_views.push_back(m_in.memories[o.memory].where != place::buffer ? nullptr
                        : is_half ? std::make_unique<buffer>(*m_memories[o.memory].as_buffer,
                                                             sycl::id<1>(o.offset), sycl::range<1>(half))
                                  : std::make_unique<buffer>(*m_memories[o.memory].as_buffer));
    }
    for (const world::device& d : m_in.devices) m_loses.push_back(may_be_lost(d.backend));
    m_is_lost.resize(m_loses.size());
  }
  ~runner() {
    m_all.wait();
    m_views.clear();
    for (std::size_t m = 0; m < m_memories.size(); ++m)
      if (m_memories[m].usm != nullptr) sycl::free(m_memories[m].usm, m_memories[m].owner->get_context());
  }

  outcome run(const std::vector<op>& program) {
    for (std::size_t n = 0; n < program.size() && m_outcome.wrong.empty(); ++n) {
      const op& o = program[n];
      // Before a program reads a memory, it must know whether the command that wrote it failed.
      if (with_faults() && (o.what == kind::host_access || m_pending.size() >= m_batch)) finish_batch();
      const bool refused = step(o);
      if (with_faults()) m_pending.push_back({&o, refused});
      apply(m_in, o, m_expected);
      if (!m_outcome.wrong.empty()) m_outcome.wrong = "command " + std::to_string(n) + ": " + m_outcome.wrong;
    }
    if (with_faults()) finish_batch();
    if (m_outcome.wrong.empty()) check();
    m_outcome.failures = m_all.errors_of();
    m_outcome.lost = std::count(m_is_lost.begin(), m_is_lost.end(), true) != 0;
    return m_outcome;
  }

private:
  using buffer = sycl::buffer<unsigned, 1>;
  struct storage {
    std::vector<unsigned> host; // the memory that the buffer was constructed from, or the plain memory
    std::unique_ptr<buffer> as_buffer;
    unsigned* usm = nullptr;
    sycl::queue* owner = nullptr;
    unsigned* pointer() { return usm != nullptr ? usm : host.data(); }
  };
  struct users { // events of commands that use memory whose order the program itself must define
    std::vector<sycl::event> events;
  };
  struct given {
    const op* what;
    bool refused;
  };

  static unsigned* allocate(place where, const sycl::queue& q) {
    switch (where) {
      case place::host_usm: return sycl::malloc_host<unsigned>(half, q);
      case place::shared_usm: return sycl::malloc_shared<unsigned>(half, q);
      default: return sycl::malloc_device<unsigned>(half, q);
    }
  }
  storage make(std::size_t m) {
    storage s;
    s.host = m_expected[m];
    const memory& what = m_in.memories[m];
    if (what.where == place::buffer) {
      s.as_buffer = m % 2 == 0 ? std::make_unique<buffer>(s.host.data(),
                                                          sycl::range<1>(whole)) // uses the memory in place
                               : std::make_unique<buffer>(s.host.begin(), s.host.end());
      s.as_buffer->set_write_back(false);
    } else if (what.where != place::plain) {
      s.owner = &m_all.queues[2 * what.device];
      int tries = with_faults() ? 100 : 1;
      for (; tries > 0 && s.usm == nullptr; --tries) s.usm = allocate(what.where, *s.owner);
      if (s.usm == nullptr) throw std::bad_alloc();
      if (what.is_hosts_usm()) {
        std::copy(s.host.begin(), s.host.end(), s.usm);
        return s;
      }
      do { // faults can happen here as well
        if (--tries < -100)
          throw std::runtime_error("memory cannot be written on device " + std::to_string(what.device));
        try {
          s.owner->copy(s.host.data(), s.usm, half);
        } catch (const sycl::exception&) {
          if (!with_faults()) throw;
          continue;
        }
      } while (drain(2 * what.device));
    }
    return s;
  }

  place place_of(unsigned o) const { return m_in.memories[m_in.objects[o].memory].where; }
  bool is_buffer(unsigned o) const { return place_of(o) == place::buffer; }
  unsigned* pointer(unsigned o) {
    return m_memories[m_in.objects[o].memory].pointer() + m_in.objects[o].offset;
  }

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

  /// The command group of all commands except graphs, waits and host accesses.
  void define(sycl::handler& h, const op& o) {
    const object &to = m_in.objects[o.to], &from = m_in.objects[o.from];
    const std::size_t n = o.what == kind::scale || o.what == kind::fill || o.what == kind::host_task
                              ? to.count
                              : std::min(to.count, from.count);
    if (o.what == kind::fill) {
      if (!is_buffer(o.to)) return h.fill(pointer(o.to), o.value, n);
      return h.fill(sycl::accessor(*m_views[o.to], h, sycl::range<1>(n), sycl::write_only), o.value);
    }
    if (o.what == kind::copy) return say_copy(h, o, n);
    if (o.what == kind::host_task) return say_host_task(h, o, n);
    const bool one = o.what == kind::scale;
    const auto written = [&] { // a command that overwrites everything does not need the old contents
      return o.what == kind::overwrite && n == to.count
                 ? sycl::accessor(*m_views[o.to], h, sycl::read_write, sycl::no_init)
                 : sycl::accessor(*m_views[o.to], h, sycl::read_write);
    };
    if (is_buffer(o.to)) {
      const auto target = written();
      if (one) return launch(h, o.what, target, target, o.value, n);
      if (is_buffer(o.from))
        return launch(h, o.what, target, sycl::accessor(*m_views[o.from], h, sycl::read_only), o.value, n);
      return launch(h, o.what, target, pointer(o.from), o.value, n);
    }
    if (one) return launch(h, o.what, pointer(o.to), pointer(o.to), o.value, n);
    if (is_buffer(o.from))
      return launch(h, o.what, pointer(o.to), sycl::accessor(*m_views[o.from], h, sycl::read_only), o.value,
                    n);
    launch(h, o.what, pointer(o.to), pointer(o.from), o.value, n);
  }
  void say_copy(sycl::handler& h, const op& o, std::size_t n) {
    const sycl::range<1> part(n);
    if (is_buffer(o.to) && is_buffer(o.from))
      return h.copy(sycl::accessor(*m_views[o.from], h, part, sycl::read_only),
                    sycl::accessor(*m_views[o.to], h, part, sycl::write_only));
    if (is_buffer(o.to))
      return h.copy(static_cast<const unsigned*>(pointer(o.from)),
                    sycl::accessor(*m_views[o.to], h, part, sycl::write_only));
    if (is_buffer(o.from))
      return h.copy(sycl::accessor(*m_views[o.from], h, part, sycl::read_only), pointer(o.to));
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

  /// Memories of the command whose order the program itself must define.
  std::set<unsigned> unordered(const op& o) const {
    std::set<unsigned> all, out;
    m_in.add_used(o, all);
    for (const unsigned m : all)
      if (m_in.memories[m].where != place::buffer) out.insert(m);
    return out;
  }

  /// Returns true if the command was refused.
  bool step(const op& o) {
    sycl::queue& q = m_all.queues[o.queue];
    if (o.what == kind::wait) {
      q.wait();
      return false;
    }
    try {
      if (o.what == kind::host_access) {
        access(o);
        return false;
      }
      const std::set<unsigned> used = unordered(o);
      std::vector<sycl::event> after;
      for (const unsigned m : used)
        after.insert(after.end(), m_users[m].events.begin(), m_users[m].events.end());
      sycl::event done;
      if (o.what == kind::graph) {
        auto graph = made(o);
        for (unsigned run = 0; run < o.runs; ++run) {
          after = {done = prism::execute_graph(q, graph, after)};
          for (const unsigned m : used) m_users[m].events = after; // also if the next execution is refused
        }
      } else {
        done = q.submit([&](sycl::handler& h) {
          h.depends_on(after);
          define(h, o);
        });
      }
      for (const unsigned m : used) m_users[m].events = {done};
      return false;
    } catch (const sycl::exception& refused) {
      ++m_outcome.refusals;
      if (!with_faults()) m_outcome.wrong = std::string("refused: ") + refused.what();
      return true;
    }
  }

  prism::command_graph<prism::graph_state::executable> made(const op& o) {
    std::map<unsigned, sycl::queue> recorded; // one for each device, that of the execution first
    std::vector<sycl::queue> all;
    const auto add_device_of = [&](const op& each) {
      const sycl::queue& like = m_all.queues[each.queue];
      const sycl::property_list in_order{sycl::property::queue::in_order()};
      if (recorded.count(m_in.device_of(each.queue)) != 0) return;
      all.emplace_back(like.get_context(), like.get_device(),
                       o.how == build::in_order ? in_order : sycl::property_list());
      recorded.emplace(m_in.device_of(each.queue), all.back());
    };
    add_device_of(o);
    for (const op& each : o.inner) add_device_of(each);
    prism::command_graph graph(all);
    std::map<unsigned, sycl::event> last_events;
    std::map<unsigned, prism::node> last_nodes;
    if (o.how != build::by_hand) graph.begin_recording(all);
    for (const op& each : o.inner) {
      const std::set<unsigned> used = unordered(each);
      sycl::queue& queue = recorded.at(m_in.device_of(each.queue));
      if (o.how == build::by_hand) {
        prism::node fresh =
            graph.add([&](sycl::handler& h) { define(h, each); }, prism::property::node::on_queue(queue));
        for (const unsigned m : used) {
          const auto known = last_nodes.find(m);
          if (known != last_nodes.end()) graph.make_edge(known->second, fresh);
          last_nodes.insert_or_assign(m, fresh);
        }
        continue;
      }
      const sycl::event done = queue.submit([&](sycl::handler& h) {
        if (o.how == build::by_events || all.size() > 1)
          for (const unsigned m : used)
            if (last_events.count(m) != 0) h.depends_on(last_events[m]);
        define(h, each);
      });
      for (const unsigned m : used) last_events[m] = done;
    }
    graph.end_recording();
    return graph.finalize();
  }

  template <typename Values>
  void look_and_change(const op& o, Values& values) {
    const object& to = m_in.objects[o.to];
    for (std::size_t i = 0; i < to.count; ++i) {
      const unsigned expected = m_expected[to.memory][to.offset + i];
      if (values[i] != expected && m_spoilt.count(to.memory) == 0) {
        m_outcome.wrong = "element " + std::to_string(i) + " of object " + std::to_string(o.to) + " is " +
                          std::to_string(values[i]) + ", not " + std::to_string(expected);
        return;
      }
      values[i] ^= o.value;
    }
  }
  void access(const op& o) {
    if (is_buffer(o.to)) {
      sycl::host_accessor values(*m_views[o.to]);
      return look_and_change(o, values);
    }
    std::vector<sycl::event>& before = m_users[m_in.objects[o.to].memory].events;
    for (sycl::event& e : before) e.wait();
    before.clear();
    unsigned* values = pointer(o.to);
    look_and_change(o, values);
  }

  /// Whether the command overwrites the whole memory, independent of its contents.
  bool writes_all(const op& o) const {
    const object &to = m_in.objects[o.to], &from = m_in.objects[o.from];
    const bool one = o.what == kind::fill;
    const std::size_t n = one ? to.count : std::min(to.count, from.count);
    return (one || o.what == kind::copy || o.what == kind::overwrite) &&
           n == m_in.memories[to.memory].count();
  }
  /// Waits for the commands in flight. If a queue received a failure, any of its commands may have failed:
  /// the memories that they wrote, and those computed from them, are unknown until they are overwritten.
  void finish_batch() {
    std::vector<std::size_t> before;
    for (unsigned q = 0; q < m_all.queues.size(); ++q) before.push_back(m_all.errors_of(q).size());
    m_all.wait();
    std::vector<std::size_t> fresh;
    for (unsigned q = 0; q < m_all.queues.size(); ++q) fresh.push_back(m_all.errors_of(q).size() - before[q]);
    check_losses(fresh);
    for (const given& each : m_pending)
      note(*each.what, each.refused || (!is_the_hosts(*each.what) && fresh[each.what->queue] != 0));
    m_pending.clear();
    for (users& each : m_users) each.events.clear(); // a command that depends on a failed one fails as well
  }
  void note(const op& o, bool failed) {
    if (o.what == kind::wait) return;
    const auto spoils = [&](const op& each) {
      const unsigned to = m_in.objects[each.to].memory, from = m_in.objects[each.from].memory;
      if (failed || (reads_from(each.what) && m_spoilt.count(from) != 0)) m_spoilt.insert(to);
      else if (writes_all(each)) m_spoilt.erase(to);
    };
    if (o.what != kind::graph) return spoils(o);
    for (unsigned run = 0; run < o.runs; ++run) // an execution reads the results of the one before
      for (const op& each : o.inner) spoils(each);
  }

  static bool is_the_hosts(const op& o) { return o.what == kind::host_access || o.what == kind::wait; }
  bool is_clean(const op& o) const { // its memories were never used on a device that may be lost
    std::set<unsigned> used;
    m_in.add_used(o, used);
    const auto is_safe = [&](const op& each) { return !m_loses[m_in.device_of(each.queue)]; };
    return (is_the_hosts(o) || (is_safe(o) && std::all_of(o.inner.begin(), o.inner.end(), is_safe))) &&
           std::none_of(used.begin(), used.end(), [&](unsigned m) { return m_reached.count(m) != 0; });
  }
  /// Kernels on the device of the command's queue, each of which reports its failure; those of a graph report
  /// at least one together.
  std::size_t kernels_of(const op& o) const {
    if (o.what == kind::graph)
      return std::any_of(o.inner.begin(), o.inner.end(), [&](const op& each) {
        return m_in.device_of(each.queue) == m_in.device_of(o.queue) && kernels_of(each) != 0;
      });
    return o.what == kind::mix || o.what == kind::scale || o.what == kind::overwrite;
  }
  /// Whether the command is a graph with commands on other devices than its queue's. The queue reports their
  /// losses too.
  bool runs_on_others(const op& o) const {
    return std::any_of(o.inner.begin(), o.inner.end(),
                       [&](const op& each) { return m_in.device_of(each.queue) != m_in.device_of(o.queue); });
  }
  /// Whether the queue's own device was lost, unless the batch has a graph that runs on others. A command
  /// also fails if it depends on commands of a lost device.
  static bool reports_loss(const std::string& failure) {
    const auto says = [&](const char* text) { return failure.find(text) != failure.npos; };
    return says("device is lost") && !says("a command it depends on failed") &&
           !says("a point it waits for failed");
  }
  /// Checks a lost device: all later kernels on it must fail, and those on other devices must not.
  void check_losses(const std::vector<std::size_t>& fresh) {
    if (!only_losses()) return;
    std::vector<std::size_t> kernels(fresh.size());
    std::vector<bool> all_clean(fresh.size(), true), runs_others(fresh.size());
    for (const given& each : m_pending) {
      const op& o = *each.what;
      const bool clean = is_clean(o);
      if (runs_on_others(o)) runs_others[o.queue] = true;
      if (clean && each.refused)
        return wrong("refused, although it used no memory of a lost device: " + text(o));
      if (clean || is_the_hosts(o)) continue;
      all_clean[o.queue] = false;
      if (!each.refused) kernels[o.queue] += kernels_of(o);
      m_in.add_used(o, m_reached);
    }
    for (unsigned q = 0; q < fresh.size(); ++q) {
      const unsigned d = m_in.device_of(q);
      if (m_is_lost[d] && fresh[q] < kernels[q])
        return wrong(std::to_string(kernels[q]) + " kernels on the lost device " + std::to_string(d) + ", " +
                     std::to_string(fresh[q]) + " failures; it reported: " + m_loss_reports[d]);
      if (!m_loses[d] && all_clean[q] && fresh[q] != 0)
        return wrong(
            "queue " + std::to_string(q) +
            " failed, although its commands used no memory of a lost device: " + m_all.errors_of(q).back());
    }
    for (unsigned q = 0; q < fresh.size(); ++q)
      for (std::size_t n = m_all.errors_of(q).size() - fresh[q]; n < m_all.errors_of(q).size(); ++n)
        if (m_loses[m_in.device_of(q)] && !runs_others[q] && reports_loss(m_all.errors_of(q)[n])) {
          m_is_lost[m_in.device_of(q)] = true;
          m_loss_reports[m_in.device_of(q)] = m_all.errors_of(q)[n];
        }
  }
  void wrong(const std::string& what) {
    if (m_outcome.wrong.empty()) m_outcome.wrong = what;
  }

  /// Reads the memory. Returns false if that fails, after reporting it.
  bool read(std::size_t m, std::vector<unsigned>& found) {
    storage& from = m_memories[m];
    if (from.as_buffer) {
      const sycl::host_accessor values(*from.as_buffer, sycl::read_only);
      for (std::size_t i = 0; i < found.size(); ++i) found[i] = values[i];
      return true;
    }
    for (sycl::event& e : m_users[m].events) e.wait();
    if (m_in.memories[m].where != place::device_usm) {
      found.assign(from.pointer(), from.pointer() + half);
      return true;
    }
    from.owner->copy(from.usm, found.data(), half);
    const bool failed = drain(2 * m_in.memories[m].device);
    if (m_is_lost[m_in.memories[m].device] && !failed)
      wrong("a lost device copied memory " + std::to_string(m));
    return !failed;
  }
  void check() {
    for (std::size_t m = 0; m < m_memories.size() && m_outcome.wrong.empty(); ++m) {
      std::vector<unsigned> found(m_in.memories[m].count());
      std::string failure;
      bool there = false;
      for (int tries = with_faults() ? 4 : 1; tries > 0 && !there;
           --tries) { // the next attempt may have no fault
        try {
          there = read(m, found);
        } catch (const sycl::exception& failed) {
          failure = failed.what();
        }
      }
      const bool of_lost = m_in.memories[m].where == place::device_usm && m_loses[m_in.memories[m].device];
      const bool may_fail = with_faults() && (!only_losses() || m_reached.count(unsigned(m)) != 0 || of_lost);
      if (!there && !may_fail) return wrong("reading memory " + std::to_string(m) + ": " + failure);
      ++(there && m_spoilt.count(unsigned(m)) == 0 ? m_outcome.compared : m_outcome.unknown);
      if (!there || found == m_expected[m] || m_spoilt.count(unsigned(m)) != 0) continue;
      const std::size_t at =
          std::size_t(std::mismatch(found.begin(), found.end(), m_expected[m].begin()).first - found.begin());
      return wrong("memory " + std::to_string(m) + " holds " + std::to_string(found[at]) + " at " +
                   std::to_string(at) + ", not " + std::to_string(m_expected[m][at]));
    }
    if (!with_faults())
      for (unsigned q = 0; q < m_all.queues.size(); ++q)
        if (!m_all.errors_of(q).empty()) wrong("asynchronous error: " + m_all.errors_of(q).front());
  }
  bool only_losses() const { return std::find(m_loses.begin(), m_loses.end(), true) != m_loses.end(); }
  bool drain(unsigned queue) { // true if a command failed since the last call
    const std::size_t before = m_all.errors_of(queue).size();
    m_all.queues[queue].wait_and_throw();
    return m_all.errors_of(queue).size() > before;
  }

  queue_set& m_all;
  const world& m_in;
  const std::size_t m_batch;
  contents m_expected;
  std::vector<users> m_users;
  std::vector<storage> m_memories;
  std::vector<std::unique_ptr<buffer>> m_views;
  std::vector<given> m_pending; // commands that may still be in flight
  std::set<unsigned> m_spoilt,
      m_reached;                        // memories: with unknown contents; used on a device that may be lost
  std::vector<bool> m_loses, m_is_lost; // devices: that PRISM_WRAP may lose; that reported their loss
  std::map<unsigned, std::string> m_loss_reports; // of lost devices: the last
  outcome m_outcome;
};

} // namespace

bool with_faults() { return wrappers().find("fault") != std::string::npos; }

const world& the_world() {
  static const world made = queue_set().in();
  return made;
}

outcome run_beside(const std::vector<std::vector<op>>& programs, std::size_t batch) {
  std::vector<std::unique_ptr<queue_set>> queues;
  std::vector<std::unique_ptr<runner>>
      runners; // all are constructed before one runs, because a device may be lost then
  for (std::size_t p = 0; p < programs.size(); ++p) {
    if (p == 0 || with_faults()) queues.push_back(std::make_unique<queue_set>());
    runners.push_back(std::make_unique<runner>(*queues.back(), batch));
  }
  std::vector<outcome> outcomes(programs.size());
  const auto one = [&](std::size_t p) {
    try {
      outcomes[p] = runners[p]->run(programs[p]);
    } catch (const std::exception& thrown) {
      outcomes[p].wrong = std::string("thrown: ") + thrown.what();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t p = 1; p < programs.size(); ++p) threads.emplace_back(one, p);
  one(0);
  for (std::thread& t : threads) t.join();
  outcome all;
  for (const outcome& each : outcomes) {
    if (all.wrong.empty()) all.wrong = each.wrong;
    all.failures += each.failures;
    all.refusals += each.refusals;
    all.compared += each.compared;
    all.unknown += each.unknown;
    all.lost = all.lost || each.lost;
  }
  return all;
}

} // namespace oracle
