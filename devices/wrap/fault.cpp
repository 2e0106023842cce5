#include "devices/wrap/fault.hpp"

#include "devices/wrap/forward.hpp"
#include "devices/wrap/delayed_points.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>

namespace prism::devices::wrap {

namespace {

constexpr struct {
  const char* name;
  fault_kind kind;
} names[] = {{"memory", fault_kind::memory}, {"build", fault_kind::build}, {"queue", fault_kind::queue},
             {"refuse", fault_kind::refuse}, {"fail", fault_kind::fail},   {"timeout", fault_kind::timeout},
             {"copy", fault_kind::copy},     {"lost", fault_kind::lost},   {"delay", fault_kind::delay},
             {"hang", fault_kind::hang},     {"skip", fault_kind::skip},   {"wrong", fault_kind::wrong}};

constexpr std::byte wrong_bytes[8] = {std::byte(0x5a), std::byte(0xc3), std::byte(0x96), std::byte(0xe1),
                                      std::byte(0x3c), std::byte(0x87), std::byte(0xd2), std::byte(0x69)};

/// The faults of a device and their counts, shared with its queues.
struct schedule {
  std::vector<fault> faults;
  std::atomic<std::uint64_t> counts[std::size(names)]{};
  std::atomic<bool> lost{false};

  /// The fault of this kind that applies to the current call, if any.
  const fault* striking(fault_kind kind) {
    const std::uint64_t count = ++counts[static_cast<std::size_t>(kind)];
    const auto hit = std::find_if(faults.begin(), faults.end(),
                                  [&](const fault& f) { return f.kind == kind && f.strikes(count); });
    return hit == faults.end() ? nullptr : &*hit;
  }
  bool strikes(fault_kind kind) { return striking(kind) != nullptr; }
  void refuse_when_lost(const char* what) const {
    if (lost)
      throw device_error(error_category::lost, "",
                         std::string(what) + ": the device is lost (an injected fault)");
  }
};

/// The wrapped command buffer and a copy of its commands: if a fault changes a command of an execution, the
/// queue submits the commands instead.
class faulty_command_buffer final : public command_buffer {
public:
  faulty_command_buffer(std::unique_ptr<command_buffer> whole, std::span<const command_buffer_step> steps)
      : m_wrapped(std::move(whole)) {
    for (const command_buffer_step& step : steps) m_commands.push_back(step.what);
  }
  bool may_cost_more() const noexcept override { return m_wrapped->may_cost_more(); }
  command_buffer& whole() const noexcept { return *m_wrapped; }
  std::span<const command> commands() const noexcept { return m_commands; }

private:
  std::unique_ptr<command_buffer> m_wrapped;
  command_list m_commands;
};

class faulty_queue final : public forwarding_queue {
public:
  faulty_queue(std::unique_ptr<queue> whole, std::shared_ptr<schedule> faults)
      : forwarding_queue(std::move(whole)), m_faults(std::move(faults)),
        m_points(forwarding_queue::whole().points()) {}

  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override {
    return submit_with_faults(commands, waits, [&](const disturbance& by, delayed_points::time until) {
      return submit_deferred(by.commands, waits, until);
    });
  }
  std::uint64_t execute(command_buffer& what, std::span<const timeline_point> waits) override {
    const auto& executed = static_cast<const faulty_command_buffer&>(what);
    return submit_with_faults(executed.commands(), waits,
                              [&](const disturbance& by, delayed_points::time until) {
      if (by.any) return submit_deferred(by.commands, waits, until);
      return delayed(until, [&] { return whole().execute(executed.whole(), inner(waits)); });
    });
  }

  std::uint64_t completed() const override { return m_points.completed(); }
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) override {
    return m_points.wait(point, limit);
  }
  void on_completion(std::uint64_t point, void (*then)(void*), void* context) override {
    m_points.on_completion(point, then, context);
  }
  std::optional<device_error> failure(std::uint64_t point) const override {
    {
      const std::lock_guard lock(m_mutex);
      if (const auto found = m_failures.find(point); found != m_failures.end()) return found->second;
    }
    return forwarding_queue::failure(point);
  }

private:
  /// Until when the submission is delayed: by its own fault, or because a submission that it waits for is
  /// delayed (whose commands have run already).
  delayed_points::time delayed_until(std::span<const timeline_point> waits) {
    delayed_points::time until{};
    if (const fault* delayed = m_faults->striking(fault_kind::delay))
      until = std::chrono::steady_clock::now() + delayed->length;
    if (m_faults->strikes(fault_kind::hang)) until = delayed_points::never;
    for (const timeline_point& w : waits)
      if (const auto* other = dynamic_cast<const faulty_queue*>(w.owner))
        until = std::max(until, other->m_points.delayed_until(w.value));
    return until;
  }
  template <typename Make>
  std::uint64_t delayed(delayed_points::time until, const Make& make) {
    return until <= std::chrono::steady_clock::now() ? make() : m_points.delay(until, make);
  }
  std::uint64_t submit_deferred(std::span<const command> commands, std::span<const timeline_point> waits,
                                delayed_points::time until) {
    return delayed(until, [&] { return forwarding_queue::submit(commands, waits); });
  }

