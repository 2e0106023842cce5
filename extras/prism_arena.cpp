// <prism/arena.hpp>. A thread allocates from its own part without a lock: it moves the part's position in the
// current block. Blocks are taken and given back under the arena's lock. A part of a thread that ended serves
// the next thread of the same NUMA node.
#include "devices/api/thread_end.hpp"

#include <prism/arena.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <sched.h>
#include <string>
#include <utility>

namespace prism {

namespace {

constexpr std::size_t largest_alignment = 4096;

[[noreturn]] void fail(sycl::errc code, const std::string& text) {
  throw sycl::exception(sycl::make_error_code(code), "prism::arena: " + text);
}

unsigned node_of_this_thread() {
  unsigned processor = 0, node = 0;
  return getcpu(&processor, &node) == 0 ? node : 0;
}

const char* name_of(sycl::usm::alloc kind) {
  return kind == sycl::usm::alloc::device ? "device" : kind == sycl::usm::alloc::shared ? "shared" : "host";
}

/// A number that one thread writes and others read.
class counter {
public:
  std::uint64_t get() const { return m_value.load(std::memory_order_relaxed); }
  void set(std::uint64_t value) { m_value.store(value, std::memory_order_relaxed); }
  void add(std::uint64_t value) { set(get() + value); }

private:
  std::atomic<std::uint64_t> m_value{0};
};

struct block {
  std::byte* begin = nullptr;
  std::size_t size = 0;
};

/// What one thread allocates from. Only its thread writes it; reset() does while no thread allocates.
struct part {
  explicit part(unsigned on_node) : node(on_node) {}
  std::byte *position = nullptr, *end = nullptr;
  std::size_t next_block = 0;
  const unsigned node;
  std::vector<block> blocks; // under the arena's lock
  counter allocations, bytes;
};

} // namespace

struct arena::state final : std::pmr::memory_resource, std::enable_shared_from_this<arena::state> {
  state(const sycl::device& d, const sycl::context& c, sycl::usm::alloc k, arena_options o)
      : device(d), context(c), kind(k), options(o), number(next_number()) {}
  ~state() override { give_back(); }

  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  void* take(std::size_t bytes, std::size_t alignment);
  void* take_from_new_block(part& mine, std::size_t bytes);
  block new_block(unsigned node, std::size_t bytes);
  part& part_of_this_thread();
  void adopt(part& idle) {
    const std::lock_guard lock(mutex);
    idle_parts.push_back(&idle);
  }
  void free_allocations();
  void give_back();

  void* do_allocate(std::size_t bytes, std::size_t alignment) override { return take(bytes, alignment); }
  void do_deallocate(void*, std::size_t, std::size_t) override {} // reset() frees
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  const sycl::device device;
  const sycl::context context;
  const sycl::usm::alloc kind;
  const arena_options options;
  const std::uint64_t number; // of this arena in the process: never used twice, unlike an address

  mutable std::mutex mutex; // guards what follows
  std::vector<std::unique_ptr<part>> parts;
  std::vector<part*> idle_parts;                                          // of threads that ended
  std::map<unsigned, std::multimap<std::size_t, std::byte*>> free_blocks; // by NUMA node and size
  std::map<unsigned, std::uint64_t> bytes_of_node;
  std::uint64_t block_bytes = 0, blocks = 0, peak = 0, resets = 0;
};

namespace {

/// The parts of one thread, of all arenas that it used.
struct thread_parts {
  struct entry {
    std::uint64_t number;
    std::weak_ptr<void> arena;
    part* mine;
    void (*give_back)(void* arena, part& mine);
  };
  std::vector<entry> entries;

