// Pixels of images as 32-bit words: their formats, their conversion to and from the vectors that programs
// use, and the reads of a sampler. The same code runs on the host and in kernels of every device. Formulas:
// OpenCL 3.0 specification, section 8
// ("Image Addressing and Filtering").
#pragma once

#include <sycl/bit_cast.hpp>
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

/// Where the pixels of an image lie. Missing dimensions have an extent of 1.
struct image_layout {
  std::int32_t width = 1, height = 1, depth = 1;
  image_format format = image_format::r8g8b8a8_unorm;
  std::uint64_t row_words = 0, slice_words = 0;

  std::size_t words_before(std::int32_t x, std::int32_t y, std::int32_t z) const noexcept {
    return static_cast<std::size_t>(z) * slice_words + static_cast<std::size_t>(y) * row_words +
           static_cast<std::size_t>(x) * pixel_words(format);
  }
  bool has(std::int32_t x, std::int32_t y, std::int32_t z) const noexcept {
    // A negative coordinate is a large unsigned one.
    return static_cast<std::uint32_t>(x) < static_cast<std::uint32_t>(width) &&
           static_cast<std::uint32_t>(y) < static_cast<std::uint32_t>(height) &&
           static_cast<std::uint32_t>(z) < static_cast<std::uint32_t>(depth);
  }
  friend bool operator==(const image_layout& a, const image_layout& b) noexcept {
    return a.width == b.width && a.height == b.height && a.depth == b.depth && a.format == b.format &&
           a.row_words == b.row_words && a.slice_words == b.slice_words;
  }
};

// Channels of 8 and 16 bits, in the order of memory.
inline std::uint32_t byte_of(std::uint32_t word, int channel) noexcept {
  return word >> (8 * channel) & 0xffu;
}
inline std::uint32_t short_of(const std::uint32_t* words, int channel) noexcept {
  return words[channel / 2] >> (16 * (channel & 1)) & 0xffffu;
}
inline std::int32_t sign_extended(std::uint32_t value, int bits) noexcept {
  return static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits);
}

inline void decode_pixel(const std::uint32_t* words, image_format format, float4& pixel) noexcept {
  constexpr float of_byte = 1.0f / 255,
                  of_short = 1.0f / 65535; // the largest channel times this is exactly 1
  if (format == image_format::r32g32b32a32_sfloat) {
    pixel = float4(bit_cast<float>(words[0]), bit_cast<float>(words[1]), bit_cast<float>(words[2]),
                   bit_cast<float>(words[3]));
  } else if (format == image_format::r16g16b16a16_unorm) {
    pixel = float4(
        static_cast<float>(short_of(words, 0)) * of_short, static_cast<float>(short_of(words, 1)) * of_short,
        static_cast<float>(short_of(words, 2)) * of_short, static_cast<float>(short_of(words, 3)) * of_short);
  } else {
    const int red = format == image_format::b8g8r8a8_unorm ? 2 : 0;
    const std::uint32_t word = words[0];
    pixel = float4(
        static_cast<float>(byte_of(word, red)) * of_byte, static_cast<float>(byte_of(word, 1)) * of_byte,
        static_cast<float>(byte_of(word, 2 - red)) * of_byte, static_cast<float>(byte_of(word, 3)) * of_byte);
  }
}
inline void decode_pixel(const std::uint32_t* words, image_format, half4& pixel) noexcept {
  const auto channel = [words](int c) {
    return bit_cast<half>(static_cast<std::uint16_t>(short_of(words, c)));
  };
  pixel = half4(channel(0), channel(1), channel(2), channel(3));
}
inline void decode_pixel(const std::uint32_t* words, image_format format, int4& pixel) noexcept {
  if (format == image_format::r32b32g32a32_sint) {
    pixel = int4(static_cast<std::int32_t>(words[0]), static_cast<std::int32_t>(words[1]),
                 static_cast<std::int32_t>(words[2]), static_cast<std::int32_t>(words[3]));
  } else if (format == image_format::r16g16b16a16_sint) {
    pixel = int4(sign_extended(short_of(words, 0), 16), sign_extended(short_of(words, 1), 16),
                 sign_extended(short_of(words, 2), 16), sign_extended(short_of(words, 3), 16));
  } else {
    const std::uint32_t word = words[0];
    pixel = int4(sign_extended(byte_of(word, 0), 8), sign_extended(byte_of(word, 1), 8),
                 sign_extended(byte_of(word, 2), 8), sign_extended(byte_of(word, 3), 8));
  }
}
inline void decode_pixel(const std::uint32_t* words, image_format format, uint4& pixel) noexcept {
  if (format == image_format::r32b32g32a32_uint) {
    pixel = uint4(words[0], words[1], words[2], words[3]);
  } else if (format == image_format::r16g16b16a16_uint) {
    pixel = uint4(short_of(words, 0), short_of(words, 1), short_of(words, 2), short_of(words, 3));
  } else {
    const std::uint32_t word = words[0];
    pixel = uint4(byte_of(word, 0), byte_of(word, 1), byte_of(word, 2), byte_of(word, 3));
  }
}

