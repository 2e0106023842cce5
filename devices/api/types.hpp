// Plain data that passes between the runtime and the backends: capabilities, commands, errors. Depends on the
// standard library only. Dimension 0 is x, the fastest. Sizes are bytes; times are nanoseconds since
// std::chrono::steady_clock's epoch.
#pragma once

#include "devices/api/image.hpp"
#include "devices/api/matrix_products.hpp"
#include "devices/api/pool.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace prism::devices {

class memory;
class kernel;
class timeline;
struct native_launch;
struct fused_dispatches;

using extent3 = std::array<std::uint64_t, 3>;

enum class error_category { lost, out_of_memory, unsupported, invalid, timeout, build, other };

/// The only exception that a backend throws. what() = "<what was asked>: <what was found> (<driver code>)".
class device_error : public std::runtime_error {
public:
  device_error(error_category category, std::string driver_code, const std::string& message)
      : std::runtime_error(message + (driver_code.empty() ? "" : " (" + driver_code + ")")),
        m_category(category), m_driver_code(std::move(driver_code)) {}
  error_category category() const noexcept { return m_category; }
  const std::string& driver_code() const noexcept { return m_driver_code; } // "CL_OUT_OF_RESOURCES", ""

private:
  error_category m_category;
  std::string m_driver_code;
};

enum class device_type { cpu, gpu, accelerator, custom };

/// What each sub-device may have for itself (SYCL's partition_affinity_domain).
enum class affinity_domain { numa, l4_cache, l3_cache, l2_cache, l1_cache, next };
/// How a device is partitioned (SYCL's partition_property): into sub-devices of `units` compute units each,
/// leaving the rest unused; into one sub-device for each count; or into one for each domain. No count is 0,
/// and their sum is at most the device's compute units.
struct partition_equally {
  std::uint32_t units;
};
struct partition_by_counts {
  std::vector<std::uint32_t> units;
};
using partition = std::variant<partition_equally, partition_by_counts, affinity_domain>;

struct partition_support {
  std::uint32_t max_sub_devices = 0; // of one partition; 0: the device cannot be partitioned
  bool equally = false, by_counts = false;
  std::vector<affinity_domain> domains;
};

/// Which copies of a copy queue (queue_options::for_copies) overlap the kernels of another queue.
enum class copy_overlap {
  none,
  host_memory, // those with ordinary host memory on one side: the processor copies
  all
};

/// capabilities::architecture of devices that are this machine's processor.
#if defined(__x86_64__)
inline constexpr const char* processor_architecture = "x86_64";
#else
inline constexpr const char* processor_architecture = ""; // SYCL has no name for it
#endif

struct capabilities { // everything that the runtime and info queries may ask about a device; filled once at
                      // opening
  std::string name, vendor, version, driver_version; // as the driver spells them
  std::string platform_name, platform_vendor, platform_version;
  std::vector<std::string> extensions;
  std::string physical_id;  // the same for one device behind two drivers ("pci:0000:01:00.0", "cpu")
  std::string architecture; // as SYCL names it: "x86_64", "nvidia_gpu_sm_90"; empty: unknown
  std::array<std::uint8_t, 16> uuid{}; // as the driver states it; all 0: unknown
  device_type type = device_type::cpu;
  bool software = false; // a Vulkan or OpenCL implementation on the CPU
  std::uint32_t vendor_id = 0;
  std::uint32_t compute_units = 1;
  std::uint32_t max_clock_mhz = 0; // 0: unknown
  std::uint64_t global_memory = 0, max_allocation = 0, local_memory = 0, max_argument_bytes = 1024;
  std::uint64_t global_cache = 0;
  std::uint32_t cache_line = 0, base_alignment = 64, address_bits = 64;
  std::uint64_t max_group_size = 1;
  extent3 max_local_size{1, 1, 1};
  std::uint64_t features = 0;           // image::feature bits
  std::vector<image::kind> image_kinds; // accepted kinds, best first
  std::vector<std::uint32_t> sub_group_sizes{1};
  std::vector<matrix_product> matrix_products; // of image::cooperative_matrix
  bool usm_device = false, usm_host = false, usm_shared = false, usm_atomic_host = false,
       usm_atomic_shared = false, usm_system = false;
  bool addresses = false;    // memory::address() is meaningful inside kernels (SVM, buffer device address)
  bool host_visible = false; // device memory is host memory: adopt works and mapping is free
  bool adopt_host_memory = false;
  bool shares_memory = false;         // device::external() is not null
  std::uint32_t adopt_alignment = 64; // of address and size
  partition_support partitions;       // of device::create_sub_devices
  bool profiling = false;
  bool exact_constants = false; // its compiler computes constants bitwise as the device computes variables
  std::uint64_t timer_resolution_ns = 1;
  bool out_of_order = false;
  copy_overlap copies_beside_kernels = copy_overlap::none;
  bool binaries_take_a_build = false; // reading a program's binary compiles its kernels once more
  bool starts_without_flush =
      false; // submitted work starts without queue::flush and without a waiting thread
  std::uint32_t long_range_group = 256; // the work-group size that is fastest for long one-dimensional ranges
  std::vector<int> atomic_orders{0}, fence_orders{0}, atomic_scopes{2}, fence_scopes{2}; // of __prism_fence
  std::uint32_t vector_widths_native[7] = {1, 1, 1, 1, 1, 1, 0}; // char short int long float double half
  std::uint32_t vector_widths_preferred[7] = {1, 1, 1, 1, 1, 1, 0};
};

