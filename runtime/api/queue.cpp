// sycl::queue, sycl::event, waiting for all queues of a device, and the delivery of asynchronous errors.
#include "runtime/api/command_group.hpp"
#include "runtime/api/extension_points.hpp"
#include "runtime/api/impl.hpp"
#include "runtime/api/interop_handles.hpp"
#include "runtime/support/text.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace sycl {
inline namespace _V1 {

namespace detail {

namespace {

void report(const exception_list& errors) {
  for (const std::exception_ptr& e : errors) {
    std::fprintf(stderr, "prism: asynchronous error: %s\n", prism::support::text_of(e).c_str());
  }
}

/// The driver queues of SYCL queues that were destroyed while commands were running. They are retained until
/// the commands end, so that no error is lost.
class orphanage {
public:
  static orphanage& get() {
    static auto& instance = *new orphanage;
    return instance;
  }
  void add(prism::queue_ptr node, async_handler handler, std::shared_ptr<context_impl> where) {
    const std::lock_guard lock(m_mutex);
    if (!m_hooked) std::atexit([] { get().report_rest(); });
    m_hooked = true;
    m_orphans.push_back({std::move(node), std::move(handler), std::move(where), {}});
    m_any.store(true);
  }
  /// Delivers the errors known so far.
  void sweep() {
    if (!m_any.load()) return;
    std::vector<orphan> failed;
    {
      const std::lock_guard lock(m_mutex);
      std::vector<orphan> left;
      for (orphan& o : m_orphans) {
        const bool done = o.node->empty();
        o.failures = o.node->take_failures();
        if (!o.failures.empty()) failed.push_back(o);
        if (!done) left.push_back(std::move(o));
      }
      m_orphans = std::move(left);
      m_any.store(!m_orphans.empty());
    }
    for (orphan& o : failed) {
      const exception_list errors(converted(o));
      if (o.handler) o.handler(errors);
      else default_async_handler(errors);
    }
  }

private:
  struct orphan {
    prism::queue_ptr node;
    async_handler handler;
    std::shared_ptr<context_impl> where;
    std::vector<std::exception_ptr> failures;
  };
  static std::vector<std::exception_ptr> converted(const orphan& o) {
    std::vector<std::exception_ptr> out;
    for (const auto& f : o.failures) out.push_back(as_sycl_exception(f, o.where));
    return out;
  }
  // At the end of the process: the user's handlers must not run any more.
  void report_rest() {
    const std::lock_guard lock(m_mutex);
    for (orphan& o : m_orphans) {
      o.failures = o.node->take_failures();
      report(exception_list(converted(o)));
    }
  }
  std::mutex m_mutex;
  std::atomic<bool> m_any{false};
  bool m_hooked = false;
  std::vector<orphan> m_orphans;
};

} // namespace

void deliver_of_destroyed_queues() { orphanage::get().sweep(); }

void default_async_handler(const exception_list& errors) {
  report(errors);
  std::fprintf(stderr, "prism: no asynchronous handler was given to the queue or its context; terminating\n");
  std::terminate();
}

queue_impl::queue_impl(std::shared_ptr<context_impl> in, std::shared_ptr<device_impl> on,
                       async_handler handler, property_list properties, prism::queue_ptr node)
    : m_context(std::move(in)), m_device(std::move(on)), m_handler(std::move(handler)),
      m_properties(std::move(properties)), m_in_order(m_properties.has_property<property::queue::in_order>()),
      m_profiling(m_properties.has_property<property::queue::enable_profiling>()), m_node(std::move(node)),
      m_outputs(std::make_shared<host_outputs>()) {
  m_context->require(m_device, "queue");
  if (m_profiling && !m_device->has(aspect::queue_profiling)) {
    throw_error(errc::feature_not_supported, "queue: " + describe(*m_device) +
                                                 " cannot measure times (no aspect::queue_profiling); omit "
                                                 "property::queue::enable_profiling");
  }
  namespace hints = ext::oneapi::property::queue;
  if (m_properties.has_property<hints::priority_low>() + m_properties.has_property<hints::priority_normal>() +
          m_properties.has_property<hints::priority_high>() >
      1) {
    throw_error(
        errc::invalid,
        "queue: more than one of the properties priority_low, priority_normal and priority_high; give one");
  }
  if (m_properties.has_property<hints::discard_events>() && m_profiling) {
    throw_error(errc::invalid,
                "queue: the properties discard_events and enable_profiling exclude each other; give one");
  }
  before_queue();
  m_device = m_context->working(m_device);
  if (!m_node)
    m_node =
        guarded([&] { return prism::create_queue(m_device->node(), {m_in_order, m_profiling}); }, m_context);
}

std::shared_ptr<queue_impl> queue_impl::make(std::shared_ptr<context_impl> in,
                                             std::shared_ptr<device_impl> on, async_handler handler,
                                             property_list properties, prism::queue_ptr node) {
  auto made = std::make_shared<queue_impl>(std::move(in), std::move(on), std::move(handler),
                                           std::move(properties), std::move(node));
  made->m_origin =
      std::make_shared<event_origin>(event_origin{made, made->m_device, made->m_context, made->m_profiling});
  if (made->m_properties.has_property<ext::oneapi::property::queue::discard_events>()) {
    made->m_discarded = std::make_shared<event_impl>(nullptr, made->m_origin);
    made->m_discarded->set_discarded();
  }
  as_listed(made->m_device)->add_queue({made, made->m_node});
  return made;
}

queue_impl::~queue_impl() {
  const bool busy = !m_node->empty();
  deliver();
  if (busy) orphanage::get().add(std::move(m_node), m_handler ? m_handler : m_context->handler(), m_context);
}

void queue_impl::deliver() {
  orphanage::get().sweep();
  std::vector<std::exception_ptr> errors;
  for (const auto& failure : m_node->take_failures()) errors.push_back(as_sycl_exception(failure, m_context));
  {
    const std::lock_guard lock(m_mutex);
    errors.insert(errors.end(), m_added.begin(), m_added.end());
    m_added.clear();
  }
  if (errors.empty()) return;
  const exception_list list(std::move(errors));
  if (m_handler) m_handler(list);
  else if (m_context->handler()) m_context->handler()(list);
  else default_async_handler(list);
}

void queue_impl::add_failure(std::exception_ptr failure) {
  const std::lock_guard lock(m_mutex);
  m_added.push_back(std::move(failure));
}

void queue_impl::set_last(std::shared_ptr<event_impl> event) {
  const std::lock_guard lock(m_mutex);
  m_last.swap(event); // the earlier event is destroyed without the lock
}

void queue_impl::set_external(std::shared_ptr<event_impl> event) {
  const std::lock_guard lock(m_mutex);
  m_external = std::move(event);
  m_has_external.store(true, std::memory_order_release);
}

std::shared_ptr<event_impl> queue_impl::last() const {
  const std::lock_guard lock(m_mutex);
  return m_external ? m_external : m_last;
}

std::shared_ptr<event_impl> queue_impl::take_external() {
  if (!m_has_external.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(m_mutex);
  m_has_external.store(false, std::memory_order_relaxed);
  return std::exchange(m_external, nullptr);
}

std::shared_ptr<modifiable_graph> queue_impl::recorded_by() const {
  const std::lock_guard lock(m_mutex);
  return m_graph.lock();
}

void queue_impl::record_into(const std::shared_ptr<modifiable_graph>& graph) {
  const std::lock_guard lock(m_mutex);
  m_graph = graph;
  m_recording.store(graph != nullptr, std::memory_order_release);
}

void queue_impl::refuse_while_recording(const char* asked) const {
  if (is_recording()) {
    throw_error(errc::invalid, std::string(asked) +
                                   ": a command graph records the queue, so its commands do not run; call "
                                   "end_recording first, then execute the graph");
  }
}

void event_impl::refuse_discarded(const char* asked) const {
  if (is_discarded()) {
    throw_error(errc::invalid, std::string(asked) +
                                   ": the event is of a queue with the property discard_events; wait for the "
                                   "queue, or create it without that property");
  }
}

void event_impl::refuse_recorded(const char* asked) const {
  if (node()) {
    throw_error(errc::invalid,
                std::string(asked) +
                    ": the event belongs to a submission that was recorded into a command graph and does "
                    "not run by itself; wait for the event of the graph's execution");
  }
}

namespace {

std::shared_ptr<queue_impl> make_queue(std::shared_ptr<context_impl> in, std::shared_ptr<device_impl> on,
                                       const async_handler& handler, const property_list& properties) {
  if (!in) in = default_context_of(*on);
  return queue_impl::make(std::move(in), std::move(on), handler, properties);
}

} // namespace

} // namespace detail

queue::queue(const property_list& properties)
    : shared_object(detail::make_queue(nullptr, detail::default_device(), {}, properties)) {}
queue::queue(const async_handler& handler, const property_list& properties)
    : shared_object(detail::make_queue(nullptr, detail::default_device(), handler, properties)) {}
queue::queue(const device& on, const property_list& properties)
    : shared_object(detail::make_queue(nullptr, detail::access_impl::get(on), {}, properties)) {}
queue::queue(const device& on, const async_handler& handler, const property_list& properties)
    : shared_object(detail::make_queue(nullptr, detail::access_impl::get(on), handler, properties)) {}
queue::queue(const context& in, const device& on, const property_list& properties)
    : shared_object(
          detail::make_queue(detail::access_impl::get(in), detail::access_impl::get(on), {}, properties)) {}
queue::queue(const context& in, const device& on, const async_handler& handler,
             const property_list& properties)
    : shared_object(detail::make_queue(detail::access_impl::get(in), detail::access_impl::get(on), handler,
                                       properties)) {}

backend queue::get_backend() const noexcept { return m_impl->device()->where(); }
context queue::get_context() const { return detail::access_impl::make<context>(m_impl->context()); }
device queue::get_device() const {
  return detail::access_impl::make<device>(detail::as_listed(m_impl->device()));
}
bool queue::is_in_order() const { return m_impl->in_order(); }
bool queue::ext_oneapi_empty() const {
  return detail::guarded([&] { return m_impl->node().empty(); }, m_impl->context());
}
void queue::khr_flush() const {
  detail::guarded([&] { m_impl->node().flush(); }, m_impl->context());
}
const property_list& queue::prism_properties() const noexcept { return m_impl->properties(); }

event queue::run_group(void (*call)(void*, handler&), void* group, detail::call_site site) {
  static_cast<void>(*m_impl); // throws if it was moved from
  detail::handler_impl state(m_impl);
  state.called_at(site);
  const bool in_order = m_impl->in_order();
  if (in_order) {
    if (auto external = m_impl->take_external())
      state.depends_on(detail::access_impl::make<event>(std::move(external)));
  }
  call(group, state.facade());
  event submitted = state.submit();
  if (m_impl->discarded()) return detail::access_impl::make<event>(m_impl->discarded());
  if (in_order) m_impl->set_last(detail::access_impl::get(submitted));
  return submitted;
}

namespace {
void require_in_order(const queue& which, const char* asked) {
  namespace hints = ext::oneapi::property::queue;
  if (!which.is_in_order() || which.has_property<hints::discard_events>())
    detail::throw_error(errc::invalid,
                        std::string(asked) +
                            ": the queue is not in order, or discards its events; create it with "
                            "property::queue::in_order and without discard_events");
}
} // namespace

event queue::ext_oneapi_get_last_event() const {
  require_in_order(*this, "queue::ext_oneapi_get_last_event");
  auto last = m_impl->last();
  return last ? detail::access_impl::make<event>(std::move(last)) : event();
}
void queue::ext_oneapi_set_external_event(const event& external_event) {
  require_in_order(*this, "queue::ext_oneapi_set_external_event");
  m_impl->set_external(detail::access_impl::get(external_event));
}

event queue::memcpy(void* to, const void* from, std::size_t bytes, detail::call_site site) {
  return submit([&](handler& h) { h.memcpy(to, from, bytes, site); }, site);
}
event queue::memcpy(void* to, const void* from, std::size_t bytes, event dependency, detail::call_site site) {
  return after(dependency, [&](handler& h) { h.memcpy(to, from, bytes, site); }, site);
}
event queue::memcpy(void* to, const void* from, std::size_t bytes, const std::vector<event>& dependencies,
                    detail::call_site site) {
  return after(dependencies, [&](handler& h) { h.memcpy(to, from, bytes, site); }, site);
}
event queue::memset(void* to, int value, std::size_t bytes, detail::call_site site) {
  return submit([&](handler& h) { h.memset(to, value, bytes, site); }, site);
}
event queue::memset(void* to, int value, std::size_t bytes, event dependency, detail::call_site site) {
  return after(dependency, [&](handler& h) { h.memset(to, value, bytes, site); }, site);
}
event queue::memset(void* to, int value, std::size_t bytes, const std::vector<event>& dependencies,
                    detail::call_site site) {
  return after(dependencies, [&](handler& h) { h.memset(to, value, bytes, site); }, site);
}
event queue::prefetch(const void* from, std::size_t bytes, detail::call_site site) {
  return submit([&](handler& h) { h.prefetch(from, bytes, site); }, site);
}
event queue::prefetch(const void* from, std::size_t bytes, event dependency, detail::call_site site) {
  return after(dependency, [&](handler& h) { h.prefetch(from, bytes, site); }, site);
}
event queue::prefetch(const void* from, std::size_t bytes, const std::vector<event>& dependencies,
                      detail::call_site site) {
  return after(dependencies, [&](handler& h) { h.prefetch(from, bytes, site); }, site);
}
event queue::mem_advise(const void* from, std::size_t bytes, int advice, detail::call_site site) {
  return submit([&](handler& h) { h.mem_advise(from, bytes, advice, site); }, site);
}
event queue::mem_advise(const void* from, std::size_t bytes, int advice, event dependency,
                        detail::call_site site) {
  return after(dependency, [&](handler& h) { h.mem_advise(from, bytes, advice, site); }, site);
}
event queue::mem_advise(const void* from, std::size_t bytes, int advice,
                        const std::vector<event>& dependencies, detail::call_site site) {
  return after(dependencies, [&](handler& h) { h.mem_advise(from, bytes, advice, site); }, site);
}
event queue::ext_oneapi_submit_barrier(detail::call_site site) {
  return submit([](handler& h) { h.prism_barrier(); }, site);
}
event queue::ext_oneapi_submit_barrier(const std::vector<event>& dependencies, detail::call_site site) {
  return submit([&](handler& h) { h.ext_oneapi_barrier(dependencies); }, site);
}

void queue::wait() {
  m_impl->refuse_while_recording("queue::wait");
  if (auto external = m_impl->take_external()) detail::access_impl::make<event>(std::move(external)).wait();
  detail::guarded([&] { m_impl->node().wait(); }, m_impl->context());
}
void queue::wait_and_throw() {
  wait();
  m_impl->deliver();
}
void queue::throw_asynchronous() { m_impl->deliver(); }

void device::ext_oneapi_wait() {
  for (const auto& each : m_impl->queues()) {
    if (const auto node = each.node.lock()) detail::guarded([&] { node->wait(); });
  }
}
void device::ext_oneapi_wait_and_throw() {
  ext_oneapi_wait();
  ext_oneapi_throw_asynchronous();
}
void device::ext_oneapi_throw_asynchronous() {
  for (const auto& each : m_impl->queues()) {
    if (const auto queue = each.queue.lock()) queue->deliver();
  }
  detail::orphanage::get().sweep(); // the handlers of queues that were destroyed
}

// ---- event

event::event() : shared_object(std::make_shared<detail::event_impl>(nullptr, nullptr)) {}
backend event::get_backend() const noexcept {
  return m_impl->device() ? m_impl->device()->where() : detail::default_device()->where();
}
std::vector<event> event::get_wait_list() const {
  m_impl->refuse_discarded("event::get_wait_list");
  std::vector<event> out;
  if (!m_impl->command()) return out;
  for (auto& command : m_impl->first()->dependencies()) {
    std::shared_ptr<detail::event_impl> known;
    for (const auto& named : m_impl->named()) {
      const auto candidate = named.lock();
      if (candidate && candidate->command() == command) known = candidate;
    }
    if (!known) known = std::make_shared<detail::event_impl>(std::move(command), m_impl->origin());
    out.push_back(event(std::move(known)));
  }
  return out;
}
void event::wait() {
  m_impl->refuse_recorded("event::wait");
  m_impl->refuse_discarded("event::wait");
  if (m_impl->command()) detail::guarded([&] { m_impl->command()->wait(); }, m_impl->context());
}
void event::wait(const std::vector<event>& events) {
  for (event e : events) e.wait();
}
void event::wait_and_throw() {
  wait();
  if (const auto queue = m_impl->queue()) queue->deliver();
}
void event::wait_and_throw(const std::vector<event>& events) {
  wait(events);
  for (event e : events) e.wait_and_throw();
}

}
} // namespace sycl::_V1
