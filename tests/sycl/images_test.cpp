// Images: every format, addresses in one to three dimensions with and without pitch, samplers against
// OpenCL's formulas in double precision, write-back, host access, wrong use.
#include "tests/sycl/common.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

using prism_test::error_of;
using sycl::access_mode;
using sycl::image_format;

namespace {

constexpr image_format formats[] = {
    image_format::r8g8b8a8_unorm,      image_format::r16g16b16a16_unorm, image_format::r8g8b8a8_sint,
    image_format::r16g16b16a16_sint,   image_format::r32b32g32a32_sint,  image_format::r8g8b8a8_uint,
    image_format::r16g16b16a16_uint,   image_format::r32b32g32a32_uint,  image_format::r16b16g16a16_sfloat,
    image_format::r32g32b32a32_sfloat, image_format::b8g8r8a8_unorm};

template <typename Channel, typename Give>
std::vector<unsigned char> bytes_of(const std::vector<double>& values, Give&& give) {
  std::vector<unsigned char> bytes(values.size() * sizeof(Channel));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Channel channel = give(values[i]);
    std::memcpy(bytes.data() + i * sizeof(Channel), &channel, sizeof(Channel));
  }
  return bytes;
}

/// The bytes of pixels whose channels, in the order red, green, blue, alpha, have these values.
std::vector<unsigned char> stored(image_format format, std::vector<double> values) {
  if (format == image_format::b8g8r8a8_unorm) {
    for (std::size_t p = 0; p < values.size(); p += 4) std::swap(values[p], values[p + 2]);
  }
  const auto unorm = [](double largest) {
    return [largest](double v) { return std::nearbyint(v * largest); };
  };
  const auto same = [](double v) { return v; };
  switch (format) {
    case image_format::r8g8b8a8_unorm:
    case image_format::b8g8r8a8_unorm: return bytes_of<std::uint8_t>(values, unorm(255));
    case image_format::r16g16b16a16_unorm: return bytes_of<std::uint16_t>(values, unorm(65535));
    case image_format::r8g8b8a8_sint: return bytes_of<std::int8_t>(values, same);
    case image_format::r16g16b16a16_sint: return bytes_of<std::int16_t>(values, same);
    case image_format::r32b32g32a32_sint: return bytes_of<std::int32_t>(values, same);
    case image_format::r8g8b8a8_uint: return bytes_of<std::uint8_t>(values, same);
    case image_format::r16g16b16a16_uint: return bytes_of<std::uint16_t>(values, same);
    case image_format::r32b32g32a32_uint: return bytes_of<std::uint32_t>(values, same);
    case image_format::r16b16g16a16_sfloat:
      return bytes_of<sycl::half>(values, [](double v) { return sycl::half(float(v)); });
    default: return bytes_of<float>(values, same);
  }
}

/// The largest and the smallest channel that a program can write without saturation.
std::array<double, 2> limits_of(image_format format) {
  switch (format) {
    case image_format::r8g8b8a8_sint: return {-128, 127};
    case image_format::r16g16b16a16_sint: return {-32768, 32767};
    case image_format::r32b32g32a32_sint: return {-2147483648.0, 2147483647.0};
    case image_format::r8g8b8a8_uint: return {0, 255};
    case image_format::r16g16b16a16_uint: return {0, 65535};
    case image_format::r32b32g32a32_uint: return {0, 4294967295.0};
    case image_format::r16b16g16a16_sfloat: return {-65504, 65504};
    case image_format::r32g32b32a32_sfloat: return {-1e30, 1e30};
    default: return {0, 1};
  }
}

/// Calls `body` with a value of the type of the format's pixels.
template <typename Body>
void with_pixel_of(image_format format, Body&& body) {
  if (format == image_format::r16b16g16a16_sfloat) return body(sycl::half4(sycl::half(0.0f)));
  const auto limits = limits_of(format);
  if (limits[1] <= 1 || limits[1] > 1e20) return body(sycl::float4(0));
  if (limits[0] < 0) return body(sycl::int4(0));
  return body(sycl::uint4(0));
}

template <typename Pixel>
using channel_of = typename Pixel::element_type;

template <typename Pixel>
Pixel pixel_of(const double* channels) {
  Pixel pixel;
  for (int c = 0; c < 4; ++c) pixel[c] = static_cast<channel_of<Pixel>>(channels[c]);
  return pixel;
}