enum class memory_kind {
  device,
  host,
  shared,
  buffer
}; // buffer: the address may change, and the memory may be anywhere

/// A point on a queue's timeline. If a point is complete, so are all points before it.
struct timeline_point {
  class timeline* owner = nullptr;
  std::uint64_t value = 0;
};

/// One side of a copy: a device memory, or host memory if `object` is null.
struct location {
  memory* object = nullptr;
  void* host = nullptr;
  std::uint64_t offset = 0;                     // bytes from the start of the memory or pointer
  std::uint64_t row_pitch = 0, slice_pitch = 0; // bytes; ignored for a single row
};

/// Copies a box of `rows × slices` rows of `row_bytes`. Host memory must stay valid until the command
/// completes.
struct copy_command {
  location from, to;
  std::uint64_t row_bytes = 0, rows = 1, slices = 1;
};

/// Fills [offset, offset + bytes) with `pattern` (1 to 128 bytes, copied at submission); bytes is a multiple
/// of its size.
struct fill_command {
  memory* object = nullptr;
  std::uint64_t offset = 0, bytes = 0;
  std::vector<std::byte> pattern;
};

/// The value of one pointer slot: memory + offset, or, if `object` is null, a raw address (also null).
struct slot_binding {
  memory* object = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
};

/// Host bodies for kernels without an image of kind host_group: see sycl/detail/kernel_abi.hpp (same layout).
struct host_body {
  void (*work_item)(const void*) = nullptr;
  void (*range)(const void*, const std::uint64_t*, const std::uint64_t*) = nullptr;
  std::uint64_t items[3] = {1, 1, 1}; // the size of the range, for `range`
};

/// The offsets of local accessors in the local arena, and where the captured block holds them. They follow
/// from the sizes of a launch's local memory, so a device may compile them in. Offsets that do not fit in
/// here are in the block only.
class local_offsets {
public:
  struct entry {
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::uint32_t at = none, offset = 0; // bytes: in the block, in the arena
    friend bool operator==(const entry&, const entry&) = default;
  };
  void add(entry one) noexcept {
    if (const std::size_t count = std::size_t(end() - begin()); count < m_entries.size())
      m_entries[count] = one;
  }
  const entry* begin() const noexcept { return m_entries.data(); }
  const entry* end() const noexcept {
    const entry* last = m_entries.data();
    while (last != m_entries.data() + m_entries.size() && last->at != entry::none) ++last;
    return last;
  }
  friend bool operator==(const local_offsets&, const local_offsets&) = default;

private:
  std::array<entry, 4> m_entries; // those in use come first; without a count, for the size of a command
};

/// Properties of a launch, besides its program, for which a kernel may be compiled.
struct launch_shape {
  extent3 local{1, 1, 1};
  std::uint64_t local_bytes = 0; // dynamic local arena, static_local_bytes included
  local_offsets offsets;
  friend bool operator==(const launch_shape&, const launch_shape&) = default;
};

/// A kernel of a built program: dispatch_command::object.
struct device_kernel {};

/// The order in which the host device runs the work-groups of a launch, and the work-items of a group between
/// two barriers. All but `any` run the body, on one thread.
enum class item_order : std::uint8_t { any, ascending, descending, odd_first, scattered };