  /// Commands after silent faults were applied to them.
  struct disturbance {
    command_list commands;
    bool any = false;
  };
  /// Submits these commands with `run`, and returns the point; if a fault makes the whole submission fail,
  /// submits only a barrier.
  template <typename Run>
  std::uint64_t submit_with_faults(std::span<const command> commands, std::span<const timeline_point> waits,
                                   const Run& run) {
    if (m_faults->strikes(fault_kind::refuse))
      throw device_error(error_category::other, "",
                         "run a submission: the driver refuses it (an injected fault)");
    const delayed_points::time until = delayed_until(waits);
    auto failure = failure_of(commands, waits);
    if (!failure) return run(disturbed(commands), until);
    const command nothing = barrier_command{};
    const std::lock_guard lock(m_mutex); // no other thread may query the point before its failure is stored
    const std::uint64_t point = submit_deferred({&nothing, 1}, waits, until);
    m_failures.emplace(point, std::move(*failure));
    return point;
  }
  disturbance disturbed(std::span<const command> commands) {
    disturbance out;
    command_list& changed = out.commands;
    for (const command& c : commands) {
      if (std::holds_alternative<dispatch_command>(c) && m_faults->strikes(fault_kind::skip)) {
        out.any = true;
        continue;
      }
      changed.push_back(c);
      const auto* copied = std::get_if<copy_command>(&c);
      if (copied == nullptr || !m_faults->strikes(fault_kind::wrong)) continue;
      out.any = true;
      location other;
      other.host = const_cast<std::byte*>(wrong_bytes); // never written
      location begin = copied->to;
      begin.row_pitch = begin.slice_pitch = 0;
      changed.push_back(
          copy_command{other, begin, std::min<std::uint64_t>(copied->row_bytes, sizeof wrong_bytes)});
    }
    if (changed.empty()) changed.emplace_back(barrier_command{});
    return out;
  }

  std::optional<device_error> failure_of(std::span<const command> commands,
                                         std::span<const timeline_point> waits) {
    if (m_faults->strikes(fault_kind::lost)) m_faults->lost = true;
    const bool fails = m_faults->strikes(fault_kind::fail),
               times_out = m_faults->strikes(fault_kind::timeout); // both count this submission
    const copy_command* bad_copy = nullptr;
    for (const command& c : commands)
      if (const auto* copied = std::get_if<copy_command>(&c);
          copied != nullptr && m_faults->strikes(fault_kind::copy))
        bad_copy = copied;
    if (m_faults->lost)
      return device_error(error_category::lost, "",
                          "run a submission: the device is lost (an injected fault)");
    if (fails)
      return device_error(error_category::other, "", "run a submission: it failed (an injected fault)");
    if (times_out)
      return device_error(error_category::timeout, "",
                          "run a submission: the device timed out (an injected fault)");
    if (bad_copy != nullptr)
      return device_error(error_category::other, "",
                          "copy " + std::to_string(bad_copy->row_bytes * bad_copy->rows * bad_copy->slices) +
                              " bytes: the copy failed (an injected fault)");
    for (const timeline_point& w : waits) {
      const auto* other = dynamic_cast<const faulty_queue*>(w.owner);
      if (other == nullptr) continue;
      const std::lock_guard lock(other->m_mutex);
      if (const auto found = other->m_failures.find(w.value); found != other->m_failures.end())
        return device_error(found->second.category(), "",
                            std::string("not run: a point it waits for failed: ") + found->second.what());
    }
    return std::nullopt;
  }

