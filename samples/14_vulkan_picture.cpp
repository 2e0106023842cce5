// A field that PRISM computes is drawn by a Vulkan program of its own, without a copy and without a window.
// "files": each program has a device; PRISM exports the field's memory, the renderer imports it; the renderer
// exports the pixels, PRISM imports them. "device": PRISM runs on the renderer's device and fills the
// renderer's buffer; the drawing waits for the kernel on the device. The picture is checked against one made
// on the host.
//   14_vulkan_picture [points] [file] [files|device]
#include "samples/common/picture.hpp"
#include "samples/vulkan_picture/renderer.hpp"

#include <prism/prism.hpp>
#include <sycl/backend/ext_prism_vulkan.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

namespace syclexp = sycl::ext::oneapi::experimental;

/// Rings around the middle of an n by n picture, from -1 to 1.
float field_at(std::size_t row, std::size_t column, std::size_t n) {
  const float y = 2.0f * float(row) / float(n) - 1, x = 2.0f * float(column) / float(n) - 1;
  return sycl::sin(40.0f * (x * x + y * y)) * sycl::exp(-(x * x + y * y));
}

samples::picture picture_of(const std::vector<std::uint8_t>& rgba, std::size_t n) {
  samples::picture out(n, n);
  for (std::size_t i = 0; i < n * n; ++i)
    for (std::size_t c = 0; c < 3; ++c) out.rgb[3 * i + c] = rgba[4 * i + c];
  return out;
}

sycl::event fill(sycl::queue& queue, float* field, std::size_t n) {
  return queue.parallel_for(sycl::range(n, n),
                            [=](sycl::id<2> i) { field[i[0] * n + i[1]] = field_at(i[0], i[1], n); });
}

samples::picture drawn_on_its_device(const std::string& name, std::size_t n) {
  constexpr auto vulkan = sycl::backend::ext_prism_vulkan;
  samples::renderer renderer(name);
  const auto needs =
      prism::vulkan::requirements_of(renderer.instance(), renderer.version, renderer.physical());
  renderer.open(needs.extensions, needs.features);
  prism::vulkan::device_handles handles;
  handles.instance = renderer.instance();
  handles.api_version = renderer.version;
  handles.physical_device = renderer.physical();
  handles.device = renderer.device();
  handles.created = &renderer.created();
  handles.queue_family = renderer.family();
  handles.lock = [&] { renderer.queue_lock().lock(); };
  handles.unlock = [&] { renderer.queue_lock().unlock(); };
  const sycl::device device = sycl::make_device<vulkan>(handles);
  std::vector<std::uint8_t> rgba;
  {
    sycl::queue queue(device);
    const VkBuffer buffer = renderer.make_field(n * n);
    auto* const field = static_cast<float*>(
        prism::vulkan::map_buffer({buffer, 0, n * n * sizeof(float), samples::renderer::field_usage}, queue));
    const sycl::event filled = fill(queue, field, n);
    const auto point = sycl::get_native<vulkan>(filled);
    rgba = renderer.draw_own(std::uint32_t(n), std::uint32_t(n), point.semaphore, point.value);
    sycl::free(field, queue);
  }
  prism::vulkan::give_back(device);
  return picture_of(rgba, n);
}

samples::picture drawn_through_files(sycl::queue& queue, std::size_t n) {
  auto* const field = static_cast<float*>(prism::malloc_exportable(n * n * sizeof(float), queue));
  if (!field) throw std::runtime_error("out of device memory");
  fill(queue, field, n).wait(); // PRISM orders nothing between the programs
  const prism::exported_memory shared = prism::export_memory(field, queue);
  samples::renderer renderer(queue.get_device().get_info<sycl::info::device::name>());
  renderer.open({VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME}, nullptr);
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
  return picture_of(rgba, n);
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 256;
  const std::string path = argc > 2 ? argv[2] : "vulkan_picture.png";
  const bool shares_device = argc > 3 && std::strcmp(argv[3], "device") == 0;
  try {
    sycl::queue queue;
    const std::string name = queue.get_device().get_info<sycl::info::device::name>();
    const samples::picture seen =
        shares_device ? drawn_on_its_device(name, n) : drawn_through_files(queue, n);
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
                name.c_str(), n * n, largest, largest <= 1 ? "right" : "WRONG");
    return largest <= 1 ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "14_vulkan_picture: %s\n", e.what());
    return 1;
  }
}