/// Channels for `count` pixels: both limits, and numbers between them that the format stores exactly.
std::vector<double> channels_for(image_format format, std::size_t count) {
  const auto [low, high] = limits_of(format);
  std::mt19937 random(static_cast<unsigned>(format) + 7);
  std::uniform_real_distribution<double> between(low, high);
  std::vector<double> channels(count * 4);
  for (double& c : channels) {
    c = between(random);
    if (high == 1) c = std::nearbyint(c * 255) / 255; // also a number of 65535ths
    else if (high < 1e10) c = std::nearbyint(c);
    if (format == image_format::r16b16g16a16_sfloat) c = double(float(sycl::half(float(c))));
    if (format == image_format::r32g32b32a32_sfloat) c = double(float(c));
  }
  channels[1] = low, channels[2] = high;
  return channels;
}

TEST(image, a_kernel_reads_every_format) {
  sycl::queue q;
  constexpr std::size_t width = 5, height = 3;
  for (const image_format format : formats) {
    const std::vector<double> channels = channels_for(format, width * height);
    std::vector<unsigned char> bytes = stored(format, channels);
    with_pixel_of(format, [&](auto zero) {
      using pixel = decltype(zero);
      std::vector<pixel> found(width * height);
      {
        sycl::unsampled_image<2> image(bytes.data(), format, sycl::range<2>(width, height));
        sycl::buffer<pixel> to(found);
        q.submit([&](sycl::handler& h) {
          const auto from = image.get_access<pixel, access_mode::read>(h);
          const sycl::accessor out(to, h, sycl::write_only);
          h.parallel_for(sycl::range<2>(height, width), [=](sycl::item<2> i) {
            out[i.get_linear_id()] = from.read(sycl::int2(int(i[1]), int(i[0])));
          });
        });
      }
      for (std::size_t p = 0; p < found.size(); ++p) {
        const pixel wanted = pixel_of<pixel>(channels.data() + 4 * p);
        for (int c = 0; c < 4; ++c)
          EXPECT_NEAR(double(found[p][c]), double(wanted[c]), limits_of(format)[1] == 1 ? 1e-7 : 0)
              << "format " << int(format) << ", pixel " << p << ", channel " << c;
      }
    });
  }
}

TEST(image, a_kernel_writes_every_format_and_saturates) {
  sycl::queue q;
  constexpr std::size_t width = 7, height = 4;
  for (const image_format format : formats) {
    std::vector<double> channels = channels_for(format, width * height);
    const std::vector<unsigned char> wanted = stored(format, channels);
    const bool can_exceed = limits_of(format)[1] < 1e5 && format != image_format::r16b16g16a16_sfloat;
    if (can_exceed) channels[2] *= 3; // its pixel is stored as the largest channel
    if (can_exceed && limits_of(format)[0] < 0) channels[1] *= 3;
    with_pixel_of(format, [&](auto zero) {
      using pixel = decltype(zero);
      std::vector<pixel> from(width * height);
      for (std::size_t p = 0; p < from.size(); ++p) from[p] = pixel_of<pixel>(channels.data() + 4 * p);
      std::vector<unsigned char> bytes(wanted.size(), 0x5a);
      {
        sycl::unsampled_image<2> image(bytes.data(), format, sycl::range<2>(width, height));
        sycl::buffer<pixel> data(from);
        q.submit([&](sycl::handler& h) {
          const auto to = image.get_access<pixel, access_mode::write>(h, {sycl::no_init});
          const sycl::accessor in(data, h, sycl::read_only);
          h.parallel_for(sycl::range<2>(height, width), [=](sycl::item<2> i) {
            to.write(sycl::int2(int(i[1]), int(i[0])), in[i.get_linear_id()]);
          });
        });
      }
      EXPECT_EQ(bytes, wanted) << "format " << int(format);
    });
  }
}

