// Text output of kernels: the blocks into which commands write, and printing to standard output.
// sycl/detail/output.hpp defines the format. Thread-safe.
#pragma once

#include "runtime/api/impl.hpp"
#include "runtime/api/index_faults.hpp"

#include <sycl/detail/output.hpp>

#include <deque>
#include <optional>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Size of the text block of a command whose kernel prints or asserts.
inline constexpr std::uint64_t standard_output_bytes = std::uint64_t(1) << 20;

/// Host memory that holds an empty block.
class output_memory {
public:
  explicit output_memory(std::uint64_t bytes); // size with the header
  ~output_memory();
  output_memory(const output_memory&) = delete;
  output_block* block() const noexcept { return m_block; }
  std::uint64_t bytes() const noexcept { return m_bytes; }

private:
  std::uint64_t m_bytes;
  output_block* m_block;
};

/// A block in a buffer: the command's kernel writes it, a host task prints it. If it has a source, the block
/// holds index faults of that kernel instead of text.
class output_channel {
public:
  explicit output_channel(std::uint64_t bytes, std::optional<index_fault_source> source = {});
  ~output_channel() { prism::end_of_buffer(*m_buffer); }
  output_channel(const output_channel&) = delete;
  /// Prints `block`, the contents of the buffer. Returns true if there was any output.
  bool print(const void* block) const;
  /// Clears the block.
  void empty(void* block) const;
  bool is_text() const noexcept { return !m_source; }
  const prism::buffer_ptr& buffer() const noexcept { return m_buffer; }
  std::uint64_t bytes() const noexcept { return m_memory.bytes(); }
  std::uint64_t token() const noexcept { return m_token; }
  void new_token() { m_token = prism::new_token(); }

private:
  output_memory m_memory;
  std::optional<index_fault_source> m_source;
  prism::buffer_ptr m_buffer; // destroyed before its memory
  std::uint64_t m_token;
};

/// Returns an empty channel of the standard size. Channels without output are reused.
std::shared_ptr<output_channel> take_channel(const device_impl& on);
void give_back_channel(const device_impl& on, std::shared_ptr<output_channel> channel);

/// Blocks of one queue's kernels on the host device that were compiled without the plugin, so it is unknown
/// whether they print. Commands release the blocks in any order; they are printed in the order of submission.
class host_outputs : public std::enable_shared_from_this<host_outputs> {
public:
  /// Returns a block of the standard size. It is finished when the last owner releases it.
  std::shared_ptr<output_memory> take();

private:
  struct entry {
    std::unique_ptr<output_memory> memory;
    bool finished = false;
  };
  void finish(const output_memory* memory);
  std::mutex m_mutex;
  std::deque<entry> m_entries;
};

/// Prints the contents of the block. Returns true if there were any. Aborts the process if an assertion
/// failed.
bool print_output(const output_block& block);

/// Returns the text of the records in `bytes` bytes (for tests and print_output), and appends failed
/// assertions to `assertions`.
std::string output_text(const std::uint32_t* words, std::uint64_t bytes, std::string& assertions);

}
}
} // namespace sycl::_V1::detail
