#include "tests/unit/test_device.hpp"

#include "runtime/support/text.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <thread>

namespace prism::test {

counters counted;

namespace {

using namespace devices;

std::mutex gate_mutex;
std::condition_variable gate_changed;
int gates_closed = 0;
std::atomic<bool> next_allocation_fails{false}, next_command_buffer_fails{false}, next_wait_fails{false};
std::atomic<void (*)(const devices::copy_command&)> before_copies{nullptr};

class test_memory final : public devices::memory {
public:
  test_memory(std::uint64_t bytes, memory_kind kind, bool near, void* adopted = nullptr)
      : m_own(adopted == nullptr ? bytes : 0), m_bytes(bytes), m_kind(kind), m_near(near),
        m_adopted(adopted) {
    ++counted.live_memories;
  }
  ~test_memory() override { --counted.live_memories; }
  std::uint64_t size() const noexcept override { return m_bytes; }
  std::uint64_t address() const noexcept override {
    return m_kind == memory_kind::buffer ? 0 : reinterpret_cast<std::uint64_t>(m_own.data());
  }
  void* host_pointer() const noexcept override {
    return m_near || m_kind == memory_kind::host || m_kind == memory_kind::shared ? data() : nullptr;
  }
  memory_kind kind() const noexcept override { return m_kind; }
  std::byte* data() const {
    return m_adopted != nullptr ? static_cast<std::byte*>(m_adopted) : const_cast<std::byte*>(m_own.data());
  }

private:
  std::vector<std::byte> m_own;
  std::uint64_t m_bytes;
  memory_kind m_kind;
  bool m_near;
  void* m_adopted;
};

std::byte* bytes_of(const location& l) {
  return (l.object != nullptr ? static_cast<test_memory*>(l.object)->data()
                              : static_cast<std::byte*>(l.host)) +
         l.offset;
}

class test_timeline final : public timeline {
public:
  std::uint64_t completed() const override { return m_completed.load(); }
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) override {
    if (next_wait_fails.exchange(false)) throw device_error(error_category::lost, "TEST_LOST", "wait");
    std::unique_lock lock(m_mutex);
    const auto done = [&] { return m_completed.load() >= point; };
    if (limit) return m_changed.wait_for(lock, *limit, done);
    m_changed.wait(lock, done);
    return true;
  }
  std::optional<device_error> failure(std::uint64_t point) const override {
    const std::lock_guard lock(m_mutex);
    const auto it = m_failures.find(point);
    return it == m_failures.end() ? std::nullopt : std::optional(it->second);
  }
  profile times(std::uint64_t point) const override { return {point, point + 1, point + 2}; }
  void on_completion(std::uint64_t point, void (*then)(void*), void* context) override {
    {
      const std::lock_guard lock(m_mutex);
      if (m_completed.load() < point) {
        m_callbacks.push_back({point, then, context});
        return;
      }
    }
    then(context);
  }
  void complete(std::uint64_t point, std::optional<device_error> failed) {
    std::vector<callback> ready;
    {
      const std::lock_guard lock(m_mutex);
      if (failed) m_failures.emplace(point, *failed);
      m_completed = point;
      for (callback& c : m_callbacks)
        if (c.point <= point) ready.push_back(c);
      std::erase_if(m_callbacks, [&](const callback& c) { return c.point <= point; });
    }
    m_changed.notify_all();
    for (const callback& c : ready) c.then(c.context);
  }

private:
  struct callback {
    std::uint64_t point;
    void (*then)(void*);
    void* context;
  };
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::atomic<std::uint64_t> m_completed{0};
  std::map<std::uint64_t, device_error> m_failures;
  std::vector<callback> m_callbacks;
};

class test_kernel_object final : public devices::kernel {
public:
  explicit test_kernel_object(kernel_function f) : function(f) {}
  kernel_limits limits() const override { return {64, 4, 0, 0}; }
  kernel_function function;
};

void run_command(const command& c) {
  if (const auto* copy = std::get_if<copy_command>(&c)) {
    ++counted.copies;
    if (const auto call = before_copies.load()) call(*copy);
    for (std::uint64_t s = 0; s < copy->slices; ++s)
      for (std::uint64_t r = 0; r < copy->rows; ++r)
        std::memmove(bytes_of(copy->to) + s * copy->to.slice_pitch + r * copy->to.row_pitch,
                     bytes_of(copy->from) + s * copy->from.slice_pitch + r * copy->from.row_pitch,
                     copy->row_bytes);
  } else if (const auto* fill = std::get_if<fill_command>(&c)) {
    ++counted.fills;
    std::byte* to = static_cast<test_memory*>(fill->object)->data() + fill->offset;
    for (std::uint64_t i = 0; i < fill->bytes; ++i) to[i] = fill->pattern[i % fill->pattern.size()];
  } else if (const auto* dispatch = std::get_if<dispatch_command>(&c)) {
    ++counted.dispatches;
    static_cast<test_kernel_object*>(dispatch->object)->function({*dispatch});
  }
}

class test_queue final : public queue {
public:
  explicit test_queue(std::atomic<int>& flushes) : m_flushes(flushes), m_thread([this] { run(); }) {}
  ~test_queue() override {
    {
      const std::lock_guard lock(m_mutex);
      m_stop = true;
    }
    m_wake.notify_all();
    m_thread.join();
  }
  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override {
    return take(commands, waits, m_last);
  }
  std::uint64_t submit_after(command_list& commands, std::span<const timeline_point> waits,
                             std::uint64_t after) override {
    return take(commands, waits, after);
  }
  void flush() override { ++m_flushes; }
  timeline& points() noexcept override { return m_timeline; }

private:
  struct job {
    std::uint64_t point = 0, after = 0;
    std::vector<command> commands;
    std::vector<timeline_point> waits;
  };
  std::uint64_t take(std::span<const command> commands, std::span<const timeline_point> waits,
                     std::uint64_t after) {
    const std::lock_guard lock(m_mutex);
    ++counted.submissions;
    m_jobs.push_back({++m_last, after, {commands.begin(), commands.end()}, {waits.begin(), waits.end()}});
    m_wake.notify_all();
    return m_last;
  }
  static std::optional<device_error> run_job(const job& j) {
    for (const timeline_point& p : j.waits) {
      p.owner->wait(p.value);
      if (auto failed = p.owner->failure(p.value)) return failed;
    }
    {
      std::unique_lock gate(gate_mutex);
      gate_changed.wait(gate, [] { return gates_closed == 0; });
    }
    try {
      for (const command& c : j.commands) run_command(c);
    } catch (const device_error& failed) {
      return failed;
    }
    return std::nullopt;
  }
  /// The latest command that does not depend on an unfinished one: the worst order that a device may choose.
  /// A command that waits for other queues has priority, since they may wait for earlier commands of this
  /// queue.
  job next() {
    auto chosen = m_jobs.begin();
    for (auto j = m_jobs.begin(); j != m_jobs.end(); ++j)
      if (j->waits.empty() && j->after < m_jobs.front().point) chosen = j;
    job out = std::move(*chosen);
    m_jobs.erase(chosen);
    return out;
  }
  void run() {
    std::map<std::uint64_t, std::optional<device_error>>
        ended; // points that are complete when all earlier ones are
    for (std::uint64_t completed = 0;;) {
      job one;
      {
        std::unique_lock lock(m_mutex);
        m_wake.wait(lock, [&] { return m_stop || !m_jobs.empty(); });
        if (m_jobs.empty()) return;
        m_wake.wait_for(lock, std::chrono::microseconds(50), [&] {
          return m_jobs.size() > 3;
        }); // or commands that are submitted in quick succession
        one = next();
      }
      ended.emplace(one.point, run_job(one));
      for (auto e = ended.begin(); e != ended.end() && e->first == completed + 1; e = ended.erase(e))
        m_timeline.complete(++completed, e->second);
    }
  }
  std::atomic<int>& m_flushes;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  std::deque<job> m_jobs;
  std::uint64_t m_last = 0;
  bool m_stop = false;
  test_timeline m_timeline;
  std::thread m_thread;
};

class test_program final : public program {
public:
  explicit test_program(kernel_function f) : m_kernel(f) { ++counted.builds; }
  devices::kernel& get_kernel(std::string_view) override { return m_kernel; }
  const std::string& build_log() const noexcept override { return m_log; }
  std::vector<std::byte> binary() const override { return {}; }

private:
  test_kernel_object m_kernel;
  std::string m_log;
};

class test_device final : public device {
public:
  test_device(std::string backend, std::size_t index, bool near) : m_near(near) {
    m_info.name = backend + " device " + std::to_string(index);
    m_info.platform_name = backend;
    m_info.max_group_size = 128;
    m_info.max_local_size = {128, 128, 16};
    m_info.local_memory = 1024;
    m_info.max_allocation = 1 << 24;
    m_info.features = image::int64;
    m_info.image_kinds = {image::kind::opencl_c};
    m_info.usm_device = m_info.usm_host = true;
    m_info.global_memory = memory_of_test_devices;
    m_info.host_visible = m_info.adopt_host_memory = m_info.starts_without_flush = near;
    m_info.profiling = true;
  }
  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<devices::memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                                 std::uint64_t) override {
    if (next_allocation_fails.exchange(false))
      throw device_error(error_category::out_of_memory, "TEST_NO_MEMORY",
                         "allocate " + std::to_string(bytes) + " bytes");
    return std::make_unique<test_memory>(bytes, kind, m_near);
  }
  std::unique_ptr<devices::memory> adopt(void* host, std::uint64_t bytes) override {
    return m_near ? std::make_unique<test_memory>(bytes, memory_kind::buffer, true, host) : nullptr;
  }
  std::unique_ptr<program> create_program(const program_source& source) override {
    return std::make_unique<test_program>(reinterpret_cast<kernel_function>(const_cast<void*>(source.data)));
  }
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte>,
                                                      const program_source&) override {
    return nullptr;
  }
  std::unique_ptr<command_buffer> create_command_buffer(std::span<const command_buffer_step>) override {
    if (next_command_buffer_fails.exchange(false))
      throw device_error(error_category::other, "TEST_NO_COMMAND_BUFFER", "keep commands");
    return nullptr; // the graph submits its commands again
  }
  std::unique_ptr<queue> create_queue(const queue_options&) override {
    auto q = std::make_unique<test_queue>(m_near ? counted.near_flushes : counted.far_flushes);
    const std::lock_guard lock(m_mutex);
    m_timelines.push_back(&q->points());
    return q;
  }
  bool can_wait_for(const timeline& other) const noexcept override {
    const std::lock_guard lock(m_mutex);
    return std::find(m_timelines.begin(), m_timelines.end(), &other) != m_timelines.end();
  }
  std::string fingerprint() const override { return m_info.name; }
  void* native(std::string_view) const noexcept override { return nullptr; }

