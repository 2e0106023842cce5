// What an any_array refers to: elements in memory, or a recorded operation. Internal.
//
// A node changes once, from recorded to evaluated; then it drops its operands. The lock of its device
// (device_state::lock) protects that change and the list of readers of a memory.
#pragma once

#include "kernels/array/fused.hpp"
#include "kernels/array/program.hpp"

#include <prism/array/functions.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace prism::array_detail {

[[noreturn]] void refuse(const std::string& what);

/// One device with its in-order queue, and memory that was freed and is used again. Lives until the process
/// ends.
class device_state {
public:
  explicit device_state(const sycl::device& device);
  /// The state of a device; made at the first call.
  static device_state& of(const sycl::device& device);
  static device_state& of(const array_device& on);

  sycl::queue queue;
  std::recursive_mutex lock;
  const bool is_host;      // kernels run on the host and use its memory
  const bool takes_chunks; // folds are in the order of chunks.hpp: the host, and processors through OpenCL
  const bool folds_parts;  // the work-items of a fold that end last fold its parts: no launch more
  const bool has_double;
  const std::unique_ptr<fused_launches> fused; // not of the host

  /// Memory for `bytes`, at least. Commands of this queue may still use it for what it was before.
  char* allocate(std::size_t bytes, int& size_class);
  void free(char* data, int size_class);
  /// A copy of one launch's program, with that of its parts, in memory that kernels read and write: of the
  /// host, or of the device if it has no other; submitted() must follow.
  program* next_program(const program& p, const program* rest = nullptr);
  void submitted(const program* of, const sycl::event& event);
  /// Counters for the work-items of a fold (part_folds.hpp), zero between commands of the queue.
  std::int32_t* counters();
  /// Copies between host memory and the device; they wait.
  void write(void* to, const void* from, std::size_t bytes);
  void read(void* to, const void* from, std::size_t bytes);
  void wait();
  void require(dtype type) const;

  /// Set by every command; while it is unset, nothing uses the device's memory.
  bool busy = false;

private:
  void allocate_programs();
  /// Memory of the device; `for_array` is what an error names.
  char* allocate_new(std::size_t size, std::size_t for_array);

  static constexpr int class_count = 48, slots = 64;
  std::vector<char*> m_free[class_count];
  std::size_t m_free_bytes = 0; // of the classes that are not parts of blocks
  program* m_programs = nullptr;
  std::vector<program> m_copied; // host memory for each of m_programs; empty if they are host memory
  std::int32_t* m_counters = nullptr;
  std::vector<sycl::event> m_events;
  int m_next = 0;
};

struct array_node;

/// How commands were submitted: their number, and whether they stored the elements that they folded. No
/// launch: the calling thread computed.
struct launch_report {
  int launches = 0;
  bool stores_elements = false;
  launch_report& operator+=(const launch_report& then) {
    launches += then.launches, stores_elements |= then.stores_elements;
    return *this;
  }
};

/// For explain(): the reduction that wrote a memory. Without elements: none did.
struct fold_report {
  std::int64_t elements = 0, results = 0, parts = 0;
  launch_report how;
  fold_op op = fold_op::none;
  arithmetic kind = arithmetic::real;
  std::uint8_t steps = 0, leaves = 0, constants = 0, apart = 0; // apart: launches of operands before it
};

/// USM with its owner.
struct storage {
  device_state& device;
  char* data = nullptr;
  int size_class = -1;                            // -1: of the user
  std::shared_ptr<void> owner;                    // of the user
  std::vector<std::weak_ptr<array_node>> readers; // recorded expressions that read it
  fold_report fold;

  storage(device_state& d, std::size_t bytes) : device(d) { data = d.allocate(bytes, size_class); }
  storage(device_state& d, char* of_user, std::shared_ptr<void> o)
      : device(d), data(of_user), owner(std::move(o)) {}
  storage(const storage&) = delete;
  ~storage() {
    if (size_class >= 0) device.free(data, size_class);
  }
};

enum class node_state : std::uint8_t { evaluated, constant, recorded };

struct array_node {
  device_state& device;
  node_state state = node_state::evaluated;
  dtype type = dtype::float64;
  extents shape;
  // evaluated
  std::shared_ptr<storage> memory;
  char* data = nullptr;
  extents strides;
  // constant: every element is `number`
  scalar number;
  // recorded
  arithmetic kind = arithmetic::real;
  step_op op = step_op::positive;
  bool is_folded = false; // a reduction has computed its elements without storing them
  bool converts = false;  // no operation: the operand's elements, converted
  std::uint8_t operands = 0;
  std::uint8_t steps = 0, leaves = 0, constants = 0, depth = 0; // at most, of the whole expression
  std::shared_ptr<array_node> operand[3];
  // recorded or constant: recorded expressions that read it, and its memory when it has some
  std::vector<std::weak_ptr<array_node>> readers;

  array_node(device_state& d, dtype t, const extents& s) : device(d), type(t), shape(s) {}
  std::int64_t size() const { return shape.product(); }
  bool contiguous() const;
};

using node_ref = std::shared_ptr<array_node>;

extents packed_strides(const extents& shape);
/// An evaluated node with memory of its own, whose elements are not set.
node_ref fresh(device_state& device, dtype type, const extents& shape);
/// Refuses negative extents, and more elements than memory can have.
void require_shape(const extents& shape, dtype type);
node_ref constant_node(device_state& device, dtype type, const extents& shape, const scalar& value);
node_ref view_of(const node_ref& base, char* data, const extents& shape, const extents& strides);
/// Records op of the operands, which have shapes that broadcast to `shape`, in the arithmetic of `kind`.
node_ref record(step_op op, arithmetic kind, dtype type, const extents& shape, node_ref a, node_ref b = {},
                node_ref c = {});
/// A recorded conversion.
node_ref record_cast(const node_ref& a, dtype type);
/// Brings the elements into memory.
void evaluate(const node_ref& n);
/// The same for a caller that waits for them: the calling thread computes a few elements, after it has waited
/// for the device's work that they need.
void evaluate_to_read(const node_ref& n);
/// Writes `value`, broadcast and converted, to the elements of the evaluated node `to`.
void write_into(const node_ref& to, const node_ref& value);
/// The same, in one launch where each element depends on no other element of `to` than its own. Nothing else
/// may hold `value`, which has the shape of `to`.
void write_over(const node_ref& to, const node_ref& value);
/// Evaluates the expressions that read the memory, before it is written.
void before_write(storage& memory);
/// Runs the program; its memory is that of evaluated nodes of the device. `rest`, if any, folds the parts of
/// its results, in the same launch where the device can.
launch_report submit(device_state& device, arithmetic kind, const program& p, const program* rest = nullptr);
/// An evaluated node with the same elements in C order without gaps: `n` itself or a copy.
node_ref packed(const node_ref& n);
/// Axes as numbers from 0, in order; refuses those that are out of range or named twice.
int one_axis(std::int64_t axis, int rank, const char* what);
/// The place of a new axis among `rank` others, from 0 to rank.
int new_axis(std::int64_t axis, int rank, const char* what);
std::vector<int> all_axes(const axes& given, int rank, const char* what);
/// Of sums and products of such elements: int64 or uint64 of integers.
dtype sum_type(dtype type);
scalar converted_scalar(const scalar& value, dtype type);

} // namespace prism::array_detail
