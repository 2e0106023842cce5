#include "runtime/access_check/access_check.hpp"

#include "runtime/observe/source_line.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

namespace prism::runtime {

namespace {

constexpr std::size_t most_nodes = 2048; // limit for programs that never wait

const char* memory_name(const access_check::memory_use& use) { return use.base != 0 ? "USM" : "host memory"; }

bool overlap(const access_check::memory_use& a, const access_check::memory_use& b) {
  if (a.open && b.open) return a.begin == b.begin;
  if (a.open) return b.begin <= a.begin && a.begin < b.end; // the open use accesses at least its first byte
  if (b.open) return a.begin <= b.begin && b.begin < a.end;
  return a.begin < b.end && b.begin < a.end;
}

/// " (its name: app.cpp:12)" for each use whose line is known.
std::string lines_of(std::initializer_list<const access_check::uses*> all) {
  std::string out;
  for (const access_check::uses* each : all)
    if (!each->line.empty() && !names_place(each->name, each->line))
      out += (out.empty() ? " (" : ", ") + each->name + ": " + each->line;
  return out.empty() ? out : out + ')';
}

} // namespace

namespace {
constinit std::atomic<access_check*> the_check{nullptr};
}

access_check* check_accesses_if_asked(const memory::usm_registry& usm) {
  const std::string asked = support::value_of(support::variables::check);
  if (asked.empty() || asked == "order") return nullptr; // runtime/api/reference.hpp
  if (asked != "access") {
    support::log(support::level::error, "PRISM_CHECK=" + asked + " is not a check; expected access or order");
    return nullptr;
  }
  auto* const made = new access_check(usm);
  the_check.store(made, std::memory_order_release);
  observe::add(*made);
  return made;
}

access_check* active_access_check() noexcept { return the_check.load(std::memory_order_acquire); }

/// Holds the uses of a submission until its command exists.
class access_check::checked_submission final : public observe::follower {
public:
  checked_submission(access_check& check, uses used, std::uint64_t removals)
      : m_check(check), m_used(std::move(used)), m_removals(removals) {}
  void submitted(const observe::submission_event& event) override {
    m_check.submitted(event.command, {event.queue, event.in_order, event.barrier, event.holds_later},
                      event.after, std::move(m_used), m_removals);
  }

private:
  access_check& m_check;
  uses m_used;
  std::uint64_t m_removals; // access_check::m_removals before the contents of m_used were read
};

std::shared_ptr<observe::follower> access_check::submitting(const observe::submission_event& event) {
  if (event.groups.empty() || event.is_part) return nullptr;
  uses used;
  std::uint64_t removals = 0;
  {
    const std::lock_guard lock(m_mutex);
    removals = m_removals;
  }
  for (const command_group* group : event.groups) add_uses(m_usm, *group, used);
  if (event.is_graph) { // the check treats an execution as one command that uses everything its commands use
    compare_commands(event.first_of_graph);
    used.name = "a graph of " + std::to_string(event.groups.size()) + " commands";
    used.watched.clear(); // commands of this execution may write what others of it read
    used.snapshots.clear();
  } else {
    used.name = label_of(event.groups.front()->what);
    used.line = line_of(*event.groups.front());
  }
  { // from now on the command may write, and another thread may wait for an earlier one that reads
    const std::lock_guard lock(m_mutex);
    prune_watches(used);
  }
  return std::make_shared<checked_submission>(*this, std::move(used), removals);
}

/// Removes these nodes and all nodes ordered before them, because they are complete.
template <typename Which>
void access_check::forget(Which which) {
  std::vector<node> removed; // destroyed without the lock
  const std::lock_guard lock(m_mutex);
  std::vector<std::uint64_t> over;
  for (const node& n : m_nodes)
    if (which(n)) {
      over.push_back(n.number);
      over.insert(over.end(), n.before.begin(), n.before.end());
    }
  std::sort(over.begin(), over.end());
  const auto rest = std::stable_partition(m_nodes.begin(), m_nodes.end(), [&](const node& n) {
    return !std::binary_search(over.begin(), over.end(), n.number);
  });
  for (auto n = rest; n != m_nodes.end(); ++n) {
    look_at_watches(*n);
    look_at_touched(*n);
  }
  if (rest != m_nodes.end()) ++m_removals;
  removed.assign(std::make_move_iterator(rest), std::make_move_iterator(m_nodes.end()));
  m_nodes.erase(rest, m_nodes.end());
  record_used_range();
}

void access_check::waited(const observe::wait_event& event) {
  if (event.command != nullptr) return forget([&](const node& n) { return n.what.get() == event.command; });
  const auto is_meant = [&](const node& n) {
    return n.where.queue == event.queue ||
           (event.bytes != nullptr &&
            std::any_of(n.used.buffers.begin(), n.used.buffers.end(), [&](const buffer_use& u) {
      return u.root == event.bytes->root && u.begin < event.bytes->end && event.bytes->begin < u.end;
    }));
  };
  // Other threads may have submitted more commands since the wait began, and a host accessor that reads does
  // not wait for other readers: only those that are complete are forgotten.
  std::vector<command_ptr> meant;
  {
    const std::lock_guard lock(m_mutex);
    for (const node& n : m_nodes)
      if (is_meant(n)) meant.push_back(n.what);
  }
  for (auto c = meant.rbegin(); c != meant.rend(); ++c)
    (*c)->query(); // reports a complete command as waited for
}

void access_check::allocation_changed(const observe::allocation_event& event) {
  using kind = observe::allocation_event::kind;
  switch (event.what) {
    case kind::buffer_created: return buffer_made(event.buffer, event.begin, event.bytes);
    case kind::buffer_destroyed: return buffer_destroyed(event.buffer);
    case kind::usm_freed: return freed({event.begin, event.bytes, event.by});
  }
}

void access_check::add_order(node& fresh, const node& earlier) const {
  fresh.before.insert(fresh.before.end(), earlier.before.begin(), earlier.before.end());
  fresh.before.push_back(earlier.number);
}

void access_check::report(const std::string& text) {
  if (std::find(m_reported.begin(), m_reported.end(), text) != m_reported.end()) return;
  m_reported.push_back(text);
  support::log(support::level::error, "PRISM_CHECK=access: " + text);
}

void access_check::compare(const node& fresh, const node& earlier) {
  for (const memory_use& now : fresh.used.memory)
    for (const memory_use& then : earlier.used.memory) {
      if ((!now.writes && !then.writes) || !overlap(now, then)) continue;
      report(fresh.used.name + (now.writes ? " writes " : " reads ") + memory_name(now) + " that " +
             earlier.used.name + (then.writes ? " writes" : " reads") +
             ", and no dependency orders the two: use depends_on or an in-order queue, or wait in between" +
             lines_of({&fresh.used, &earlier.used}));
      return;
    }
}

namespace {

/// For each command, whether the one with an index is ordered before it.
std::vector<std::vector<bool>> earlier_commands(std::span<const graph_command> graph) {
  std::vector<std::vector<bool>> earlier(graph.size(), std::vector<bool>(graph.size()));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    std::vector<std::size_t> work{i};
    while (!work.empty()) {
      const std::size_t at = work.back();
      work.pop_back();
      for (const std::size_t before : graph[at].after) {
        if (earlier[i][before]) continue;
        earlier[i][before] = true;
        work.push_back(before);
      }
    }
  }
  return earlier;
}

} // namespace

