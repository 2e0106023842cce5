// Measures kernels that read and write pixels through image accessors, and the same kernels over buffers of
// the pixels' words.
#include "bench/rows.hpp"

namespace bench {

namespace {

constexpr int width = 2048, height = 1024;

/// Red, green, blue and alpha of a byte each, and an image or a buffer for results.
class picture {
public:
  explicit picture(const sycl::device& device) : queue(device), words(std::size_t(width) * height) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i * 2654435761u);
  }
  sycl::queue queue;
  std::vector<std::uint32_t> words;
};

constexpr auto bytes = sycl::image_format::r8g8b8a8_unorm;
const sycl::range<2> pixels(height, width);

float channel(std::uint32_t word, int c) { return static_cast<float>(word >> 8 * c & 255u) * (1.0f / 255); }
std::uint32_t packed(float value, int c) {
  return static_cast<std::uint32_t>(sycl::rint(sycl::clamp(value, 0.0f, 1.0f) * 255)) << 8 * c;
}

/// Every pixel at half of its brightness.
void darken(sycl::queue& queue, sycl::unsampled_image<2>& from, sycl::unsampled_image<2>& to) {
  queue.submit([&](sycl::handler& h) {
    const auto in = from.get_access<sycl::float4, sycl::access_mode::read>(h);
    const auto out = to.get_access<sycl::float4, sycl::access_mode::write>(h, {sycl::no_init});
    h.parallel_for(pixels, [=](sycl::id<2> i) {
      const sycl::int2 at(static_cast<int>(i[1]), static_cast<int>(i[0]));
      out.write(at, in.read(at) * 0.5f);
    });
  });
  queue.wait_and_throw();
}
void darken(sycl::queue& queue, sycl::buffer<std::uint32_t, 2>& from, sycl::buffer<std::uint32_t, 2>& to) {
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor in(from, h, sycl::read_only);
    const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
    h.parallel_for(pixels, [=](sycl::id<2> i) {
      const std::uint32_t word = in[i];
      std::uint32_t result = 0;
      for (int c = 0; c < 4; ++c) result |= packed(channel(word, c) * 0.5f, c);
      out[i] = result;
    });
  });
  queue.wait_and_throw();
}

/// Every pixel as the mean of four, by the sampler's filter or by four reads.
void shift(sycl::queue& queue, sycl::sampled_image<2>& from, sycl::unsampled_image<2>& to) {
  queue.submit([&](sycl::handler& h) {
    const auto in = from.get_access<sycl::float4>(h);
    const auto out = to.get_access<sycl::float4, sycl::access_mode::write>(h, {sycl::no_init});
    h.parallel_for(pixels, [=](sycl::id<2> i) {
      const sycl::int2 at(static_cast<int>(i[1]), static_cast<int>(i[0]));
      out.write(at, in.read(sycl::float2(static_cast<float>(at.x()) + 1, static_cast<float>(at.y()) + 1)));
    });
  });
  queue.wait_and_throw();
}
void shift(sycl::queue& queue, sycl::buffer<std::uint32_t, 2>& from, sycl::buffer<std::uint32_t, 2>& to) {
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor in(from, h, sycl::read_only);
    const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
    h.parallel_for(pixels, [=](sycl::id<2> i) {
      const float x = static_cast<float>(i[1]) + 0.5f, y = static_cast<float>(i[0]) + 0.5f;
      const float left = sycl::floor(x), top = sycl::floor(y), to_right = x - left, to_bottom = y - top;
      const int x0 = sycl::clamp(static_cast<int>(left), 0, width - 1),
                x1 = sycl::clamp(static_cast<int>(left) + 1, 0, width - 1);
      const int y0 = sycl::clamp(static_cast<int>(top), 0, height - 1),
                y1 = sycl::clamp(static_cast<int>(top) + 1, 0, height - 1);
      const std::uint32_t words[] = {in[y0][x0], in[y0][x1], in[y1][x0], in[y1][x1]};
      std::uint32_t result = 0;
      for (int c = 0; c < 4; ++c) {
        const float above = channel(words[0], c) * (1 - to_right) + channel(words[1], c) * to_right;
        const float under = channel(words[2], c) * (1 - to_right) + channel(words[3], c) * to_right;
        result |= packed(above * (1 - to_bottom) + under * to_bottom, c);
      }
      out[i] = result;
    });
  });
  queue.wait_and_throw();
}

} // namespace

void measure_images(report& out, const options& how, const sycl::device& device) {
  picture in(device);
  const sycl::image_sampler sampler{sycl::addressing_mode::clamp_to_edge,
                                    sycl::coordinate_normalization_mode::unnormalized,
                                    sycl::filtering_mode::linear};
  sycl::unsampled_image<2> from(in.words.data(), bytes, {width, height}), to(bytes, {width, height});
  sycl::sampled_image<2> sampled(in.words.data(), bytes, sampler, {width, height});
  from.set_write_back(false);
  sycl::buffer<std::uint32_t, 2> words(in.words.data(), pixels), results(pixels);
  words.set_write_back(false);
  const std::string picture_text = "a picture of 2048 x 1024 pixels of 4 bytes, ";
  out.add({"images",
           "read and write",
           label(device),
           picture_text + "each at half of its brightness",
           "a buffer of words",
           alternate(how.rounds, [&] { return timed([&] { darken(in.queue, from, to); }); },
                     [&] { return timed([&] { darken(in.queue, words, results); }); }),
           {goal::kind::ratio, 1.15}});
  out.add({"images",
           "linear filter",
           label(device),
           picture_text + "each as the mean of four",
           "a buffer of words",
           alternate(how.rounds, [&] { return timed([&] { shift(in.queue, sampled, to); }); },
                     [&] { return timed([&] { shift(in.queue, words, results); }); }),
           {goal::kind::ratio, 1.15}});
}

} // namespace bench
