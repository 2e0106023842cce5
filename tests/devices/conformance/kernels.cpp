#include "tests/devices/conformance/kernels.hpp"

#include "devices/host/program.hpp"
#include "text_identify.hpp"
#include "text_reverse.hpp"
#include "text_scale_add.hpp"

#include <algorithm>
#include <cstring>
#if defined(PRISM_HAVE_SPIRV)
#include "spirv_identify.h"
#include "spirv_reverse.h"
#include "spirv_scale_add.h"
#endif

namespace prism::devices::conformance {
namespace {

struct block {
  std::uint32_t* words;
  std::uint32_t first, second;
};

const block& block_of(const void* closure) { return *static_cast<const block*>(closure); }

void host_scale_add(const void* closure, host::group_context* g) {
  const auto& b = block_of(closure);
  for (std::uint64_t l = 0; l < g->local_size[0]; ++l)
    if (const auto i = std::uint32_t(g->group_id[0] * g->local_size[0] + l); i < b.second)
      b.words[i] = b.words[i] * b.first + i;
}

void host_identify(const void* closure, host::group_context* g) {
  const auto& b = block_of(closure);
  const auto group =
      g->group_id[0] + g->group_count[0] * (g->group_id[1] + g->group_count[1] * g->group_id[2]);
  const auto items = g->local_size[0] * g->local_size[1] * g->local_size[2];
  for (std::uint64_t l = 0; l < items; ++l)
    b.words[group * items + l] = std::uint32_t(group * 4096 + l + b.first);
}

void host_reverse(const void* closure, host::group_context* g) {
  const auto& b = block_of(closure);
  auto* arena = static_cast<std::uint32_t*>(g->local_arena);
  const auto total = g->local_size[0] * b.first;
  for (std::uint64_t i = 0; i < total; ++i) arena[i] = std::uint32_t(g->group_id[0] * total + i);
  for (std::uint64_t i = 0; i < total; ++i) b.words[g->group_id[0] * total + i] = arena[total - 1 - i];
}

struct forms {
  const char* entry;
  const char* text;
  const std::uint32_t* spirv;
  std::uint64_t spirv_bytes;
  host::host_group_function host;
  std::uint32_t flags;
};

#if defined(PRISM_HAVE_SPIRV)
#define PRISM_SPIRV(name) spirv_##name, sizeof spirv_##name
#else
#define PRISM_SPIRV(name) nullptr, 0
#endif

const forms& forms_of(test_kernel which) {
  static const forms all[] = {
      {"scale_add", text_scale_add, PRISM_SPIRV(scale_add), host_scale_add, image::arguments_by_value},
      {"identify", text_identify, PRISM_SPIRV(identify), host_identify, 0},
      {"reverse", text_reverse, PRISM_SPIRV(reverse), host_reverse,
       image::arguments_by_value | image::uses_local_memory | image::uses_barrier},
  };
  return all[int(which)];
}

const image::kernel_record& record_of(test_kernel which) {
  static const image::pointer_slot slot[] = {{0, 3}};
  static const auto records = [] {
    std::array<image::kernel_record, 3> r{};
    for (int i = 0; i < 3; ++i) {
      const auto& f = forms_of(test_kernel(i));
      r[i].entry = r[i].display_name = f.entry;
      r[i].argument_bytes = sizeof(block);
      r[i].flags = f.flags;
      r[i].local_element_bytes = (f.flags & image::uses_local_memory) ? 4 : 1;
      r[i].content_hash = 0x1000 + i;
      r[i].slots = slot;
      r[i].slot_count = 1;
    }
    return r;
  }();
  return records[int(which)];
}

} // namespace

std::optional<kernel_source> source_for(test_kernel which, const device& d, std::string& why) {
  const auto& f = forms_of(which);
  const auto* record = &record_of(which);
  why = "the device accepts no image format";
  for (const auto kind : d.info().image_kinds) {
    if (kind == image::kind::opencl_c)
      return kernel_source{record, {kind, f.text, std::strlen(f.text), record, ""}};
    if (kind == image::kind::host_group)
      return kernel_source{record, {kind, reinterpret_cast<const void*>(f.host), 0, record, ""}};
    if (kind == image::kind::vulkan_spirv && f.spirv)
      return kernel_source{record, {kind, f.spirv, f.spirv_bytes, record, ""}};
    why = "glslangValidator (glslang-tools) was missing when the kit was built";
  }
  return std::nullopt;
}

dispatch_command make_dispatch(const kernel_source& source, kernel& built, memory& target,
                               std::uint64_t offset, std::uint32_t first, std::uint32_t second,
                               extent3 groups, extent3 local, std::uint64_t local_bytes) {
  dispatch_command d;
  d.object = &built;
  d.groups = groups;
  d.local = local;
  d.local_bytes = local_bytes;
  d.arguments.resize(sizeof(block));
  std::memcpy(d.arguments.data() + 8, &first, 4);
  std::memcpy(d.arguments.data() + 12, &second, 4);
  if (source.source.kind == image::kind::opencl_c) {
    d.slots.push_back({&target, offset, 0});
  } else {
    const std::uint64_t address = target.address() + offset;
    std::memcpy(d.arguments.data(), &address, 8);
  }
  return d;
}

} // namespace prism::devices::conformance
