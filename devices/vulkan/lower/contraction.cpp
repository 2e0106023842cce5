#include "devices/vulkan/lower/contraction.hpp"

#include <unordered_set>

namespace prism::devices::vulkan::lower {

words without_contraction(std::span<const word> module) {
  std::unordered_set<id> exact;
  words added;
  for_each(module, [&](const instruction& i) {
    const auto& o = i.operands;
    if (i.code == spv::OpDecorate && o.size() == 2 && o[1] == spv::DecorationNoContraction)
      exact.insert(o[0]);
    if ((i.code == spv::OpFAdd || i.code == spv::OpFSub || i.code == spv::OpFMul) &&
        exact.insert(o[1]).second)
      append(added, spv::OpDecorate, words{o[1], spv::DecorationNoContraction});
  });
  words out(module.begin(), module.begin() + header_words);
  for_each(module, [&](const instruction& i) {
    // Annotations come before types, constants and variables, the first of which may be a forward pointer.
    const bool ends_annotations = spv::OpTypeVoid <= i.code && i.code <= spv::OpTypeForwardPointer;
    if (ends_annotations && !added.empty()) {
      out.insert(out.end(), added.begin(), added.end());
      added.clear();
    }
    append(out, i.code, i.operands);
  });
  return out;
}

} // namespace prism::devices::vulkan::lower
