// What kernels write for people, on its way to standard output: the blocks that commands write to, and their
// printing. The format is sycl/detail/output.hpp's. Thread-safe.
#pragma once

#include "runtime/api/impl.hpp"
#include "runtime/api/index_faults.hpp"

#include <sycl/detail/output.hpp>

#include <deque>
#include <optional>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Room for text of kernels that print or assert, a command.
inline constexpr std::uint64_t standard_output_bytes = std::uint64_t(1) << 20;

/// Host memory that holds an empty block.
class output_memory {
public:
  explicit output_memory(std::uint64_t bytes); // header included
  ~output_memory();
  output_memory(const output_memory&) = delete;
  output_block* block() const noexcept { return m_block; }
  std::uint64_t bytes() const noexcept { return m_bytes; }

private:
  std::uint64_t m_bytes;
  output_block* m_block;
};

/// A block as a buffer of the engine: the command's kernel writes it, a host task prints it. With a source
/// the block is not text but that kernel's index faults.
class output_channel {
public:
  explicit output_channel(std::uint64_t bytes, std::optional<index_fault_source> source = {});
  ~output_channel() { prism::end_of_buffer(*m_buffer); }
  output_channel(const output_channel&) = delete;
  /// Of `block`, the buffer's content: true when there was anything.
  bool print(const void* block) const;
  /// Of what was printed.
  void empty(void* block) const;
  bool is_text() const noexcept { return !m_source; }
  const prism::buffer_ptr& buffer() const noexcept { return m_buffer; }
  std::uint64_t bytes() const noexcept { return m_memory.bytes(); }
  std::uint64_t token() const noexcept { return m_token; }
  void new_token() { m_token = prism::new_token(); }

private:
  output_memory m_memory;
  std::optional<index_fault_source> m_source;
  prism::buffer_ptr m_buffer; // dies before its memory
  std::uint64_t m_token;
};

/// An empty one of the standard size; printed ones that stayed empty are used again.
std::shared_ptr<output_channel> take_channel(const device_impl& on);
void give_back_channel(const device_impl& on, std::shared_ptr<output_channel> channel);

/// Blocks of one queue's kernels on the host device that nobody knows more about (compiled without the
/// plugin), printed in the order of submission: commands let go of them in any order.
class host_outputs : public std::enable_shared_from_this<host_outputs> {
public:
  /// A standard block; finished when the last owner lets go.
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

/// Prints what the block holds; true when there was anything. Ends the process when an assertion failed.
bool print_output(const output_block& block);

/// The text of the records in `bytes` bytes (for tests and print_output); assertions go to `assertions`.
std::string output_text(const std::uint32_t* words, std::uint64_t bytes, std::string& assertions);

}
}
} // namespace sycl::_V1::detail