TEST(image, a_number_that_is_none_is_written_as_zero) {
  sycl::queue q;
  std::uint32_t pixels[2] = {~0u, ~0u};
  {
    sycl::unsampled_image<1> image(pixels, image_format::r8g8b8a8_unorm, sycl::range<1>(2));
    q.submit([&](sycl::handler& h) {
      const auto to = image.get_access<sycl::float4, access_mode::write>(h);
      const float none = std::nanf(""), large = 3e38f;
      h.single_task([=] { to.write(1, sycl::float4(none, -large, large, 0.25f)); });
    });
  }
  EXPECT_EQ(pixels[0], ~0u);
  EXPECT_EQ(pixels[1], 0x40ff0000u); // 0.25 * 255 = 63.75
}

TEST(image, dimensions_have_the_width_first_and_pitches_in_bytes) {
  sycl::queue q;
  constexpr int width = 5, height = 4, depth = 3;
  constexpr std::size_t row = 32, slice = 160; // bytes; five pixels take 20, four rows 128
  std::vector<std::uint32_t> words(slice * depth / 4, 0xdeadbeef), found(width * height * depth);
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        words[(z * slice + y * row) / 4 + x] = std::uint32_t(x | y << 8 | z << 16);
  const std::vector<std::uint32_t> before = words;
  {
    sycl::unsampled_image<3> image(words.data(), image_format::r8g8b8a8_uint,
                                   sycl::range<3>(width, height, depth), sycl::range<2>(row, slice));
    EXPECT_EQ(image.get_range(), sycl::range<3>(width, height, depth));
    EXPECT_EQ(image.get_pitch(), sycl::range<2>(row, slice));
    EXPECT_EQ(image.size(), std::size_t(width * height * depth));
    EXPECT_EQ(image.byte_size(), 2 * slice + 3 * row + width * 4);
    sycl::buffer<std::uint32_t> to(found);
    q.submit([&](sycl::handler& h) {
      const auto from = image.get_access<sycl::uint4, access_mode::read>(h);
      const sycl::accessor out(to, h, sycl::write_only);
      h.parallel_for(sycl::range<3>(depth, height, width), [=](sycl::item<3> i) {
        const sycl::uint4 pixel = from.read(sycl::int4(int(i[2]), int(i[1]), int(i[0]), 0));
        out[i.get_linear_id()] = pixel.x() | pixel.y() << 8 | pixel.z() << 16;
      });
    });
    q.submit([&](sycl::handler& h) { // no_init must keep the bytes between the rows
      const auto write = image.get_access<sycl::uint4, access_mode::write>(h, {sycl::no_init});
      EXPECT_FALSE(write.has_property<sycl::property::no_init>());
      h.parallel_for(sycl::range<3>(depth, height, width), [=](sycl::item<3> i) {
        write.write(sycl::int3(int(i[2]), int(i[1]), int(i[0])),
                    sycl::uint4(unsigned(i[2]), unsigned(i[1]), unsigned(i[0]), 9));
      });
    });
  }
  std::size_t at = 0;
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x, ++at) {
        EXPECT_EQ(found[at], std::uint32_t(x | y << 8 | z << 16)) << x << ' ' << y << ' ' << z;
        const std::size_t place = (z * slice + y * row) / 4 + x;
        EXPECT_EQ(words[place], before[place] | 9u << 24);
        words[place] = before[place];
      }
  EXPECT_EQ(words, before) << "bytes between the rows changed";
}

TEST(image, outside_of_an_unsampled_image_reads_are_zero_and_writes_change_nothing) {
  sycl::queue q;
  std::vector<float> pixels(3 * 2 * 4, 7), found(6 * 4);
  {
    sycl::unsampled_image<2> image(pixels.data(), image_format::r32g32b32a32_sfloat, sycl::range<2>(3, 2));
    sycl::buffer<float> to(found);
    q.submit([&](sycl::handler& h) {
      const sycl::unsampled_image_accessor<sycl::float4, 2, access_mode::read_write> both(image, h);
      const sycl::accessor out(to, h, sycl::write_only);
      const std::array<int, 12> places = {-1, 0, 0, -1, 3, 0, 0, 2, 2147483647, 1, 2, 1};
      h.single_task([=] {
        for (int k = 0; k < 6; ++k) {
          const sycl::int2 at(places[2 * k], places[2 * k + 1]);
          const sycl::float4 pixel = both.read(at);
          for (int c = 0; c < 4; ++c) out[4 * k + c] = pixel[c];
          if (k < 5) both.write(at, sycl::float4(1, 2, 3, 4));
        }
      });
    });
  }
  for (int k = 0; k < 24; ++k) EXPECT_EQ(found[k], k < 20 ? 0.0f : 7.0f) << k;
  EXPECT_EQ(pixels, std::vector<float>(24, 7));
}