  static void end(void* object) {
    auto* all = static_cast<thread_parts*>(object);
    for (const entry& e : all->entries)
      if (const auto alive = e.arena.lock()) e.give_back(alive.get(), *e.mine);
    delete all;
  }
};

/// The arena that this thread used last, and all of them.
thread_local std::uint64_t last_number = 0;
thread_local part* last_part = nullptr;
thread_local thread_parts* own_parts = nullptr;

} // namespace

part& arena::state::part_of_this_thread() {
  if (last_number == number) return *last_part;
  if (own_parts == nullptr) {
    own_parts = new thread_parts;
    at_thread_end<&thread_parts::end>(own_parts);
  }
  auto& entries = own_parts->entries;
  auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.number == number; });
  if (found == entries.end()) {
    entries.erase(
        std::remove_if(entries.begin(), entries.end(), [](const auto& e) { return e.arena.expired(); }),
        entries.end());
    const unsigned node = node_of_this_thread();
    const std::lock_guard lock(mutex);
    const auto idle =
        std::find_if(idle_parts.begin(), idle_parts.end(), [&](const part* p) { return p->node == node; });
    part* mine = nullptr;
    if (idle != idle_parts.end()) {
      mine = *idle;
      idle_parts.erase(idle);
    } else {
      mine = parts.emplace_back(std::make_unique<part>(node)).get();
      mine->next_block = options.block_bytes;
    }
    entries.push_back(
        {number, weak_from_this(), mine, [](void* arena, part& p) { static_cast<state*>(arena)->adopt(p); }});
    found = entries.end() - 1;
  }
  last_number = number;
  last_part = found->mine;
  return *found->mine;
}

void* arena::state::take(std::size_t bytes, std::size_t alignment) {
  if (!std::has_single_bit(alignment) || alignment > largest_alignment)
    fail(sycl::errc::invalid,
         "an alignment must be a power of two, 4096 at most, found " + std::to_string(alignment));
  alignment = std::max(alignment, options.alignment);
  part& mine = part_of_this_thread();
  const std::size_t padding = -reinterpret_cast<std::uintptr_t>(mine.position) & (alignment - 1);
  const auto room = static_cast<std::size_t>(mine.end - mine.position);
  if (mine.position == nullptr || padding > room || bytes > room - padding)
    return take_from_new_block(mine, bytes);
  std::byte* const result = mine.position + padding;
  mine.position = result + bytes;
  mine.allocations.add(1);
  mine.bytes.add(padding + bytes);
  return result;
}

void* arena::state::take_from_new_block(part& mine, std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2)
    fail(sycl::errc::memory_allocation,
         "asked for " + std::to_string(bytes) + " bytes, more than any device has");
  const std::size_t size = mine.next_block;
  const bool own = bytes > size; // too large for a block that others share
  const block taken = new_block(mine.node, own ? bytes : size);
  {
    const std::lock_guard lock(mutex);
    mine.blocks.push_back(taken);
  }
  mine.allocations.add(1);
  mine.bytes.add(bytes);
  if (own) return taken.begin;
  mine.next_block = std::min(size * 2, std::max(size, options.largest_block_bytes));
  mine.position = taken.begin + bytes; // a block begins at the largest alignment
  mine.end = taken.begin + taken.size;
  return taken.begin;
}

block arena::state::new_block(unsigned node, std::size_t bytes) {
  bytes = (bytes + largest_alignment - 1) & ~(largest_alignment - 1);
  {
    const std::lock_guard lock(mutex);
    auto& free = free_blocks[node];
    if (const auto fitting = free.lower_bound(bytes); fitting != free.end()) {
      const block found{fitting->second, fitting->first};
      free.erase(fitting);
      return found;
    }
    if (bytes > options.limit_bytes - block_bytes)
      fail(sycl::errc::memory_allocation,
           "a block of " + std::to_string(bytes) + " bytes is needed; the arena has " +
               std::to_string(block_bytes) + " of its limit of " + std::to_string(options.limit_bytes) +
               ". Raise arena_options::limit_bytes or call reset() earlier");
    block_bytes += bytes;
  }
  const auto refund = [&] {
    const std::lock_guard lock(mutex);
    block_bytes -= bytes;
  };
  void* begin = nullptr;
  try {
    begin = sycl::aligned_alloc(largest_alignment, bytes, device, context, kind);
  } catch (...) {
    refund();
    throw;
  }
  if (begin == nullptr) {
    refund();
    fail(sycl::errc::memory_allocation, std::string("no ") + name_of(kind) +
                                            " memory is left for a block of " + std::to_string(bytes) +
                                            " bytes");
  }
  const std::lock_guard lock(mutex);
  ++blocks;
  bytes_of_node[node] += bytes;
  return {static_cast<std::byte*>(begin), bytes};
}