inline std::uint32_t packed_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                  std::uint32_t d) noexcept {
  return (a & 0xffu) | (b & 0xffu) << 8 | (c & 0xffu) << 16 | d << 24;
}
inline std::uint32_t packed_shorts(std::uint32_t a, std::uint32_t b) noexcept {
  return (a & 0xffffu) | b << 16;
}
/// The nearest channel to a number from 0 to 1; others, and NaN, give the nearest end.
inline std::uint32_t to_unorm(float value, float largest) noexcept {
  return static_cast<std::uint32_t>(sycl::rint(sycl::fmin(sycl::fmax(value, 0.0f), 1.0f) * largest));
}
inline std::uint32_t saturated(std::int32_t value, std::int32_t largest) noexcept {
  const std::int32_t low = value < -largest - 1 ? -largest - 1 : value;
  return static_cast<std::uint32_t>(low > largest ? largest : low);
}
inline std::uint32_t saturated(std::uint32_t value, std::uint32_t largest) noexcept {
  return value > largest ? largest : value;
}

inline void encode_pixel(std::uint32_t* words, image_format format, const float4& pixel) noexcept {
  if (format == image_format::r32g32b32a32_sfloat) {
    for (int c = 0; c < 4; ++c) words[c] = bit_cast<std::uint32_t>(pixel[c]);
  } else if (format == image_format::r16g16b16a16_unorm) {
    words[0] = packed_shorts(to_unorm(pixel[0], 65535), to_unorm(pixel[1], 65535));
    words[1] = packed_shorts(to_unorm(pixel[2], 65535), to_unorm(pixel[3], 65535));
  } else {
    const bool blue_first = format == image_format::b8g8r8a8_unorm;
    const std::uint32_t red = to_unorm(pixel[0], 255), blue = to_unorm(pixel[2], 255);
    words[0] = packed_bytes(blue_first ? blue : red, to_unorm(pixel[1], 255), blue_first ? red : blue,
                            to_unorm(pixel[3], 255));
  }
}
inline void encode_pixel(std::uint32_t* words, image_format, const half4& pixel) noexcept {
  const auto bits = [&pixel](int c) {
    return static_cast<std::uint32_t>(bit_cast<std::uint16_t>(half(pixel[c])));
  };
  words[0] = packed_shorts(bits(0), bits(1));
  words[1] = packed_shorts(bits(2), bits(3));
}
/// Integers outside of the channels' range give the nearest end.
template <typename Integer>
void encode_integers(std::uint32_t* words, std::uint32_t count, const vec<Integer, 4>& pixel) noexcept {
  constexpr bool is_signed = std::is_signed_v<Integer>;
  constexpr Integer of_byte = is_signed ? 127 : 255, of_short = is_signed ? 32767 : 65535;
  if (count == 4) {
    for (int c = 0; c < 4; ++c) words[c] = static_cast<std::uint32_t>(pixel[c]);
  } else if (count == 2) {
    words[0] = packed_shorts(saturated(pixel[0], of_short), saturated(pixel[1], of_short));
    words[1] = packed_shorts(saturated(pixel[2], of_short), saturated(pixel[3], of_short));
  } else {
    words[0] = packed_bytes(saturated(pixel[0], of_byte), saturated(pixel[1], of_byte),
                            saturated(pixel[2], of_byte), saturated(pixel[3], of_byte));
  }
}
inline void encode_pixel(std::uint32_t* words, image_format format, const int4& pixel) noexcept {
  encode_integers<std::int32_t>(words, pixel_words(format), pixel);
}
inline void encode_pixel(std::uint32_t* words, image_format format, const uint4& pixel) noexcept {
  encode_integers<std::uint32_t>(words, pixel_words(format), pixel);
}

