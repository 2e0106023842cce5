// sycl::atomic_ref (SYCL 2020, "Atomic references"), implemented by the compiler's atomic built-ins.
// Lock-free for integers, float, double and pointers of 4 and 8 bytes. Memory orders reach the device as LLVM
// atomic instructions; scopes above work_group become the device's widest scope. Floating-point min and max
// and, with compilers other than clang, floating-point add are compare-exchange loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/access_spaces.hpp>
#include <sycl/bit_cast.hpp>
#include <sycl/detail/same.hpp>
#include <sycl/memory_model.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {

// Returns the order of the load in a read-modify-write operation, which is also that of a failed exchange.
constexpr memory_order load_order(memory_order order) noexcept {
  switch (order) {
    case memory_order::acq_rel: return memory_order::acquire;
    case memory_order::release: return memory_order::relaxed;
    default: return order;
  }
}
constexpr memory_order store_order(memory_order order) noexcept {
  switch (order) {
    case memory_order::acq_rel: return memory_order::release;
    case memory_order::acquire: return memory_order::relaxed;
    default: return order;
  }
}

/// Calls `f` with the order as a constant expression, because the built-ins require a constant order in
/// device code.
template <typename F>
inline auto with_order(memory_order order, F f) noexcept {
  switch (order) {
    case memory_order::acquire: return f(std::integral_constant<int, __ATOMIC_ACQUIRE>());
    case memory_order::release: return f(std::integral_constant<int, __ATOMIC_RELEASE>());
    case memory_order::acq_rel: return f(std::integral_constant<int, __ATOMIC_ACQ_REL>());
    case memory_order::seq_cst: return f(std::integral_constant<int, __ATOMIC_SEQ_CST>());
    default: return f(std::integral_constant<int, __ATOMIC_RELAXED>());
  }
}
template <typename F>
inline auto with_load_order(memory_order order, F f) noexcept {
  switch (load_order(order)) {
    case memory_order::acquire: return f(std::integral_constant<int, __ATOMIC_ACQUIRE>());
    case memory_order::seq_cst: return f(std::integral_constant<int, __ATOMIC_SEQ_CST>());
    default: return f(std::integral_constant<int, __ATOMIC_RELAXED>());
  }
}
template <typename F>
inline void with_store_order(memory_order order, F f) noexcept {
  switch (store_order(order)) {
    case memory_order::release: return f(std::integral_constant<int, __ATOMIC_RELEASE>());
    case memory_order::seq_cst: return f(std::integral_constant<int, __ATOMIC_SEQ_CST>());
    default: return f(std::integral_constant<int, __ATOMIC_RELAXED>());
  }
}

// All accesses go through the unsigned integer of the same size.
template <typename T>
using atomic_word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <typename T>
struct __attribute__((may_alias)) atomic_cell {
  atomic_word<T> word;
};
template <typename T>
inline auto* word_of(T* pointer) noexcept {
  return &reinterpret_cast<atomic_cell<T>*>(pointer)->word;
}

template <typename T>
inline T atomic_load(T* pointer, memory_order order) noexcept {
  return with_load_order(order, [=](auto o) {
    return sycl::bit_cast<T>(__atomic_load_n(word_of(pointer), decltype(o)::value));
  });
}
template <typename T>
inline void atomic_store(T* pointer, T value, memory_order order) noexcept {
  with_store_order(order, [=](auto o) {
    __atomic_store_n(word_of(pointer), sycl::bit_cast<atomic_word<T>>(value), decltype(o)::value);
  });
}
template <typename T>
inline T atomic_exchange(T* pointer, T value, memory_order order) noexcept {
  return with_order(order, [=](auto o) {
    return sycl::bit_cast<T>(
        __atomic_exchange_n(word_of(pointer), sycl::bit_cast<atomic_word<T>>(value), decltype(o)::value));
  });
}
/// Compares bits, and updates `expected` on failure. The failure order is load_order(order).
template <typename T>
inline bool atomic_compare_exchange(T* pointer, T& expected, T desired, memory_order order) noexcept {
  atomic_word<T> old = sycl::bit_cast<atomic_word<T>>(expected);
  const bool done = with_order(order, [&](auto o) {
    constexpr int success = decltype(o)::value;
    constexpr int failure = success == __ATOMIC_ACQ_REL   ? __ATOMIC_ACQUIRE
                            : success == __ATOMIC_RELEASE ? __ATOMIC_RELAXED
                                                          : success;
    return __atomic_compare_exchange_n(word_of(pointer), &old, sycl::bit_cast<atomic_word<T>>(desired), false,
                                       success, failure);
  });
  if (!done) expected = sycl::bit_cast<T>(old);
  return done;
}

