#include "runtime/api/index_faults.hpp"

#include "runtime/support/log.hpp"

#include <sycl/detail/kernel_abi.hpp>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

constexpr const char* kinds[] = {"an accessor", "a local_accessor", "a host_accessor"};

/// Shows an index that became negative (by a subtraction) as negative.
std::string index_text(std::uint64_t index) { return std::to_string(static_cast<std::int64_t>(index)); }

/// Returns a text such as "index 5 in dimension 1 is outside of an accessor that has 4 elements there".
std::string what_is_wrong(std::uint32_t what, std::uint64_t index, std::uint64_t extent) {
  const std::uint32_t kind = what & 0xff, dimension = (what >> 8) & 0xff, dimensions = what >> 16;
  const std::string of = kind < std::size(kinds) ? kinds[kind] : "an accessor",
                    elements = std::to_string(extent) + (extent == 1 ? " element" : " elements");
  if (dimensions == 1) return "index " + index_text(index) + " is outside of " + of + " of " + elements;
  return "index " + index_text(index) + " in dimension " + std::to_string(dimension) + " is outside of " +
         of + " that has " + elements + " there";
}

/// Returns the work-item's id in SYCL's order.
std::string item_text(const std::uint64_t (&item)[3], int dimensions) {
  std::string text = "work-item [";
  for (int d = dimensions - 1; d >= 0; --d) text += std::to_string(item[d]) + (d != 0 ? ", " : "]");
  return text;
}

void log_once(const std::string& key, const std::string& text) {
  struct known {
    std::mutex mutex;
    std::set<std::string> keys;
  };
  static known& all = *new known;
  {
    const std::lock_guard lock(all.mutex);
    if (!all.keys.insert(key).second) return;
  }
  prism::support::log(prism::support::level::error, "PRISM_CHECK=access: " + text);
}

thread_local const char* location_here = nullptr;

} // namespace

const char* current_location() noexcept { return location_here; }

std::string index_fault_text(const index_fault_source& source, const prism::image::index_check& check,
                             const prism::image::index_fault& fault) {
  std::string text = std::string(check.place) + ": " + what_is_wrong(check.what, fault.index, fault.extent) +
                     ", in " + item_text(fault.item, source.dimensions) + " of kernel \"" + source.kernel +
                     "\" on " + source.device;
  if (fault.count > 1) text += "; " + std::to_string(fault.count - 1) + " more such accesses there";
  return text;
}

void report_index_faults(const index_fault_source& source, const void* block) {
  const auto* checks = static_cast<const prism::image::index_check*>(source.checks->key);
  for (std::uint32_t i = 0; i < source.checks->count; ++i) {
    prism::image::index_fault fault;
    std::memcpy(&fault, static_cast<const std::byte*>(block) + checks[i].offset, sizeof fault);
    if (fault.count != 0)
      log_once(source.kernel + '\n' + std::to_string(i), index_fault_text(source, checks[i], fault));
  }
}

}
}
} // namespace sycl::_V1::detail

using namespace sycl::detail;

#define PRISM_VISIBLE __attribute__((visibility("default")))

extern "C" {

// Called by host code, and by kernels that run as ordinary C++.
PRISM_VISIBLE bool __prism_index_is_inside(std::uint64_t index, std::uint64_t extent,
                                           std::uint32_t what) noexcept {
  if (index < extent) return true;
  const std::string location = location_here ? location_here : "a file that was compiled without prism++";
  std::string text = location + ": " + what_is_wrong(what, index, extent);
  constexpr std::uint32_t dimensions = 3;
  std::uint64_t item[dimensions];
  bool has_items = false;
  for (std::uint32_t d = 0; d < dimensions; ++d) {
    item[d] = __prism_group_id(d) * __prism_local_size(d) + __prism_local_id(d);
    has_items |= __prism_group_count(d) * __prism_local_size(d) > 1;
  }
  if (has_items) text += ", in " + item_text(item, static_cast<int>(dimensions));
  log_once(location + '\n' + std::to_string(what), text);
  return false;
}

PRISM_VISIBLE void* __prism_index_scratch(std::uint64_t bytes) noexcept {
  struct free_memory {
    void operator()(void* memory) const { std::free(memory); }
  };
  constexpr std::uint64_t alignment = 128;
  thread_local std::vector<std::unique_ptr<void, free_memory>>
      chunks; // pointers to earlier ones are still in use
  thread_local std::uint64_t room = 0;
  if (chunks.empty() || room < bytes) {
    room = (bytes + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, room);
    if (memory == nullptr) std::abort();
    std::memset(memory, 0, room);
    chunks.emplace_back(memory);
  }
  return chunks.back().get();
}

PRISM_VISIBLE void __prism_at(const char* location) noexcept { location_here = location; }
}