/// The pixel at whole coordinates; zeros outside of the image.
template <typename DataT>
DataT read_pixel(const std::uint32_t* words, const image_layout& layout, std::int32_t x, std::int32_t y,
                 std::int32_t z) noexcept {
  DataT pixel(typename DataT::element_type(0));
  if (layout.has(x, y, z)) decode_pixel(words + layout.words_before(x, y, z), layout.format, pixel);
  return pixel;
}
/// Writes outside of the image change nothing.
template <typename DataT>
void write_pixel(std::uint32_t* words, const image_layout& layout, std::int32_t x, std::int32_t y,
                 std::int32_t z, const DataT& pixel) noexcept {
  if (layout.has(x, y, z)) encode_pixel(words + layout.words_before(x, y, z), layout.format, pixel);
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

inline sampled_place place_of(float coordinate, std::int32_t extent, const image_sampler& sampler) noexcept {
  const auto size = static_cast<float>(extent);
  const bool is_linear = sampler.filtering == filtering_mode::linear;
  float u = coordinate;
  if (sampler.addressing == addressing_mode::repeat) {
    u = (coordinate - sycl::floor(coordinate)) * size;
  } else if (sampler.addressing == addressing_mode::mirrored_repeat) {
    u = sycl::fabs(coordinate - 2.0f * sycl::rint(0.5f * coordinate)) * size;
  } else if (sampler.coordinate == coordinate_normalization_mode::normalized) {
    u = coordinate * size;
  }
  const float left = is_linear ? sycl::floor(u - 0.5f) : sycl::floor(u);
  sampled_place place{bounded(left, extent), bounded(left + 1.0f, extent),
                      is_linear ? (u - 0.5f) - left : 0.0f};
  if (sampler.addressing == addressing_mode::repeat) {
    place.first = place.first < 0 ? extent - 1 : place.first >= extent ? 0 : place.first;
    place.second = place.second >= extent ? 0 : clamped(place.second, 0, extent - 1);
  } else if (sampler.addressing == addressing_mode::mirrored_repeat ||
             sampler.addressing == addressing_mode::clamp_to_edge) {
    place.first = clamped(place.first, 0, extent - 1);
    place.second = clamped(place.second, 0, extent - 1);
  }
  return place;
}

/// A pixel as numbers with which filters compute.
template <typename DataT>
float4 read_for_filter(const std::uint32_t* words, const image_layout& layout, std::int32_t x, std::int32_t y,
                       std::int32_t z) noexcept {
  const DataT pixel = read_pixel<DataT>(words, layout, x, y, z);
  if constexpr (std::is_same_v<DataT, float4>) return pixel;
  else
    return float4(static_cast<float>(pixel[0]), static_cast<float>(pixel[1]), static_cast<float>(pixel[2]),
                  static_cast<float>(pixel[3]));
}

/// Reads with the sampler at floating-point coordinates.
template <typename DataT, int Dimensions>
DataT sample_pixel(const std::uint32_t* words, const image_layout& layout, const image_sampler& sampler,
                   float x, float y, float z) noexcept {
  const sampled_place at_x = place_of(x, layout.width, sampler);
  sampled_place at_y{0, 0, 0}, at_z{0, 0, 0};
  if constexpr (Dimensions > 1) at_y = place_of(y, layout.height, sampler);
  if constexpr (Dimensions > 2) at_z = place_of(z, layout.depth, sampler);
  if constexpr (!std::is_same_v<DataT, int4> && !std::is_same_v<DataT, uint4>) {
    if (sampler.filtering == filtering_mode::linear) {
      const auto row = [&](std::int32_t j, std::int32_t k) {
        return read_for_filter<DataT>(words, layout, at_x.first, j, k) * (1.0f - at_x.weight) +
               read_for_filter<DataT>(words, layout, at_x.second, j, k) * at_x.weight;
      };
      const auto plane = [&](std::int32_t k) {
        if constexpr (Dimensions == 1) return row(0, k);
        else return row(at_y.first, k) * (1.0f - at_y.weight) + row(at_y.second, k) * at_y.weight;
      };
      float4 mixed;
      if constexpr (Dimensions < 3) mixed = plane(0);
      else mixed = plane(at_z.first) * (1.0f - at_z.weight) + plane(at_z.second) * at_z.weight;
      if constexpr (std::is_same_v<DataT, float4>) return mixed;
      else return half4(half(mixed[0]), half(mixed[1]), half(mixed[2]), half(mixed[3]));
    }
  }
  return read_pixel<DataT>(words, layout, at_x.first, at_y.first, at_z.first);
}

} // namespace detail
}
} // namespace sycl::_V1
