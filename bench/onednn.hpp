// Convolutions and attention by oneDNN, as its users write them: the library chooses the layouts of its
// operands, which are reordered before the measurement. For rows of the benchmark; exists where libdnnl-dev
// is installed.
#pragma once

#include <cstddef>
#include <functional>

namespace bench {

struct image_convolution {
  int channels, filters, side, window; // window x window, padding window / 2, stride 1
  int groups = 1;
  double work() const { return 2.0 * filters * (channels / groups) * window * window * side * side; }
};
struct attention_shape {
  int heads, length, width;
  double work() const { return 4.0 * heads * length * length * width; }
};

/// Runs a convolution of one image whose elements are all 1, or attention; each call returns when it is done.
std::function<void()> onednn_convolution(const image_convolution& of);
std::function<void()> onednn_attention(const attention_shape& of);

} // namespace bench