TEST(image, the_host_reads_and_writes_and_waits_for_kernels) {
  sycl::queue q;
  sycl::unsampled_image<1> image(image_format::r32b32g32a32_sint, sycl::range<1>(1000));
  q.submit([&](sycl::handler& h) {
    const auto to = image.get_access<sycl::int4, access_mode::write>(h);
    h.parallel_for(1000,
                   [=](sycl::id<1> i) { to.write(int(i[0]), sycl::int4(int(i[0]), -int(i[0]), 3, 4)); });
  });
  {
    sycl::host_unsampled_image_accessor<sycl::int4, 1> host(image);
    for (int i = 0; i < 1000; ++i) {
      const sycl::int4 pixel = host.read(i);
      EXPECT_EQ(pixel.x(), i);
      EXPECT_EQ(pixel.y(), -i);
      host.write(i, pixel + 1);
    }
    EXPECT_EQ(host.size(), 1000u);
  }
  q.submit([&](sycl::handler& h) {
    const auto both = image.get_access<sycl::int4>(h);
    h.parallel_for(1000, [=](sycl::id<1> i) { both.write(int(i[0]), both.read(int(i[0])) * 2); });
  });
  const auto host = image.get_host_access<const sycl::int4>();
  static_assert(std::is_same_v<decltype(host.read(0)), sycl::int4>);
  EXPECT_EQ(host.read(17).x(), 36);
  EXPECT_EQ(host.read(17).w(), 10);
}

TEST(image, a_host_task_reads_pixels) {
  sycl::queue q;
  std::uint32_t pixels[4] = {1, 2, 3, 0x04030201}, sum = 0;
  {
    sycl::unsampled_image<1> image(pixels, image_format::r8g8b8a8_uint, sycl::range<1>(4));
    q.submit([&](sycl::handler& h) {
      const auto from = image.get_access<sycl::uint4, access_mode::read, sycl::image_target::host_task>(h);
      h.host_task([=, &sum] { sum = from.read(3).w() * 100 + from.read(1).x(); });
    });
    q.wait();
  }
  EXPECT_EQ(sum, 402u);
}

TEST(image, write_back_follows_the_program) {
  sycl::queue q;
  const auto fill = [&](sycl::unsampled_image<1>& image) {
    q.submit([&](sycl::handler& h) {
      const auto to = image.get_access<sycl::uint4, access_mode::write>(h);
      h.parallel_for(4,
                     [=](sycl::id<1> i) { to.write(int(i[0]), sycl::uint4(unsigned(i[0]) + 1, 0, 0, 0)); });
    });
  };
  const std::vector<std::uint32_t> start(4, 99), filled = {1, 2, 3, 4};
  const auto make = [&](auto pixels) {
    return sycl::unsampled_image<1>(pixels, image_format::r8g8b8a8_uint, sycl::range<1>(4));
  };
  std::vector<std::uint32_t> pixels = start, other(4, 5);
  {
    auto image = make(static_cast<void*>(pixels.data()));
    fill(image);
  }
  EXPECT_EQ(pixels, filled);
  pixels = start;
  {
    auto image = make(static_cast<void*>(pixels.data()));
    image.set_write_back(false);
    fill(image);
  }
  EXPECT_EQ(pixels, start);
  {
    auto image = make(static_cast<void*>(pixels.data()));
    image.set_final_data(other.data());
    fill(image);
  }
  EXPECT_EQ(pixels, start);
  EXPECT_EQ(other, filled);
  std::vector<std::array<std::uint16_t, 2>> halves(4);
  {
    auto image = make(static_cast<void*>(pixels.data()));
    image.set_final_data(halves.begin());
    fill(image);
  }
  EXPECT_EQ(halves[3][0], 4);
  const std::shared_ptr<void> owner(new std::uint32_t[4]{},
                                    [](void* p) { delete[] static_cast<std::uint32_t*>(p); });
  {
    auto image = make(owner);
    fill(image);
  }
  EXPECT_EQ(static_cast<std::uint32_t*>(owner.get())[2], 3u);
  {
    auto image = make(static_cast<void*>(pixels.data()));
    image.set_final_data(std::weak_ptr<void>(owner));
    image.set_final_data(nullptr);
    fill(image);
  }
  EXPECT_EQ(pixels, start);
}