template <typename T, typename F>
inline T atomic_update(T* pointer, memory_order order, F next) noexcept {
  T old = atomic_load(pointer, memory_order::relaxed);
  while (!atomic_compare_exchange(pointer, old, next(old), order)) {}
  return old;
}

template <typename T>
inline T atomic_fetch_add(T* pointer, T value, memory_order order) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return with_order(order, [=](auto o) {
      return static_cast<T>(
          __atomic_fetch_add(word_of(pointer), static_cast<atomic_word<T>>(value), decltype(o)::value));
    });
  } else {
#if defined(__PRISM_REPRODUCIBLE__)
    static_assert(std::is_integral_v<T>, // false here
                  "prism++ --reproducible: work-items add floating-point numbers atomically in any order, "
                  "so the roundings differ from run to run; use sycl::reduction");
#endif
    __prism_order_varies(2);
#if defined(__clang__)
    return with_order(order, [=](auto o) { return __atomic_fetch_add(pointer, value, decltype(o)::value); });
#else
    return atomic_update(pointer, order, [=](T old) { return old + value; });
#endif
  }
}
template <typename T>
inline T atomic_fetch_sub(T* pointer, T value, memory_order order) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return with_order(order, [=](auto o) {
      return static_cast<T>(
          __atomic_fetch_sub(word_of(pointer), static_cast<atomic_word<T>>(value), decltype(o)::value));
    });
  } else {
    return atomic_fetch_add(pointer, -value, order);
  }
}
template <typename T>
inline T atomic_fetch_and(T* pointer, T value, memory_order order) noexcept {
  return with_order(order, [=](auto o) {
    return static_cast<T>(
        __atomic_fetch_and(word_of(pointer), static_cast<atomic_word<T>>(value), decltype(o)::value));
  });
}
template <typename T>
inline T atomic_fetch_or(T* pointer, T value, memory_order order) noexcept {
  return with_order(order, [=](auto o) {
    return static_cast<T>(
        __atomic_fetch_or(word_of(pointer), static_cast<atomic_word<T>>(value), decltype(o)::value));
  });
}
template <typename T>
inline T atomic_fetch_xor(T* pointer, T value, memory_order order) noexcept {
  return with_order(order, [=](auto o) {
    return static_cast<T>(
        __atomic_fetch_xor(word_of(pointer), static_cast<atomic_word<T>>(value), decltype(o)::value));
  });
}
template <typename T>
inline T atomic_fetch_min(T* pointer, T value, memory_order order) noexcept {
#if defined(__clang__)
  if constexpr (std::is_integral_v<T>) {
    // The built-in accepts only int and long; long long is a different type of the same size.
    using word = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<atomic_word<T>>, atomic_word<T>>;
    return with_order(order, [=](auto o) {
      return static_cast<T>(__atomic_fetch_min(reinterpret_cast<word*>(word_of(pointer)),
                                               static_cast<word>(value), decltype(o)::value));
    });
  }
#endif
  return atomic_update(pointer, order, [=](T old) { return value < old ? value : old; });
}
template <typename T>
inline T atomic_fetch_max(T* pointer, T value, memory_order order) noexcept {
#if defined(__clang__)
  if constexpr (std::is_integral_v<T>) {
    using word = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<atomic_word<T>>, atomic_word<T>>;
    return with_order(order, [=](auto o) {
      return static_cast<T>(__atomic_fetch_max(reinterpret_cast<word*>(word_of(pointer)),
                                               static_cast<word>(value), decltype(o)::value));
    });
  }
#endif
  return atomic_update(pointer, order, [=](T old) { return old < value ? value : old; });
}