void arena::state::free_allocations() {
  const std::lock_guard lock(mutex);
  std::uint64_t bytes = 0;
  for (const auto& p : parts) {
    bytes += p->bytes.get();
    for (const block& b : p->blocks) free_blocks[p->node].emplace(b.size, b.begin);
    p->blocks.clear();
    p->position = p->end = nullptr;
    p->next_block = options.block_bytes; // the same allocations then find the same blocks
    p->allocations.set(0);
    p->bytes.set(0);
  }
  peak = std::max(peak, bytes);
  ++resets;
}

void arena::state::give_back() {
  free_allocations();
  const std::lock_guard lock(mutex);
  for (const auto& [node, list] : free_blocks)
    for (const auto& [size, begin] : list) sycl::free(begin, context);
  free_blocks.clear();
  bytes_of_node.clear();
  block_bytes = blocks = 0;
}

arena::arena(const sycl::queue& queue, sycl::usm::alloc kind, arena_options options)
    : arena(queue.get_device(), queue.get_context(), kind, options) {}

arena::arena(const sycl::device& device, const sycl::context& context, sycl::usm::alloc kind,
             arena_options options) {
  if (!std::has_single_bit(options.alignment) || options.alignment > largest_alignment)
    fail(sycl::errc::invalid, "arena_options::alignment must be a power of two, 4096 at most, found " +
                                  std::to_string(options.alignment));
  if (options.block_bytes == 0 || options.largest_block_bytes < options.block_bytes)
    fail(sycl::errc::invalid, "arena_options::block_bytes must be from 1 to largest_block_bytes (" +
                                  std::to_string(options.largest_block_bytes) + "), found " +
                                  std::to_string(options.block_bytes));
  const sycl::aspect needed = kind == sycl::usm::alloc::device   ? sycl::aspect::usm_device_allocations
                              : kind == sycl::usm::alloc::shared ? sycl::aspect::usm_shared_allocations
                                                                 : sycl::aspect::usm_host_allocations;
  if (kind == sycl::usm::alloc::unknown)
    fail(sycl::errc::invalid, "usm::alloc::unknown is no kind of memory");
  if (!device.has(needed))
    fail(sycl::errc::feature_not_supported,
         "\"" + device.get_info<sycl::info::device::name>() + "\" has no " + name_of(kind) + " USM");
  m_state = std::make_shared<state>(device, context, kind, options);
}
arena::~arena() = default;

void* arena::allocate(std::size_t bytes, std::size_t alignment) { return m_state->take(bytes, alignment); }
void arena::refuse(std::size_t count, std::size_t size) {
  fail(sycl::errc::memory_allocation, "asked for " + std::to_string(count) + " objects of " +
                                          std::to_string(size) + " bytes, more than any device has");
}
void arena::reset() { m_state->free_allocations(); }
void arena::reset(const std::vector<sycl::event>& depends) {
  for (sycl::event e : depends) e.wait();
  reset();
}
void arena::release() { m_state->give_back(); }
sycl::usm::alloc arena::kind() const noexcept { return m_state->kind; }

arena_statistics arena::statistics() const {
  const std::lock_guard lock(m_state->mutex);
  arena_statistics s;
  for (const auto& p : m_state->parts)
    s.allocations += p->allocations.get(), s.allocated_bytes += p->bytes.get();
  s.peak_bytes = std::max(m_state->peak, s.allocated_bytes);
  s.block_bytes = m_state->block_bytes;
  s.blocks = m_state->blocks;
  for (const auto& [node, list] : m_state->free_blocks) s.free_blocks += list.size();
  s.parts = m_state->parts.size();
  s.resets = m_state->resets;
  for (const auto& [node, bytes] : m_state->bytes_of_node) {
    s.block_bytes_of_node.resize(std::max<std::size_t>(s.block_bytes_of_node.size(), node + 1));
    s.block_bytes_of_node[node] = bytes;
  }
  return s;
}

std::pmr::memory_resource* arena::resource() {
  if (m_state->kind == sycl::usm::alloc::device)
    fail(sycl::errc::feature_not_supported,
         "containers of the host cannot write device memory; use host or shared memory for resource()");
  return m_state.get();
}

} // namespace prism
