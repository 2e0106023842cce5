// The parameters of the own product: their space, and what the tuning database has for them, remembered by
// device and size class until the database changes.
#include "kernels/blas/own.hpp"
#include "kernels/blas/product.hpp"
#include "kernels/provider/measured.hpp"

#include <prism/blas/measured.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

namespace prism::blas {
namespace {

std::int64_t most_in_group(const sycl::device& device) {
  return static_cast<std::int64_t>(
      std::min<std::size_t>(device.get_info<sycl::info::device::max_work_group_size>(), 256));
}

gemm_parameters read_from(const configuration& how) {
  gemm_parameters out;
  out.how =
      how.text("method") == "packed" ? gemm_parameters::method::packed : gemm_parameters::method::registers;
  out.row_tiles = static_cast<std::size_t>(how.integer("row_tiles"));
  out.depth = static_cast<std::size_t>(how.integer("depth"));
  out.tile = static_cast<std::uint32_t>(how.integer("tile"));
  out.group_y = static_cast<std::uint32_t>(how.integer("group_y"));
  out.group_x = static_cast<std::uint32_t>(how.integer("group_x"));
  return out;
}

/// As provider::measured_name has it.
std::string name_of_gemm(bool is_double) { return is_double ? "gemm double" : "gemm"; }

} // namespace

bool runs_packed(const sycl::device& device) {
  return device.get_backend() == sycl::backend::ext_prism_host ||
         (device.get_backend() == sycl::backend::opencl && device.is_cpu());
}

bool has_wide_vectors(const sycl::device& device) {
  return device.get_info<sycl::info::device::native_vector_width_float>() >= 16;
}

parameter_space gemm_space(const sycl::device& device, block_family family) {
  parameter_space s;
  const std::int64_t most = most_in_group(device);
  const bool fibonacci = family == block_family::fibonacci, packs = runs_packed(device);
  if (packs) s.choice("method", {"packed", "registers"});
  else s.choice("method", {"registers"});
  if (fibonacci) s.fibonacci("row_tiles", 1, 21).fibonacci("depth", 55, 610);
  else s.powers_of_two("row_tiles", 1, 16).powers_of_two("depth", 64, 512);
  s.integers("tile", {4, 8});
  if (fibonacci) s.fibonacci("group_y", 1, 21).fibonacci("group_x", 1, std::min<std::int64_t>(most, 144));
  else s.powers_of_two("group_y", 1, 16).powers_of_two("group_x", 1, std::min<std::int64_t>(most, 128));
  const std::int64_t depth = fibonacci ? 233 : 256;
  s.constrain([=](const configuration& c) {
    return c.text("method") == "packed"
               ? c.integer("tile") == 8 && c.integer("group_y") == 8 && c.integer("group_x") == 8
               : c.integer("row_tiles") == 8 && c.integer("depth") == depth;
  }, "row_tiles and depth belong to the packed method, tile and groups to the one by registers");
  s.constrain([most](const configuration& c) { return c.integer("group_x") * c.integer("group_y") <= most; },
              "a group has at most " + std::to_string(most) + " work-items");
  return s;
}

configuration gemm_initial(const sycl::device& device, block_family family) {
  return {{"method", std::string(runs_packed(device) ? "packed" : "registers")},
          {"row_tiles", std::int64_t(8)},
          {"depth", std::int64_t(family == block_family::fibonacci ? 233 : 256)},
          {"tile", std::int64_t(8)},
          {"group_y", std::int64_t(8)},
          {"group_x", std::int64_t(8)}};
}

tuning_key gemm_parameters_key(const sycl::device& device, double products, bool is_double) {
  return key_for(name_of_gemm(is_double) + " parameters", device, measured_version, products);
}

gemm_parameters tuned_parameters(const sycl::device& device, bool is_double, double products) {
  struct memory {
    std::mutex mutex;
    std::uint64_t changes = 0;
    std::map<std::tuple<std::size_t, bool, int>, gemm_parameters> known;
  };
  static auto* const all = new memory; // never destroyed: threads may still submit at exit
  provider::measurements& measured = provider::measurements::of_process();
  const std::uint64_t changes = measured.changes();
  const std::tuple<std::size_t, bool, int> key(std::hash<sycl::device>()(device), is_double,
                                               std::ilogb(products));
  const std::lock_guard lock(all->mutex);
  if (all->changes != changes) all->known.clear(), all->changes = changes;
  if (const auto found = all->known.find(key); found != all->known.end()) return found->second;
  const configuration initial = gemm_initial(device),
                      best = measured.parameters(name_of_gemm(is_double), device, products,
                                                 gemm_space(device), initial);
  return all->known[key] = best == initial ? gemm_parameters{} : read_from(best);
}

sycl::event detail::run_own_gemm(sycl::queue& queue, const configuration& how, const request& what,
                                 const std::vector<sycl::event>& depends) {
  if (const std::string wrong = provider::contradiction_in(what.what); !wrong.empty())
    prism::detail::refuse_view(wrong);
  refuse_aliases(what, *provider::facts_of(what.what.operation));
  require_type(queue.get_device(), what.what, "gemm_with");
  const gemm_parameters given = read_from(how);
  const bool packed = given.how == gemm_parameters::method::packed;
  const std::int64_t items = std::int64_t(given.group_y) * given.group_x;
  if ((packed && (!runs_packed(queue.get_device()) || given.row_tiles == 0 || given.depth == 0)) ||
      (!packed && (how.text("method") != "registers" || (given.tile != 4 && given.tile != 8) || items == 0 ||
                   items > most_in_group(queue.get_device()))))
    prism::detail::refuse_view("gemm_with: there is no kernel for " + how.to_text() +
                               " on this device; choose one of gemm_space");
  return blas::run_own_gemm(queue, what, depends, given);
}

} // namespace prism::blas
