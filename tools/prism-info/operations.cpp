#include "tools/prism-info/operations.hpp"

#include "kernels/provider/operation.hpp"
#include "kernels/provider/registry.hpp"

#include <fmt/format.h>

#include <thread>
#include <utility>
#include <vector>

namespace prism::info {
namespace {

using namespace prism::provider;

struct column {
  const open_provider* from;
  prism_provider_device device{};
  std::string title;
};

/// A column for each provider and kind of device.
std::vector<column> columns_of(const std::vector<const open_provider*>& all) {
  std::vector<column> out;
  for (const open_provider* one : all)
    for (const auto& [native, name] : {std::pair{int(PRISM_NATIVE_HOST), "host"},
                                       {int(PRISM_NATIVE_OPENCL), "opencl"},
                                       {int(PRISM_NATIVE_VULKAN), "vulkan"}}) {
      if (!one->serves(native)) continue;
      column made{one, {}, one->name + " (" + name + ")"};
      made.device.struct_size = sizeof made.device, made.device.native = native, made.device.name = name;
      made.device.threads =
          native == PRISM_NATIVE_HOST ? std::max(1u, std::thread::hardware_concurrency()) : 0;
      out.push_back(std::move(made));
    }
  return out;
}

/// "s d c z h b i"; "-" for none.
std::string types_of(const column& in, std::int32_t operation) {
  std::string out;
  for (const auto& [type, letter] : {std::pair{int(PRISM_F32), 's'},
                                     {int(PRISM_F64), 'd'},
                                     {int(PRISM_C32), 'c'},
                                     {int(PRISM_C64), 'z'},
                                     {int(PRISM_F16), 'h'},
                                     {int(PRISM_BF16), 'b'},
                                     {int(PRISM_S8), 'i'}}) {
    const prism_provider_operation what = plain_operation(operation, type, 64);
    prism_provider_support answer{};
    answer.struct_size = sizeof answer;
    in.from->table->query(in.from->state, &in.device, &what, &answer);
    if (answer.supported) out += std::string(out.empty() ? "" : " ") + letter;
  }
  return out.empty() ? "-" : out;
}

} // namespace

std::string operations_text() {
  std::string out;
  const auto listed = process_registry().list();
  for (const listed_provider& one : listed) {
    if (one.open)
      out += fmt::format("{}: {} {}, {}\n", one.name, one.open->library, one.open->library_version,
                         one.file.string());
    else
      out += fmt::format("{}: left out, {}\n", one.name.empty() ? one.file.string() : one.name, one.reason);
  }
  out += fmt::format("prism: {}, the library's own kernels, on every device\n", PRISM_VERSION);
  if (listed.empty()) out += "no provider was found; PRISM_PROVIDER_PATH names more folders to search\n";
  const auto columns = columns_of(process_registry().all());
  out += fmt::format("\n{:<10}  {:<16}", "operation", "prism (all)");
  for (const column& each : columns) out += fmt::format("  {:<16}", each.title);
  out += "\n";
  for (const operation_facts& facts : all_operations()) {
    out += fmt::format("{:<10}  {:<16}", facts.name,
                       facts.id == PRISM_GEMM     ? "s d c z h b i"
                       : facts.id == PRISM_CONV2D ? "s d h b i"
                                                  : "s d c z");
    for (const column& each : columns) out += fmt::format("  {:<16}", types_of(each, facts.id));
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  out += fmt::format(
      "\ns float, d double, c complex float, z complex double, h half, b bfloat16, i int8; d and z where the "
      "device has\n"
      "double precision; the host grants up to {} threads\n",
      std::max(1u, std::thread::hardware_concurrency()));
  return out;
}

} // namespace prism::info
