// A fiber: a stack and the switch to and from it. With fibers the work-items of a group can wait for each
// other at a barrier on one thread. A fiber belongs to the thread that made it and never migrates.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace prism::devices::host {

class fiber {
public:
  using job = void (*)(fiber& self, void* owner); // must not throw

  /// Reserves a stack of `stack_bytes` with an inaccessible page below it, which catches overflow. Throws
  /// device_error{out_of_memory}. Each resume() after a return of `run` calls `run(self, owner)` again.
  fiber(job run, void* owner);
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  void resume();  // call on the thread's own stack: runs the fiber until it suspends or its job returns
  void suspend(); // call on the fiber: returns to resume()'s caller
  /// Drops a suspended job without unwinding its stack; the fiber can then be used again. For work-items that
  /// can never continue.
  void abandon();

  static constexpr std::size_t stack_bytes = 256 * 1024;

private:
  static void main(boost::context::detail::transfer_t from);

  job m_run;
  void* m_owner;
  void* m_mapping;
  boost::context::detail::fcontext_t m_inside, m_outside = nullptr;
  // For the sanitizers: the stacks of the fiber and its thread. Unused without them.
  void* m_sanitizer_fiber = nullptr;
  void* m_sanitizer_thread = nullptr;
  const void* m_thread_stack = nullptr;
  std::size_t m_thread_stack_bytes = 0;
};

} // namespace prism::devices::host
