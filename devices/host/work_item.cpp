// The reserved functions of sycl/detail/kernel_abi.hpp for kernels that run as ordinary C++. Visible to user
// programs. Outside any kernel they describe a single item: id 0, size 1, barriers do nothing.
#include "devices/host/work_item.hpp"

#include "devices/host/fiber_sanitizer.hpp"
#include "devices/host/group_runner.hpp"
#include "sycl/detail/kernel_abi.hpp"

#include <algorithm>
#include <cstdlib>
#include <atomic>
#include <chrono>
#include <exception>
#include <cstdio>
#include <cstring>
#include <functional>

namespace prism::devices::host {
namespace {

constexpr work_item_context alone{};

// initial-exec: one load instead of a call for each query; eight bytes always fit the static block, even
// after dlopen.
[[gnu::tls_model("initial-exec")]] constinit thread_local const work_item_context* current = &alone;
constinit thread_local const void* frames_end = nullptr;

std::uint64_t linear_local_id(const work_item_context& c) {
  return c.local_id[0] + c.local_size[0] * (c.local_id[1] + c.local_size[1] * c.local_id[2]);
}

std::uint64_t group_items(const work_item_context& c) {
  return c.local_size[0] * c.local_size[1] * c.local_size[2];
}

const void* hidden_address(image::hidden_kind what, const void* key) {
  for (const image::hidden_argument& h : current->hidden)
    if (h.what == what && h.key == key) return static_cast<const std::byte*>(current->closure) + h.offset;
  return nullptr;
}

/// Output of kernels that have no block for it. It has no capacity, so that all output is dropped and only
/// counted.
image::output_header unread_output{};

} // namespace

running_item exchange_context(const running_item& item) noexcept {
  const running_item before{current, frames_end};
  current = item.context;
  frames_end = item.frames_end;
  return before;
}

namespace {

/// Whether the pointer points into the stack frames of the running kernel, which are below its caller's.
bool is_private(const void* pointer) {
  const void* end = current->runner ? current->runner->frames_end() : frames_end;
  const std::less<const void*> below;
  return (below(__builtin_frame_address(0), pointer) && below(pointer, end)) ||
         sanitizer::is_moved_variable(pointer);
}

/// The place of a call in the program's code: where it returns to. If nothing is inlined, its callers' places
/// too. `frame`: of the function that is called.
std::uintptr_t place_of(const group_runner& runner, void* returns_to, void* frame) {
  auto place = reinterpret_cast<std::uintptr_t>(returns_to);
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr std::uintptr_t odd = 0x9e3779b97f4a7c15;
  const std::less<const void*> below;
  for (auto** at = static_cast<void**>(frame);
       runner.has_frames() && below(at, *at) && below(*at, runner.frames_end());) {
    at = static_cast<void**>(*at);
    place = place * odd + reinterpret_cast<std::uintptr_t>(at[1]);
  }
#else
  (void)runner, (void)frame;
#endif
  return place;
}

std::uint64_t shuffled(std::uint64_t value, std::uint32_t lane, void* returns_to, void* frame) {
  group_runner* const runner = current->runner;
  if (!runner) return value;
  const std::uintptr_t place = place_of(*runner, returns_to, frame);
  const auto values = runner->exchange(value, place);
  return lane < values.size() ? values[lane] : value;
}

} // namespace

} // namespace prism::devices::host

template <typename A, typename B>
static std::uint32_t sum_of_products(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8)
    sum += static_cast<std::uint32_t>(static_cast<A>(a >> shift) * static_cast<B>(b >> shift));
  return sum;
}

using prism::devices::host::current;
using prism::devices::host::group_items;
using prism::devices::host::linear_local_id;
namespace image = prism::image;

#define PRISM_VISIBLE __attribute__((visibility("default")))