/// A kernel on the host device: the compiled kernel (dispatch_command::object, may be null) and its body as
/// ordinary C++. The device chooses between them, and takes the size of the range from `body.items`.
struct host_kernel {
  host_body body;
  // For bodies: where the captured block holds the values for __prism_specialization_constant and
  // __prism_output (from the record's table, or made at submission if there is no record). A constant that is
  // not listed has its default, the bytes at its key; without an output block, text that kernels write is
  // dropped.
  std::vector<image::hidden_argument> hidden;
  std::uint16_t sub_group_size = 0; // of bodies; 0: image::default_group_sub_group_size
  item_order order = item_order::any;
  bool fixes_order = false; // of sums over work-groups; nothing is contracted
  // For messages; constants in the program's modules. With a line, `place` is the file of the call that
  // launches the kernel; without, the name of the functor's type, which for a lambda contains its place;
  // null: not known.
  std::uint32_t line = 0;
  const char* name = nullptr;
  const char* place = nullptr;
};

/// A kernel of interop::adopt_kernel, or a function_kernel. The command's `arguments`, `slots` and sizes are
/// empty.
struct native_kernel {
  std::shared_ptr<const native_launch> launch;
};

/// Several kernels fused into one launch; host device only, without dispatch_command::object.
struct fused_kernels {
  std::shared_ptr<const fused_dispatches> parts;
  extent3 items{1, 1, 1}; // the size of the range, as host_body::items
};

/// Whether a launch is a part of a range's groups, which begins at a group of one dimension. A program of
/// OpenCL C was made with program_source::moves_groups. Not in command buffers. In 64 bits, for the size of
/// dispatch_command.
struct group_part {
  static constexpr std::uint64_t most_groups = std::uint64_t(1) << 29; // in the dimension
  std::uint32_t is_part : 1 = 0, dimension : 2 = 0, first : 29 = 0;
  std::uint32_t whole = 0; // groups of the whole in the dimension; 0: the kernel asks for no group counts
};

struct dispatch_command {
  kernel* object = nullptr;
  extent3 groups{1, 1, 1};
  extent3 local{1, 1, 1};
  std::uint64_t local_bytes = 0;     // as in launch_shape
  pool::vector<std::byte> arguments; // captured block, tokens already patched; padded to 16 bytes
  pool::vector<slot_binding>
      slots; // one for each pointer slot of the record (OpenCL); none if the device has addresses
  std::variant<device_kernel, host_kernel, native_kernel, fused_kernels> target;
  local_offsets offsets; // in `arguments`
  group_part part;
};

/// The ids of the launch's first group.
inline extent3 first_group_of(const dispatch_command& d) {
  extent3 first{0, 0, 0};
  first[d.part.dimension] = d.part.first;
  return first;
}

/// The group counts that the kernel sees: those of the whole that the launch may be a part of.
inline extent3 group_counts_of(const dispatch_command& d) {
  extent3 counts = d.groups;
  if (d.part.is_part && d.part.whole != 0) counts[d.part.dimension] = d.part.whole;
  return counts;
}

inline launch_shape shape_of(const dispatch_command& launch) {
  return {launch.local, launch.local_bytes, launch.offsets};
}

/// Kernels over the same work-items. The device runs all of them for one range of work-items, then for the
/// next range, so that a kernel finds in the cache what the one before it wrote. No work-item reads what
/// another one writes.
struct fused_dispatches {
  struct part {
    dispatch_command what;               // its `arguments` are empty
    std::uint64_t offset = 0, bytes = 0; // of its captured block in the combined block; aligned to 128
  };
  /// A pointer word of the block for which this launch allocates memory: `stride` bytes for each work-item,
  /// by its linear id. Only in ranges, and in nd_ranges of one dimension.
  struct private_word {
    std::uint64_t offset = 0;
    std::uint32_t memory = 0, stride = 0;
  };
  std::vector<part> parts;
  std::vector<private_word> words;
  std::uint64_t item_bytes = 0; // estimated bytes that all kernels together access for one work-item
};

struct barrier_command {
}; // completes after everything before it; carries the waits of an otherwise empty submission

using command = std::variant<copy_command, fill_command, dispatch_command, barrier_command>;
using command_list = pool::vector<command>;
static_assert(
    sizeof(command) <= 256,
    "most submissions are one command: a list of one takes a block of 512 bytes, half of them for nothing");

/// Device execution times of the last command of a submission.
struct profile {
  std::uint64_t submitted_ns = 0, started_ns = 0, ended_ns = 0;
  bool starts_at_end_before = false; // with queue_options::for_trace: started_ns was not measured
};

} // namespace prism::devices
