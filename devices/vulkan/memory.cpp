#include "devices/vulkan/memory.hpp"

#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/device.hpp"
#include "devices/vulkan/usm_window.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace prism::devices::vulkan {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t shared_block_bytes = 16u << 20;
constexpr std::uint64_t largest_shared = shared_block_bytes / 8;

[[noreturn]] void no_memory(std::uint64_t bytes, const std::string& found, const char* code) {
  throw device_error(error_category::out_of_memory, code,
                     "allocating " + std::to_string(bytes) + " bytes of device memory: " + found);
}

} // namespace

block::block(device& owner, std::uint64_t bytes, placement where)
    : m_device(owner), m_size(round_up(bytes, page)) {
  try {
    make_buffer(0);
    VkMemoryRequirements needs;
    m_device.vk().GetBufferMemoryRequirements(m_device.handle(), m_buffer, &needs);
    const auto type = m_device.memories().find_type(needs.memoryTypeBits, where);
    const auto& types = m_device.hardware().memory.memoryTypes;
    m_heap = types[type].heapIndex;
    if (!m_device.memories().charge(m_heap, needs.size))
      no_memory(bytes, "the device's heap has no room for it, or other programs use it", "");
    m_charged = needs.size;
    const bool mappable = types[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    allocate(type, needs.size, nullptr,
             mappable && (where == placement::host_coherent || m_device.hardware().unified()));
  } catch (...) {
    release();
    throw;
  }
}

block::block(device& owner, void* host, std::uint64_t bytes) : m_device(owner), m_size(bytes) {
  try {
    make_buffer(VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT);
    VkMemoryRequirements needs;
    m_device.vk().GetBufferMemoryRequirements(m_device.handle(), m_buffer, &needs);
    VkMemoryHostPointerPropertiesEXT allowed{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    const auto handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    check(m_device.vk().GetMemoryHostPointerPropertiesEXT(m_device.handle(), handle_type, host, &allowed),
          "adopting host memory");
    const std::uint32_t types = needs.memoryTypeBits & allowed.memoryTypeBits;
    if (!types || needs.size > bytes)
      throw device_error(error_category::unsupported, "",
                         "adopting host memory: the driver has no memory type for it");
    VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
    import.handleType = handle_type;
    import.pHostPointer = host;
    allocate(m_device.memories().find_type(types, placement::host_coherent), m_size, &import, false);
    m_mapped = static_cast<std::byte*>(host);
  } catch (...) {
    release();
    throw;
  }
}

block::~block() { release(); }

void block::release() noexcept {
  const auto& vk = m_device.vk();
  if (m_address) m_device.memories().places().leave(m_address, this);
  if (m_buffer && !m_is_adopted) vk.DestroyBuffer(m_device.handle(), m_buffer, nullptr);
  if (m_memory) vk.FreeMemory(m_device.handle(), m_memory, nullptr);
  if (m_reservation) munmap(m_reservation, m_reserved_bytes);
  if (m_charged) m_device.memories().discharge(m_heap, m_charged);
}

void block::make_buffer(VkExternalMemoryHandleTypeFlags shared) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = shared;
  if (shared) info.pNext = &external;
  info.size = m_size;
  info.usage = m_device.hardware().buffer_usage();
  // Sharing costs nothing, because buffers have no layout, and it needs no ownership transfers between the
  // queue families.
  const queue_plan& plan = m_device.hardware().queues;
  const std::uint32_t families[] = {plan.compute_family, plan.copy_family};
  if (plan.copy_family_differs()) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = 2;
    info.pQueueFamilyIndices = families;
  }
  m_device.check(m_device.vk().CreateBuffer(m_device.handle(), &info, nullptr, &m_buffer),
                 "creating a buffer");
}

void block::allocate(std::uint32_t type, std::uint64_t bytes, const void* next, bool map) {
  const auto& vk = m_device.vk();
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  flags.pNext = next;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  const bool has_address = !m_device.hardware().lacks().addresses;
  info.pNext = has_address ? static_cast<const void*>(&flags) : next;
  info.allocationSize = m_allocated = bytes;
  info.memoryTypeIndex = m_type = type;
  m_device.check(vk.AllocateMemory(m_device.handle(), &info, nullptr, &m_memory), "allocating device memory");
  m_device.check(vk.BindBufferMemory(m_device.handle(), m_buffer, m_memory, 0), "binding device memory");
  VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
  address.buffer = m_buffer;
  if (has_address) m_address = vk.GetBufferDeviceAddress(m_device.handle(), &address);
  else reserve_arena_address();
  m_device.memories().places().enter(m_address, m_size, this);
  if (!map) return;
  void* host = nullptr;
  m_device.check(vk.MapMemory(m_device.handle(), m_memory, 0, VK_WHOLE_SIZE, 0, &host),
                 "mapping device memory");
  m_mapped = static_cast<std::byte*>(host);
}

