// Memory of OpenCL devices.
//
// On devices with shared virtual memory an allocation is SVM: kernels get its address. A use-host-pointer
// cl_mem over it, made when first needed, serves rectangle copies and interop. Small USM allocations share
// large blocks, because a kernel that follows pointers names every block to the driver. Where the device
// lacks the SVM for a kind of allocation and has cl_intel_unified_shared_memory, the block is of that
// extension: it has no cl_mem. Where it has none of these and has cl_ext_buffer_device_address, the block is
// a cl_mem with an address, which the host cannot access. Other devices have plain cl_mems: no address, no
// host pointer. Adopted host memory is a use-host-pointer cl_mem without an address.
#pragma once

#include "devices/api/device.hpp"
#include "devices/opencl/context.hpp"

namespace prism::devices::opencl {

/// What a block of memory with an address is. SVM comes first.
enum class block_kind { coarse, fine, usm_device, usm_host, usm_shared, memory_object };
constexpr bool is_usm(block_kind kind) {
  return kind >= block_kind::usm_device && kind != block_kind::memory_object;
}
/// Whether the host may access it at any time that SYCL allows for its kind.
constexpr bool is_for_host(block_kind kind) {
  return kind != block_kind::coarse && kind != block_kind::usm_device && kind != block_kind::memory_object;
}

/// One clSVMAlloc, one allocation of unified shared memory, or one cl_mem with an address. Registered in the
/// context's svm_registry during its lifetime.
class svm_block {
public:
  /// Throws device_error{out_of_memory}. `device` matters for usm_device, usm_shared and memory_object.
  svm_block(context_ptr context, cl_device_id device, block_kind kind, std::uint64_t bytes);
  ~svm_block();
  svm_block(const svm_block&) = delete;
  std::byte* base() const noexcept { return m_base; } // only an address if it is a memory_object
  std::uint64_t size() const noexcept { return m_size; }
  block_kind kind() const noexcept { return m_kind; }
  /// The cl_mem over the whole block; null for unified shared memory. Any thread.
  cl_mem buffer();

private:
  void* allocate(cl_device_id device, cl_int& code);
  context_ptr m_context;
  block_kind m_kind;
  std::uint64_t m_size;
  std::byte* m_base = nullptr;
  std::once_flag m_wrapped;
  memory_handle m_buffer;
};

/// Allocates small memory from shared blocks: power-of-two sizes, naturally aligned, with a free list each.
/// Any thread.
class svm_pool {
public:
  static constexpr std::uint64_t largest = 64 * 1024, block_bytes = 4 * 1024 * 1024;
  struct piece {
    std::shared_ptr<svm_block> block;
    std::uint64_t offset = 0;
  };
  svm_pool(context_ptr context, cl_device_id device, block_kind kind)
      : m_context(std::move(context)), m_device(device), m_kind(kind) {}
  piece allocate(std::uint64_t bytes);
  void release(piece freed, std::uint64_t bytes);

private:
  static unsigned class_of(std::uint64_t bytes);
  context_ptr m_context;
  cl_device_id m_device;
  block_kind m_kind;
  std::mutex m_mutex;
  std::vector<piece> m_free[11]; // 64 bytes << index
  std::shared_ptr<svm_block> m_block;
  std::uint64_t m_used = 0;
};

class opencl_memory final : public memory {
public:
  /// A plain cl_mem of `bytes`, or over `host` if not null. The driver aligns its own memory to
  /// `base_alignment`.
  opencl_memory(context_ptr context, std::uint64_t bytes, memory_kind kind, void* host,
                std::uint64_t base_alignment = 1);
  /// A separate block.
  opencl_memory(context_ptr context, cl_device_id device, std::uint64_t bytes, memory_kind kind,
                std::uint64_t alignment, block_kind block);
  /// An allocation of a pool.
  opencl_memory(context_ptr context, std::uint64_t bytes, memory_kind kind, std::uint64_t alignment,
                std::shared_ptr<svm_pool> pool);
  /// A cl_mem that the program made.
  opencl_memory(context_ptr context, memory_handle made, std::uint64_t bytes);
  ~opencl_memory() override;

  std::uint64_t size() const noexcept override { return m_size; }
  std::uint64_t address() const noexcept override { return m_address; }
  void* host_pointer() const noexcept override { return m_host; }
  std::uint64_t alignment() const noexcept override {
    return m_address != 0 ? lowest_bit(m_address) : m_alignment;
  }
  memory_kind kind() const noexcept override { return m_kind; }
  /// "cl_mem": of exactly this allocation (for SVM inside a block the first call creates it). "svm": the
  /// pointer.
  void* native(std::string_view what) const noexcept override;

  /// Never reused in a process, unlike handles and addresses.
  std::uint64_t id() const noexcept { return m_id; }
  /// The pointer for OpenCL's functions of shared memory. Null if these take the memory's cl_mem only.
  std::byte* svm() const noexcept { return m_svm; }
  /// Whether it is of cl_intel_unified_shared_memory.
  bool is_usm() const noexcept { return m_piece.block && opencl::is_usm(m_piece.block->kind()); }
  /// The cl_mem that contains this memory from byte buffer_offset() on; null for unified shared memory.
  cl_mem buffer() const;
  std::uint64_t buffer_offset() const noexcept { return m_piece.offset; }

private:
  void find_address();
  context_ptr m_context;
  std::uint64_t m_id, m_size;
  memory_kind m_kind;
  mutable memory_handle m_buffer; // plain and adopted memory; or the cl_mem that native() made
  mutable std::once_flag m_wrapped;
  svm_pool::piece m_piece; // SVM memory
  std::shared_ptr<svm_pool> m_pool;
  std::uint64_t m_pool_bytes = 0;
  std::uint64_t m_address = 0;
  std::byte* m_svm = nullptr;
  void* m_host = nullptr;
  std::uint64_t m_alignment =
      1; // of a plain cl_mem; one that the program made may use memory of any alignment
};

/// The byte offset of this location in its cl_mem.
inline std::size_t offset_of(const location& side) {
  return static_cast<const opencl_memory&>(*side.object).buffer_offset() + side.offset;
}

} // namespace prism::devices::opencl