/// The operations that all atomic_refs have: load, store and exchange.
template <typename T, memory_order DefaultOrder, memory_scope DefaultScope, access::address_space Space>
class atomic_ref_base {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "sycl::atomic_ref is for types of 4 or 8 bytes");
  static_assert(detail::same<DefaultOrder, memory_order::relaxed> ||
                    detail::same<DefaultOrder, memory_order::acq_rel> ||
                    detail::same<DefaultOrder, memory_order::seq_cst>,
                "the default order of a sycl::atomic_ref is relaxed, acq_rel or seq_cst");
  static_assert(detail::same<Space, access::address_space::global_space> ||
                    detail::same<Space, access::address_space::local_space> ||
                    detail::same<Space, access::address_space::generic_space>,
                "a sycl::atomic_ref refers to global, local or generic memory");

public:
  using value_type = T;
  static constexpr std::size_t required_alignment = sizeof(T);
  static constexpr bool is_always_lock_free = true;
  static constexpr memory_order default_read_order = load_order(DefaultOrder);
  static constexpr memory_order default_write_order = store_order(DefaultOrder);
  static constexpr memory_order default_read_modify_write_order = DefaultOrder;
  static constexpr memory_scope default_scope = DefaultScope;

  explicit atomic_ref_base(T& object) noexcept : m_object(&object) {}
  atomic_ref_base(const atomic_ref_base&) noexcept = default;
  atomic_ref_base& operator=(const atomic_ref_base&) = delete;

  bool is_lock_free() const noexcept { return true; }

  void store(T value, memory_order order = default_write_order, memory_scope = default_scope) const noexcept {
    atomic_store(m_object, value, order);
  }
  T load(memory_order order = default_read_order, memory_scope = default_scope) const noexcept {
    return atomic_load(m_object, order);
  }
  operator T() const noexcept { return load(); }
  T exchange(T value, memory_order order = default_read_modify_write_order,
             memory_scope = default_scope) const noexcept {
    return atomic_exchange(m_object, value, order);
  }
  // If the failure order is stronger than load_order(success), the built-in needs a stronger success order.
  bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure,
                             memory_scope = default_scope) const noexcept {
    return atomic_compare_exchange(m_object, expected, desired, stronger_order(success, failure));
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order order = default_read_modify_write_order,
                             memory_scope = default_scope) const noexcept {
    return atomic_compare_exchange(m_object, expected, desired, order);
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure,
                               memory_scope = default_scope) const noexcept {
    return atomic_compare_exchange(m_object, expected, desired, stronger_order(success, failure));
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order order = default_read_modify_write_order,
                               memory_scope = default_scope) const noexcept {
    return atomic_compare_exchange(m_object, expected, desired, order);
  }

protected:
  T* m_object;

private:
  static constexpr memory_order stronger_order(memory_order success, memory_order failure) noexcept {
    if (failure == memory_order::seq_cst || success == memory_order::seq_cst) return memory_order::seq_cst;
    if (failure != memory_order::acquire) return success;
    return success == memory_order::release || success == memory_order::acq_rel ? memory_order::acq_rel
                                                                                : memory_order::acquire;
  }
};

} // namespace detail

template <typename T, memory_order DefaultOrder, memory_scope DefaultScope,
          access::address_space Space = access::address_space::generic_space, typename Enable = void>
class atomic_ref;