// ---- samplers
// -------------------------------------------------------------------------------------------------------

using sycl::addressing_mode;
using sycl::coordinate_normalization_mode;
using sycl::filtering_mode;

/// OpenCL 3.0, section 8.2, written from its formulas in double precision.
struct reference {
  std::array<int, 3> extent;
  std::vector<double> channels;
  sycl::image_sampler sampler;

  double texel(std::array<int, 3> at, int channel) const {
    for (int d = 0; d < 3; ++d) {
      if (at[d] < 0 || at[d] >= extent[d]) {
        if (sampler.addressing != addressing_mode::clamp_to_edge) return 0;
        at[d] = std::min(std::max(at[d], 0), extent[d] - 1);
      }
    }
    return channels[((std::size_t(at[2]) * extent[1] + at[1]) * extent[0] + at[0]) * 4 + channel];
  }
  double unnormalized(double s, int d) const {
    const double size = extent[d];
    if (sampler.addressing == addressing_mode::repeat) return (s - std::floor(s)) * size;
    if (sampler.addressing == addressing_mode::mirrored_repeat)
      return std::fabs(s - 2 * std::nearbyint(0.5 * s)) * size;
    return sampler.coordinate == coordinate_normalization_mode::normalized ? s * size : s;
  }
  int wrapped(int i, int d) const {
    if (sampler.addressing == addressing_mode::repeat)
      return i < 0 ? extent[d] - 1 : i > extent[d] - 1 ? i - extent[d] : i;
    if (sampler.addressing == addressing_mode::mirrored_repeat)
      return std::min(std::max(i, 0), extent[d] - 1);
    return i;
  }
  double read(std::array<double, 3> at, int dimensions, int channel) const {
    std::array<int, 3> low{}, high{};
    std::array<double, 3> weight{};
    for (int d = 0; d < dimensions; ++d) {
      const double u = unnormalized(at[d], d);
      if (sampler.filtering == filtering_mode::nearest) {
        low[d] = high[d] = wrapped(int(std::floor(u)), d);
      } else {
        low[d] = wrapped(int(std::floor(u - 0.5)), d), high[d] = wrapped(int(std::floor(u - 0.5)) + 1, d);
        weight[d] = u - 0.5 - std::floor(u - 0.5);
      }
    }
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double part = 1;
      std::array<int, 3> place{};
      for (int d = 0; d < 3; ++d) {
        const bool second = (corner >> d & 1) != 0;
        part *= second ? weight[d] : 1 - weight[d];
        place[d] = second ? high[d] : low[d];
      }
      if (part != 0) sum += part * texel(place, channel);
    }
    return sum;
  }
};

template <int Dimensions>
auto coordinate(const sycl::float4& at) {
  if constexpr (Dimensions == 1) return float(at[0]);
  else if constexpr (Dimensions == 2) return sycl::float2(at[0], at[1]);
  else return at;
}

