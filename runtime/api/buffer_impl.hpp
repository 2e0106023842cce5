// The object behind sycl::buffer, and the process-wide table of placeholder accessors.
#pragma once

#include "runtime/api/impl.hpp"

#include <optional>

namespace sycl {
inline namespace _V1 {
namespace detail {

inline prism::source_line line_of(call_site site) noexcept { return {site.file(), site.line()}; }

class buffer_impl {
public:
  buffer_impl(const buffer_start& start, const property_list& properties, call_site site);
  /// On memory of the program's own: `node` is made of it, `give` brings what was written elsewhere back to
  /// it.
  buffer_impl(prism::buffer_ptr node, const element_box& shape, std::uint64_t element_bytes,
              std::function<void(const void*)> give);
  /// A view: sub-buffer or reinterpretation.
  buffer_impl(std::shared_ptr<buffer_impl> parent, prism::buffer_ptr node, const element_box& shape,
              std::uint64_t element_bytes, std::uint64_t byte_offset, bool is_part);
  /// Writes back and blocks as the standard says; errors go to the queue that used the buffer last.
  ~buffer_impl();
  buffer_impl(const buffer_impl&) = delete;

  const prism::buffer_ptr& node() const noexcept { return m_node; }
  const element_box& shape() const noexcept { return m_shape; }
  std::uint64_t element_bytes() const noexcept { return m_element_bytes; }
  std::uint64_t byte_offset() const noexcept { return m_byte_offset; } // in the root
  bool is_part() const noexcept { return m_is_part; }
  const std::shared_ptr<buffer_impl>& parent() const noexcept { return m_parent; }
  const property_list& properties() const noexcept {
    return m_parent ? m_parent->properties() : m_properties;
  }
  buffer_impl& root() noexcept { return m_parent ? m_parent->root() : *this; }

  // On the root only.
  void set_write_back(bool write);
  void set_final(void* pointer, std::function<std::shared_ptr<void>()> alive,
                 std::function<void(const void*)> give);
  void used_by(const std::shared_ptr<queue_impl>& queue);

  /// A placeholder of this buffer, forgotten when the buffer dies.
  void remember(std::uint64_t token);

private:
  void finish();
  prism::source_line made_at() const noexcept {
    return {m_made_in.empty() ? nullptr : m_made_in.c_str(), m_made_line};
  }

  std::shared_ptr<buffer_impl> m_parent;
  element_box m_shape;
  std::uint64_t m_element_bytes, m_byte_offset = 0;
  bool m_is_part = false;
  property_list m_properties;
  prism::buffer_ptr m_node;
  std::string
      m_made_in; // the program's file and line, where copies are told: its module may be gone at the end
  unsigned m_made_line = 0;
  std::mutex m_mutex; // of what follows
  bool m_blocks = false, m_write_back = true, m_only_if_shared = false;
  std::shared_ptr<void> m_keep_alive;
  void leave_host_memory(const void* wanted, bool before_use);
  void* m_host = nullptr;    // the program's memory that the buffer may use in place, until it need not
  void* m_pointer = nullptr; // destination ...
  std::function<std::shared_ptr<void>()> m_alive; // ... or who knows it
  std::function<void(const void*)> m_give;        // ... or who takes the bytes
  std::weak_ptr<queue_impl> m_last_queue;
  std::vector<std::uint64_t> m_placeholders;
};

/// Throws errc::invalid for a region outside of the buffer, or no_init with access_mode::read.
void check_access(const buffer_impl& buffer, const access_request& request);
prism::access_mode engine_mode(const access_request& request);
prism::box engine_box(const element_box& box);

struct placeholder {
  std::shared_ptr<buffer_impl> buffer;
  access_request request;
};
/// A new token, which says whether the accessor discards what was there.
std::uint64_t accessor_token(bool no_init, bool is_placeholder);
/// Empty for a token that is no placeholder; throws errc::invalid when its buffer is gone.
std::optional<placeholder> find_placeholder(std::uint64_t token);

}
}
} // namespace sycl::_V1::detail