extern "C" {

PRISM_VISIBLE std::uint64_t __prism_local_id(std::uint32_t d) noexcept { return current->local_id[d]; }
PRISM_VISIBLE std::uint64_t __prism_group_id(std::uint32_t d) noexcept { return current->group_id[d]; }
PRISM_VISIBLE std::uint64_t __prism_local_size(std::uint32_t d) noexcept { return current->local_size[d]; }
PRISM_VISIBLE std::uint64_t __prism_group_count(std::uint32_t d) noexcept { return current->group_count[d]; }
PRISM_VISIBLE std::uint64_t __prism_extent(std::uint32_t d) noexcept { return current->extent[d]; }
PRISM_VISIBLE bool __prism_outside(std::uint64_t index, std::uint64_t extent) noexcept {
  return index >= extent;
}
PRISM_VISIBLE void __prism_dimensions(std::uint32_t) noexcept {}
PRISM_VISIBLE void __prism_enter_group(std::uint64_t id_x, std::uint64_t id_y, std::uint64_t id_z,
                                       std::uint64_t count_x, std::uint64_t count_y,
                                       std::uint64_t count_z) noexcept {
  prism::devices::host::group_runner::of_this_thread().enter_group({id_x, id_y, id_z},
                                                                   {count_x, count_y, count_z});
}
PRISM_VISIBLE void __prism_leave_group() noexcept {
  auto& runner = prism::devices::host::group_runner::of_this_thread();
  if (current->runner) runner.barrier(); // whether there was one in between is not known here
  runner.leave_group();
}
// Calls that remain in host code compiled without the plugin.
PRISM_VISIBLE void __prism_reqd_work_group_size(std::uint64_t, std::uint64_t, std::uint64_t) noexcept {}
PRISM_VISIBLE void __prism_reqd_sub_group_size(std::uint64_t) noexcept {}
PRISM_VISIBLE void __prism_device_has(int) noexcept {}
PRISM_VISIBLE void* __prism_local_arena() noexcept { return current->arena; }

// Does not use the context: group algorithms in a group of one call this too, and their context has no
// runner.
PRISM_VISIBLE void* __prism_group_scratch(std::uint64_t bytes) noexcept {
  return prism::devices::host::group_runner::of_this_thread().scratch(bytes);
}

// As ordinary C++ a static variable has an address, and an automatic one has one for each work-item.
PRISM_VISIBLE void* __prism_group_variable(const void* variable, std::uint64_t place,
                                           std::uint64_t bytes) noexcept {
  const std::uint64_t key =
      prism::devices::host::is_private(variable) ? place | 1u : reinterpret_cast<std::uintptr_t>(variable);
  return prism::devices::host::group_runner::of_this_thread().scratch(bytes, key);
}
PRISM_VISIBLE std::uint64_t __prism_enclosing_function() noexcept { return 0; }

PRISM_VISIBLE std::uint32_t __prism_pointed_memory(const void* pointer) noexcept {
  constexpr std::uint32_t global = 1, local = 2, private_ = 3;
  if (current->arena != nullptr && prism::devices::host::group_runner::of_this_thread().holds(pointer))
    return local;
  return prism::devices::host::is_private(pointer) ? private_ : global;
}

PRISM_VISIBLE void* __prism_group_memory(std::uint64_t key, std::uint64_t bytes) noexcept {
  return prism::devices::host::group_runner::of_this_thread().scratch(bytes, key);
}

// For bodies run as ordinary C++, with a fiber for each work-item.
PRISM_VISIBLE bool __prism_runs_group() noexcept { return false; }
PRISM_VISIBLE bool __prism_fixed_order() noexcept { return current->fixed_order; }
PRISM_VISIBLE void __prism_order_varies(std::uint32_t) noexcept {}
PRISM_VISIBLE void* __prism_values_of_items(std::uint64_t) noexcept { std::abort(); }
PRISM_VISIBLE void* __prism_value_of_group(std::uint64_t) noexcept { std::abort(); }
PRISM_VISIBLE void* __prism_value_of_sub_group(std::uint64_t) noexcept { std::abort(); }

PRISM_VISIBLE void __prism_hierarchical() noexcept {}
PRISM_VISIBLE bool __prism_one_item_runs_all() noexcept { return true; }
PRISM_VISIBLE void __prism_items_begin() noexcept {}
PRISM_VISIBLE void __prism_items_end() noexcept {}
PRISM_VISIBLE std::uint64_t __prism_first_item(std::uint32_t d) noexcept { return current->local_id[d]; }
PRISM_VISIBLE std::uint64_t __prism_item_step(std::uint32_t d) noexcept { return current->local_size[d]; }
PRISM_VISIBLE void __prism_private_memory(void*, std::uint64_t) noexcept {}
PRISM_VISIBLE std::uint64_t __prism_private_place(std::uint64_t item) noexcept { return item; }
PRISM_VISIBLE void __prism_run_alone(void (*body)(const void*), const void* closure) {
  if (linear_local_id(*current) != 0) return;
  prism::devices::host::work_item_context context = *current;
  std::fill(context.local_size, context.local_size + 3, 1);
  context.sub_group_size = 1;
  context.runner = nullptr;
  const prism::devices::host::context_scope scope(context);
  body(closure);
}

PRISM_VISIBLE void __prism_barrier(std::uint32_t) noexcept {
  if (auto* runner = current->runner)
    runner->barrier(); // all items of a group run on one thread: arriving orders memory
}

PRISM_VISIBLE std::uint32_t __prism_sub_group_size() noexcept { return current->sub_group_size; }
PRISM_VISIBLE std::uint32_t __prism_sub_group_local_id() noexcept {
  return std::uint32_t(linear_local_id(*current) % current->sub_group_size);
}
PRISM_VISIBLE std::uint32_t __prism_sub_group_id() noexcept {
  return std::uint32_t(linear_local_id(*current) / current->sub_group_size);
}
PRISM_VISIBLE std::uint32_t __prism_sub_group_count() noexcept {
  return std::uint32_t((group_items(*current) + current->sub_group_size - 1) / current->sub_group_size);
}
PRISM_VISIBLE std::uint32_t __prism_sub_group_local_size() noexcept {
  const auto first = linear_local_id(*current) / current->sub_group_size * current->sub_group_size;
  return std::uint32_t(std::min<std::uint64_t>(current->sub_group_size, group_items(*current) - first));
}

PRISM_VISIBLE bool __prism_sub_group_is_vector() noexcept { return false; }
PRISM_VISIBLE bool __prism_sub_group_may_be_partial() noexcept { return true; }
// The other functions on matrices are called only where this is true.
PRISM_VISIBLE bool __prism_matrix_unit() noexcept { return false; }
PRISM_VISIBLE std::uint64_t __prism_matrix_fill(std::uint32_t, std::uint64_t) noexcept { std::abort(); }
PRISM_VISIBLE std::uint64_t __prism_matrix_load(std::uint32_t, const void*, std::uint64_t,
                                                std::uint32_t) noexcept {
  std::abort();
}
PRISM_VISIBLE void __prism_matrix_store(std::uint64_t, std::uint32_t, void*, std::uint64_t,
                                        std::uint32_t) noexcept {
  std::abort();
}
PRISM_VISIBLE std::uint64_t __prism_matrix_mad(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                                               std::uint64_t, std::uint64_t, std::uint64_t) noexcept {
  std::abort();
}
PRISM_VISIBLE std::uint64_t __prism_matrix_convert(std::uint64_t, std::uint32_t, std::uint32_t) noexcept {
  std::abort();
}
PRISM_VISIBLE std::uint32_t __prism_matrix_length(std::uint32_t) noexcept { std::abort(); }
PRISM_VISIBLE std::uint64_t __prism_matrix_element(std::uint64_t, std::uint32_t, std::uint32_t) noexcept {
  std::abort();
}
PRISM_VISIBLE std::uint64_t __prism_matrix_with_element(std::uint64_t, std::uint32_t, std::uint32_t,
                                                        std::uint64_t) noexcept {
  std::abort();
}
PRISM_VISIBLE void __prism_matrix_misaligned() noexcept { std::abort(); }
PRISM_VISIBLE void __prism_matrix_missing() noexcept { std::abort(); }
PRISM_VISIBLE void __prism_sub_group_barrier(std::uint32_t) noexcept {
  if (auto* runner = current->runner)
    runner->exchange(
        0, prism::devices::host::place_of(*runner, __builtin_return_address(0), __builtin_frame_address(0)));
}
PRISM_VISIBLE std::uint32_t __prism_sub_group_shuffle_i32(std::uint32_t value, std::uint32_t lane) noexcept {
  return std::uint32_t(
      prism::devices::host::shuffled(value, lane, __builtin_return_address(0), __builtin_frame_address(0)));
}
PRISM_VISIBLE std::uint64_t __prism_sub_group_shuffle_i64(std::uint64_t value, std::uint32_t lane) noexcept {
  return prism::devices::host::shuffled(value, lane, __builtin_return_address(0), __builtin_frame_address(0));
}
PRISM_VISIBLE std::uint64_t __prism_sub_group_ballot(bool predicate) noexcept {
  auto* runner = current->runner;
  if (!runner) return predicate;
  std::uint64_t all = 0;
  const auto values =
      runner->exchange(predicate, prism::devices::host::place_of(*runner, __builtin_return_address(0),
                                                                 __builtin_frame_address(0)));
  for (std::size_t i = 0; i < values.size(); ++i) all |= values[i] << i;
  return all;
}

// Not called: sub-groups are no vectors here.
PRISM_VISIBLE std::uint32_t __prism_sub_group_combine_i32(std::uint32_t, std::uint32_t) noexcept {
  std::abort();
}
PRISM_VISIBLE std::uint64_t __prism_sub_group_combine_i64(std::uint32_t, std::uint64_t) noexcept {
  std::abort();
}
PRISM_VISIBLE float __prism_sub_group_combine_f32(std::uint32_t, float) noexcept { std::abort(); }
PRISM_VISIBLE double __prism_sub_group_combine_f64(std::uint32_t, double) noexcept { std::abort(); }

PRISM_VISIBLE const void* __prism_specialization_constant(const void* id, std::uint64_t) noexcept {
  const void* found = prism::devices::host::hidden_address(image::hidden_kind::specialization_constant, id);
  return found ? found : id;
}
PRISM_VISIBLE void* __prism_device_global(const void* object, std::uint64_t) noexcept {
  const void* found = prism::devices::host::hidden_address(image::hidden_kind::device_global, object);
  if (found == nullptr) {
    std::fputs("prism: a device_global was used outside of a kernel, or in a kernel that was not compiled by "
               "prism++; copy it with queue::copy or queue::memcpy on the host\n",
               stderr);
    std::terminate();
  }
  void* value = nullptr;
  std::memcpy(&value, found, sizeof value);
  return value;
}
PRISM_VISIBLE void* __prism_output() noexcept {
  const void* found = prism::devices::host::hidden_address(image::hidden_kind::output, nullptr);
  void* block = nullptr;
  if (found) std::memcpy(&block, found, sizeof block);
  return block ? block : &prism::devices::host::unread_output;
}

PRISM_VISIBLE std::uint64_t __prism_clock(std::uint32_t) noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc(); // as in the kernels that prism++ compiles
#else
  return std::uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

PRISM_VISIBLE std::uint32_t __prism_dot4_ss(std::uint32_t a, std::uint32_t b) noexcept {
  return sum_of_products<std::int8_t, std::int8_t>(a, b);
}
PRISM_VISIBLE std::uint32_t __prism_dot4_su(std::uint32_t a, std::uint32_t b) noexcept {
  return sum_of_products<std::int8_t, std::uint8_t>(a, b);
}
PRISM_VISIBLE std::uint32_t __prism_dot4_uu(std::uint32_t a, std::uint32_t b) noexcept {
  return sum_of_products<std::uint8_t, std::uint8_t>(a, b);
}

// Submission refuses kernels that call these, but in fused launches, which the host device does not make of
// them.
PRISM_VISIBLE float __prism_element_f32(std::uint32_t, std::uint32_t) noexcept { std::abort(); }
PRISM_VISIBLE double __prism_element_f64(std::uint32_t, std::uint32_t) noexcept { std::abort(); }
PRISM_VISIBLE std::uint64_t __prism_element_i64(std::uint32_t, std::uint32_t) noexcept { std::abort(); }

PRISM_VISIBLE void __prism_fence(std::uint32_t order, std::uint32_t) noexcept {
  switch (order) {
    case 0: break;
    case 1: std::atomic_thread_fence(std::memory_order_acquire); break;
    case 2: std::atomic_thread_fence(std::memory_order_release); break;
    case 3: std::atomic_thread_fence(std::memory_order_acq_rel); break;
    default: std::atomic_thread_fence(std::memory_order_seq_cst); break;
  }
}
}
