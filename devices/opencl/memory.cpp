#include "devices/opencl/memory.hpp"

#include <algorithm>
#include <bit>

namespace prism::devices::opencl {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// clSVMAlloc aligns to the largest built-in type (long16) and may refuse a larger alignment.
constexpr std::uint64_t svm_alignment = 128;

} // namespace

void* svm_block::allocate(cl_device_id device, cl_int& code) {
  const cl_context context = m_context->context.get();
  const auto& usm = m_context->usm;
  switch (m_kind) {
    case block_kind::usm_host: return usm.allocate_host(context, nullptr, m_size, 0, &code);
    case block_kind::usm_shared: return usm.allocate_shared(context, device, nullptr, m_size, 0, &code);
    case block_kind::usm_device: return usm.allocate_device(context, device, nullptr, m_size, 0, &code);
    case block_kind::memory_object: {
      addressed_buffer made =
          create_addressed_buffer(m_context->api, context, m_context->devices, device, m_size, code);
      m_buffer = std::move(made.object);
      return reinterpret_cast<void*>(made.address);
    }
    default: break;
  }
  const cl_svm_mem_flags fine = m_kind == block_kind::fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0;
  return m_context->api.clSVMAlloc(context, CL_MEM_READ_WRITE | fine, m_size, 0);
}

svm_block::svm_block(context_ptr context, cl_device_id device, block_kind kind, std::uint64_t bytes)
    : m_context(std::move(context)), m_kind(kind), m_size(bytes) {
  const auto simulation = m_context->lock_simulation();
  const bool is_svm = m_kind == block_kind::coarse || m_kind == block_kind::fine,
             is_object = m_kind == block_kind::memory_object;
  cl_int code = CL_SUCCESS;
  {
    const std::lock_guard one(m_context->svm.calls);
    m_base = static_cast<std::byte*>(allocate(device, code));
  }
  if (!m_base)
    throw device_error(error_category::out_of_memory, is_svm ? "clSVMAlloc returned null" : error_name(code),
                       "allocate " + std::to_string(bytes) + " bytes of " +
                           (is_svm      ? "shared virtual memory"
                            : is_object ? "device memory with an address"
                                        : "unified shared memory") +
                           ": the driver has none left or the size exceeds the device's largest allocation");
  m_context->svm.add(m_base, bytes,
                     is_svm      ? address_kind::svm
                     : is_object ? address_kind::memory_object
                                 : address_kind::usm);
}

svm_block::~svm_block() {
  const auto simulation = m_context->lock_simulation();
  m_buffer.reset();
  m_context->svm.remove(m_base);
  const std::lock_guard one(m_context->svm.calls);
  if (is_usm(m_kind)) m_context->usm.free(m_context->context.get(), m_base);
  else if (m_kind != block_kind::memory_object) m_context->api.clSVMFree(m_context->context.get(), m_base);
}

cl_mem svm_block::buffer() {
  if (is_usm(m_kind)) return nullptr;
  if (m_kind == block_kind::memory_object) return m_buffer.get();
  std::call_once(m_wrapped, [this] {
    cl_int code = CL_SUCCESS;
    cl_mem made = m_context->api.clCreateBuffer(
        m_context->context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, m_size, m_base, &code);
    m_context->check(code, "wrap shared virtual memory in a memory object");
    m_buffer = memory_handle(m_context->api, made);
  });
  return m_buffer.get();
}

unsigned svm_pool::class_of(std::uint64_t bytes) {
  return std::bit_width((std::max<std::uint64_t>(bytes, 64) - 1) >> 6);
}

svm_pool::piece svm_pool::allocate(std::uint64_t bytes) {
  const unsigned index = class_of(bytes);
  const std::uint64_t size = std::uint64_t{64} << index;
  std::lock_guard lock(m_mutex);
  if (!m_free[index].empty()) {
    piece found = std::move(m_free[index].back());
    m_free[index].pop_back();
    return found;
  }
  // Offsets are multiples of the size, but the base may be less aligned: align the address.
  const auto aligned = [&] {
    const auto address = reinterpret_cast<std::uint64_t>(m_block->base()) + m_used;
    return m_used + (size - address % size) % size;
  };
  if (!m_block || aligned() + size > m_block->size()) {
    m_block = std::make_shared<svm_block>(m_context, m_device, m_kind, block_bytes);
    m_used = 0;
  }
  piece made{m_block, aligned()};
  m_used = made.offset + size;
  return made;
}

