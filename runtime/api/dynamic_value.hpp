// Dynamic parameters of graphs: a value, the nodes' commands that use it, and how a change reaches them. The
// lock of a graph is taken before that of a value.
#pragma once

#include <prism/graph.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

struct graph_contents;

/// Where a command uses a dynamic parameter.
struct dynamic_use {
  enum class place { captured, argument, range, requirement };
  std::shared_ptr<dynamic_value> from;
  place what = place::captured;
  std::uint64_t mark = 0;  // of a captured argument
  std::uint64_t token = 0; // of an accessor's requirement; it stays when the buffer changes
  std::size_t index = 0;   // captured: from the mark to the value; argument: its number
  std::size_t offset = 0;  // of a captured value in the captured bytes
  std::size_t part = 0;    // of the node
  std::size_t buffer = 0;  // of an accessor: index in the node's buffers
};

/// Any thread.
class dynamic_value {
public:
  struct state {
    std::vector<std::byte> bytes;
    std::optional<launch_range> items;
  };
  explicit dynamic_value(const dynamic_bytes& initial);
  dynamic_bytes::kind kind() const noexcept { return m_kind; }
  std::size_t alignment() const noexcept { return m_alignment; }
  /// Changes the nodes of all graphs that use the value.
  void change(const dynamic_bytes& to);
  state now() const;
  void add_graph(const std::shared_ptr<modifiable_graph>& graph);
  /// Writes a value of this parameter to a place of use in `to`.
  void write(graph_contents& to, const dynamic_use& use, const state& value) const;

private:
  const dynamic_bytes::kind m_kind;
  const std::size_t m_alignment;
  mutable std::mutex m_mutex;
  state m_now;
  std::vector<std::weak_ptr<modifiable_graph>> m_graphs;
};

/// The buffer and request of an accessor in a dynamic parameter. Throws invalid if it is not a placeholder or
/// its buffer was destroyed.
struct placeholder;
placeholder placeholder_of(const std::vector<std::byte>& accessor);

}
}
} // namespace sycl::_V1::detail
