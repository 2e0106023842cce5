// Functions of prism_array_call for NumPy's files (prism/npy.hpp), and prism_npz_names. Errors name the file
// and the reason.
#include "bindings/c/arrays.hpp"

#include <prism/npy.hpp>

#include <algorithm>

namespace prism::c_interface {
namespace {

using arguments = const given_arguments&;
using results = std::vector<any_array>;

results call_savez(arguments a, int) {
  const std::vector<std::string> names = a.texts(1);
  const std::vector<any_array> arrays = a.arrays(2);
  if (names.size() != arrays.size())
    throw failure(PRISM_INVALID,
                  std::to_string(names.size()) + " names for " + std::to_string(arrays.size()) + " arrays");
  named_arrays all;
  for (std::size_t i = 0; i < names.size(); ++i) all.emplace_back(names[i], arrays[i]);
  savez(a.text(0), all, a.flag(3, false) ? npz_compression::deflate : npz_compression::none);
  return {};
}

results call_load_npz(arguments a, int) {
  const std::string path = a.text(0);
  named_arrays all = load_npz(path, a.device());
  results out;
  if (!a.has(1)) {
    for (auto& [name, array] : all) out.push_back(std::move(array));
    return out;
  }
  for (const std::string& name : a.texts(1)) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == name; });
    if (found == all.end()) throw failure(PRISM_NOT_FOUND, path + " has no array \"" + name + "\"");
    out.push_back(found->second);
  }
  return out;
}

} // namespace

std::vector<array_function> file_functions() {
  return {{"save", "path array",
           [](arguments a, int) {
    save(a.text(0), a.array(1));
    return results{};
  }},
          {"load", "path", [](arguments a, int) { return results{load(a.text(0), a.device())}; }},
          {"savez", "path names arrays compressed=false", call_savez},
          {"load_npz", "path names=", call_load_npz}};
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_npz_names(const char* path, char* text, size_t capacity, size_t* needed,
                             prism_error** error) {
  return guarded("prism_npz_names", error, [&] {
    std::string out;
    for (const std::string& name : prism::npz_names(required(path, "path"))) out += name + "\n";
    give_text(out, text, capacity, needed);
  });
}
}