  std::shared_ptr<schedule> m_faults;
  mutable std::mutex m_mutex;
  std::map<std::uint64_t, device_error> m_failures;
  delayed_points m_points;
};

class faulty_device final : public forwarding_device {
public:
  faulty_device(std::unique_ptr<device> whole, std::vector<fault> faults)
      : forwarding_device(std::move(whole)) {
    m_faults->faults = std::move(faults);
  }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                        std::uint64_t alignment) override {
    m_faults->refuse_when_lost("allocate memory");
    if (m_faults->strikes(fault_kind::memory))
      throw device_error(error_category::out_of_memory, "",
                         "allocate " + std::to_string(bytes) +
                             " bytes: there is no memory left (an injected fault)");
    return forwarding_device::create_memory(bytes, kind, alignment);
  }
  std::unique_ptr<program> create_program(const program_source& source) override {
    fail_build();
    return forwarding_device::create_program(source);
  }
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte> binary,
                                                      const program_source& source) override {
    fail_build();
    return forwarding_device::create_program_from_binary(binary, source);
  }
  std::unique_ptr<queue> create_queue(const queue_options& options) override {
    m_faults->refuse_when_lost("make a queue");
    if (m_faults->strikes(fault_kind::queue))
      throw device_error(error_category::other, "",
                         "make a queue: the driver makes no more (an injected fault)");
    return std::make_unique<faulty_queue>(forwarding_device::create_queue(options), m_faults);
  }
  std::unique_ptr<command_buffer> create_command_buffer(std::span<const command_buffer_step> steps) override {
    m_faults->refuse_when_lost("create a command buffer");
    std::unique_ptr<command_buffer> made = whole().create_command_buffer(steps);
    if (made == nullptr) return nullptr;
    if (m_faults->strikes(fault_kind::memory))
      throw device_error(error_category::out_of_memory, "",
                         "create a command buffer of " + std::to_string(steps.size()) +
                             " commands: there is no memory left (an injected fault)");
    return std::make_unique<faulty_command_buffer>(std::move(made), steps);
  }
  std::string no_command_buffer_reason() const override { return whole().no_command_buffer_reason(); }

private:
  void fail_build() {
    m_faults->refuse_when_lost("build a program");
    if (m_faults->strikes(fault_kind::build))
      throw device_error(error_category::build, "", "build a program: it does not build (an injected fault)");
  }
  std::shared_ptr<schedule> m_faults = std::make_shared<schedule>();
};

[[noreturn]] void refuse_fault(const std::string& term, const char* why) {
  std::string known;
  for (const auto& n : names) known += std::string(n.name) + ", ";
  throw device_error(
      error_category::invalid, "",
      "fault \"" + term + "\": " + why + "; expected " + known +
          "or seed = number; after the number + for this and all later ones, * for every n-th, ~ for one in "
          "n at random; after the number of delay :milliseconds");
}

/// Takes the number at the start of `text` and removes it from `text`.
std::uint64_t take_number(std::string_view& text, const std::string& term) {
  std::uint64_t number = 0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || number == 0) refuse_fault(term, "it needs a number from 1");
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

fault read_fault(const std::string& term, fault_kind kind, std::string_view value) {
  constexpr std::uint64_t longest = 86'400'000; // a day, in milliseconds
  fault f{kind};
  f.number = take_number(value, term);
  constexpr std::pair<char, fault::reach> reaches[] = {
      {'+', fault::reach::onwards}, {'*', fault::reach::every}, {'~', fault::reach::random}};
  for (const auto& [sign, how] : reaches)
    if (value.starts_with(sign)) {
      f.how = how;
      value.remove_prefix(1);
      break;
    }
  if (kind == fault_kind::delay && value.starts_with(':')) {
    value.remove_prefix(1);
    f.length = std::chrono::milliseconds(std::min(take_number(value, term), longest));
  }
  if (!value.empty()) refuse_fault(term, "what follows the number is not understood");
  return f;
}

} // namespace

bool fault::strikes(std::uint64_t count) const noexcept {
  switch (how) {
    case reach::once: return count == number;
    case reach::onwards: return count >= number;
    case reach::every: return count % number == 0;
    case reach::random: break;
  }
  std::uint64_t mixed =
      (seed * 16 + static_cast<std::uint64_t>(kind)) * 0x9e3779b97f4a7c15u + count * 0xbf58476d1ce4e5b9u;
  for (const int shift : {30, 27, 31}) mixed = (mixed ^ mixed >> shift) * 0x94d049bb133111ebu;
  return (mixed >> 32) % number == 0;
}

std::vector<fault> read_faults(const std::string& text) {
  std::vector<fault> out;
  std::uint64_t seed = 1;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string term = text.substr(begin, end - begin);
    std::erase(term, ' ');
    begin = end + 1;
    const std::size_t equals = std::min(term.find('='), term.size());
    std::string_view value = std::string_view(term).substr(std::min(equals + 1, term.size()));
    if (term.compare(0, equals, "seed") == 0) {
      seed = take_number(value, term);
      if (!value.empty()) refuse_fault(term, "what follows the number is not understood");
      continue;
    }
    const auto named = std::find_if(std::begin(names), std::end(names),
                                    [&](const auto& n) { return term.compare(0, equals, n.name) == 0; });
    if (named == std::end(names)) refuse_fault(term, "there is no such fault");
    out.push_back(read_fault(term, named->kind, value));
  }
  if (out.empty()) refuse_fault(text, "it names no fault");
  for (fault& f : out) f.seed = seed;
  return out;
}

std::unique_ptr<device> make_faulty(std::unique_ptr<device> whole, std::vector<fault> faults) {
  return std::make_unique<faulty_device>(std::move(whole), std::move(faults));
}

} // namespace prism::devices::wrap
