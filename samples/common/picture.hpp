// Pictures for the samples: an 8-bit RGB image and PNG output with libpng.
#pragma once

#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace samples {

struct picture {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb; // width * height * 3, row by row from the top
  picture(std::size_t w, std::size_t h) : width(w), height(h), rgb(w * h * 3) {}
  void set(std::size_t x, std::size_t y, float r, float g, float b) {
    const float channels[3] = {r, g, b};
    for (int c = 0; c < 3; ++c)
      rgb[(y * width + x) * 3 + c] = std::uint8_t(std::clamp(channels[c], 0.0f, 1.0f) * 255.0f + 0.5f);
  }
};

inline void write_png(const picture& p, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(p.width);
  image.height = png_uint_32(p.height);
  image.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&image, path.c_str(), 0, p.rgb.data(), 0, nullptr))
    throw std::runtime_error("cannot write " + path + ": " + image.message);
}

} // namespace samples
