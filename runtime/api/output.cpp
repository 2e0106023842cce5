#include "runtime/api/output.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <cstring>
#include <new>

namespace sycl {
inline namespace _V1 {
namespace detail {

static_assert(sizeof(output_block) == sizeof(prism::image::output_header));
static_assert(offsetof(output_block, used) == offsetof(prism::image::output_header, used));
static_assert(offsetof(output_block, failed) == offsetof(prism::image::output_header, failed));

namespace {

constexpr std::size_t page = 4096; // alignment with which devices can use the memory in place

output_block* make_block(std::uint64_t bytes) {
  void* memory = std::aligned_alloc(page, bytes);
  if (!memory) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  auto* block = static_cast<output_block*>(memory);
  block->capacity = static_cast<std::uint32_t>(bytes - sizeof(output_block));
  return block;
}

std::uint64_t rounded(std::uint64_t bytes) { return (bytes + page - 1) / page * page; }

struct pools {
  std::mutex mutex;
  std::map<const device_impl*, std::vector<std::shared_ptr<output_channel>>> channels;
  std::vector<std::unique_ptr<output_memory>> host;
  static pools& get() {
    static auto& instance = *new pools;
    return instance;
  }
};

} // namespace

output_memory::output_memory(std::uint64_t bytes) : m_bytes(rounded(bytes)), m_block(make_block(m_bytes)) {}
output_memory::~output_memory() { std::free(m_block); }

output_channel::output_channel(std::uint64_t bytes, std::optional<index_fault_source> source)
    : m_memory(bytes), m_source(std::move(source)), m_token(prism::new_token()) {
  if (m_source) m_memory.block()->capacity = 0; // fault blocks have no header
  prism::buffer_options options;
  options.extent[2] = m_memory.bytes();
  options.host = m_memory.block();
  options.host_is_initial_data = true;
  m_buffer = guarded([&] { return prism::create_buffer(options); });
}

bool output_channel::print(const void* block) const {
  if (!m_source) return print_output(*static_cast<const output_block*>(block));
  report_index_faults(*m_source, block);
  return true;
}

void output_channel::empty(void* block) const {
  if (m_source) {
    std::memset(block, 0, bytes());
    return;
  }
  auto* const text = static_cast<output_block*>(block);
  std::memset(text + 1, 0, std::min(text->used, text->capacity));
  text->used = text->failed = 0;
}

std::shared_ptr<output_channel> take_channel(const device_impl& on) {
  pools& all = pools::get();
  std::shared_ptr<output_channel> found;
  {
    const std::lock_guard lock(all.mutex);
    auto& idle = all.channels[&on];
    if (!idle.empty()) {
      found = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!found) return std::make_shared<output_channel>(standard_output_bytes);
  found->new_token();
  return found;
}

void give_back_channel(const device_impl& on, std::shared_ptr<output_channel> channel) {
  if (!channel->is_text() || channel->bytes() != standard_output_bytes) return;
  pools& all = pools::get();
  const std::lock_guard lock(all.mutex);
  all.channels[&on].push_back(std::move(channel));
}

std::shared_ptr<output_memory> host_outputs::take() {
  pools& all = pools::get();
  std::unique_ptr<output_memory> found;
  {
    const std::lock_guard lock(all.mutex);
    if (!all.host.empty()) {
      found = std::move(all.host.back());
      all.host.pop_back();
    }
  }
  if (!found) found = std::make_unique<output_memory>(standard_output_bytes);
  output_memory* const memory = found.get();
  {
    const std::lock_guard lock(m_mutex);
    m_entries.push_back({std::move(found)});
  }
  return {memory, [self = shared_from_this()](const output_memory* used) { self->finish(used); }};
}

void host_outputs::finish(const output_memory* memory) {
  const std::lock_guard lock(m_mutex);
  for (entry& e : m_entries) e.finished |= e.memory.get() == memory;
  while (!m_entries.empty() && m_entries.front().finished) {
    if (!print_output(*m_entries.front().memory->block())) {
      pools& all = pools::get();
      const std::lock_guard pool_lock(all.mutex);
      all.host.push_back(std::move(m_entries.front().memory));
    }
    m_entries.pop_front();
  }
}

bool print_output(const output_block& block) {
  if (block.used == 0 && block.failed == 0) return false;
  static std::mutex& one_at_a_time = *new std::mutex;
  const std::lock_guard lock(one_at_a_time);
  std::string assertions;
  const std::string text = output_text(reinterpret_cast<const std::uint32_t*>(&block + 1),
                                       std::min(block.used, block.capacity), assertions);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  std::fwrite(assertions.data(), 1, assertions.size(), stderr);
  if (block.used > block.capacity) {
    std::fprintf(
        stderr,
        "prism: a kernel wrote more text than the limit of its command (%u bytes); the rest is lost\n",
        block.capacity);
  }
  if (block.failed) {
    std::fflush(stderr);
    std::abort(); // as assert does on the host
  }
  return true;
}

}
}
} // namespace sycl::_V1::detail
