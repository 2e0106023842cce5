#include "devices/wrap/described.hpp"

#include "devices/wrap/forward.hpp"

#include <algorithm>
#include <atomic>

namespace prism::devices::wrap {

namespace {

std::atomic<std::uint64_t> host_clock{0}; // nanoseconds

void advance_host_clock(std::uint64_t to) {
  for (std::uint64_t now = host_clock; now < to && !host_clock.compare_exchange_weak(now, to);) {}
}

/// Memory that the host cannot access, if the described device has its own memory.
class described_memory final : public memory {
public:
  described_memory(std::unique_ptr<memory> whole, bool hidden)
      : m_wrapped(std::move(whole)), m_hidden(hidden) {}
  std::uint64_t size() const noexcept override { return m_wrapped->size(); }
  std::uint64_t address() const noexcept override { return m_wrapped->address(); }
  void* host_pointer() const noexcept override { return m_hidden ? nullptr : m_wrapped->host_pointer(); }
  memory_kind kind() const noexcept override { return m_wrapped->kind(); }
  std::uint64_t alignment() const noexcept override { return m_wrapped->alignment(); }
  void* native(std::string_view what) const noexcept override { return m_wrapped->native(what); }
  memory* whole() const noexcept { return m_wrapped.get(); }

private:
  std::unique_ptr<memory> m_wrapped;
  bool m_hidden;
};

memory* unwrapped(memory* object) {
  return object == nullptr ? nullptr : static_cast<described_memory*>(object)->whole();
}

command unwrapped(command c) {
  if (auto* copy = std::get_if<copy_command>(&c)) {
    copy->from.object = unwrapped(copy->from.object);
    copy->to.object = unwrapped(copy->to.object);
  } else if (auto* fill = std::get_if<fill_command>(&c)) {
    fill->object = unwrapped(fill->object);
  } else if (auto* dispatch = std::get_if<dispatch_command>(&c)) {
    for (slot_binding& s : dispatch->slots) s.object = unwrapped(s.object);
  }
  return c;
}

/// The clock of one device: when each of its two engines is free, and what it did.
class clock final : public simulation {
public:
  explicit clock(description of) : m_of(std::move(of)) {}

  /// The simulated times of a submission that may start at `ready`.
  profile run(std::span<const command> commands, std::uint64_t ready, const known_kernels& kernels) {
    const std::lock_guard lock(m_mutex);
    profile p{ready, ready, ready};
    bool first = true;
    for (const command& c : commands) {
      if (std::holds_alternative<barrier_command>(c)) continue;
      std::uint64_t& engine = std::holds_alternative<dispatch_command>(c) ? m_compute_free : m_copy_free;
      const std::uint64_t start = std::max(p.ended_ns, engine), takes = nanoseconds_of(c, kernels);
      if (first) p.started_ns = start;
      first = false;
      p.ended_ns = engine = start + takes;
      const double seconds = static_cast<double>(takes) * 1e-9;
      m_used.busy_seconds += seconds;
      m_used.cost += seconds * m_of.price_per_hour / 3600;
      m_used.joules += seconds * m_of.watts;
    }
    if (first) p.started_ns = p.ended_ns;
    return p;
  }
  usage used() const override {
    const std::lock_guard lock(m_mutex);
    return m_used;
  }
  const std::string& name() const noexcept override { return m_of.name; }
  const description& of() const noexcept { return m_of; }

private:
  std::uint64_t nanoseconds_of(const command& c, const known_kernels& kernels) {
    double seconds = 0;
    if (const auto* copy = std::get_if<copy_command>(&c)) {
      const std::uint64_t bytes = copy->row_bytes * copy->rows * copy->slices;
      const bool moves =
          (copy->from.object == nullptr) != (copy->to.object == nullptr) && m_of.seconds_per_moved_byte > 0;
      seconds = static_cast<double>(bytes) *
                (moves ? m_of.seconds_per_moved_byte : 2 * m_of.seconds_per_device_byte);
      if (moves) m_used.moved_bytes += bytes;
    } else if (const auto* fill = std::get_if<fill_command>(&c)) {
      seconds = static_cast<double>(fill->bytes) * m_of.seconds_per_device_byte;
    } else if (const auto* d = std::get_if<dispatch_command>(&c)) {
      const double items = static_cast<double>(d->groups[0] * d->groups[1] * d->groups[2]) *
                           static_cast<double>(d->local[0] * d->local[1] * d->local[2]);
      seconds = m_of.launch_seconds + m_of.kernel_seconds(kernels.record_of(d->object), items);
      ++m_used.kernels;
    }
    return static_cast<std::uint64_t>(seconds * 1e9 + 0.5);
  }