private:
  capabilities m_info;
  bool m_near;
  mutable std::mutex m_mutex;
  std::vector<const timeline*> m_timelines;
};

std::vector<std::unique_ptr<device>> open_far() {
  std::vector<std::unique_ptr<device>> out;
  for (std::size_t i = 0; i < 2; ++i) out.push_back(std::make_unique<test_device>("far", i, false));
  return out;
}
std::vector<std::unique_ptr<device>> open_near() {
  std::vector<std::unique_ptr<device>> out;
  out.push_back(std::make_unique<test_device>("near", 0, true));
  return out;
}

const bool installed = [] {
  ::setenv("PRISM_CACHE", "off", 1);
  runtime::use_device_sources({{"far", 2, &open_far}, {"near", 1, &open_near}});
  return true;
}();

} // namespace

std::byte* kernel_call::slot(std::size_t i) const {
  const slot_binding& s = command.slots.at(i);
  return s.object == nullptr ? reinterpret_cast<std::byte*>(s.address)
                             : static_cast<test_memory*>(s.object)->data() + s.offset;
}

closed_gate::closed_gate() {
  const std::lock_guard lock(gate_mutex);
  ++gates_closed;
}
closed_gate::~closed_gate() { open(); }
void closed_gate::open() {
  const std::lock_guard lock(gate_mutex);
  if (std::exchange(m_closed, false)) --gates_closed;
  gate_changed.notify_all();
}