/// Reads at random coordinates by a kernel and by the host, and compares with the reference.
template <int Dimensions>
void check_sampler(sycl::queue& q, const sycl::image_sampler& sampler, image_format format) {
  SCOPED_TRACE(testing::Message() << Dimensions << "-d, addressing " << int(sampler.addressing)
                                  << ", coordinates " << int(sampler.coordinate) << ", filter "
                                  << int(sampler.filtering) << ", format " << int(format));
  const std::array<int, 3> extent = {6, Dimensions > 1 ? 5 : 1, Dimensions > 2 ? 4 : 1};
  const std::size_t pixels = std::size_t(extent[0] * extent[1] * extent[2]);
  std::vector<double> channels(pixels * 4);
  std::mt19937 random(17);
  for (double& c : channels) c = std::uniform_int_distribution<int>(0, 255)(random) / 255.0;
  if (format == image_format::r16b16g16a16_sfloat)
    for (double& c : channels) c = double(float(sycl::half(float(c))));
  const std::vector<unsigned char> bytes = stored(format, channels);
  const reference model{extent, channels, sampler};
  const bool normalized = sampler.coordinate == coordinate_normalization_mode::normalized;
  constexpr std::size_t count = 200;
  std::vector<sycl::float4> places(count), found(count);
  for (auto& place : places) {
    for (int d = 0; d < 3; ++d) {
      // From outside of one end to outside of the other; not on the border of a pixel, where rounding
      // decides.
      const int steps = std::uniform_int_distribution<int>(-2 * extent[d], 3 * extent[d])(random);
      const float inside =
          std::uniform_real_distribution<float>(0.05f, 0.45f)(random) + (steps % 2 ? 0.5f : 0.0f);
      place[d] = (float(steps) + inside) / (normalized ? float(extent[d]) : 1);
    }
    place[3] = 0;
  }
  sycl::range<Dimensions> size;
  for (int d = 0; d < Dimensions; ++d) size[d] = std::size_t(extent[d]);
  sycl::sampled_image<Dimensions> image(bytes.data(), format, sampler, size);
  const auto run = [&](auto zero) {
    using pixel = decltype(zero);
    {
      sycl::buffer<sycl::float4> at(places), to(found);
      q.submit([&](sycl::handler& h) {
        const sycl::sampled_image_accessor<pixel, Dimensions> from(image, h);
        const sycl::accessor in(at, h, sycl::read_only);
        const sycl::accessor out(to, h, sycl::write_only);
        h.parallel_for(count, [=](sycl::id<1> i) {
          const pixel p = from.read(coordinate<Dimensions>(in[i]));
          out[i] = sycl::float4(float(p[0]), float(p[1]), float(p[2]), float(p[3]));
        });
      });
    }
    const auto host = image.template get_host_access<pixel>();
    const double tolerance = format == image_format::r16b16g16a16_sfloat ? 1e-3 : 2e-5;
    for (std::size_t i = 0; i < count; ++i) {
      const pixel by_host = host.read(coordinate<Dimensions>(places[i]));
      for (int c = 0; c < 4; ++c) {
        const double wanted = model.read({places[i][0], places[i][1], places[i][2]}, Dimensions, c);
        ASSERT_NEAR(found[i][c], wanted, tolerance)
            << "read " << i << " at " << places[i][0] << ' ' << places[i][1];
        ASSERT_NEAR(float(by_host[c]), wanted, tolerance) << "read " << i << " by the host";
      }
    }
  };
  if (format == image_format::r16b16g16a16_sfloat) run(sycl::half4(sycl::half(0.0f)));
  else run(sycl::float4(0));
}

TEST(sampled_image, every_sampler_follows_the_formulas_of_opencl) {
  sycl::queue q;
  for (const addressing_mode addressing : {addressing_mode::mirrored_repeat, addressing_mode::repeat,
                                           addressing_mode::clamp_to_edge, addressing_mode::clamp})
    for (const auto coordinates :
         {coordinate_normalization_mode::normalized, coordinate_normalization_mode::unnormalized})
      for (const filtering_mode filter : {filtering_mode::nearest, filtering_mode::linear}) {
        const bool repeats =
            addressing == addressing_mode::repeat || addressing == addressing_mode::mirrored_repeat;
        if (repeats && coordinates == coordinate_normalization_mode::unnormalized) continue;
        const sycl::image_sampler sampler{addressing, coordinates, filter};
        check_sampler<1>(q, sampler, image_format::r32g32b32a32_sfloat);
        check_sampler<2>(q, sampler, image_format::r8g8b8a8_unorm);
        check_sampler<3>(q, sampler, image_format::r16g16b16a16_unorm);
        check_sampler<2>(q, sampler, image_format::r16b16g16a16_sfloat);
      }
}

TEST(sampled_image, integers_are_read_from_the_nearest_pixel) {
  sycl::queue q;
  const std::int8_t pixels[] = {-1, 2, -3, 4, 5, -6, 7, -128};
  const sycl::image_sampler sampler{addressing_mode::clamp_to_edge,
                                    coordinate_normalization_mode::unnormalized, filtering_mode::nearest};
  sycl::sampled_image<1> image(pixels, image_format::r8g8b8a8_sint, sampler, sycl::range<1>(2));
  sycl::int4 found[3];
  {
    sycl::buffer<sycl::int4> to(found, 3);
    q.submit([&](sycl::handler& h) {
      const auto from = image.get_access<sycl::int4>(h);
      const sycl::accessor out(to, h, sycl::write_only);
      const float places[] = {-1e30f, 1.9f, 1e30f};
      h.parallel_for(3, [=](sycl::id<1> i) { out[i] = from.read(places[i[0]]); });
    });
  }
  for (int c = 0; c < 4; ++c) {
    EXPECT_EQ(found[0][c], pixels[c]);
    EXPECT_EQ(found[1][c], pixels[4 + c]);
    EXPECT_EQ(found[2][c], pixels[4 + c]);
  }
}