// Integers.
template <typename T, memory_order DefaultOrder, memory_scope DefaultScope, access::address_space Space>
class atomic_ref<T, DefaultOrder, DefaultScope, Space,
                 std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
    : public detail::atomic_ref_base<T, DefaultOrder, DefaultScope, Space> {
  using base = detail::atomic_ref_base<T, DefaultOrder, DefaultScope, Space>;
  using base::m_object;

public:
  using difference_type = T;
  using base::base;

  T operator=(T value) const noexcept {
    this->store(value);
    return value;
  }

#define PRISM_ATOMIC_FETCH(NAME)                                                                             \
  T NAME(T operand, memory_order order = base::default_read_modify_write_order,                              \
         memory_scope = base::default_scope) const noexcept {                                                \
    return detail::atomic_##NAME(m_object, operand, order);                                                  \
  }
  PRISM_ATOMIC_FETCH(fetch_add)
  PRISM_ATOMIC_FETCH(fetch_sub)
  PRISM_ATOMIC_FETCH(fetch_and)
  PRISM_ATOMIC_FETCH(fetch_or)
  PRISM_ATOMIC_FETCH(fetch_xor)
  PRISM_ATOMIC_FETCH(fetch_min)
  PRISM_ATOMIC_FETCH(fetch_max)

  T operator++(int) const noexcept { return fetch_add(1); }
  T operator--(int) const noexcept { return fetch_sub(1); }
  T operator++() const noexcept { return static_cast<T>(fetch_add(1) + 1); }
  T operator--() const noexcept { return static_cast<T>(fetch_sub(1) - 1); }
  T operator+=(T operand) const noexcept { return static_cast<T>(fetch_add(operand) + operand); }
  T operator-=(T operand) const noexcept { return static_cast<T>(fetch_sub(operand) - operand); }
  T operator&=(T operand) const noexcept { return fetch_and(operand) & operand; }
  T operator|=(T operand) const noexcept { return fetch_or(operand) | operand; }
  T operator^=(T operand) const noexcept { return fetch_xor(operand) ^ operand; }
};

// float and double.
template <typename T, memory_order DefaultOrder, memory_scope DefaultScope, access::address_space Space>
class atomic_ref<T, DefaultOrder, DefaultScope, Space, std::enable_if_t<std::is_floating_point_v<T>>>
    : public detail::atomic_ref_base<T, DefaultOrder, DefaultScope, Space> {
  using base = detail::atomic_ref_base<T, DefaultOrder, DefaultScope, Space>;
  using base::m_object;

public:
  using difference_type = T;
  using base::base;

  T operator=(T value) const noexcept {
    this->store(value);
    return value;
  }

  PRISM_ATOMIC_FETCH(fetch_add)
  PRISM_ATOMIC_FETCH(fetch_sub)
  PRISM_ATOMIC_FETCH(fetch_min)
  PRISM_ATOMIC_FETCH(fetch_max)
#undef PRISM_ATOMIC_FETCH

  T operator+=(T operand) const noexcept { return fetch_add(operand) + operand; }
  T operator-=(T operand) const noexcept { return fetch_sub(operand) - operand; }
};

// Pointers to objects; differences count elements.
template <typename T, memory_order DefaultOrder, memory_scope DefaultScope, access::address_space Space>
class atomic_ref<T*, DefaultOrder, DefaultScope, Space, void>
    : public detail::atomic_ref_base<T*, DefaultOrder, DefaultScope, Space> {
  using base = detail::atomic_ref_base<T*, DefaultOrder, DefaultScope, Space>;
  using base::m_object;

public:
  using difference_type = std::ptrdiff_t;
  using base::base;

  T* operator=(T* value) const noexcept {
    this->store(value);
    return value;
  }
  T* fetch_add(difference_type operand, memory_order order = base::default_read_modify_write_order,
               memory_scope = base::default_scope) const noexcept {
    const auto bytes = static_cast<std::uint64_t>(operand) * sizeof(T);
    return detail::with_order(order, [=](auto o) {
      return reinterpret_cast<T*>(__atomic_fetch_add(detail::word_of(m_object), bytes, decltype(o)::value));
    });
  }
  T* fetch_sub(difference_type operand, memory_order order = base::default_read_modify_write_order,
               memory_scope scope = base::default_scope) const noexcept {
    return fetch_add(-operand, order, scope);
  }
  T* operator++(int) const noexcept { return fetch_add(1); }
  T* operator--(int) const noexcept { return fetch_sub(1); }
  T* operator++() const noexcept { return fetch_add(1) + 1; }
  T* operator--() const noexcept { return fetch_sub(1) - 1; }
  T* operator+=(difference_type operand) const noexcept { return fetch_add(operand) + operand; }
  T* operator-=(difference_type operand) const noexcept { return fetch_sub(operand) - operand; }
};

}
} // namespace sycl::_V1
