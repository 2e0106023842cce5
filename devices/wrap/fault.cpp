#include "devices/wrap/fault.hpp"

#include "devices/wrap/forward.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>

namespace prism::devices::wrap {

namespace {

constexpr struct {
  const char* name;
  fault_kind kind;
} names[] = {{"memory", fault_kind::memory}, {"build", fault_kind::build}, {"fail", fault_kind::fail},
             {"timeout", fault_kind::timeout}, {"lost", fault_kind::lost}, {"skip", fault_kind::skip}};

/// Counts of a device, shared with its queues.
struct schedule {
  std::vector<fault> faults;
  std::atomic<std::uint64_t> counts[std::size(names)]{};
  std::atomic<bool> lost{false};

  bool strikes(fault_kind kind) {
    const std::uint64_t count = ++counts[static_cast<std::size_t>(kind)];
    bool hit = false;
    for (const fault& f : faults) hit |= f.kind == kind && f.strikes(count);
    return hit;
  }
  void refuse_when_lost(const char* what) const {
    if (lost) throw device_error(error_category::lost, "", std::string(what) + ": the device is lost (an injected fault)");
  }
};

class faulty_queue final : public forwarding_queue {
public:
  faulty_queue(std::unique_ptr<queue> whole, std::shared_ptr<schedule> faults) : forwarding_queue(std::move(whole)), m_faults(std::move(faults)) {}
  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override {
    if (auto failure = failure_of(waits)) {
      const command nothing = barrier_command{};
      const std::lock_guard lock(m_mutex); // before the point can be asked for
      const std::uint64_t point = forwarding_queue::submit({&nothing, 1}, waits);
      m_failures.emplace(point, std::move(*failure));
      return point;
    }
    std::vector<command> kept;
    for (const command& c : commands)
      if (!std::holds_alternative<dispatch_command>(c) || !m_faults->strikes(fault_kind::skip)) kept.push_back(c);
    if (kept.empty()) kept.emplace_back(barrier_command{});
    return forwarding_queue::submit(kept, waits);
  }
  std::optional<device_error> failure(std::uint64_t point) const override {
    {
      const std::lock_guard lock(m_mutex);
      if (const auto found = m_failures.find(point); found != m_failures.end()) return found->second;
    }
    return forwarding_queue::failure(point);
  }

private:
  std::optional<device_error> failure_of(std::span<const timeline_point> waits) {
    if (m_faults->strikes(fault_kind::lost)) m_faults->lost = true;
    const bool fails = m_faults->strikes(fault_kind::fail), times_out = m_faults->strikes(fault_kind::timeout); // both count
    if (m_faults->lost) return device_error(error_category::lost, "", "run a submission: the device is lost (an injected fault)");
    if (fails) return device_error(error_category::other, "", "run a submission: it failed (an injected fault)");
    if (times_out) return device_error(error_category::timeout, "", "run a submission: the device gave up on it (an injected fault)");
    for (const timeline_point& w : waits) {
      const auto* other = dynamic_cast<const faulty_queue*>(w.owner);
      if (other == nullptr) continue;
      const std::lock_guard lock(other->m_mutex);
      if (const auto found = other->m_failures.find(w.value); found != other->m_failures.end())
        return device_error(found->second.category(), "", std::string("not run: what it waits for failed: ") + found->second.what());
    }
    return std::nullopt;
  }

  std::shared_ptr<schedule> m_faults;
  mutable std::mutex m_mutex;
  std::map<std::uint64_t, device_error> m_failures;
};

class faulty_device final : public forwarding_device {
public:
  faulty_device(std::unique_ptr<device> whole, std::vector<fault> faults) : forwarding_device(std::move(whole)) { m_faults->faults = std::move(faults); }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind, std::uint64_t alignment) override {
    m_faults->refuse_when_lost("allocate memory");
    if (m_faults->strikes(fault_kind::memory))
      throw device_error(error_category::out_of_memory, "", "allocate " + std::to_string(bytes) + " bytes: there is no memory left (an injected fault)");
    return forwarding_device::create_memory(bytes, kind, alignment);
  }
  std::unique_ptr<program> create_program(const program_source& source) override {
    fail_build();
    return forwarding_device::create_program(source);
  }
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte> binary, const program_source& source) override {
    fail_build();
    return forwarding_device::create_program_from_binary(binary, source);
  }
  std::unique_ptr<queue> create_queue(const queue_options& options) override {
    m_faults->refuse_when_lost("make a queue");
    return std::make_unique<faulty_queue>(forwarding_device::create_queue(options), m_faults);
  }

private:
  void fail_build() {
    m_faults->refuse_when_lost("build a program");
    if (m_faults->strikes(fault_kind::build)) throw device_error(error_category::build, "", "build a program: it does not build (an injected fault)");
  }
  std::shared_ptr<schedule> m_faults = std::make_shared<schedule>();
};

[[noreturn]] void refuse(const std::string& term, const char* why) {
  throw device_error(error_category::invalid, "", "fault \"" + term + "\": " + why +
                                                      "; expected memory, build, fail, timeout, lost or skip = number, with + behind it for all from there on or * for every n-th");
}

} // namespace

std::vector<fault> read_faults(const std::string& text) {
  std::vector<fault> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string term = text.substr(begin, end - begin);
    std::erase(term, ' ');
    begin = end + 1;
    const std::size_t equals = std::min(term.find('='), term.size());
    const auto named = std::find_if(std::begin(names), std::end(names), [&](const auto& n) { return term.compare(0, equals, n.name) == 0; });
    if (named == std::end(names)) refuse(term, "there is no such fault");
    fault f{named->kind};
    const char* last = term.data() + term.size();
    const auto [rest, code] = std::from_chars(term.data() + std::min(equals + 1, term.size()), last, f.number);
    if (code != std::errc() || f.number == 0) refuse(term, "it needs a number from 1");
    if (last - rest == 1 && *rest == '+') f.how = fault::reach::onwards;
    else if (last - rest == 1 && *rest == '*') f.how = fault::reach::every;
    else if (rest != last) refuse(term, "what follows the number is not understood");
    out.push_back(f);
  }
  if (out.empty()) refuse(text, "it names no fault");
  return out;
}

std::unique_ptr<device> make_faulty(std::unique_ptr<device> whole, std::vector<fault> faults) {
  return std::make_unique<faulty_device>(std::move(whole), std::move(faults));
}

} // namespace prism::devices::wrap
