#include "kernels/provider/module.hpp"

#include "devices/api/private_folder.hpp"

#include <dlfcn.h>
#include <string_view>
#include <unistd.h>

namespace prism::provider {

std::string mismatch_of(const prism_provider& table, const std::string& name) {
  // The version comes first: in another version struct_size may have another meaning.
  if (table.struct_size < offsetof(prism_provider, abi) + sizeof table.abi)
    return "its table has " + std::to_string(table.struct_size) +
           " bytes, too few to contain its version; rebuild it against this PRISM's prism/provider.h";
  if (table.abi != PRISM_PROVIDER_ABI)
    return "it implements version " + std::to_string(table.abi) +
           " of the provider interface, this PRISM has version " + std::to_string(PRISM_PROVIDER_ABI) +
           "; rebuild it against this PRISM's prism/provider.h";
  if (table.struct_size < sizeof(prism_provider))
    return "its table has " + std::to_string(table.struct_size) + " bytes instead of " +
           std::to_string(sizeof(prism_provider)) + "; rebuild it against this PRISM's prism/provider.h";
  if (!table.name || !*table.name) return "it has no name";
  const std::string_view own = table.name;
  if (own.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != own.npos)
    return "its name '" + std::string(own) + "' has other characters than lower-case letters, digits and '-'";
  if (!name.empty() && own != name)
    return "its name is '" + std::string(own) + "'; its file must be named " + std::string(own) + ".so";
  if (!table.version || !table.library) return "its version or its library's name is null";
  if (!table.open || !table.query || !table.plan || !table.run || !table.drop || !table.close)
    return "one of its six functions is null";
  constexpr std::uint32_t known =
      1u << PRISM_NATIVE_HOST | 1u << PRISM_NATIVE_OPENCL | 1u << PRISM_NATIVE_VULKAN;
  if ((table.natives & known) == 0) return "it supports no kind of device of this PRISM";
  return {};
}

module load_module(const std::filesystem::path& file, const std::string& name) {
  if (const std::string why = why_not_trusted(file); !why.empty()) return {nullptr, "the file " + why};
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const why = dlerror();
    return {nullptr, std::string("it cannot be loaded: ") + (why ? why : "unknown reason")};
  }
  const auto refuse = [library](std::string why) {
    dlclose(library);
    return module{nullptr, std::move(why)};
  };
  const auto entry = reinterpret_cast<prism_provider_entry_function>(dlsym(library, PRISM_PROVIDER_ENTRY));
  if (!entry) return refuse("it does not export " PRISM_PROVIDER_ENTRY);
  const prism_provider* const table = entry();
  if (!table) return refuse("its " PRISM_PROVIDER_ENTRY " returned nothing");
  if (std::string why = mismatch_of(*table, name); !why.empty()) return refuse(std::move(why));
  return {table, {}};
}

} // namespace prism::provider
