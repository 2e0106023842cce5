// Plain data that passes between the runtime and the backends: capabilities, commands, errors. Depends on the
// standard library only. Dimension 0 is x, the fastest. Sizes are bytes, times nanoseconds on
// std::chrono::steady_clock's epoch.
#pragma once

#include "devices/api/image.hpp"
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
struct foreign_launch;
struct joined_dispatches;

using extent3 = std::array<std::uint64_t, 3>;

enum class error_category { lost, out_of_memory, unsupported, invalid, timeout, build, other };

/// The only exception a backend throws. what() = "<asked>: <found> (<driver code>)".
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

/// What the parts of a device may have in common with nobody else.
enum class affinity_domain { numa, l4_cache, l3_cache, l2_cache, l1_cache, next };
/// How a device is divided: parts of `units` compute units (what is left over is in none), a part for each
/// count, or one for each domain. No count is 0, and they are within the device's compute units.
struct equal_parts {
  std::uint32_t units;
};
struct counted_parts {
  std::vector<std::uint32_t> units;
};
using division = std::variant<equal_parts, counted_parts, affinity_domain>;

struct divisibility {
  std::uint32_t most = 0; // parts of one division; 0: the device cannot be divided
  bool equally = false, by_counts = false;
  std::vector<affinity_domain> domains;
};

/// Which copies a queue made for them (queue_options::for_copies) runs while another queue's kernels run.
enum class copy_overlap {
  none,
  host_memory, // those with ordinary host memory on one side: the processor makes them
  all
};

struct capabilities { // everything the runtime and info queries may ask of a device; filled once at opening
  std::string name, vendor, version, driver_version; // as the driver spells them
  std::string platform_name, platform_vendor, platform_version;
  std::vector<std::string> extensions;
  std::string physical_id; // equal for two ways of access to one device ("pci:0000:01:00.0", "cpu")
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
  std::vector<image::kind> image_kinds; // accepted, best first
  std::vector<std::uint32_t> sub_group_sizes{1};
  bool usm_device = false, usm_host = false, usm_shared = false, usm_atomic_host = false,
       usm_atomic_shared = false, usm_system = false;
  bool addresses = false;    // memory::address() is meaningful inside kernels (SVM, buffer device address)
  bool host_visible = false; // memory is host RAM: adopt works and map is free
  bool adopt_host_memory = false;
  std::uint32_t adopt_alignment = 64; // of address and size
  divisibility divisible;             // by device::divide
  bool profiling = false;
  bool exact_constants =
      false; // its compiler computes with constants to the bit what the device computes with variables
  std::uint64_t timer_resolution_ns = 1;
  bool out_of_order = false;
  copy_overlap copies_beside_kernels = copy_overlap::none;
  bool starts_at_once =
      false; // what is submitted runs as soon as it can, without a flush and though nobody waits
  std::uint32_t long_range_group =
      256; // work-items of the groups that run long ranges of one dimension fastest
  std::vector<int> atomic_orders{0}, fence_orders{0}, atomic_scopes{2},
      fence_scopes{2};                                           // numbers of __prism_fence
  std::uint32_t vector_widths_native[7] = {1, 1, 1, 1, 1, 1, 0}; // char short int long float double half
  std::uint32_t vector_widths_preferred[7] = {1, 1, 1, 1, 1, 1, 0};
};

enum class memory_kind { device, host, shared, buffer }; // buffer: no stable address promised, any placement

/// A point on a queue's timeline. All of a timeline's points up to a completed one are complete.
struct timeline_point {
  class timeline* owner = nullptr;
  std::uint64_t value = 0;
};

/// One side of a copy: a device memory, or host memory when `object` is null.
struct location {
  memory* object = nullptr;
  void* host = nullptr;
  std::uint64_t offset = 0;                     // bytes from the start of either
  std::uint64_t row_pitch = 0, slice_pitch = 0; // bytes; ignored for one row
};

/// Copies a box of `rows × slices` rows of `row_bytes`. Host memory must stay valid until the command
/// completes.
struct copy_command {
  location from, to;
  std::uint64_t row_bytes = 0, rows = 1, slices = 1;
};

/// Writes `pattern` (1 to 128 bytes, copied at submission) over [offset, offset + bytes); bytes is a multiple
/// of it.
struct fill_command {
  memory* object = nullptr;
  std::uint64_t offset = 0, bytes = 0;
  std::vector<std::byte> pattern;
};

