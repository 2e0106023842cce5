// A separate file, because the plugin would compile definitions in a kernel's file as device code.
#include "host_position.hpp"

#include <sycl/detail/kernel_abi.hpp>

#include "devices/api/image.hpp"

work_item_position host_position;

extern "C" {
int __prism_host_isa = 0; // selects the baseline copies
std::uint64_t __prism_local_id(std::uint32_t d) noexcept { return host_position.local[d]; }
std::uint64_t __prism_group_id(std::uint32_t d) noexcept { return host_position.group[d]; }
std::uint64_t __prism_local_size(std::uint32_t d) noexcept { return host_position.size[d]; }
std::uint64_t __prism_group_count(std::uint32_t d) noexcept { return host_position.count[d]; }
void* __prism_local_arena() noexcept { return nullptr; }
void* __prism_group_scratch(std::uint64_t) noexcept { return nullptr; }
void __prism_barrier(std::uint32_t) noexcept {}
void __prism_fence(std::uint32_t, std::uint32_t) noexcept {}
void __prism_register_module(prism::image::module_node* node) noexcept {
  for (std::uint64_t i = 0; i < node->kernel_count; ++i) node->slots[i]->record = &node->records[i];
}
void __prism_unregister_module(prism::image::module_node*) noexcept {}
}
