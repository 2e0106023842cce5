// A field that PRISM computes is drawn by a Vulkan program of its own, without a copy and without a window:
// PRISM exports the field's memory, the renderer imports it; the renderer exports the pixels, PRISM imports
// them. The picture is checked against one made on the host.
//   14_vulkan_picture [points] [file]
#include "samples/common/picture.hpp"
#include "samples/vulkan_picture/renderer.hpp"

#include <prism/prism.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

namespace syclexp = sycl::ext::oneapi::experimental;

/// Rings around the middle of an n by n picture, from -1 to 1.
float field_at(std::size_t row, std::size_t column, std::size_t n) {
  const float y = 2.0f * float(row) / float(n) - 1, x = 2.0f * float(column) / float(n) - 1;
  return sycl::sin(40.0f * (x * x + y * y)) * sycl::exp(-(x * x + y * y));
}

samples::picture drawn(sycl::queue& queue, std::size_t n) {
  auto* const field = static_cast<float*>(prism::malloc_exportable(n * n * sizeof(float), queue));
  if (!field) throw std::runtime_error("out of device memory");
  queue
      .parallel_for(sycl::range(n, n), [=](sycl::id<2> i) {
    field[i[0] * n + i[1]] = field_at(i[0], i[1], n);
  }).wait(); // PRISM orders nothing between the programs
  const prism::exported_memory shared = prism::export_memory(field, queue);
  samples::renderer renderer(queue.get_device().get_info<sycl::info::device::name>());
  const samples::shared_memory made = renderer.draw({shared.descriptor, shared.bytes, shared.memory_type},
                                                    std::uint32_t(n), std::uint32_t(n));
  const auto imported = syclexp::import_external_memory(
      syclexp::external_mem_descriptor<syclexp::resource_fd>{
          {made.descriptor}, syclexp::external_mem_handle_type::opaque_fd, made.bytes},
      queue);
  const void* const pixels = syclexp::map_external_linear_memory(imported, 0, n * n * 4, queue);
  std::vector<std::uint8_t> rgba(n * n * 4);
  queue.memcpy(rgba.data(), pixels, rgba.size()).wait();
  syclexp::release_external_memory(imported, queue);
  sycl::free(field, queue);
  samples::picture out(n, n);
  for (std::size_t i = 0; i < n * n; ++i)
    for (std::size_t c = 0; c < 3; ++c) out.rgb[3 * i + c] = rgba[4 * i + c];
  return out;
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 256;
  const std::string path = argc > 2 ? argv[2] : "vulkan_picture.png";
  try {
    sycl::queue queue;
    const samples::picture seen = drawn(queue, n);
    samples::picture expected(n, n);
    int largest = 0;
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t column = 0; column < n; ++column) {
        const float v = field_at(row, column, n);
        expected.set(column, row, std::fmax(v, 0.0f), v * v, std::fmax(-v, 0.0f));
      }
    for (std::size_t i = 0; i < seen.rgb.size(); ++i)
      largest = std::max(largest, std::abs(int(seen.rgb[i]) - int(expected.rgb[i])));
    samples::write_png(seen, path);
    std::printf("%s drew %zu points; the largest difference from the host's picture is %d of 255: %s\n",
                queue.get_device().get_info<sycl::info::device::name>().c_str(), n * n, largest,
                largest <= 1 ? "right" : "WRONG");
    return largest <= 1 ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "14_vulkan_picture: %s\n", e.what());
    return 1;
  }
}