TEST(sampled_image, a_coordinate_that_is_no_number_reads_some_pixel_and_no_other_memory) {
  sycl::queue q;
  std::vector<float> pixels(4 * 4, 3);
  float sum = -1;
  for (const addressing_mode addressing : {addressing_mode::mirrored_repeat, addressing_mode::repeat,
                                           addressing_mode::clamp, addressing_mode::none}) {
    sycl::sampled_image<1> image(
        pixels.data(), image_format::r32g32b32a32_sfloat,
        {addressing, coordinate_normalization_mode::normalized, filtering_mode::linear}, sycl::range<1>(4));
    {
      sycl::buffer<float> to(&sum, 1);
      q.submit([&](sycl::handler& h) {
        const auto from = image.get_access<sycl::float4>(h);
        const sycl::accessor out(to, h, sycl::write_only);
        const float huge = 3e38f, none = std::nanf("");
        h.single_task([=] { out[0] = from.read(huge).x() * 0 + (from.read(none).x() == 3 ? 1.0f : 0.0f); });
      });
    }
    EXPECT_TRUE(std::isnan(sum) || sum == 0 || sum == 1) << sum;
  }
}

TEST(sampled_image, keeps_shared_pixels_until_its_kernels_are_done) {
  sycl::queue q;
  std::vector<float> found(4096);
  {
    sycl::buffer<float> to(found);
    {
      auto* numbers = new std::vector<float>(4096 * 4, 2.5f);
      std::shared_ptr<const void> pixels(numbers->data(), [numbers](const void*) {
        std::fill(numbers->begin(), numbers->end(), -1.0f);
        delete numbers;
      });
      sycl::sampled_image<1> image(
          pixels, image_format::r32g32b32a32_sfloat,
          {addressing_mode::none, coordinate_normalization_mode::unnormalized, filtering_mode::nearest},
          sycl::range<1>(4096));
      pixels.reset();
      q.submit([&](sycl::handler& h) {
        const auto from = image.get_access<sycl::float4>(h);
        const sycl::accessor out(to, h, sycl::write_only);
        h.parallel_for(4096, [=](sycl::id<1> i) { out[i] = from.read(float(i[0]) + 0.5f).w(); });
      });
    }
  }
  EXPECT_EQ(found, std::vector<float>(4096, 2.5f));
}

// ---- objects and wrong use
// ------------------------------------------------------------------------------------------

TEST(image, copies_share_pixels_and_compare_equal) {
  sycl::unsampled_image<2> image(image_format::r8g8b8a8_uint, sycl::range<2>(4, 4)), copy = image;
  const sycl::unsampled_image<2> other(image_format::r8g8b8a8_uint, sycl::range<2>(4, 4));
  EXPECT_EQ(image, copy);
  EXPECT_NE(image, other);
  EXPECT_EQ(std::hash<sycl::unsampled_image<2>>()(image), std::hash<sycl::unsampled_image<2>>()(copy));
  sycl::host_unsampled_image_accessor<sycl::uint4, 2>(image).write(sycl::int2(1, 1), sycl::uint4(8));
  EXPECT_EQ((copy.get_host_access<sycl::uint4, access_mode::read>().read(sycl::int2(1, 1)).x()), 8u);
}

TEST(image, properties_are_those_of_buffers) {
  std::mutex mutex;
  std::vector<std::uint32_t> pixels(16);
  const sycl::unsampled_image<2> image(
      pixels.data(), image_format::r8g8b8a8_uint, sycl::range<2>(4, 4),
      {sycl::property::image::use_host_ptr(), sycl::property::image::use_mutex(mutex)});
  EXPECT_TRUE(image.has_property<sycl::property::image::use_host_ptr>());
  EXPECT_FALSE(image.has_property<sycl::property::image::context_bound>());
  EXPECT_EQ(image.get_property<sycl::property::image::use_mutex>().get_mutex_ptr(), &mutex);
  static_assert(sycl::is_property_of_v<sycl::property::image::context_bound, sycl::sampled_image<3>>);
}

