// The implementation of the SYCL classes: devices and platforms (created once, never destroyed), contexts,
// queues, events. Thread-safe unless stated otherwise. guarded() converts errors of the runtime to
// sycl::exception.
#pragma once

#include "runtime/engine/engine.hpp"

#include <sycl/sycl.hpp>

#include <atomic>
#include <mutex>
#include <set>

namespace sycl {
inline namespace _V1 {
namespace detail {

class context_impl;
class host_outputs;
class queue_impl;

/// Returns the sycl::exception for an error of the runtime; `where` may be null.
std::exception_ptr as_sycl_exception(const std::exception_ptr& failure,
                                     const std::shared_ptr<context_impl>& where);
[[noreturn]] void throw_error(errc code, const std::string& message);
[[noreturn]] void rethrow_as_sycl(const std::shared_ptr<context_impl>& where);

/// Runs `call`. Exceptions of the runtime and of backends are converted to sycl::exception.
template <typename Call>
decltype(auto) guarded(Call&& call, const std::shared_ptr<context_impl>& where = nullptr) {
  try {
    return call();
  } catch (const sycl::exception&) {
    throw;
  } catch (const std::exception&) {
    rethrow_as_sycl(where);
  }
}

class platform_impl {
public:
  platform_impl(const prism::platform_node& node) : m_node(node) {}
  const prism::platform_node& node() const noexcept { return m_node; }
  const std::vector<std::shared_ptr<device_impl>>& devices() const noexcept { return m_devices; }
  /// Returns the context of queues that are created without one.
  std::shared_ptr<context_impl> default_context();

private:
  friend struct device_tables;
  const prism::platform_node& m_node;
  std::vector<std::shared_ptr<device_impl>> m_devices;
  std::mutex m_mutex;
  std::shared_ptr<context_impl> m_default;
};

class device_impl {
public:
  /// `listed`: the listed device that this one represents in a native context (interoperability), or null.
  device_impl(prism::device_node& node, std::shared_ptr<platform_impl> platform,
              std::shared_ptr<device_impl> listed = nullptr)
      : m_node(node), m_platform(std::move(platform)), m_backend(backend_of(node.backend_name())),
        m_listed(std::move(listed)) {}
  prism::device_node& node() const noexcept { return m_node; }
  const prism::devices::capabilities& info() const { return m_node.info(); }
  const std::shared_ptr<platform_impl>& platform() const noexcept { return m_platform; }
  backend where() const noexcept { return m_backend; }
  bool has(aspect what) const;

  // sycl_ext_oneapi_peer_access.
  bool can_access(const device_impl& peer) const;
  void enable_peer(const device_impl& peer);
  void disable_peer(const device_impl& peer);

  /// How this sub-device was created; null for a root device.
  struct sub_device_origin {
    std::shared_ptr<device_impl> whole;
    info::partition_property how;
    info::partition_affinity_domain domain;
  };
  const sub_device_origin* origin() const noexcept { return m_origin.get(); }
  /// Returns the sub-devices; the same ones every time for the same partition. The caller validates the
  /// partition.
  static std::vector<std::shared_ptr<device_impl>>
  create_sub_devices(const std::shared_ptr<device_impl>& whole, const prism::devices::partition& how,
                     info::partition_property property, info::partition_affinity_domain domain);
  /// Returns all sub-devices created so far, including those of sub-devices.
  std::vector<std::shared_ptr<device_impl>> sub_devices() const;

  /// A queue of the device. The driver's queue may outlive it, until its commands are complete.
  struct made_queue {
    std::weak_ptr<queue_impl> queue;
    std::weak_ptr<prism::queue_node> node;
  };
  void add_queue(made_queue queue);
  /// Returns the queues of the device and its sub-devices.
  std::vector<made_queue> queues() const;

  static backend backend_of(const std::string& name) noexcept;

private:
  prism::device_node& m_node;
  std::shared_ptr<platform_impl> m_platform;
  backend m_backend;
  std::shared_ptr<device_impl> m_listed;
  struct made_sub_devices {
    info::partition_property property;
    info::partition_affinity_domain domain;
    std::vector<std::uint32_t> units;
    std::vector<std::shared_ptr<device_impl>> devices;
  };
  std::unique_ptr<const sub_device_origin> m_origin;
  mutable std::mutex m_mutex; // protects the members below
  std::vector<made_sub_devices> m_made;
  std::vector<made_queue> m_queues;
  std::set<const device_impl*> m_peers; // devices live until the process ends
  std::size_t m_prune_at = 16; // the number of queues at which destroyed ones are removed from the list
  friend const std::shared_ptr<device_impl>& as_listed(const std::shared_ptr<device_impl>& device) noexcept;
};
/// Whether the system or the driver reports what the aspect promises: one of ext_intel_*. Reads sensors.
bool has_reading(const device_impl& one, aspect what);
/// Returns the first of the device, its parent, the parent's parent, ... for which `is` returns true; null if
/// there is none.
template <typename Predicate>
std::shared_ptr<device_impl> first_around(std::shared_ptr<device_impl> device, const Predicate& is) {
  while (device && !is(device)) device = device->origin() ? device->origin()->whole : nullptr;
  return device;
}
/// Returns the device that programs see.
inline const std::shared_ptr<device_impl>& as_listed(const std::shared_ptr<device_impl>& device) noexcept {
  return device && device->m_listed ? device->m_listed : device;
}

/// Returns all platforms in a fixed order. Throws sycl::exception if there is no device.
const std::vector<std::shared_ptr<platform_impl>>& all_platforms();
std::shared_ptr<device_impl> default_device();
/// Returns a text such as "host: CPU name" for messages.
std::string describe(const device_impl& device);

class context_impl {
public:
  context_impl(std::vector<std::shared_ptr<device_impl>> devices, async_handler handler,
               property_list properties)
      : m_devices(std::move(devices)), m_handler(std::move(handler)), m_properties(std::move(properties)) {}
  const std::vector<std::shared_ptr<device_impl>>& devices() const noexcept { return m_devices; }
  const async_handler& handler() const noexcept { return m_handler; }
  const property_list& properties() const noexcept { return m_properties; }
  bool holds(const std::shared_ptr<device_impl>& device) const noexcept;
  /// Throws errc::invalid in the name of `call`, unless the context holds the device.
  void require(const std::shared_ptr<device_impl>& device, const char* call) const;
  /// Sets the native context of this context. Such a context has its own device for each listed device:
  /// `working`, in the same order.
  void stand_on(std::shared_ptr<void> native, std::vector<std::shared_ptr<device_impl>> working) {
    m_native = std::move(native);
    m_working = std::move(working);
  }
  /// Returns the device that executes the commands for a device of the context.
  const std::shared_ptr<device_impl>& working(const std::shared_ptr<device_impl>& device) const noexcept;

private:
  std::vector<std::shared_ptr<device_impl>> m_devices;
  async_handler m_handler;
  property_list m_properties;
  std::shared_ptr<void> m_native;
  std::vector<std::shared_ptr<device_impl>> m_working; // empty: the devices themselves
};

class event_impl;
class graph_node;
class modifiable_graph;

/// The data of a queue that its events share; one object, so that creating an event is cheap.
struct event_origin {
  std::weak_ptr<queue_impl> queue;
  std::shared_ptr<device_impl> device;
  std::shared_ptr<context_impl> context;
  bool profiling = false;
};

class queue_impl {
public:
  /// `node`: a native queue (interoperability); null: a new queue is created.
  static std::shared_ptr<queue_impl> make(std::shared_ptr<context_impl> in, std::shared_ptr<device_impl> on,
                                          async_handler handler, property_list properties,
                                          prism::queue_ptr node = nullptr);
  queue_impl(std::shared_ptr<context_impl> in, std::shared_ptr<device_impl> on, async_handler handler,
             property_list properties, prism::queue_ptr node);
  /// Delivers pending asynchronous errors. Running commands continue; their later errors are reported at the
  /// next delivery of any queue, or on standard error at the end of the process.
  ~queue_impl();

  const std::shared_ptr<context_impl>& context() const noexcept { return m_context; }
  const std::shared_ptr<device_impl>& device() const noexcept { return m_device; }
  const property_list& properties() const noexcept { return m_properties; }
  prism::queue_node& node() const noexcept { return *m_node; }
  const prism::queue_ptr& shared_node() const noexcept { return m_node; }
  bool in_order() const noexcept { return m_in_order; }
  bool profiling() const noexcept { return m_profiling; }
  host_outputs& outputs() const noexcept { return *m_outputs; }
  const std::shared_ptr<const event_origin>& origin() const noexcept { return m_origin; }

  bool is_recording() const noexcept { return m_recording.load(std::memory_order_acquire); }
  /// Returns the graph that records the queue, or null.
  std::shared_ptr<modifiable_graph> recorded_by() const;
  /// Starts recording into `graph`; null ends recording.
  void record_into(const std::shared_ptr<modifiable_graph>& graph);
  /// Throws invalid while the queue is recorded, since its commands do not run then.
  void refuse_while_recording(const char* asked) const;

  /// Of in-order queues: the event of the last command, and one that the next command waits for.
  void set_last(std::shared_ptr<event_impl> event);
  void set_external(std::shared_ptr<event_impl> event);
  std::shared_ptr<event_impl> last() const;
  /// Returns the external event, once; null without one.
  std::shared_ptr<event_impl> take_external();

  /// The event of every command of a queue that discards its events; null for other queues.
  const std::shared_ptr<event_impl>& discarded() const noexcept { return m_discarded; }

  /// Passes pending asynchronous errors to the queue's handler, else the context's, else the default one.
  void deliver();
  /// Adds an error that was found elsewhere (in a buffer's destructor) on behalf of this queue.
  void add_failure(std::exception_ptr failure);

private:
  std::shared_ptr<context_impl> m_context;
  std::shared_ptr<device_impl> m_device;
  async_handler m_handler;
  property_list m_properties;
  bool m_in_order, m_profiling;
  prism::queue_ptr m_node;
  std::shared_ptr<host_outputs> m_outputs; // running commands may outlive the queue
  std::shared_ptr<const event_origin> m_origin;
  mutable std::mutex m_mutex;
  std::vector<std::exception_ptr> m_added;
  std::shared_ptr<event_impl> m_last, m_external, m_discarded;
  std::atomic<bool> m_recording{false}, m_has_external{false};
  std::weak_ptr<modifiable_graph> m_graph;
};

/// The standard's default handler: writes every error to standard error, then calls std::terminate.
[[noreturn]] void default_async_handler(const exception_list& errors);

class event_impl {
public:
  /// If `origin` is null, the event is complete from the start. If a group became several commands, the
  /// event's times are the start of `first` and the end of `last`; between `last` and `command` only PRISM's
  /// own work runs. Null means the same as `command`.
  event_impl(prism::command_ptr command, std::shared_ptr<const event_origin> origin,
             prism::command_ptr first = nullptr, prism::command_ptr last = nullptr)
      : m_command(std::move(command)), m_first(std::move(first)), m_last(std::move(last)),
        m_origin(std::move(origin)) {}
  const prism::command_ptr& command() const noexcept { return m_command; } // null: complete from the start
  const prism::command_ptr& first() const noexcept { return m_first ? m_first : m_command; }
  const prism::command_ptr& last() const noexcept { return m_last ? m_last : m_command; }
  const std::shared_ptr<const event_origin>& origin() const noexcept { return m_origin; }
  std::shared_ptr<queue_impl> queue() const noexcept { return m_origin ? m_origin->queue.lock() : nullptr; }
  std::shared_ptr<device_impl> device() const noexcept { return m_origin ? m_origin->device : nullptr; }
  std::shared_ptr<context_impl> context() const noexcept { return m_origin ? m_origin->context : nullptr; }
  bool profiling() const noexcept { return m_origin && m_origin->profiling; }
  /// The native events (interoperability) that this event represents.
  void set_native(std::vector<std::shared_ptr<void>> native) { extras().native = std::move(native); }
  std::vector<std::shared_ptr<void>> native() const {
    return m_extras ? m_extras->native : std::vector<std::shared_ptr<void>>();
  }
  /// The graph node of a recorded submission; null for all other events.
  void set_node(std::shared_ptr<graph_node> node) { extras().node = std::move(node); }
  std::shared_ptr<graph_node> node() const { return m_extras ? m_extras->node : nullptr; }
  /// Throws invalid for the event of a recorded submission: it has no command that could be waited for or
  /// measured.
  void refuse_recorded(const char* asked) const;
  /// A discarded event knows nothing of its command. The function throws invalid for it.
  void set_discarded() { extras().discarded = true; }
  void refuse_discarded(const char* asked) const;
  bool is_discarded() const noexcept { return m_extras && m_extras->discarded; }
  /// The events given to depends_on, so that get_wait_list returns the user's events.
  void set_named(std::vector<std::weak_ptr<event_impl>> named) { m_named = std::move(named); }
  const std::vector<std::weak_ptr<event_impl>>& named() const noexcept { return m_named; }

private:
  std::vector<std::weak_ptr<event_impl>> m_named;
  struct rare {
    std::vector<std::shared_ptr<void>> native;
    std::shared_ptr<graph_node> node;
    bool discarded = false;
  };
  rare& extras() {
    if (!m_extras) m_extras = std::make_unique<rare>();
    return *m_extras;
  }
  std::unique_ptr<rare> m_extras; // mostly null
  prism::command_ptr m_command, m_first, m_last;
  std::shared_ptr<const event_origin> m_origin;
};

}
}
} // namespace sycl::_V1::detail
