// Copies between memory and images of programs that call Vulkan: <sycl/backend/ext_prism_vulkan.hpp>.
#include "runtime/api/command_group.hpp"
#include "runtime/api/interop_vulkan.hpp"

#include <sycl/backend/ext_prism_vulkan.hpp>

namespace prism {
namespace vulkan {
namespace detail {

namespace {

using sycl::detail::handler_impl;
using sycl::detail::throw_error;

/// What lies before and behind a pointer in its allocation, in bytes.
struct allocation_sides {
  std::uint64_t before = 0, behind = 0;
};

allocation_sides sides_of(const void* pointer, const void* context) {
  const auto info = usm_find(pointer);
  if (!info || info->context != context)
    throw_error(sycl::errc::invalid,
                "copying a VkImage: the pointer is no USM allocation of the queue's context");
  const auto before =
      std::uint64_t(static_cast<const std::byte*>(pointer) - static_cast<const std::byte*>(info->base));
  return {before, info->bytes - before};
}

/// Throws unless the accessor reaches its whole buffer, as the rows of a part do not follow each other.
std::uint64_t bytes_of(handler_impl& group, const image_memory& memory) {
  const std::uint64_t all = group.buffer_of({memory.token, {}, 1})->node()->bytes();
  if (memory.bytes != all)
    throw_error(sycl::errc::invalid, "copying a VkImage: the accessor is for " +
                                         std::to_string(memory.bytes) + " bytes of a buffer of " +
                                         std::to_string(all) + ", and must be for the whole buffer");
  return all;
}

} // namespace

void copy_image(sycl::handler& group, const image_part& image, const image_memory& memory, bool into_image) {
  handler_impl& impl = handler_impl::of(group);
  const auto& context = impl.queue().context();
  auto& interop = sycl::detail::vulkan_interop_of(*impl.queue().device());
  native_kernel_argument argument;
  allocation_sides sides;
  if (memory.token != 0) {
    argument.what = native_kernel_argument::kind::accessor;
    argument.token = memory.token;
    sides.behind = bytes_of(impl, memory);
  } else {
    argument.what = native_kernel_argument::kind::pointer;
    argument.pointer = memory.pointer;
    sides = sides_of(memory.pointer, context.get());
  }
  devices::vulkan_image_copy copy = sycl::detail::guarded([&] {
    return interop.copy_image({image.image, image.created, image.region, image.before, image.after},
                              into_image);
  }, context);
  if (copy.end > sides.behind)
    throw_error(sycl::errc::invalid, "copying a VkImage: the region ends at byte " +
                                         std::to_string(copy.end) + " of memory of " +
                                         std::to_string(sides.behind));
  if (const std::uint64_t first = sides.before + copy.begin; first % copy.alignment != 0)
    throw_error(sycl::errc::invalid, "copying a VkImage: the region's first texel lies at byte " +
                                         std::to_string(first) +
                                         " of the allocation, and Vulkan wants a multiple of " +
                                         std::to_string(copy.alignment) + " for the format");
  native_kernel_request request;
  request.kernel = std::move(copy.made);
  request.arguments.push_back(std::move(argument));
  impl.set(std::move(request), "a copy of a VkImage");
}

} // namespace detail
} // namespace vulkan
} // namespace prism