  description m_of;
  mutable std::mutex m_mutex;
  std::uint64_t m_compute_free = 0, m_copy_free = 0;
  usage m_used;
};

class described_queue final : public forwarding_queue {
public:
  described_queue(std::unique_ptr<queue> whole, std::shared_ptr<clock> time,
                  std::shared_ptr<known_kernels> kernels)
      : forwarding_queue(std::move(whole)), m_time(std::move(time)), m_kernels(std::move(kernels)) {}
  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override {
    std::vector<command> whole_commands;
    for (const command& c : commands) whole_commands.push_back(unwrapped(c));
    std::uint64_t ready = host_clock;
    for (const timeline_point& w : waits)
      if (const auto* other = dynamic_cast<const described_queue*>(w.owner))
        ready = std::max(ready, other->times(w.value).ended_ns);
    const std::lock_guard lock(m_mutex); // no other thread may query the point before its times are stored
    const std::uint64_t point = forwarding_queue::submit(whole_commands, waits);
    if (!m_times.empty()) ready = std::max(ready, m_times.back().ended_ns);
    m_times.push_back(m_time->run(commands, ready, *m_kernels)); // index: point - 1
    return point;
  }
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) override {
    if (!forwarding_queue::wait(point, limit)) return false;
    advance_host_clock(times(point).ended_ns);
    return true;
  }
  profile times(std::uint64_t point) const override {
    const std::lock_guard lock(m_mutex);
    return point >= 1 && point <= m_times.size() ? m_times[point - 1] : profile{};
  }

private:
  std::shared_ptr<clock> m_time;
  std::shared_ptr<known_kernels> m_kernels;
  mutable std::mutex m_mutex;
  std::vector<profile> m_times;
};

class described_device final : public forwarding_device {
public:
  described_device(std::unique_ptr<device> of, description as)
      : forwarding_device(std::move(of)), m_info(as.info(forwarding_device::info())),
        m_own_memory(as.seconds_per_moved_byte > 0), m_time(std::make_shared<clock>(std::move(as))) {
    m_info.profiling = true;
    if (m_own_memory) m_info.host_visible = m_info.adopt_host_memory = m_info.usm_system = false;
  }
  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                        std::uint64_t alignment) override {
    const bool hidden = m_own_memory && (kind == memory_kind::device || kind == memory_kind::buffer);
    return std::make_unique<described_memory>(forwarding_device::create_memory(bytes, kind, alignment),
                                              hidden);
  }
  std::unique_ptr<memory> adopt(void* host, std::uint64_t bytes) override {
    auto made = m_own_memory ? nullptr : forwarding_device::adopt(host, bytes);
    return made == nullptr ? nullptr : std::make_unique<described_memory>(std::move(made), false);
  }
  std::unique_ptr<queue> create_queue(const queue_options& options) override {
    return std::make_unique<described_queue>(forwarding_device::create_queue(options), m_time, kernels());
  }
  std::string fingerprint() const override {
    return forwarding_device::fingerprint() + " as " + m_time->of().name;
  }
  void* native(std::string_view what) const noexcept override {
    return what == simulation_name ? static_cast<simulation*>(m_time.get()) : forwarding_device::native(what);
  }

private:
  capabilities m_info;
  bool m_own_memory;
  std::shared_ptr<clock> m_time;
};

} // namespace

double simulated_now() { return static_cast<double>(host_clock.load()) * 1e-9; }

std::unique_ptr<device> make_described(std::unique_ptr<device> whole, description as) {
  return std::make_unique<described_device>(std::move(whole), std::move(as));
}

} // namespace prism::devices::wrap
