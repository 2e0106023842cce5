// The extension sycl_ext_oneapi_graph with its own names, for programs written for it. <prism/graph.hpp>
// documents the classes. Of sycl_ext_oneapi_async_memory_alloc, which the extension refers to, there are
// async_malloc and async_free; memory pools, and native recording, are not supported.
#pragma once

#define SYCL_EXT_ONEAPI_GRAPH 1

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/graph.hpp>

namespace sycl {
inline namespace _V1 {

namespace ext {
namespace oneapi {
namespace experimental {

using prism::async_free;
using prism::async_malloc;
using prism::command_graph;
using prism::dynamic_command_group;
using prism::dynamic_parameter;
using prism::execute_graph;
using prism::graph_state;
using prism::node;
using prism::node_type;
using prism::queue_state;

namespace property {
namespace graph {
using prism::property::graph::assume_buffer_outlives_graph;
using prism::property::graph::enable_profiling;
using prism::property::graph::no_cycle_check;
using prism::property::graph::updatable;
} // namespace graph
namespace node {
using prism::property::node::depends_on;
using prism::property::node::depends_on_all_leaves;
} // namespace node
} // namespace property

}
}
} // namespace ext::oneapi::experimental

namespace detail {
struct graph_queries {
  static auto state(const queue& which) noexcept { return prism::state_of(which); }
  static auto graph(const queue& recording) { return prism::graph_of(recording); }
};
} // namespace detail

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
