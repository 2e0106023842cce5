// Memory shared by file descriptors: <sycl/ext/oneapi/experimental/external_memory.hpp>,
// <prism/export_memory.hpp>.
#include "runtime/api/impl.hpp"
#include "runtime/engine/external.hpp"

#include <prism/export_memory.hpp>
#include <sycl/ext/oneapi/experimental/external_memory.hpp>

#include <unistd.h>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

using sycl::detail::access_impl;

namespace {

prism::usm_info found(const void* pointer, const context& in, const char* call) {
  const auto info = prism::usm_find(pointer);
  if (!info || info->context != access_impl::get(in).get())
    sycl::detail::throw_error(errc::invalid,
                              std::string(call) + ": no imported memory of the context is there");
  return *info;
}

} // namespace

external_mem import_external_memory(external_mem_descriptor<resource_fd> from, const device& on,
                                    const context& in) {
  const auto& impl = access_impl::get(on);
  const auto& where = access_impl::get(in);
  where->require(impl, "import_external_memory");
  const int descriptor = from.external_resource.file_descriptor;
  if (from.size_in_bytes == 0)
    sycl::detail::throw_error(errc::invalid, "import_external_memory: size_in_bytes is 0");
  if (descriptor < 0)
    sycl::detail::throw_error(errc::invalid,
                              "import_external_memory: the file descriptor is " + std::to_string(descriptor));
  void* const base = sycl::detail::guarded([&] {
    return prism::usm_import(where->working(impl)->node(), descriptor, from.size_in_bytes, where.get());
  }, where);
  close(descriptor);
  return {base};
}

void* map_external_linear_memory(external_mem memory, std::uint64_t offset, std::uint64_t bytes,
                                 const device&, const context& in) {
  const auto info = found(memory.raw_handle, in, "map_external_linear_memory");
  if (bytes == 0 || offset > info.bytes || bytes > info.bytes - offset)
    sycl::detail::throw_error(errc::invalid, "map_external_linear_memory: " + std::to_string(bytes) +
                                                 " bytes from byte " + std::to_string(offset) +
                                                 " are not in the memory's " + std::to_string(info.bytes));
  return static_cast<std::byte*>(info.base) + offset;
}

void unmap_external_linear_memory(void* mapped, const device&, const context& in) {
  found(mapped, in, "unmap_external_linear_memory");
}

void release_external_memory(external_mem memory, const device&, const context& in) {
  found(memory.raw_handle, in, "release_external_memory");
  sycl::free(memory.raw_handle, in);
}

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

namespace prism {

void* malloc_exportable(std::size_t bytes, const sycl::queue& on) {
  const auto& queue = sycl::detail::access_impl::get(on);
  const auto& where = queue->context();
  return sycl::detail::guarded([&] {
    return usm_allocate_exportable(where->working(queue->device())->node(), bytes, where.get());
  }, where);
}

exported_memory export_memory(const void* allocation, const sycl::queue& on) {
  const auto& where = sycl::detail::access_impl::get(on)->context();
  const devices::exported_memory made =
      sycl::detail::guarded([&] { return usm_export(allocation, where.get()); }, where);
  return {made.descriptor, std::size_t(made.bytes), made.memory_type};
}

} // namespace prism
