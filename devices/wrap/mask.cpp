#include "devices/wrap/mask.hpp"

#include "devices/wrap/forward.hpp"

#include <algorithm>
#include <charconv>

namespace prism::devices::wrap {

namespace {

constexpr struct {
  const char* name;
  std::uint64_t bits;
} features[] = {
    {"fp16", image::fp16},
    {"fp64", image::fp64},
    {"int8", image::int8},
    {"int16", image::int16},
    {"int64", image::int64},
    {"int64_atomics", image::int64_atomics},
    {"float_atomic_add", image::float_atomic_add},
    {"memory_model", image::memory_model},
    {"subgroups", image::sub_groups},
    {"sub_groups", image::sub_groups},
    {"signed_zero_inf_nan", image::signed_zero_inf_nan},
    {"fp16_storage", image::fp16_storage},
    {"fused_multiply_add", image::fused_multiply_add},
    {"clock_sub_group", image::clock_sub_group},
    {"clock_device", image::clock_device},
    {"cooperative_matrix", image::cooperative_matrix},
};

[[noreturn]] void refuse_mask(const std::string& term, const std::string& why) {
  throw device_error(
      error_category::invalid, "",
      "mask \"" + term + "\": " + why +
          "; known: fp16, fp64, int64_atomics and the other features of prism-info, usm, usm_device, "
          "usm_host, usm_shared, usm_system, profiling, local_memory=N, max_group_size=N, memory=N, "
          "max_allocation=N");
}

void hide(capabilities& c, const std::string& term) {
  for (const auto& f : features)
    if (term == f.name) {
      c.features &= ~f.bits;
      if (f.bits == image::sub_groups) c.sub_group_sizes = {1};
      return;
    }
  if (term == "atomic_orders") {
    c.atomic_orders = {0}; // relaxed
    return;
  }
  const bool all = term == "usm";
  if (!all && term != "usm_device" && term != "usm_host" && term != "usm_shared" && term != "usm_system" &&
      term != "profiling")
    refuse_mask(term, "there is no such feature");
  if (all || term == "usm_device") c.usm_device = false;
  if (all || term == "usm_host") c.usm_host = c.usm_atomic_host = false;
  if (all || term == "usm_shared") c.usm_shared = c.usm_atomic_shared = false;
  if (all || term == "usm_system") c.usm_system = false;
  if (term == "profiling") c.profiling = false;
}

void lower(capabilities& c, const std::string& term, const std::string& name, std::uint64_t to) {
  if (name == "local_memory") c.local_memory = std::min(c.local_memory, to);
  else if (name == "memory")
    c.global_memory = std::min(c.global_memory, to), c.max_allocation = std::min(c.max_allocation, to);
  else if (name == "max_allocation") c.max_allocation = std::min(c.max_allocation, to);
  else if (name == "max_group_size") {
    c.max_group_size = std::min(c.max_group_size, std::max<std::uint64_t>(to, 1));
    for (auto& size : c.max_local_size) size = std::min(size, c.max_group_size);
  } else refuse_mask(term, "there is no such limit");
}

} // namespace

mask read_mask(const std::string& text) {
  mask m;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    m.terms.push_back(text.substr(begin, end - begin));
    std::erase(m.terms.back(), ' ');
    begin = end + 1;
  }
  masked({}, m); // throws for an unknown term
  return m;
}

capabilities masked(capabilities c, const mask& by) {
  for (const std::string& term : by.terms) {
    const std::size_t equals = term.find('=');
    if (equals == term.npos) {
      hide(c, term);
      continue;
    }
    std::uint64_t to = 0;
    const char* last = term.data() + term.size();
    if (equals + 1 == term.size() || std::from_chars(term.data() + equals + 1, last, to).ptr != last)
      refuse_mask(term, "it needs a whole number of bytes or items");
    lower(c, term, term.substr(0, equals), to);
  }
  return c;
}

std::unique_ptr<device> make_masked(std::unique_ptr<device> whole, const mask& by) {
  capabilities info = masked(whole->info(), by); // all that changes: nothing else knows of the mask
  return std::make_unique<passing_device>(std::move(whole), std::move(info));
}

} // namespace prism::devices::wrap