TEST(image, every_device_has_images_of_the_sizes_that_the_standard_asks_for) {
  const sycl::device device = sycl::queue().get_device();
  namespace info = sycl::info::device;
  EXPECT_TRUE(device.has(sycl::aspect::image));
  EXPECT_GE(device.get_info<info::max_read_image_args>(), 128u);
  EXPECT_GE(device.get_info<info::max_write_image_args>(), 8u);
  EXPECT_GE(device.get_info<info::image2d_max_width>(), 8192u);
  EXPECT_GE(device.get_info<info::image3d_max_depth>(), 2048u);
  EXPECT_GE(device.get_info<info::max_samplers>(), 16u);
  static_assert(sycl::all_devices_have_v<sycl::aspect::image>);
}

TEST(image, wrong_shapes_are_refused_with_the_numbers) {
  using image2 = sycl::unsampled_image<2>;
  std::string text;
  EXPECT_EQ(error_of([] { image2(image_format::r8g8b8a8_uint, sycl::range<2>(4, 0)); }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("an extent of 0 pixels"), std::string::npos) << text;
  EXPECT_EQ(
      error_of([] { image2(image_format::r8g8b8a8_uint, sycl::range<2>(4, 4), sycl::range<1>(12)); }, &text),
      sycl::errc::invalid);
  EXPECT_NE(
      text.find(
          "the pitch of a row is 12 bytes; give a multiple of the 4 bytes of a pixel (r8g8b8a8_uint), at "
          "least 16"),
      std::string::npos)
      << text;
  EXPECT_EQ(
      error_of([] { image2(image_format::r32b32g32a32_uint, sycl::range<2>(4, 4), sycl::range<1>(72)); }),
      sycl::errc::invalid);
  EXPECT_EQ(error_of([] { image2(image_format(77), sycl::range<2>(4, 4)); }), sycl::errc::invalid);
  constexpr std::size_t most = 2147483647;
  EXPECT_EQ(error_of([] {
    sycl::unsampled_image<3>(image_format::r32b32g32a32_uint, sycl::range<3>(most, most, most));
  }),
            sycl::errc::invalid);
  EXPECT_EQ(
      error_of([] { sycl::unsampled_image<1>(image_format::r32b32g32a32_uint, sycl::range<1>(most + 1)); }),
      sycl::errc::invalid);
}

TEST(image, an_accessor_of_another_element_type_is_refused_with_the_right_one) {
  sycl::queue q;
  sycl::unsampled_image<1> image(image_format::r16b16g16a16_sfloat, sycl::range<1>(4));
  std::string text;
  EXPECT_EQ(error_of(
                [&] {
    q.submit([&](sycl::handler& h) { image.get_access<sycl::float4, access_mode::read>(h); });
  }, &text),
            sycl::errc::invalid);
  EXPECT_NE(text.find("format r16b16g16a16_sfloat has elements of half4"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { image.get_host_access<sycl::int4>(); }), sycl::errc::invalid);
}

TEST(sampled_image, samplers_that_cannot_be_are_refused) {
  const std::uint32_t pixels[4] = {};
  const auto with = [&](addressing_mode addressing, coordinate_normalization_mode coordinates,
                        filtering_mode filter) {
    return error_of([&] {
      sycl::sampled_image<1>(pixels, image_format::r8g8b8a8_uint, {addressing, coordinates, filter},
                             sycl::range<1>(4));
    });
  };
  using coordinates = coordinate_normalization_mode;
  EXPECT_EQ(with(addressing_mode::clamp, coordinates::normalized, filtering_mode::linear),
            sycl::errc::invalid);
  EXPECT_EQ(with(addressing_mode::repeat, coordinates::unnormalized, filtering_mode::nearest),
            sycl::errc::invalid);
  EXPECT_EQ(with(addressing_mode::repeat, coordinates::normalized, filtering_mode::nearest),
            sycl::errc::success);
}

} // namespace
