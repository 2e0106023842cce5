// Unified shared memory: allocation functions, pointer queries, usm_allocator (SYCL 2020, "Unified shared
// memory"). Sizes and alignments are in bytes unless a function is a template. An allocation returns null if
// memory is exhausted or the alignment is not supported. It throws errc::feature_not_supported if the device
// lacks the kind of USM, and errc::invalid if the device does not belong to the context. Thread-safe.
#pragma once

#include <sycl/detail/same.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace _V1 {

namespace usm {
enum class alloc : char { host, device, shared, unknown };
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes, const device& on, const context& in,
                    usm::alloc kind, const property_list& properties = {});
void* aligned_alloc(std::size_t alignment, std::size_t bytes, const queue& on, usm::alloc kind,
                    const property_list& properties = {});
/// Host USM is allocated by the first device of the context.
void* aligned_alloc_host(std::size_t alignment, std::size_t bytes, const context& in,
                         const property_list& properties = {});
/// Frees an allocation. Null has no effect. Throws errc::invalid if `pointer` is not an allocation of the
/// context or was freed.
void free(void* pointer, const context& in);
void free(void* pointer, const queue& on);
usm::alloc get_pointer_type(const void* pointer, const context& in);
device get_pointer_device(const void* pointer, const context& in);

inline void* aligned_alloc_host(std::size_t alignment, std::size_t bytes, const queue& on,
                                const property_list& properties = {}) {
  return aligned_alloc(alignment, bytes, on, usm::alloc::host, properties);
}
inline void* malloc(std::size_t bytes, const device& on, const context& in, usm::alloc kind,
                    const property_list& properties = {}) {
  return aligned_alloc(0, bytes, on, in, kind, properties);
}
inline void* malloc(std::size_t bytes, const queue& on, usm::alloc kind,
                    const property_list& properties = {}) {
  return aligned_alloc(0, bytes, on, kind, properties);
}
template <typename T>
T* aligned_alloc(std::size_t alignment, std::size_t count, const device& on, const context& in,
                 usm::alloc kind, const property_list& properties = {}) {
  const std::size_t least = alignment < alignof(T) ? alignof(T) : alignment;
  return count > static_cast<std::size_t>(-1) / sizeof(T)
             ? nullptr
             : static_cast<T*>(sycl::aligned_alloc(least, count * sizeof(T), on, in, kind, properties));
}
template <typename T>
T* aligned_alloc(std::size_t alignment, std::size_t count, const queue& on, usm::alloc kind,
                 const property_list& properties = {}) {
  return sycl::aligned_alloc<T>(alignment, count, on.get_device(), on.get_context(), kind, properties);
}
template <typename T>
T* malloc(std::size_t count, const device& on, const context& in, usm::alloc kind,
          const property_list& properties = {}) {
  return sycl::aligned_alloc<T>(alignof(T), count, on, in, kind, properties);
}
template <typename T>
T* malloc(std::size_t count, const queue& on, usm::alloc kind, const property_list& properties = {}) {
  return sycl::aligned_alloc<T>(alignof(T), count, on, kind, properties);
}

inline void* malloc_device(std::size_t bytes, const device& on, const context& in,
                           const property_list& properties = {}) {
  return aligned_alloc(0, bytes, on, in, usm::alloc::device, properties);
}
inline void* malloc_device(std::size_t bytes, const queue& on, const property_list& properties = {}) {
  return aligned_alloc(0, bytes, on, usm::alloc::device, properties);
}
template <typename T>
T* malloc_device(std::size_t count, const device& on, const context& in,
                 const property_list& properties = {}) {
  return sycl::malloc<T>(count, on, in, usm::alloc::device, properties);
}
template <typename T>
T* malloc_device(std::size_t count, const queue& on, const property_list& properties = {}) {
  return sycl::malloc<T>(count, on, usm::alloc::device, properties);
}
inline void* aligned_alloc_device(std::size_t alignment, std::size_t bytes, const device& on,
                                  const context& in, const property_list& properties = {}) {
  return aligned_alloc(alignment, bytes, on, in, usm::alloc::device, properties);
}
inline void* aligned_alloc_device(std::size_t alignment, std::size_t bytes, const queue& on,
                                  const property_list& properties = {}) {
  return aligned_alloc(alignment, bytes, on, usm::alloc::device, properties);
}
template <typename T>
T* aligned_alloc_device(std::size_t alignment, std::size_t count, const device& on, const context& in,
                        const property_list& properties = {}) {
  return sycl::aligned_alloc<T>(alignment, count, on, in, usm::alloc::device, properties);
}
template <typename T>
T* aligned_alloc_device(std::size_t alignment, std::size_t count, const queue& on,
                        const property_list& properties = {}) {
  return sycl::aligned_alloc<T>(alignment, count, on, usm::alloc::device, properties);
}