/// A graph's order is the same in each execution, so its commands are compared once.
void access_check::compare_commands(std::span<const graph_command> graph) {
  std::vector<node> all;
  for (const graph_command& each : graph) {
    uses used;
    add_uses(m_usm, *each.group, used);
    used.name = label_of(each.group->what);
    used.line = line_of(*each.group);
    all.push_back({nullptr, 0, {}, std::move(used), {}, {}});
  }
  const std::vector<std::vector<bool>> earlier = earlier_commands(graph);
  const std::lock_guard lock(m_mutex);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!earlier[i][j] && !earlier[j][i]) compare(all[i], all[j]);
}

/// Until a buffer is destroyed, the memory it was made from belongs to it: the current bytes that commands
/// wrote to the buffer may be elsewhere.
void access_check::look_at_buffers(const node& fresh) {
  for (const live_buffer& mine : m_buffers)
    for (const memory_use& use : fresh.used.memory) {
      const bool touches = use.open ? mine.begin <= use.begin && use.begin < mine.end
                                    : use.begin < mine.end && mine.begin < use.end;
      if (!touches || (!use.writes && mine.writer.empty())) continue;
      report(fresh.used.name + (use.writes ? " writes " : " reads ") + memory_name(use) +
             " that a buffer was made of" +
             (mine.writer.empty() ? std::string() : ", which " + mine.writer + " has written") +
             ": until the buffer is destroyed only accessors may be used for it" + lines_of({&fresh.used}));
    }
  for (const buffer_use& use : fresh.used.buffers) {
    const auto own = std::find_if(m_buffers.begin(), m_buffers.end(),
                                  [&](const live_buffer& b) { return b.root == use.root; });
    if (own == m_buffers.end()) continue;
    for (const live_buffer& other : m_buffers) {
      if (other.root == own->root || own->end <= other.begin || other.end <= own->begin) continue;
      if (!use.writes && other.writer.empty()) continue;
      report(fresh.used.name + (use.writes ? " writes" : " reads") +
             " a buffer whose memory another buffer was made of too" +
             (other.writer.empty() ? std::string() : ", which " + other.writer + " has written") +
             ": nothing orders the two; use one buffer and sub-buffers of it" + lines_of({&fresh.used}));
    }
    if (use.writes) own->writer = fresh.used.name;
  }
}

