// The device of the standard algorithms, and the memory that it shares with the program.
//
// If the device can access all memory of the process (aspect::usm_system_allocations), the program's
// allocations stay as they are. Otherwise one region of shared USM is the heap: the compiler lets `new`,
// `malloc` and their relatives in sources compiled with --stdpar call the functions at the end of this file.
// The library also defines `free` and `realloc` for the whole process, because memory of this heap may be
// freed by code that was compiled otherwise, for example in the standard library.
#pragma once

#include <sycl/sycl.hpp>

#include <cstddef>
#include <new>

namespace prism::stdpar {

/// Opens the default device and makes the heap. Repeated calls do nothing. Errors are kept for queue().
void start() noexcept;

/// The queue of all algorithms. Throws what start() met: feature_not_supported if the device shares no memory
/// with the host.
sycl::queue& queue();

/// Throws errc::invalid if the device cannot access `memory`, an argument of `algorithm`.
void require_shared(const char* algorithm, const void* memory);

/// Memory that the host and the device access, for results; null when there is none.
void* allocate(std::size_t bytes) noexcept;
void release(void* memory) noexcept;

/// Room for one result.
template <typename T>
class result {
public:
  result() : m_memory(static_cast<T*>(allocate(sizeof(T)))) {
    if (!m_memory) throw std::bad_alloc();
  }
  ~result() { release(m_memory); }
  result(const result&) = delete;
  T* get() const noexcept { return m_memory; }

private:
  T* m_memory;
};

} // namespace prism::stdpar

// What calls in sources compiled with --stdpar become (compiler/host/shared_heap.cpp). Each has the
// arguments, result and errors of the function that it replaces.
extern "C" {
void* prism_stdpar_malloc(std::size_t bytes) noexcept;
void* prism_stdpar_calloc(std::size_t count, std::size_t size) noexcept;
void* prism_stdpar_realloc(void* memory, std::size_t bytes) noexcept;
void* prism_stdpar_aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept;
int prism_stdpar_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept;
void* prism_stdpar_new(std::size_t bytes);
void* prism_stdpar_new_nothrow(std::size_t bytes, const std::nothrow_t&) noexcept;
void* prism_stdpar_new_aligned(std::size_t bytes, std::align_val_t alignment);
void* prism_stdpar_new_aligned_nothrow(std::size_t bytes, std::align_val_t alignment,
                                       const std::nothrow_t&) noexcept;
}
