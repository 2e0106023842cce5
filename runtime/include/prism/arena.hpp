// Arenas: many short-lived allocations from few blocks of USM, freed together. An allocation is a few
// instructions and takes no lock: each thread has a part of the arena of its own, and the blocks of a part
// lie on the NUMA node of its thread (for host memory, by the first touch). The idea is that of region
// allocators; see Hanson, "Fast allocation and deallocation of memory based on object lifetimes", Software:
// Practice and Experience 20 (1990).
//
//   prism::arena scratch(q, sycl::usm::alloc::host);
//   float* rows = scratch.allocate<float>(1000);
//   std::pmr::vector<int> list(scratch.resource());
//   ...
//   scratch.reset(); // all of them are freed, the blocks stay
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <vector>

namespace prism {

/// Options of an arena. An aggregate, so that {.limit_bytes = 1 << 20} works in C++20.
struct arena_options {
  std::size_t block_bytes = std::size_t(1)
                            << 20; // of the first block of a thread; each further one is twice as large …
  std::size_t largest_block_bytes = std::size_t(64)
                                    << 20; // … up to this; larger allocations have a block of their own
  std::size_t alignment = 64; // of each allocation that asks for less; a power of two, 4 KiB at most
  std::size_t limit_bytes = std::numeric_limits<std::size_t>::max(); // of all blocks together
};

/// What an arena holds. Sizes are in bytes.
struct arena_statistics {
  std::uint64_t allocations = 0;     // since the last reset
  std::uint64_t allocated_bytes = 0; // since the last reset, with padding for alignment
  std::uint64_t peak_bytes = 0;      // most bytes between two resets so far
  std::uint64_t block_bytes = 0;     // taken from the device, in use or free
  std::uint64_t blocks = 0, free_blocks = 0;
  std::uint64_t parts = 0; // of threads that allocate or allocated
  std::uint64_t resets = 0;
  std::vector<std::uint64_t> block_bytes_of_node; // by NUMA node
};

/// An arena over one kind of USM of one device. allocate() may be called by all threads at once. reset(),
/// release() and the destructor must not overlap with any other call, and no command that was submitted may
/// still use the memory: give its events to reset(). Copies do not exist.
class arena {
public:
  /// Takes no memory yet. Throws errc::feature_not_supported if the device has no such USM, errc::invalid for
  /// impossible options.
  explicit arena(const sycl::queue& queue, sycl::usm::alloc kind = sycl::usm::alloc::host,
                 arena_options options = {});
  arena(const sycl::device& device, const sycl::context& context, sycl::usm::alloc kind,
        arena_options options = {});
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// Returns `bytes` of memory that is not initialised; its address is a multiple of `alignment` and of the
  /// arena's own alignment. Zero bytes yield a valid address. Throws errc::invalid if `alignment` is no power
  /// of two or above 4 KiB, errc::memory_allocation if the device has no more memory or the limit is reached.
  void* allocate(std::size_t bytes, std::size_t alignment = 1);
  /// Returns memory for `count` objects of type T, whose constructors are not called.
  template <typename T>
  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena calls no destructors");
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) refuse(count, sizeof(T));
    return static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
  }

  /// Frees all allocations and keeps the blocks for the next ones.
  void reset();
  /// Waits for the events first.
  void reset(const std::vector<sycl::event>& depends);
  /// Frees all allocations and gives the blocks back to the device.
  void release();

  /// May be called while other threads allocate; the figures are then of slightly different moments.
  arena_statistics statistics() const;
  sycl::usm::alloc kind() const noexcept;

  /// The arena as a std::pmr::memory_resource, which frees nothing before a reset. Lives as long as the
  /// arena. Throws errc::feature_not_supported for device memory, which containers of the host cannot write.
  std::pmr::memory_resource* resource();

private:
  struct state;
  [[noreturn]] static void refuse(std::size_t count, std::size_t size);
  std::shared_ptr<state> m_state;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