/// Removes watches of memory that another command may write at the same time: watches of earlier commands,
/// and those of the new one.
void access_check::prune_watches(uses& fresh) {
  const auto may_write = [](const uses& used, const watch& w) {
    const std::uint64_t end = w.begin + (w.rows - 1) * w.pitch + w.bytes;
    return used.unknown || std::any_of(used.memory.begin(), used.memory.end(), [&](const memory_use& u) {
      return u.writes && (u.open ? u.base <= w.begin && w.begin < u.end : u.begin < end && w.begin < u.end);
    });
  };
  std::erase_if(fresh.watched,
                [own = &std::as_const(fresh), &may_write](const watch& w) { return may_write(*own, w); });
  for (node& n : m_nodes) {
    std::erase_if(n.used.watched, [&](const watch& w) { return may_write(fresh, w); });
    std::erase_if(fresh.watched, [&](const watch& w) { return may_write(n.used, w); });
  }
  for (const live_buffer& b : m_buffers)
    std::erase_if(fresh.watched, [&](const watch& w) {
      return w.begin < b.end && b.begin < w.begin + (w.rows - 1) * w.pitch + w.bytes;
    });
}

void access_check::look_at_watches(const node& over) {
  for (const watch& w : over.used.watched) {
    const std::optional<std::uint64_t> content = content_of(w);
    if (content == w.content) continue;
    report(std::string("the host ") + (content ? "changed" : "freed") + " memory that " + over.used.name +
           " reads before it knew that the command was complete: wait for the command first" +
           lines_of({&over.used}));
  }
}