/// Addresses that the host never uses, the first a multiple of 2^32.
void block::reserve_arena_address() {
  constexpr std::uint64_t multiple = std::uint64_t{1} << 32;
  m_reserved_bytes = m_size + multiple;
  void* const at =
      mmap(nullptr, m_reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) no_memory(m_size, "no address space for it", "");
  m_reservation = at;
  m_address = round_up(reinterpret_cast<std::uint64_t>(at), multiple);
}

bool block::reserve_address() {
  if (m_reservation) return true;
  if (m_address == reinterpret_cast<std::uint64_t>(m_mapped))
    return true; // our own host memory contains the range
  const std::uint64_t begin = m_address / page * page, bytes = round_up(m_address + m_size, page) - begin;
  void* const wanted = reinterpret_cast<void*>(begin);
  void* const got = mmap(wanted, bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return errno != EEXIST; // otherwise no host mapping can ever be there
  if (got != wanted) {                           // a kernel older than 4.17 treats the flag as a hint
    munmap(got, bytes);
    return false;
  }
  m_reservation = got;
  m_reserved_bytes = bytes;
  return true;
}

allocator::allocator(device& owner) : m_device(owner) {}
allocator::~allocator() = default;

void allocator::clear() noexcept {
  m_arena.reset();
  for (auto& blocks : m_shared) blocks.clear();
  m_dedicated.clear();
}

std::uint32_t allocator::find_type(std::uint32_t allowed, placement where) const {
  const auto& memory = m_device.hardware().memory;
  const auto find = [&](VkMemoryPropertyFlags flags) -> int {
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & flags) == flags)
        return static_cast<int>(i);
    return -1;
  };
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                  coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                  cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  // On a discrete GPU, memory accessible to both is small or slow to read from the host: prefer plain local
  // memory.
  const VkMemoryPropertyFlags unified_choice[] = {local | coherent | cached, local | coherent, local, 0};
  const VkMemoryPropertyFlags discrete_choice[] = {local, 0, 0, 0};
  const VkMemoryPropertyFlags host_choice[] = {coherent | cached, coherent, coherent, coherent};
  const auto& choices = where == placement::host_coherent ? host_choice
                        : m_device.hardware().unified()   ? unified_choice
                                                          : discrete_choice;
  for (const auto flags : choices)
    if (const int found = find(flags); found >= 0) return static_cast<std::uint32_t>(found);
  throw device_error(error_category::unsupported, "",
                     "allocating device memory: the device has no suitable memory type");
}

bool allocator::charge(std::uint32_t heap, std::uint64_t bytes) noexcept {
  std::lock_guard lock(m_heap_mutex);
  heap_use use{m_device.hardware().memory.memoryHeaps[heap].size, m_heap_used[heap]};
  m_device.hardware().read_budget(heap, use);
  if (bytes > room_in(use)) return false;
  m_heap_used[heap] += bytes;
  return true;
}

void allocator::discharge(std::uint32_t heap, std::uint64_t bytes) noexcept {
  std::lock_guard lock(m_heap_mutex);
  m_heap_used[heap] -= bytes;
}

std::unique_ptr<block> allocator::make_block(std::uint64_t bytes, placement where) {
  // Blocks with colliding addresses stay allocated until one does not collide; else the driver would return
  // the same address again.
  std::vector<std::unique_ptr<block>> collided;
  for (int attempt = 0; attempt < 8; ++attempt) {
    auto made = std::make_unique<block>(m_device, bytes, where);
    if (made->reserve_address()) return made;
    collided.push_back(std::move(made));
  }
  no_memory(bytes, "the driver chose eight times in a row an address that the host uses", "");
}

range allocator::take(block& from, std::uint64_t bytes, std::uint64_t alignment) {
  const auto offset = from.m_free.take(bytes, alignment, from.address());
  return offset ? range{&from, *offset, bytes} : range{};
}

block& allocator::make_arena() {
  if (m_arena) return *m_arena;
  constexpr std::uint64_t least = std::uint64_t{16} << 20;
  for (std::uint64_t bytes = m_device.hardware().arena_bytes(); !m_arena; bytes /= 2) try {
      m_arena = make_block(bytes, placement::host_coherent);
    } catch (const device_error& error) { // drivers state more than they give
      if (error.category() != error_category::out_of_memory || bytes / 2 < least) throw;
    }
  m_arena->m_free.give(0, m_arena->size());
  return *m_arena;
}

VkBuffer allocator::arena() {
  std::lock_guard lock(m_mutex);
  return make_arena().buffer();
}

range allocator::allocate_in_arena(std::uint64_t bytes, std::uint64_t wanted, std::uint64_t alignment) {
  std::lock_guard lock(m_mutex);
  block& from = make_arena();
  if (const range got = take(from, wanted, alignment); got.owner) return got;
  no_memory(bytes,
            "the device has no bufferDeviceAddress, and the one storage buffer that its kernels reach, of " +
                std::to_string(from.size()) + " bytes, has no room for it",
            "");
}

