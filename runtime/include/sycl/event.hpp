// sycl::event: a submitted command. A default-constructed event is complete. Thread-safe.
#pragma once

#include <sycl/context.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {
class event_impl;
}

class event : public detail::shared_object<detail::event_impl> {
public:
  event();

  backend get_backend() const noexcept;
  /// Returns the events on which this one depends directly; may be empty for an in-order queue.
  std::vector<event> get_wait_list() const;
  /// Blocks until the command is complete. Does not throw the command's errors.
  void wait();
  static void wait(const std::vector<event>& events);
  /// Blocks until the command is complete, then passes the pending asynchronous errors of the event's queue
  /// to its handler.
  void wait_and_throw();
  static void wait_and_throw(const std::vector<event>& events);

  /// If command_execution_status is `complete`, the effects of the command are visible as after wait().
  template <typename Param>
  typename detail::event_descriptor<Param>::return_type get_info() const;
  /// Returns a time of std::chrono::steady_clock in nanoseconds. Waits for the command. Throws errc::invalid
  /// if the queue lacks property::queue::enable_profiling.
  template <typename Param>
  typename detail::event_profiling_descriptor<Param>::return_type get_profiling_info() const;

private:
  friend struct detail::access_impl;
  explicit event(detail::impl_ptr<detail::event_impl> impl) : shared_object(std::move(impl)) {}
};

}
} // namespace sycl::_V1

template <>
struct std::hash<sycl::event> : sycl::detail::hash_by_impl {};
