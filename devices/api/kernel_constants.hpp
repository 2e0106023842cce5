// Which captured integers of a kernel (in OpenCL C also which pointer alignments) can become constants when
// the kernel is rebuilt for the values that it is launched with. A kernel's record carries this as one more
// image, of a kind that no device accepts.
//
// A rebuilt kernel gives bitwise the same results. Only integers and alignments become constants, and
// `images` lists an image only if those constants cannot change how floating-point numbers are computed.
#pragma once

#include "devices/api/image.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace prism::image {

inline constexpr kind kernel_constants_kind = static_cast<kind>(102);
inline constexpr std::uint32_t kernel_constants_version = 1;
inline constexpr std::uint32_t most_kernel_constants = 32;

enum constants_flag : std::uint32_t {
  has_float_arithmetic = 1, // for drivers that evaluate constant expressions differently from the device
  may_contract = 2,    // has x * y + z, which a driver may round once or twice, differently in each build
  folds_functions = 4, // constants may reach functions that a compiler evaluates differently from the device
};

/// An integer at this offset of the captured block.
struct kernel_constant {
  std::uint32_t offset, bytes; // bytes: 1, 2, 4 or 8
  friend bool operator==(const kernel_constant&, const kernel_constant&) = default;
};

struct kernel_constants {
  std::uint32_t version = kernel_constants_version;
  std::uint32_t images = 0; // bit n: images of kind n accept them
  std::uint32_t flags = 0;  // constants_flag
  std::uint32_t count = 0;
  kernel_constant entries[most_kernel_constants] = {};

  bool serves(kind which) const { return (images >> static_cast<std::uint32_t>(which) & 1) != 0; }
};

/// What the compiler wrote into a record; nothing if no image accepts constants.
inline std::optional<kernel_constants> constants_of(const kernel_record& record) {
  for (std::uint32_t i = 0; i < record.image_count; ++i) {
    const kernel_image& entry = record.images[i];
    kernel_constants found;
    if (entry.image_kind != kernel_constants_kind || entry.size != sizeof found) continue;
    std::memcpy(&found, entry.data, sizeof found);
    if (found.version == kernel_constants_version && found.count <= most_kernel_constants) return found;
  }
  return std::nullopt;
}

/// OpenCL C: the macro for the value; if it is not defined, the kernel reads the block.
inline std::string constant_macro(const kernel_constant& which) {
  return "prism_c" + std::to_string(which.offset) + "_" + std::to_string(which.bytes);
}
/// OpenCL C: the macro for the alignment in bytes, a power of two, of the pointer in the slot at this offset
/// of the block; not defined if the alignment is unknown.
inline std::string alignment_macro(std::uint32_t slot_offset) {
  return "prism_a" + std::to_string(slot_offset);
}
/// OpenCL C, images of kind opencl_c_group: the size of the work-group in x, y, z; if not defined, the
/// kernel's arguments.
inline constexpr const char* local_size_macros[3] = {"prism_lx", "prism_ly", "prism_lz"};
/// SPIR-V: two specialisation constants, the value (with 32 bits if it has fewer) and whether it is set. In
/// addition to the integers of a record there are those for the offsets of local accessors, which every
/// launch sets (devices::local_offsets).
inline bool has_constant_spec_id(const kernel_constant& which) { return which.offset < 1u << 16; }
inline std::uint32_t constant_spec_id(const kernel_constant& which) {
  return 64 + which.offset * 4 + static_cast<std::uint32_t>(std::countr_zero(which.bytes));
}
inline std::uint32_t constant_flag_spec_id(const kernel_constant& which) {
  return constant_spec_id(which) + (1u << 24);
}
/// SPIR-V: whether the module is built for known values.
inline constexpr std::uint32_t specialised_spec_id = 7;

} // namespace prism::image