/// The value of one pointer slot: memory + offset, or when `object` is null a raw address (also null).
struct slot_binding {
  memory* object = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
};

/// Host bodies for kernels without an image of kind host_group: see sycl/detail/kernel_abi.hpp (same layout).
struct host_body {
  void (*work_item)(const void*) = nullptr;
  void (*range)(const void*, const std::uint64_t*, const std::uint64_t*) = nullptr;
  std::uint64_t items[3] = {1, 1, 1}; // of the range, for `range`
};

/// Where a captured block holds offsets of local accessors in the local arena, and what it holds. They follow
/// from the sizes of a launch's local memory, so a device may build them in. Those that find no place here
/// stand in the block only.
class local_offsets {
public:
  struct entry {
    std::uint32_t at = 0, offset = 0; // bytes: in the block, in the arena
    friend bool operator==(const entry&, const entry&) = default;
  };
  void add(entry one) noexcept {
    if (m_count < m_entries.size()) m_entries[m_count++] = one;
  }
  const entry* begin() const noexcept { return m_entries.data(); }
  const entry* end() const noexcept { return m_entries.data() + m_count; }
  friend bool operator==(const local_offsets&, const local_offsets&) = default;

private:
  std::array<entry, 4> m_entries;
  std::uint32_t m_count = 0;
};

/// What a kernel may be built for besides its program.
struct launch_shape {
  extent3 local{1, 1, 1};
  std::uint64_t local_bytes = 0; // dynamic local arena, static_local_bytes included
  local_offsets offsets;
  friend bool operator==(const launch_shape&, const launch_shape&) = default;
};

struct dispatch_command {
  kernel* object = nullptr;
  extent3 groups{1, 1, 1};
  extent3 local{1, 1, 1};
  std::uint64_t local_bytes = 0;     // as in launch_shape
  pool::vector<std::byte> arguments; // captured block, tokens already patched; padded to 16 bytes
  pool::vector<slot_binding>
      slots; // as many as the record's pointer slots (OpenCL); empty where addresses rule
  // Host device, for bodies run as ordinary C++: where the captured block holds what
  // __prism_specialization_constant and __prism_output answer (the record's table, or one made at submission
  // when there is no record). A constant that is not listed has its default, the bytes at its key; without an
  // output block what kernels write is dropped.
  std::vector<image::hidden_argument> hidden;
  host_body body; // host device only
  std::shared_ptr<const foreign_launch>
      foreign; // a kernel of interop::adopt_kernel: counts instead of all but `object`
  std::shared_ptr<const joined_dispatches> joined; // host device only: counts instead of `object` and `body`
  local_offsets offsets;                           // of the arguments
  std::uint32_t sub_group_size = 0; // of bodies run as ordinary C++; 0: image::default_group_sub_group_size
};

inline launch_shape shape_of(const dispatch_command& launch) {
  return {launch.local, launch.local_bytes, launch.offsets};
}

/// Kernels over the same work-items, run one after the other for some of them at a time, so that what one
/// leaves for the next is still near. A work-item meets nothing that another one writes.
struct joined_dispatches {
  struct part {
    dispatch_command what;               // without arguments
    std::uint64_t offset = 0, bytes = 0; // of its captured block in the whole's; aligned to 128
  };
  /// A pointer word of the block that gets memory of this launch: `stride` bytes for each work-item, by its
  /// linear id. Only in ranges, and in nd_ranges of one dimension.
  struct private_word {
    std::uint64_t offset = 0;
    std::uint32_t memory = 0, stride = 0;
  };
  std::vector<part> parts;
  std::vector<private_word> words;
  std::uint64_t item_bytes = 0; // that all of them access for each work-item, about
};

struct barrier_command {
}; // completes after all before it; carries the waits of an otherwise empty submission

using command = std::variant<copy_command, fill_command, dispatch_command, barrier_command>;
using command_list = pool::vector<command>;
static_assert(
    sizeof(command) <= 256,
    "most submissions are one command: a list of one takes a block of 512 bytes, half of them for nothing");

/// Device execution times of the last command of a submission.
struct profile {
  std::uint64_t submitted_ns = 0, started_ns = 0, ended_ns = 0;
  bool starts_at_end_before = false; // queue_options::for_trace: started_ns was not measured
};

} // namespace prism::devices