void svm_pool::release(piece freed, std::uint64_t bytes) {
  std::lock_guard lock(m_mutex);
  m_free[class_of(bytes)].push_back(std::move(freed));
}

opencl_memory::opencl_memory(context_ptr context, std::uint64_t bytes, memory_kind kind, void* host,
                             std::uint64_t base_alignment)
    : m_context(std::move(context)), m_id(next_id()), m_size(bytes), m_kind(kind), m_host(host),
      m_alignment(lowest_bit(base_alignment | reinterpret_cast<std::uint64_t>(
                                                  host))) { // a driver may use the host's bytes or a copy
  const auto simulation = m_context->lock_simulation();
  cl_int code = CL_SUCCESS;
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (host ? CL_MEM_USE_HOST_PTR : 0);
  cl_mem made = m_context->api.clCreateBuffer(m_context->context.get(), flags,
                                              std::max<std::uint64_t>(bytes, 1), host, &code);
  if (code != CL_SUCCESS)
    throw m_context->error(code, (host ? "adopt " : "allocate ") + std::to_string(bytes) +
                                     " bytes of device memory");
  m_buffer = memory_handle(m_context->api, made);
}

opencl_memory::opencl_memory(context_ptr context, cl_device_id device, std::uint64_t bytes, memory_kind kind,
                             std::uint64_t alignment, block_kind block)
    : m_context(std::move(context)), m_id(next_id()), m_size(bytes), m_kind(kind) {
  const std::uint64_t extra = alignment > svm_alignment ? alignment : 0;
  m_piece.block =
      std::make_shared<svm_block>(m_context, device, block, std::max<std::uint64_t>(bytes, 1) + extra);
  if (extra) {
    const auto base = reinterpret_cast<std::uint64_t>(m_piece.block->base());
    m_piece.offset = (alignment - base % alignment) % alignment;
  }
  find_address();
}

opencl_memory::opencl_memory(context_ptr context, std::uint64_t bytes, memory_kind kind,
                             std::uint64_t alignment, std::shared_ptr<svm_pool> pool)
    : m_context(std::move(context)), m_id(next_id()), m_size(bytes), m_kind(kind), m_pool(std::move(pool)),
      m_pool_bytes(std::max(bytes, alignment)) { // pool allocations are aligned to their size
  m_piece = m_pool->allocate(m_pool_bytes);
  find_address();
}

void opencl_memory::find_address() {
  const svm_block& block = *m_piece.block;
  m_address = reinterpret_cast<std::uint64_t>(block.base()) + m_piece.offset;
  if (block.kind() == block_kind::memory_object) return;
  m_svm = block.base() + m_piece.offset;
  m_host = is_for_host(block.kind()) ? m_svm : nullptr;
}

opencl_memory::opencl_memory(context_ptr context, memory_handle made, std::uint64_t bytes)
    : m_context(std::move(context)), m_id(next_id()), m_size(bytes), m_kind(memory_kind::buffer),
      m_buffer(std::move(made)) {}

opencl_memory::~opencl_memory() {
  const auto simulation = m_context->lock_simulation();
  m_buffer.reset();
  if (m_pool) m_pool->release(std::move(m_piece), m_pool_bytes);
}

cl_mem opencl_memory::buffer() const { return m_piece.block ? m_piece.block->buffer() : m_buffer.get(); }

void* opencl_memory::native(std::string_view what) const noexcept {
  if (what == "svm") return m_svm;
  if (what != "cl_mem") return nullptr;
  if (is_usm()) return nullptr;
  try {
    if (!m_pool && !m_piece.offset) return buffer();
    if (m_address != 0 && m_svm == nullptr) return nullptr; // a part of a memory object
    std::call_once(m_wrapped, [this] {
      cl_int code = CL_SUCCESS;
      cl_mem made = m_context->api.clCreateBuffer(
          m_context->context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, m_size, m_svm, &code);
      check(code, "wrap shared virtual memory in a memory object");
      m_buffer = memory_handle(m_context->api, made);
    });
    return m_buffer.get();
  } catch (const device_error&) { // the driver cannot wrap SVM: there is no cl_mem
    return nullptr;
  }
}

} // namespace prism::devices::opencl
