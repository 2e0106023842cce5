#include "runtime/observe/command_spans.hpp"

#include "runtime/observe/observer.hpp"
#include "runtime/observe/trace.hpp"

namespace prism::observe {

namespace {

namespace trace = support::trace;

/// A thread finishes commands of few devices, mostly of one.
trace::track track_of(const completion_event& event) {
  struct known {
    const device_node* device;
    trace::track track;
  };
  thread_local known last{};
  if (last.device != event.device) last = {event.device, trace::device_track(event.device_name)};
  return last.track;
}

class span_writer final : public follower {
public:
  explicit span_writer(std::uint64_t arrow) : m_arrow(arrow) {}
  void completed(const completion_event& event) noexcept override try {
    if (event.label == nullptr) return;
    if (event.on_device) {
      const devices::profile& p = *event.on_device;
      trace::device_span(track_of(event), event.queue, event.label->text, event.label->line, p.started_ns,
                         p.ended_ns, p.starts_at_end_before, m_arrow);
    } else if (event.host_begin_ns != 0) {
      trace::host_span("host", event.label->text, event.host_begin_ns, event.host_end_ns, event.label->line,
                       m_arrow);
    }
  } catch (...) { // out of memory: the span is dropped
  }

private:
  std::uint64_t m_arrow;
};

class command_spans final : public observer {
public:
  std::uint32_t interests() const noexcept override { return labels | spans; }
  std::shared_ptr<follower> submitting(const submission_event& event) override {
    if (event.is_graph) return nullptr; // its segments are reported one by one
    return std::make_shared<span_writer>(event.arrow);
  }
};

} // namespace

void trace_commands() {
  if (trace::on()) add(*new command_spans);
}

} // namespace prism::observe