void before_each_copy(void (*call)(const devices::copy_command&)) { before_copies = call; }
void fail_next_allocation() { next_allocation_fails = true; }
void fail_next_command_buffer() { next_command_buffer_fails = true; }
void fail_next_wait() { next_wait_fails = true; }

struct test_kernel::parts {
  image::kernel_record record{};
  std::vector<image::pointer_slot> slots;
  image::kernel_image image{};
  static parts& make() {
    static auto& all = *new std::deque<parts>;
    return all.emplace_back();
  }
};

test_kernel::test_kernel(kernel_function f, std::uint32_t slots, std::uint32_t argument_bytes,
                         std::uint64_t features, std::uint32_t slot_flags)
    : m_parts(parts::make()), record(m_parts.record) {
  for (std::uint32_t i = 0; i < slots; ++i) m_parts.slots.push_back({i * 8, slot_flags});
  m_parts.image = {image::kind::opencl_c, 0, features, reinterpret_cast<const void*>(f), 1, nullptr, 0, 0};
  record.entry = "k";
  record.display_name = "test kernel";
  record.argument_bytes = argument_bytes;
  record.local_element_bytes = 1;
  record.slots = m_parts.slots.data();
  record.slot_count = slots;
  record.images = &m_parts.image;
  record.image_count = 1;
}

