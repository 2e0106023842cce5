#include "sycl/image.hpp"

#include "runtime/api/impl.hpp"

#include <string>

namespace sycl {
inline namespace _V1 {
namespace detail {
namespace {

const char* name_of(image_format format) {
  switch (format) {
    case image_format::r8g8b8a8_unorm: return "r8g8b8a8_unorm";
    case image_format::r16g16b16a16_unorm: return "r16g16b16a16_unorm";
    case image_format::r8g8b8a8_sint: return "r8g8b8a8_sint";
    case image_format::r16g16b16a16_sint: return "r16g16b16a16_sint";
    case image_format::r32b32g32a32_sint: return "r32b32g32a32_sint";
    case image_format::r8g8b8a8_uint: return "r8g8b8a8_uint";
    case image_format::r16g16b16a16_uint: return "r16g16b16a16_uint";
    case image_format::r32b32g32a32_uint: return "r32b32g32a32_uint";
    case image_format::r16b16g16a16_sfloat: return "r16b16g16a16_sfloat";
    case image_format::r32g32b32a32_sfloat: return "r32g32b32a32_sfloat";
    case image_format::b8g8r8a8_unorm: return "b8g8r8a8_unorm";
  }
  return "a format that does not exist";
}

const char* elements_of(image_format format) {
  return pixel_fits<int4>(format)    ? "int4"
         : pixel_fits<uint4>(format) ? "uint4"
         : pixel_fits<half4>(format) ? "half4"
                                     : "float4";
}

[[noreturn]] void refuse(const std::string& what) { throw_error(errc::invalid, what); }

} // namespace

void check_image(image_format format, const std::size_t (&extents)[3], const std::size_t (&pitch)[2]) {
  if (format > image_format::b8g8r8a8_unorm)
    refuse("image: its format is the number " + std::to_string(static_cast<unsigned>(format)) +
           ", which is none of image_format");
  const std::size_t pixel = pixel_words(format) * sizeof(std::uint32_t);
  for (const std::size_t extent : extents) {
    if (extent == 0 || extent > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
      refuse("image: an extent of " + std::to_string(extent) + " pixels; give 1 to 2147483647");
  }
  const char* const of[] = {"row", "slice"};
  const std::size_t least[] = {extents[0] * pixel, bytes_of(range<2>(pitch[0], extents[1]), 1)};
  for (int p = 0; p < 2; ++p) {
    if (pitch[p] < least[p] || pitch[p] % pixel != 0)
      refuse("image: the pitch of a " + std::string(of[p]) + " is " + std::to_string(pitch[p]) +
             " bytes; give a multiple of the " + std::to_string(pixel) + " bytes of a pixel (" +
             name_of(format) + "), at least " + std::to_string(least[p]));
  }
  if (bytes_of(range<2>(pitch[1], extents[2]), 1) == uncountable)
    refuse("image: its pixels need more bytes than std::size_t counts");
}

void check_sampler(const image_sampler& sampler, image_format format) {
  const bool has_integers = pixel_fits<int4>(format) || pixel_fits<uint4>(format);
  if (sampler.filtering == filtering_mode::linear && has_integers)
    refuse(std::string("sampled_image: filtering_mode::linear cannot mix the integers of ") +
           name_of(format) + "; use filtering_mode::nearest or a format with unorm or sfloat");
  const bool repeats =
      sampler.addressing == addressing_mode::repeat || sampler.addressing == addressing_mode::mirrored_repeat;
  if (repeats && sampler.coordinate == coordinate_normalization_mode::unnormalized)
    refuse("sampled_image: repeat and mirrored_repeat need coordinate_normalization_mode::normalized");
}

void throw_wrong_pixel(image_format format) {
  refuse(std::string("an accessor of an image with the format ") + name_of(format) + " has elements of " +
         elements_of(format));
}

}
}
} // namespace sycl::_V1::detail
