// Devices of arrays and their memory (node.hpp).
#include "kernels/array/node.hpp"

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstring>
#include <list>

namespace prism::array_detail {

namespace {

/// A failure of the device is thrown to the caller that waits; without a handler it would end the program.
void throw_first(sycl::exception_list failures) {
  if (failures.begin() != failures.end()) std::rethrow_exception(*failures.begin());
}

sycl::property_list properties_of(bool is_host) {
  if (is_host) return {sycl::property::queue::in_order()};
  return {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()}; // fused_launches
}

bool is_host_device(const sycl::device& device) {
  return device.get_backend() == sycl::backend::ext_prism_host;
}

/// Not llvmpipe, which limits loops: through OpenCL it has no shared allocations.
bool has_long_loops(const sycl::device& device) {
  return device.get_backend() == sycl::backend::opencl && device.is_cpu() &&
         device.has(sycl::aspect::usm_shared_allocations);
}

/// Whether a work-item that other ones have counted sees their results.
bool orders_items(const sycl::device& device) {
  const auto has = [](const auto& all, auto one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  return has(device.get_info<sycl::info::device::atomic_memory_order_capabilities>(),
             sycl::memory_order::acq_rel) &&
         has(device.get_info<sycl::info::device::atomic_memory_scope_capabilities>(),
             sycl::memory_scope::device);
}

} // namespace

device_state::device_state(const sycl::device& device)
    : queue(device, throw_first, properties_of(is_host_device(device))), is_host(is_host_device(device)),
      takes_chunks(is_host || has_long_loops(device)), folds_parts(takes_chunks || orders_items(device)),
      has_double(device.has(sycl::aspect::fp64)),
      fused(is_host ? nullptr : std::make_unique<fused_launches>(device)), m_events(slots) {}

device_state& device_state::of(const sycl::device& device) {
  // Never destroyed: arrays may outlive every static object.
  static auto* all = new std::list<std::pair<sycl::device, device_state*>>;
  static auto* lock = new std::mutex;
  const std::lock_guard guard(*lock);
  for (const auto& [known, state] : *all) {
    if (known == device) return *state;
  }
  all->emplace_back(device, new device_state(device));
  return *all->back().second;
}

device_state& device_state::of(const array_device& on) {
  return of(on.device ? *on.device : sycl::device()); // the default of the thread's scope or policy
}

namespace {

constexpr std::size_t free_limit = std::size_t(512) << 20;

/// Memory of the smallest classes, 64 bytes to 4 KiB, comes from blocks: an allocation of the device takes
/// longer than all else that a small array needs. A block is not freed.
constexpr int block_classes = 7;
constexpr std::size_t block_bytes = std::size_t(64) << 10;

/// Classes of 64 bytes times powers of two.
int class_of(std::size_t bytes) {
  int c = 0;
  for (std::size_t size = 64; size < bytes; size *= 2) ++c;
  return c;
}

} // namespace

char* device_state::allocate(std::size_t bytes, int& size_class) {
  size_class = class_of(bytes);
  if (size_class >= class_count) refuse("an array of " + std::to_string(bytes) + " bytes is too large");
  const std::lock_guard guard(lock);
  std::vector<char*>& free = m_free[size_class];
  const std::size_t size = std::size_t(64) << size_class;
  if (free.empty() && size_class < block_classes) {
    char* const block = allocate_new(block_bytes, bytes);
    for (std::size_t at = block_bytes; at > 0; at -= size) free.push_back(block + at - size);
  } else if (free.empty()) {
    return allocate_new(size, bytes);
  } else if (size_class >= block_classes) {
    m_free_bytes -= size;
  }
  char* const data = free.back();
  free.pop_back();
  return data;
}

char* device_state::allocate_new(std::size_t size, std::size_t for_array) {
  auto* data = static_cast<char*>(sycl::malloc_device(size, queue));
  if (!data && m_free_bytes > 0) { // memory that waits for its next use may be what is missing
    wait();
    if (fused) fused->forget_graphs();
    for (int c = block_classes; c < class_count; ++c) {
      for (char* unused : m_free[c]) sycl::free(unused, queue);
      m_free[c].clear();
    }
    m_free_bytes = 0;
    data = static_cast<char*>(sycl::malloc_device(size, queue));
  }
  if (!data)
    throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation),
                          "the device has no memory for an array of " + std::to_string(for_array) + " bytes");
  return data;
}

void device_state::free(char* data, int size_class) {
  const std::size_t size = std::size_t(64) << size_class;
  const std::lock_guard guard(lock);
  if (size_class < block_classes) {
    m_free[size_class].push_back(data);
    return;
  }
  if (m_free_bytes + size > free_limit) {
    try {
      wait();
      if (fused) fused->forget_graphs();
      sycl::free(data, queue);
    } catch (const sycl::exception&) { // a lost device; its memory is lost with it
    }
    return;
  }
  m_free[size_class].push_back(data);
  m_free_bytes += size;
}

void device_state::allocate_programs() {
  const bool is_here = queue.get_device().has(sycl::aspect::usm_host_allocations);
  if (!is_here) m_copied.resize(2 * slots);
  m_programs =
      is_here ? sycl::malloc_host<program>(2 * slots, queue) : sycl::malloc_device<program>(2 * slots, queue);
  if (!m_programs)
    throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation),
                          "no memory for programs of arrays");
}

program* device_state::next_program(const program& p, const program* rest) {
  if (!m_programs) allocate_programs();
  m_next = (m_next + 1) % slots;
  m_events[std::size_t(m_next)].wait();
  program* const slot = m_programs + 2 * m_next;
  program* const filled = m_copied.empty() ? slot : m_copied.data() + 2 * m_next;
  copy_program(p, *filled);
  filled->ended = 0;
  filled->rest = rest ? slot + 1 : nullptr;
  filled->counters = rest && !takes_chunks ? counters() : nullptr;
  if (rest) copy_program(*rest, filled[1]);
  if (filled != slot) queue.memcpy(slot, filled, (rest ? 2 : 1) * sizeof(program));
  return slot;
}

std::int32_t* device_state::counters() {
  if (!m_counters) {
    constexpr std::size_t most = 16384; // of folds with 8,192 parts (reductions.cpp)
    m_counters = sycl::malloc_device<std::int32_t>(most, queue);
    if (!m_counters)
      throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation),
                            "no memory for the counters of folds");
    queue.fill(m_counters, 0, most);
  }
  return m_counters;
}

void device_state::submitted(const program* of, const sycl::event& event) {
  m_events[std::size_t((of - m_programs) / 2)] = event;
  busy = true;
}

void device_state::write(void* to, const void* from, std::size_t bytes) {
  const std::lock_guard guard(lock);
  if (bytes == 0) return;
  if (is_host && !busy) std::memcpy(to, from, bytes);
  else queue.memcpy(to, from, bytes).wait_and_throw();
}

void device_state::read(void* to, const void* from, std::size_t bytes) {
  const std::lock_guard guard(lock);
  if (bytes == 0) return;
  if (is_host) {
    wait();
    std::memcpy(to, from, bytes);
  } else {
    queue.memcpy(to, from, bytes).wait_and_throw();
    busy = false;
  }
}

void device_state::wait() {
  const std::lock_guard guard(lock);
  if (busy) queue.wait_and_throw();
  busy = false;
}

void device_state::require(dtype type) const {
  if ((type == dtype::float64 || type == dtype::complex128) && !has_double)
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          queue.get_device().get_info<sycl::info::device::name>() +
                              " has no double, and so no arrays of " + name_of(type));
}

} // namespace prism::array_detail
