// sycl::atomic and its free functions (SYCL 1.2.1, deprecated in SYCL 2020): relaxed atomics on 32 and 64-bit
// integers and float, implemented by atomic_ref. The object refers to the memory of the multi_ptr from which
// it was created; it owns nothing.
#pragma once

#include <sycl/atomic_ref.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {
inline namespace _V1 {

// The operations that take an operand and return the previous value, for the class and its free functions.
// clang-format off
#define PRISM_OLD_ATOMIC_OPERATIONS \
  PRISM_OLD_ATOMIC(exchange) \
  PRISM_OLD_ATOMIC(fetch_add) PRISM_OLD_ATOMIC(fetch_sub) \
  PRISM_OLD_ATOMIC(fetch_and) PRISM_OLD_ATOMIC(fetch_or) \
  PRISM_OLD_ATOMIC(fetch_xor) PRISM_OLD_ATOMIC(fetch_min) PRISM_OLD_ATOMIC(fetch_max)
// clang-format on

template <typename T, access::address_space Space = access::address_space::global_space>
class [[deprecated("use sycl::atomic_ref")]] atomic {
  using reference = atomic_ref<T, memory_order::relaxed, memory_scope::device, Space>;

public:
  template <typename PointerT, access::decorated D>
  explicit atomic(multi_ptr<PointerT, Space, D> pointer) : m_value(pointer.get_raw()) {
    static_assert(sizeof(T) == sizeof(PointerT),
                  "a sycl::atomic is made from a pointer to a type of the same size");
  }

  void store(T operand, memory_order = memory_order::relaxed) { at().store(operand); }
  T load(memory_order = memory_order::relaxed) const { return at().load(); }
  bool compare_exchange_strong(T& expected, T desired, memory_order = memory_order::relaxed,
                               memory_order = memory_order::relaxed) {
    return at().compare_exchange_strong(expected, desired);
  }

#define PRISM_OLD_ATOMIC(NAME)                                                                               \
  T NAME(T operand, memory_order = memory_order::relaxed) { return at().NAME(operand); }
  PRISM_OLD_ATOMIC_OPERATIONS
#undef PRISM_OLD_ATOMIC

private:
  reference at() const { return reference(*static_cast<T*>(m_value)); }

  void* m_value;
};

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

template <typename T, access::address_space Space>
[[deprecated("use sycl::atomic_ref")]]
void atomic_store(atomic<T, Space> object, T operand, memory_order = memory_order::relaxed) {
  object.store(operand);
}
template <typename T, access::address_space Space>
[[deprecated("use sycl::atomic_ref")]] T atomic_load(atomic<T, Space> object,
                                                     memory_order = memory_order::relaxed) {
  return object.load();
}
template <typename T, access::address_space Space>
[[deprecated("use sycl::atomic_ref")]] bool
atomic_compare_exchange_strong(atomic<T, Space> object, T& expected, T desired,
                               memory_order = memory_order::relaxed, memory_order = memory_order::relaxed) {
  return object.compare_exchange_strong(expected, desired);
}
#define PRISM_OLD_ATOMIC(NAME)                                                                               \
  template <typename T, access::address_space Space>                                                         \
  [[deprecated("use sycl::atomic_ref")]] T atomic_##NAME(atomic<T, Space> object, T operand,                 \
                                                         memory_order = memory_order::relaxed) {             \
    return object.NAME(operand);                                                                             \
  }
PRISM_OLD_ATOMIC_OPERATIONS
#undef PRISM_OLD_ATOMIC
#undef PRISM_OLD_ATOMIC_OPERATIONS

#if defined(__clang__)
#pragma clang diagnostic pop
#else
#pragma GCC diagnostic pop
#endif

}
} // namespace sycl::_V1