inline void* malloc_shared(std::size_t bytes, const device& on, const context& in,
                           const property_list& properties = {}) {
  return aligned_alloc(0, bytes, on, in, usm::alloc::shared, properties);
}
inline void* malloc_shared(std::size_t bytes, const queue& on, const property_list& properties = {}) {
  return aligned_alloc(0, bytes, on, usm::alloc::shared, properties);
}
template <typename T>
T* malloc_shared(std::size_t count, const device& on, const context& in,
                 const property_list& properties = {}) {
  return sycl::malloc<T>(count, on, in, usm::alloc::shared, properties);
}
template <typename T>
T* malloc_shared(std::size_t count, const queue& on, const property_list& properties = {}) {
  return sycl::malloc<T>(count, on, usm::alloc::shared, properties);
}
inline void* aligned_alloc_shared(std::size_t alignment, std::size_t bytes, const device& on,
                                  const context& in, const property_list& properties = {}) {
  return aligned_alloc(alignment, bytes, on, in, usm::alloc::shared, properties);
}
inline void* aligned_alloc_shared(std::size_t alignment, std::size_t bytes, const queue& on,
                                  const property_list& properties = {}) {
  return aligned_alloc(alignment, bytes, on, usm::alloc::shared, properties);
}
template <typename T>
T* aligned_alloc_shared(std::size_t alignment, std::size_t count, const device& on, const context& in,
                        const property_list& properties = {}) {
  return sycl::aligned_alloc<T>(alignment, count, on, in, usm::alloc::shared, properties);
}
template <typename T>
T* aligned_alloc_shared(std::size_t alignment, std::size_t count, const queue& on,
                        const property_list& properties = {}) {
  return sycl::aligned_alloc<T>(alignment, count, on, usm::alloc::shared, properties);
}

inline void* malloc_host(std::size_t bytes, const context& in, const property_list& properties = {}) {
  return aligned_alloc_host(0, bytes, in, properties);
}
inline void* malloc_host(std::size_t bytes, const queue& on, const property_list& properties = {}) {
  return aligned_alloc_host(0, bytes, on, properties);
}
template <typename T>
T* aligned_alloc_host(std::size_t alignment, std::size_t count, const context& in,
                      const property_list& properties = {}) {
  const std::size_t least = alignment < alignof(T) ? alignof(T) : alignment;
  return count > static_cast<std::size_t>(-1) / sizeof(T)
             ? nullptr
             : static_cast<T*>(sycl::aligned_alloc_host(least, count * sizeof(T), in, properties));
}
template <typename T>
T* aligned_alloc_host(std::size_t alignment, std::size_t count, const queue& on,
                      const property_list& properties = {}) {
  return sycl::aligned_alloc<T>(alignment, count, on, usm::alloc::host, properties);
}
template <typename T>
T* malloc_host(std::size_t count, const context& in, const property_list& properties = {}) {
  return sycl::aligned_alloc_host<T>(alignof(T), count, in, properties);
}
template <typename T>
T* malloc_host(std::size_t count, const queue& on, const property_list& properties = {}) {
  return sycl::malloc<T>(count, on, usm::alloc::host, properties);
}

/// A C++ allocator of host or shared USM. allocate throws sycl::exception with errc::memory_allocation
/// instead of std::bad_alloc.
template <typename T, usm::alloc AllocKind, std::size_t Alignment = 0>
class usm_allocator : public detail::property_holder<usm_allocator<T, AllocKind, Alignment>> {
  static_assert(detail::same<AllocKind, usm::alloc::host> || detail::same<AllocKind, usm::alloc::shared>,
                "a usm_allocator allocates memory that the host can access: usm::alloc::host or shared");

public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  template <typename U>
  struct rebind {
    using other = usm_allocator<U, AllocKind, Alignment>;
  };

  usm_allocator() = delete;
  usm_allocator(const context& in, const device& on, const property_list& properties = {})
      : m_context(in), m_device(on), m_properties(properties) {}
  usm_allocator(const queue& on, const property_list& properties = {})
      : usm_allocator(on.get_context(), on.get_device(), properties) {}
  template <typename U>
  usm_allocator(const usm_allocator<U, AllocKind, Alignment>& other) noexcept
      : m_context(other.m_context), m_device(other.m_device), m_properties(other.m_properties) {}

  T* allocate(std::size_t count) {
    T* result = sycl::aligned_alloc<T>(Alignment, count, m_device, m_context, AllocKind, m_properties);
    if (!result) detail::throw_error(errc::memory_allocation, "usm_allocator: the allocation failed");
    return result;
  }
  void deallocate(T* pointer, std::size_t) {
    if (pointer) sycl::free(pointer, m_context);
  }
  const property_list& prism_properties() const noexcept { return m_properties; }

  template <typename U, usm::alloc K, std::size_t A>
  friend bool operator==(const usm_allocator<T, AllocKind, Alignment>& lhs,
                         const usm_allocator<U, K, A>& rhs) noexcept {
    return detail::same<K, AllocKind> && A == Alignment && lhs.prism_same(rhs);
  }
  template <typename U, usm::alloc K, std::size_t A>
  friend bool operator!=(const usm_allocator<T, AllocKind, Alignment>& lhs,
                         const usm_allocator<U, K, A>& rhs) noexcept {
    return !(lhs == rhs);
  }
  template <typename Other>
  bool prism_same(const Other& other) const noexcept {
    return m_context == other.m_context && m_device == other.m_device;
  }

private:
  template <typename, usm::alloc, std::size_t>
  friend class usm_allocator;
  context m_context;
  device m_device;
  property_list m_properties;
};

}
} // namespace sycl::_V1
