// The device of the standard algorithms and its heap (prism/stdpar/memory.hpp). The heap is one allocation of
// shared USM, which oneTBB's allocator divides. It is never given back: the program's objects may be
// destroyed after everything else.
#include "stdpar/heap.hpp"
#include "runtime/support/size_text.hpp"

#include <prism/stdpar/memory.hpp>

#include <oneapi/tbb/scalable_allocator.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>

namespace prism::stdpar {

namespace {

struct region {
  std::atomic<std::byte*> begin{nullptr}, end{nullptr};
  std::atomic<rml::MemoryPool*> pool{nullptr};
};
constinit region heap;

constinit std::once_flag started;
constinit std::atomic<sycl::queue*> opened{nullptr};
std::exception_ptr refusal; // what queue() throws; written before `opened`, under `started`

/// Bytes of PRISM_STDPAR_HEAP, such as 2G; otherwise a quarter of the device's memory.
std::size_t wanted_bytes(const sycl::device& device) {
  const std::size_t all = device.get_info<sycl::info::device::global_mem_size>(),
                    most = device.get_info<sycl::info::device::max_mem_alloc_size>();
  const char* const text = std::getenv("PRISM_STDPAR_HEAP");
  if (!text || !*text) return std::min(all / 4, most) & ~std::size_t(4095);
  const std::size_t bytes = support::parse_size(text).value_or(0);
  if (bytes == 0)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          "PRISM_STDPAR_HEAP is '" + std::string(text) +
                              "', expected bytes such as 512M or 2G");
  return bytes;
}

/// oneTBB asks once for the whole region.
void* give_region(std::intptr_t, std::size_t& bytes) {
  bytes = std::size_t(heap.end.load() - heap.begin.load());
  return heap.begin.load();
}

void make_heap(const sycl::queue& queue) {
  const sycl::device device = queue.get_device();
  if (device.has(sycl::aspect::usm_system_allocations)) return;
  const std::string name = device.get_info<sycl::info::device::name>();
  if (!device.has(sycl::aspect::usm_shared_allocations))
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          "standard algorithms need memory that \"" + name +
                              "\" shares with the host (usm_shared_allocations); choose another device by "
                              "PRISM_DEVICE_SELECTOR");
  const std::size_t bytes = wanted_bytes(device);
  auto* const begin = static_cast<std::byte*>(sycl::aligned_alloc_shared(4096, bytes, queue));
  if (!begin)
    throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation),
                          "\"" + name + "\" has no " + std::to_string(bytes) +
                              " bytes for the heap of the standard algorithms; set PRISM_STDPAR_HEAP");
  heap.begin = begin;
  heap.end = begin + bytes;
  const rml::MemPoolPolicy policy(give_region, nullptr, 0, /*fixedPool=*/true, /*keepAllMemory=*/true);
  rml::MemoryPool* made = nullptr;
  if (rml::pool_create_v1(0, &policy, &made) != rml::POOL_OK)
    throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation),
                          "oneTBB cannot divide a heap of " + std::to_string(bytes) +
                              " bytes; set PRISM_STDPAR_HEAP");
  heap.pool = made;
}

struct heap_exhausted : std::bad_alloc {
  const char* what() const noexcept override {
    return "std::bad_alloc: the heap that the device of the standard algorithms shares is full; "
           "PRISM_STDPAR_HEAP sets its size";
  }
};

void* take(std::size_t bytes, std::size_t alignment) noexcept {
  rml::MemoryPool* const pool = heap.pool.load(std::memory_order_acquire);
  if (!pool)
    return alignment <= alignof(std::max_align_t)
               ? std::malloc(bytes)
               : std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
  void* const memory = rml::pool_aligned_malloc(pool, std::max<std::size_t>(bytes, 1),
                                                std::max(alignment, alignof(std::max_align_t)));
  if (!memory) errno = ENOMEM;
  return memory;
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  for (;;) {
    if (void* const memory = take(std::max<std::size_t>(bytes, 1), alignment)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) {
      if (heap.pool.load()) throw heap_exhausted();
      throw std::bad_alloc();
    }
    handler();
  }
}

} // namespace

bool owns(const void* memory) noexcept {
  const auto* const at = static_cast<const std::byte*>(memory);
  return at >= heap.begin.load(std::memory_order_relaxed) && at < heap.end.load(std::memory_order_relaxed);
}
void give_back(void* memory) noexcept { rml::pool_free(heap.pool.load(), memory); }
std::size_t size_of(void* memory) noexcept { return rml::pool_msize(heap.pool.load(), memory); }

void start() noexcept {
  std::call_once(started, [] {
    try {
      auto made = std::make_unique<sycl::queue>();
      make_heap(*made);
      opened = made.release(); // never destroyed, so that its context keeps the heap
    } catch (...) {
      refusal = std::current_exception();
    }
  });
}

sycl::queue& queue() {
  start();
  if (refusal) std::rethrow_exception(refusal);
  return *opened.load();
}

void require_shared(const char* algorithm, const void* memory) {
  sycl::queue& on = queue();
  if (!heap.pool.load(std::memory_order_relaxed) || owns(memory)) return;
  if (sycl::get_pointer_type(memory, on.get_context()) != sycl::usm::alloc::unknown) return;
  throw sycl::exception(
      sycl::make_error_code(sycl::errc::invalid),
      std::string(algorithm) + ": \"" + on.get_device().get_info<sycl::info::device::name>() +
          "\" cannot access the memory of an argument. It can access what `new` and `malloc` return in files "
          "compiled with --stdpar, and USM, but no arrays on the stack, no static ones, and none allocated "
          "elsewhere");
}

void* allocate(std::size_t bytes) noexcept { return take(bytes, alignof(std::max_align_t)); }
void release(void* memory) noexcept { std::free(memory); }

} // namespace prism::stdpar

using namespace prism::stdpar;

void* prism_stdpar_malloc(std::size_t bytes) noexcept { return take(bytes, alignof(std::max_align_t)); }

void* prism_stdpar_calloc(std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return errno = ENOMEM, nullptr;
  void* const memory = prism_stdpar_malloc(bytes);
  if (memory) std::memset(memory, 0, bytes);
  return memory;
}

void* prism_stdpar_realloc(void* memory, std::size_t bytes) noexcept {
  return memory ? std::realloc(memory, bytes) : prism_stdpar_malloc(bytes);
}

void* prism_stdpar_aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) return errno = EINVAL, nullptr;
  return take(bytes, alignment);
}

int prism_stdpar_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* const taken = take(bytes, alignment);
  if (!taken) return ENOMEM;
  *memory = taken;
  return 0;
}

void* prism_stdpar_new(std::size_t bytes) { return take_or_throw(bytes, alignof(std::max_align_t)); }
void* prism_stdpar_new_aligned(std::size_t bytes, std::align_val_t alignment) {
  return take_or_throw(bytes, std::size_t(alignment));
}
void* prism_stdpar_new_nothrow(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return prism_stdpar_new(bytes);
  } catch (...) {
    return nullptr;
  }
}
void* prism_stdpar_new_aligned_nothrow(std::size_t bytes, std::align_val_t alignment,
                                       const std::nothrow_t&) noexcept {
  try {
    return prism_stdpar_new_aligned(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}