void access_check::submitted(const command_ptr& c, const queue_order& where,
                             std::span<const command_ptr> after, uses what, std::uint64_t removals) {
  node fresh{c, 0, where, std::move(what), {}, {}};
  // destroyed without the lock, because the last command of a buffer may destroy the buffer
  std::vector<node> forgotten;
  const std::lock_guard lock(m_mutex);
  fresh.number = ++m_next;
  if (removals != m_removals) { // a command that was complete meanwhile may have written what was read
    fresh.used.watched.clear();
    fresh.used.snapshots.clear();
  }
  const node* last = nullptr;
  for (const node& n : m_nodes) {
    const bool named =
        std::any_of(after.begin(), after.end(), [&](const command_ptr& a) { return a == n.what; });
    const bool by_queue = n.where.queue == where.queue && (where.barrier || n.where.holds_later);
    const bool by_data =
        std::any_of(fresh.used.buffers.begin(), fresh.used.buffers.end(), [&](const buffer_use& now) {
      return std::any_of(n.used.buffers.begin(), n.used.buffers.end(), [&](const buffer_use& then) {
        return now.root == then.root && now.begin < then.end && then.begin < now.end &&
               (now.writes || then.writes);
      });
    });
    if (named || by_queue || by_data) add_order(fresh, n);
    if (where.in_order && n.where.queue == where.queue) last = &n;
  }
  if (last != nullptr) add_order(fresh, *last);
  std::sort(fresh.before.begin(), fresh.before.end());
  fresh.before.erase(std::unique(fresh.before.begin(), fresh.before.end()), fresh.before.end());
  for (const node& n : m_nodes)
    if (!std::binary_search(fresh.before.begin(), fresh.before.end(), n.number)) compare(fresh, n);
  std::erase_if(m_freed_early, [&](const freed_memory& what) {
    if (what.by != c.get()) return false;
    look_at_users(what, fresh.before);
    return true;
  });
  look_at_buffers(fresh);
  prune_watches(fresh.used);
  prune_snapshots(fresh);
  if (m_nodes.size() >= most_nodes) {
    const auto rest = m_nodes.begin() + most_nodes / 4;
    forgotten.assign(std::make_move_iterator(m_nodes.begin()), std::make_move_iterator(rest));
    m_nodes.erase(m_nodes.begin(), rest);
  }
  m_nodes.push_back(std::move(fresh));
  record_used_range();
}

void access_check::freed(const freed_memory& what) {
  const std::lock_guard lock(m_mutex);
  for (const live_buffer& b : m_buffers)
    if (b.begin < what.base + what.bytes && what.base < b.end)
      report(described(what) + "a buffer that was made of it lives: destroy the buffer first");
  if (what.by == nullptr) return look_at_users(what, {});
  const auto task =
      std::find_if(m_nodes.begin(), m_nodes.end(), [&](const node& n) { return n.what.get() == what.by; });
  if (task != m_nodes.end()) return look_at_users(what, task->before);
  std::erase_if(m_freed_early, [&](const freed_memory& earlier) { return earlier.base == what.base; });
  m_freed_early.push_back(what);
}

std::string access_check::described(const freed_memory& what) {
  return "a USM allocation of " + std::to_string(what.bytes) + " bytes is freed while ";
}

void access_check::look_at_users(const freed_memory& what, std::span<const std::uint64_t> complete) {
  for (const node& n : m_nodes)
    if (!std::binary_search(complete.begin(), complete.end(), n.number) &&
        std::any_of(n.used.memory.begin(), n.used.memory.end(),
                    [&](const memory_use& u) { return u.base == what.base; })) {
      report(described(what) + n.used.name + " may still use it: wait for the command first" +
             lines_of({&n.used}));
      return;
    }
}

void access_check::buffer_made(const void* root, std::uint64_t begin, std::uint64_t bytes) {
  const std::lock_guard lock(m_mutex);
  m_buffers.push_back({root, begin, begin + bytes, {}});
}
void access_check::buffer_destroyed(const void* root) {
  const std::lock_guard lock(m_mutex);
  std::erase_if(m_buffers, [&](const live_buffer& b) { return b.root == root; });
}

} // namespace prism::runtime
