// Information descriptors (SYCL 2020, "Information query interface"): one struct per query, with its
// return_type. runtime/api/info.cpp implements the queries.
#pragma once

#include <sycl/aspects.hpp>
#include <sycl/id.hpp>
#include <sycl/memory_model.hpp>
#include <sycl/range.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {

class context;
class device;
class event;
class kernel_id;
class platform;

namespace detail {
// Not defined, so that get_info with a descriptor of another class does not compile.
template <typename Descriptor>
struct platform_descriptor;
template <typename Descriptor>
struct device_descriptor;
template <typename Descriptor>
struct context_descriptor;
template <typename Descriptor>
struct queue_descriptor;
template <typename Descriptor>
struct event_descriptor;
template <typename Descriptor>
struct event_profiling_descriptor;
template <typename Descriptor>
struct kernel_descriptor;
template <typename Descriptor>
struct kernel_device_specific_descriptor;
} // namespace detail

namespace info {

enum class device_type : std::uint32_t {
  cpu,
  gpu,
  accelerator,
  custom,
  automatic,
  host [[deprecated("no device has it: ask for the backend")]],
  all
};
enum class partition_property : int {
  no_partition,
  partition_equally,
  partition_by_counts,
  partition_by_affinity_domain
};
enum class partition_affinity_domain : int {
  not_applicable,
  numa,
  L4_cache,
  L3_cache,
  L2_cache,
  L1_cache,
  next_partitionable
};
enum class local_mem_type : int { none, local, global };
enum class fp_config : int {
  denorm,
  inf_nan,
  round_to_nearest,
  round_to_zero,
  round_to_inf,
  fma,
  correctly_rounded_divide_sqrt [[deprecated("division and sqrt of float may round otherwise")]],
  soft_float
};
enum class global_mem_cache_type : int { none, read_only, read_write };
enum class [[deprecated("no device runs functions of the host")]] execution_capability : unsigned int {
  exec_kernel,
  exec_native_kernel
};
enum class event_command_status : int {
  submitted,
  running,
  complete,
  ext_oneapi_unknown // of a queue that discards its events
};

namespace device {
template <int Dimensions = 3>
struct max_work_item_sizes {
  using return_type = sycl::range<Dimensions>;
};
} // namespace device

} // namespace info

namespace detail {
template <int Dimensions>
struct device_descriptor<info::device::max_work_item_sizes<Dimensions>> {
  using return_type = sycl::range<Dimensions>;
};
} // namespace detail

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define PRISM_INFO(kind, name, ...) PRISM_DESCRIPTOR(kind, name, , __VA_ARGS__)
#define PRISM_OLD_INFO(kind, name, advice, ...)                                                              \
  PRISM_DESCRIPTOR(kind, name, [[deprecated(advice)]], __VA_ARGS__)
#define PRISM_DESCRIPTOR(kind, name, attribute, ...)                                                         \
  namespace info {                                                                                           \
  namespace kind {                                                                                           \
  struct attribute name {                                                                                    \
    using return_type = __VA_ARGS__;                                                                         \
  };                                                                                                         \
  }                                                                                                          \
  }                                                                                                          \
  namespace detail {                                                                                         \
  template <>                                                                                                \
  struct kind##_descriptor<info::kind::name> {                                                               \
    using return_type = __VA_ARGS__;                                                                         \
  };                                                                                                         \
  }
#include <sycl/detail/info_table.hpp>
#undef PRISM_INFO
#undef PRISM_OLD_INFO
#undef PRISM_DESCRIPTOR
#pragma GCC diagnostic pop

namespace info {
namespace kernel_work_group = kernel_device_specific; // SYCL 1.2.1
}

}
} // namespace sycl::_V1
