// Pixels of images as 32-bit words: their formats, their conversion to and from the vectors that programs
// use, and the reads of a sampler. The same code runs on the host and in kernels of every device. Formulas:
// OpenCL 3.0 specification, section 8
// ("Image Addressing and Filtering").
#pragma once

#include <sycl/bit_cast.hpp>
#include <sycl/detail/kernel_abi.hpp>
#include <sycl/detail/same.hpp>
#include <sycl/half.hpp>
#include <sycl/math.hpp>
#include <sycl/range.hpp>
#include <sycl/vec.hpp>

#include <cstdint>
#include <type_traits>

namespace sycl {
inline namespace _V1 {

enum class image_format : unsigned int {
  r8g8b8a8_unorm,
  r16g16b16a16_unorm,
  r8g8b8a8_sint,
  r16g16b16a16_sint,
  r32b32g32a32_sint,
  r8g8b8a8_uint,
  r16g16b16a16_uint,
  r32b32g32a32_uint,
  r16b16g16a16_sfloat,
  r32g32b32a32_sfloat,
  b8g8r8a8_unorm
};
enum class addressing_mode : unsigned int { mirrored_repeat, repeat, clamp_to_edge, clamp, none };
enum class filtering_mode : unsigned int { nearest, linear };
enum class coordinate_normalization_mode : unsigned int { normalized, unnormalized };

struct image_sampler {
  addressing_mode addressing;
  coordinate_normalization_mode coordinate;
  filtering_mode filtering;
};

namespace detail {

/// The words of a pixel: 1, 2 or 4.
constexpr std::uint32_t pixel_words(image_format format) noexcept {
  switch (format) {
    case image_format::r8g8b8a8_unorm:
    case image_format::r8g8b8a8_sint:
    case image_format::r8g8b8a8_uint:
    case image_format::b8g8r8a8_unorm: return 1;
    case image_format::r16g16b16a16_unorm:
    case image_format::r16g16b16a16_sint:
    case image_format::r16g16b16a16_uint:
    case image_format::r16b16g16a16_sfloat: return 2;
    default: return 4;
  }
}

/// Whether accessors with elements of DataT (int4, uint4, float4 or half4) read and write pixels of the
/// format.
template <typename DataT>
constexpr bool pixel_fits(image_format format) noexcept {
  switch (format) {
    case image_format::r8g8b8a8_sint:
    case image_format::r16g16b16a16_sint:
    case image_format::r32b32g32a32_sint: return std::is_same_v<DataT, int4>;
    case image_format::r8g8b8a8_uint:
    case image_format::r16g16b16a16_uint:
    case image_format::r32b32g32a32_uint: return std::is_same_v<DataT, uint4>;
    case image_format::r16b16g16a16_sfloat: return std::is_same_v<DataT, half4>;
    default: return std::is_same_v<DataT, float4>;
  }
}
template <typename DataT>
inline constexpr bool is_pixel = std::is_same_v<DataT, int4> || std::is_same_v<DataT, uint4> ||
                                 std::is_same_v<DataT, float4> || std::is_same_v<DataT, half4>;

/// Where the pixels of an image lie and how their channels are stored. Missing dimensions have an extent
/// of 1.
///
/// All numbers are the same for all work-items, and the code below selects by arithmetic instead of branches:
/// drivers and LLVM can then run several work-items at once in vectors, for every format.
struct image_layout {
  std::int32_t width = 1, height = 1, depth = 1;
  image_format format = image_format::r8g8b8a8_unorm;
  std::uint64_t row_words = 0, slice_words = 0;
  std::uint32_t pixel_words = 1, bits = 8; // of a channel
  std::uint32_t channel_words = 0;         // four bytes: in which word of the pixel each channel is
  std::uint32_t channel_shifts = 0;        // four bytes: by how many bits it is shifted there
  float step = 1;                          // of a unorm channel, in the values that programs see; 0: floats

  std::uint32_t word_of(int channel) const noexcept { return channel_words >> (8 * channel) & 0xffu; }
  std::uint32_t shift_of(int channel) const noexcept { return channel_shifts >> (8 * channel) & 0xffu; }
  std::uint32_t mask() const noexcept { return ~0u >> (32 - bits); }
  std::size_t words_before(std::int32_t x, std::int32_t y, std::int32_t z) const noexcept {
    return static_cast<std::size_t>(z) * slice_words + static_cast<std::size_t>(y) * row_words +
           static_cast<std::size_t>(x) * pixel_words;
  }
  /// In a loop over x only one condition depends on x.
  bool has(std::int32_t x, std::int32_t y, std::int32_t z) const noexcept {
    // A negative coordinate is a large unsigned one.
    const bool has_row = (static_cast<std::uint32_t>(y) < static_cast<std::uint32_t>(height)) &
                         (static_cast<std::uint32_t>(z) < static_cast<std::uint32_t>(depth));
    return static_cast<std::uint32_t>(x) <
           (static_cast<std::uint32_t>(width) & -static_cast<std::uint32_t>(has_row));
  }
  friend bool operator==(const image_layout& a, const image_layout& b) noexcept {
    return a.width == b.width && a.height == b.height && a.depth == b.depth && a.format == b.format &&
           a.row_words == b.row_words && a.slice_words == b.slice_words;
  }
};

/// Sets what follows from the format, of which `words` are the words of a pixel.
constexpr void describe_channels(image_layout& layout, std::uint32_t words) noexcept {
  layout.pixel_words = words;
  layout.bits = 8 * layout.pixel_words;
  layout.channel_words = layout.pixel_words == 4 ? 0x03020100u : layout.pixel_words == 2 ? 0x01010000u : 0;
  layout.channel_shifts = layout.pixel_words == 4                         ? 0
                          : layout.pixel_words == 2                       ? 0x10001000u
                          : layout.format == image_format::b8g8r8a8_unorm ? 0x18000810u
                                                                          : 0x18100800u;
  layout.step = layout.pixel_words == 4 ? 0 : 1.0f / static_cast<float>((1u << layout.bits) - 1);
}

inline bool runs_items_in_loops() noexcept {
#if defined(__PRISM_COMPILER__)
  return __prism_runs_items_in_loops();
#else
  return true;
#endif
}

/// Calls `use` with the layout. Where a thread runs work-items in a loop, the kind of format is a constant
/// in it: LLVM copies the loop for each kind, as the branch is the same for all work-items, and vectorises
/// the copies.
template <typename Use>
auto with_known_format(const image_layout& layout, Use&& use) {
  if (!runs_items_in_loops()) return use(layout);
  image_layout known = layout;
  if (layout.pixel_words == 1) {
    describe_channels(known, 1);
    known.channel_shifts = layout.channel_shifts; // red or blue is first
    return use(known);
  }
  if (layout.pixel_words == 2) {
    describe_channels(known, 2);
    return use(known);
  }
  describe_channels(known, 4);
  return use(known);
}

/// A channel, of the word in which it is.
template <typename Channel>
Channel decoded_channel(std::uint32_t word, std::uint32_t shift, const image_layout& layout) noexcept {
  if constexpr (std::is_same_v<Channel, half>) {
    return bit_cast<half>(static_cast<std::uint16_t>(word >> shift & 0xffffu));
  } else if constexpr (std::is_same_v<Channel, std::int32_t>) {
    const std::uint32_t unused = 32 - layout.bits; // the sign goes to the top and comes back
    return static_cast<std::int32_t>(word << (unused - shift)) >> unused;
  } else if constexpr (std::is_same_v<Channel, std::uint32_t>) {
    return word >> shift & layout.mask();
  } else {
    const float steps =
        static_cast<float>(word >> shift & layout.mask()) * layout.step; // exactly 1 for the largest
    return layout.step == 0 ? bit_cast<float>(word) : steps;
  }
}

/// A channel's bits, not shifted. Numbers outside of its range give the nearest end, and NaN gives 0 in a
/// unorm channel.
template <typename Channel>
std::uint32_t encoded_channel(Channel value, const image_layout& layout) noexcept {
  if constexpr (std::is_same_v<Channel, half>) {
    return bit_cast<std::uint16_t>(value);
  } else if constexpr (std::is_same_v<Channel, std::int32_t>) {
    const auto largest = static_cast<std::int32_t>(layout.mask() >> 1);
    const std::int32_t low = value < -largest - 1 ? -largest - 1 : value;
    return static_cast<std::uint32_t>(low > largest ? largest : low) & layout.mask();
  } else if constexpr (std::is_same_v<Channel, std::uint32_t>) {
    return value > layout.mask() ? layout.mask() : value;
  } else {
    const float largest = layout.step == 0 ? 0.0f : static_cast<float>(layout.mask());
    const float steps = sycl::rint(sycl::fmin(sycl::fmax(value, 0.0f), 1.0f) * largest);
    return layout.step == 0 ? bit_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(steps);
  }
}

/// The pixel at whole coordinates; zeros outside of the image.
template <typename DataT>
DataT pixel_at(const std::uint32_t* words, const image_layout& layout, std::int32_t x, std::int32_t y,
               std::int32_t z) noexcept {
  using channel = typename DataT::element_type;
  std::uint32_t w0 = 0, w1 = 0, w2 = 0, w3 = 0; // the word of each channel; zeros are zero in every format
  if (layout.has(x, y, z)) {
    const std::uint32_t* const pixel = words + layout.words_before(x, y, z);
    w0 = pixel[layout.word_of(0)], w1 = pixel[layout.word_of(1)];
    w2 = pixel[layout.word_of(2)], w3 = pixel[layout.word_of(3)];
  }
  const auto decode = [&layout](std::uint32_t word, int c) {
    return decoded_channel<channel>(word, layout.shift_of(c), layout);
  };
  return DataT(decode(w0, 0), decode(w1, 1), decode(w2, 2), decode(w3, 3));
}
template <typename DataT>
DataT read_pixel(const std::uint32_t* words, const image_layout& layout, std::int32_t x, std::int32_t y,
                 std::int32_t z) noexcept {
  return with_known_format(layout,
                           [&](const image_layout& known) { return pixel_at<DataT>(words, known, x, y, z); });
}
template <typename DataT>
void set_pixel(std::uint32_t* words, const image_layout& layout, std::int32_t x, std::int32_t y,
               std::int32_t z, const DataT& pixel) noexcept {
  using channel = typename DataT::element_type;
  const auto encode = [&](int c) { return encoded_channel<channel>(pixel[c], layout) << layout.shift_of(c); };
  const std::uint32_t c0 = encode(0), c1 = encode(1), c2 = encode(2), c3 = encode(3);
  const bool is_one = layout.pixel_words == 1, are_four = layout.pixel_words == 4;
  const std::uint32_t first = are_four ? c0 : c0 | c1 | (is_one ? c2 | c3 : 0u),
                      second = are_four ? c1 : c2 | c3;
  if (!layout.has(x, y, z)) return;
  std::uint32_t* const to = words + layout.words_before(x, y, z);
  to[0] = first;
  if (!is_one) to[1] = second;
  if (are_four) to[2] = c2, to[3] = c3;
}

/// Writes outside of the image change nothing.
template <typename DataT>
void write_pixel(std::uint32_t* words, const image_layout& layout, std::int32_t x, std::int32_t y,
                 std::int32_t z, const DataT& pixel) noexcept {
  with_known_format(layout, [&](const image_layout& known) { set_pixel(words, known, x, y, z, pixel); });
}

/// The one or two pixels of a dimension that a sampler reads, and the weight of the second.
struct sampled_place {
  std::int32_t first, second;
  float weight;
};

/// A float as an integer from -1 to `extent`, both of which are outside of the image; NaN is -1.
inline std::int32_t bounded(float value, std::int32_t extent) noexcept {
  return static_cast<std::int32_t>(sycl::fmin(sycl::fmax(value, -1.0f), static_cast<float>(extent)));
}
inline std::int32_t clamped(std::int32_t value, std::int32_t low, std::int32_t high) noexcept {
  return value < low ? low : value > high ? high : value;
}

inline sampled_place place_of(float coordinate, std::int32_t extent, const image_sampler& sampler,
                              bool is_linear) noexcept {
  const auto size = static_cast<float>(extent);
  const bool repeats = sampler.addressing == addressing_mode::repeat;
  const bool mirrors = sampler.addressing == addressing_mode::mirrored_repeat;
  const bool has_edge = mirrors || sampler.addressing == addressing_mode::clamp_to_edge;
  const float repeated = coordinate - sycl::floor(coordinate);
  const float mirrored = sycl::fabs(coordinate - 2.0f * sycl::rint(0.5f * coordinate));
  const float u = (repeats   ? repeated
                   : mirrors ? mirrored
                             : coordinate) *
                  (sampler.coordinate == coordinate_normalization_mode::normalized ? size : 1.0f);
  const float centre = is_linear ? u - 0.5f : u, left = sycl::floor(centre);
  const std::int32_t first = bounded(left, extent), second = bounded(left + 1.0f, extent);
  const std::int32_t low = has_edge ? 0 : -1, high = has_edge ? extent - 1 : extent;
  return {repeats ? (first < 0         ? extent - 1
                     : first >= extent ? 0
                                       : first)
                  : clamped(first, low, high),
          repeats ? (second >= extent ? 0 : clamped(second, 0, extent - 1)) : clamped(second, low, high),
          centre - left};
}

/// A pixel as numbers with which filters compute.
template <typename DataT>
float4 read_for_filter(const std::uint32_t* words, const image_layout& layout, std::int32_t x, std::int32_t y,
                       std::int32_t z) noexcept {
  const DataT pixel = pixel_at<DataT>(words, layout, x, y, z);
  if constexpr (std::is_same_v<DataT, float4>) return pixel;
  else
    return float4(static_cast<float>(pixel[0]), static_cast<float>(pixel[1]), static_cast<float>(pixel[2]),
                  static_cast<float>(pixel[3]));
}

/// The weighted mean of two pixels in each dimension.
template <typename DataT, int Dimensions>
float4 mixed_pixels(const std::uint32_t* words, const image_layout& layout, const sampled_place& x,
                    const sampled_place& y, const sampled_place& z) noexcept {
  const auto row = [&](std::int32_t j, std::int32_t k) {
    return read_for_filter<DataT>(words, layout, x.first, j, k) * (1.0f - x.weight) +
           read_for_filter<DataT>(words, layout, x.second, j, k) * x.weight;
  };
  const auto plane = [&](std::int32_t k) {
    if constexpr (Dimensions == 1) return row(0, k);
    else return row(y.first, k) * (1.0f - y.weight) + row(y.second, k) * y.weight;
  };
  if constexpr (Dimensions < 3) return plane(0);
  else return plane(z.first) * (1.0f - z.weight) + plane(z.second) * z.weight;
}

/// Reads with the sampler at floating-point coordinates.
template <typename DataT, int Dimensions>
DataT sample_pixel(const std::uint32_t* words, const image_layout& layout, const image_sampler& sampler,
                   float x, float y, float z) noexcept {
  constexpr bool can_mix = !std::is_same_v<DataT, int4> && !std::is_same_v<DataT, uint4>;
  const bool is_linear = can_mix && sampler.filtering == filtering_mode::linear;
  const sampled_place at_x = place_of(x, layout.width, sampler, is_linear);
  sampled_place at_y{0, 0, 0}, at_z{0, 0, 0};
  if constexpr (Dimensions > 1) at_y = place_of(y, layout.height, sampler, is_linear);
  if constexpr (Dimensions > 2) at_z = place_of(z, layout.depth, sampler, is_linear);
  if constexpr (can_mix) {
    if (is_linear) {
      const float4 mixed = mixed_pixels<DataT, Dimensions>(words, layout, at_x, at_y, at_z);
      if constexpr (std::is_same_v<DataT, float4>) return mixed;
      else return half4(half(mixed[0]), half(mixed[1]), half(mixed[2]), half(mixed[3]));
    }
  }
  return read_pixel<DataT>(words, layout, at_x.first, at_y.first, at_z.first);
}

} // namespace detail
}
} // namespace sycl::_V1
