#include "devices/host/memory.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/mman.h>

namespace prism::devices::host {
namespace {

constexpr std::uint64_t page = 4096, huge_page = 2 << 20,
                        least_alignment = 128; // 128: the widest SYCL type (sixteen doubles)

[[noreturn]] void refuse(std::uint64_t bytes, const memory_budget& budget) {
  throw device_error(error_category::out_of_memory, "",
                     "allocate " + std::to_string(bytes) + " bytes on the host device: " +
                         std::to_string(budget.used.load()) + " of " + std::to_string(budget.limit) +
                         " bytes are in use; free memory or raise the limit of this process");
}

} // namespace

host_memory::host_memory(memory_budget& budget, std::uint64_t bytes, memory_kind kind,
                         std::uint64_t alignment)
    : m_bytes(bytes), m_kind(kind) {
  const auto before = budget.used.fetch_add(bytes);
  if (bytes > budget.limit || before > budget.limit - bytes) {
    budget.used -= bytes;
    refuse(bytes, budget);
  }
  const bool large = bytes >= 2 * huge_page;
  alignment = std::max(alignment, large ? huge_page : bytes >= page ? page : least_alignment);
  m_data = std::aligned_alloc(alignment,
                              (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment);
  if (m_data == nullptr) {
    budget.used -= bytes;
    refuse(bytes, budget);
  }
  // Asks for huge pages: kernels with strides would otherwise spend their time in page tables. The system may
  // refuse.
  if (large) madvise(m_data, bytes / huge_page * huge_page, MADV_HUGEPAGE);
  m_budget = &budget;
}

host_memory::host_memory(void* adopted, std::uint64_t bytes) noexcept : m_data(adopted), m_bytes(bytes) {}

host_memory::~host_memory() {
  if (m_budget == nullptr) return;
  std::free(m_data);
  m_budget->used -= m_bytes;
}

} // namespace prism::devices::host