device_node& far(std::size_t index) { return *platforms().at(0).devices.at(index); }
device_node& near() { return *platforms().at(1).devices.at(0); }

pool::vector<std::byte> block(std::initializer_list<std::uint64_t> words) {
  pool::vector<std::byte> out(words.size() * 8);
  std::size_t at = 0;
  for (std::uint64_t w : words) {
    std::memcpy(out.data() + at, &w, 8);
    at += 8;
  }
  return out;
}

buffer_ptr int_buffer(std::size_t count, int* host, bool initialised) {
  buffer_options o;
  o.extent[2] = count;
  o.element_bytes = sizeof(int);
  o.host = host;
  o.host_is_initial_data = host != nullptr && initialised;
  return create_buffer(o);
}

box first(std::size_t count, std::size_t offset) { return {{0, 0, offset}, {1, 1, count}}; }

std::vector<int> contents(const buffer_ptr& b, std::size_t count) {
  std::vector<int> out(count);
  read_back(*b, out.data());
  return out;
}

command_group kernel_on(test_kernel& k, std::size_t items, std::vector<use> uses,
                        std::vector<std::uint64_t> values) {
  command_group group;
  kernel_command c;
  c.slot = &k.slot;
  c.name = "test kernel";
  c.global = {items, 1, 1};
  for (const use& u : uses) {
    requirement r;
    r.buffer = u.buffer;
    r.mode = u.mode;
    r.region = first(u.count, u.offset);
    r.token = new_token();
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(&u - uses.data()), r.token);
    group.requirements.push_back(r);
  }
  for (std::uint64_t v : values) {
    const auto* p = reinterpret_cast<const std::byte*>(&v);
    c.captured.insert(c.captured.end(), p, p + 8);
  }
  group.what = std::move(c);
  return group;
}

void rethrow(const command_ptr& c) {
  c->wait();
  if (const auto failed = c->failure()) std::rethrow_exception(failed);
}

std::string failure_of(const command_ptr& c) {
  c->wait();
  const auto failed = c->failure();
  return failed == nullptr ? "" : support::text_of(failed);
}

} // namespace prism::test