range allocator::allocate(std::uint64_t bytes, placement where, std::uint64_t alignment) {
  const std::uint64_t limit = m_device.info().max_allocation ? m_device.hardware().max_allocation : ~0ull;
  const std::uint64_t wanted = round_up(std::max<std::uint64_t>(bytes, 1), 64);
  alignment = std::max<std::uint64_t>(alignment, 64);
  if (bytes > limit || wanted < bytes)
    no_memory(bytes, "the device allows at most " + std::to_string(limit) + " bytes in one allocation", "");
  if (m_device.hardware().lacks().addresses) return allocate_in_arena(bytes, wanted, alignment);
  if (wanted > largest_shared || alignment > page) {
    // Drivers align blocks at least to pages; the extra bytes are for one that does not.
    auto made = make_block(wanted, where);
    if (made->address() % alignment) made = make_block(wanted + alignment, where);
    const std::uint64_t offset = round_up(made->address(), alignment) - made->address();
    std::lock_guard lock(m_mutex);
    m_dedicated.push_back(std::move(made));
    return {m_dedicated.back().get(), offset, wanted};
  }
  std::lock_guard lock(m_mutex);
  auto& blocks = m_shared[static_cast<std::size_t>(where)];
  for (auto& candidate : blocks)
    if (const range got = take(*candidate, wanted, alignment); got.owner) return got;
  blocks.push_back(make_block(shared_block_bytes, where));
  blocks.back()->m_free.give(0, blocks.back()->size());
  return take(*blocks.back(), wanted, alignment);
}

void allocator::free(const range& what) noexcept {
  std::unique_ptr<block> doomed; // destroyed after the lock is released
  std::lock_guard lock(m_mutex);
  if (what.owner == m_arena.get()) return what.owner->m_free.give(what.offset, what.size);
  const auto is_owner = [&](const auto& candidate) { return candidate.get() == what.owner; };
  if (const auto at = std::find_if(m_dedicated.begin(), m_dedicated.end(), is_owner);
      at != m_dedicated.end()) {
    doomed = std::move(*at);
    m_dedicated.erase(at);
    return;
  }
  what.owner->m_free.give(what.offset, what.size);
  if (!what.owner->m_free.is_one_of(what.owner->size())) return;
  for (auto& blocks :
       m_shared) { // frees an empty block unless it is the last one, to avoid repeated allocation
    const auto found = std::find_if(blocks.begin(), blocks.end(), is_owner);
    if (found == blocks.end() || blocks.size() == 1) continue;
    doomed = std::move(*found);
    blocks.erase(found);
    return;
  }
}

// A USM pointer of kind host or shared is both host and device address, or points into the window
// (usm_window.hpp).
memory::memory(device& owner, std::uint64_t bytes, memory_kind kind, std::uint64_t alignment)
    : m_device(owner), m_counted(owner.objects().memories), m_bytes(bytes), m_kind(kind) {
  const bool both = kind == memory_kind::host || kind == memory_kind::shared;
  if (both && owner.has_window()) {
    m_window = &owner.window();
    m_range = m_window->allocate(bytes, alignment);
    m_host = m_window->base() + m_range.offset;
    return;
  }
  m_range =
      owner.memories().allocate(bytes, both ? placement::host_coherent : placement::device_local, alignment);
  m_host = m_range.mapped();
  if (!both && !owner.info().host_visible) m_host = nullptr;
  if (both && m_range.address() != reinterpret_cast<std::uint64_t>(m_host)) {
    owner.memories().free(m_range);
    throw device_error(
        error_category::unsupported, "",
        "allocating host or shared USM: on " + owner.info().name +
            " device addresses differ from host pointers and it imports no host memory; use device USM or "
            "buffers");
  }
}

memory::memory(device& owner, void* host, std::uint64_t bytes)
    : m_device(owner), m_counted(owner.objects().memories), m_bytes(bytes), m_kind(memory_kind::buffer),
      m_own(std::make_unique<block>(owner, host, bytes)), m_range{m_own.get(), 0, bytes},
      m_host(static_cast<std::byte*>(host)) {
  if (!m_own->reserve_address())
    throw device_error(error_category::unsupported, "",
                       "adopting host memory: its device address is in use by the host");
}

memory::~memory() {
  if (m_window) m_window->free(m_range);
  else if (!m_own) m_device.memories().free(m_range);
}

void* memory::native(std::string_view what) const noexcept {
  if (what == "VkBuffer") return reinterpret_cast<void*>(m_range.buffer());
  if (what == "VkBuffer offset") return reinterpret_cast<void*>(m_range.offset);
  if (what == "VkBufferUsageFlags")
    return reinterpret_cast<void*>(std::uintptr_t{m_device.hardware().buffer_usage()});
  if (what == vulkan_memory_name)
    return const_cast<devices::memory*>(static_cast<const devices::memory*>(this));
  if (what == "VkDeviceMemory") return reinterpret_cast<void*>(m_range.owner->handle());
  return nullptr;
}

} // namespace prism::devices::vulkan
