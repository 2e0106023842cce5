#include "devices/vulkan/lower/phis.hpp"

#include <unordered_map>

namespace prism::devices::vulkan::lower {

namespace {

struct variable {
  id name = 0, pointer_type = 0, function = 0;
};
struct assignment {
  id variable = 0, value = 0;
};

class phi_remover {
public:
  explicit phi_remover(std::span<const word> module) : m_in(module), m_bound(module[3]) {}
  words run();

private:
  void scan(const instruction& i);
  void write(const instruction& i);
  void end_block(const instruction& terminator);

  const std::span<const word> m_in;
  id m_bound, m_function = 0, m_block = 0;
  bool m_writes_types = true, m_begins_function = false;
  words m_out, m_types, m_merge; // m_merge: a merge instruction, which comes just before the terminator
  std::unordered_map<id, id> m_pointer_types;                 // by the type pointed to
  std::unordered_map<id, id> m_variable_of;                   // by the phi
  std::unordered_map<id, std::vector<assignment>> m_assigned; // by the block that assigns
  std::vector<variable> m_variables;
};

void phi_remover::scan(const instruction& i) {
  const auto& o = i.operands;
  if (i.code == spv::OpFunction) m_function = o[1];
  if (i.code != spv::OpPhi) return;
  id& pointer_type = m_pointer_types[o[0]];
  if (pointer_type == 0) {
    pointer_type = m_bound++;
    append(m_types, spv::OpTypePointer, words{pointer_type, spv::StorageClassFunction, o[0]});
  }
  const id name = m_bound++;
  m_variables.push_back({name, pointer_type, m_function});
  m_variable_of[o[1]] = name;
  for (std::size_t k = 2; k + 1 < o.size(); k += 2) m_assigned[o[k + 1]].push_back({name, o[k]});
}

void phi_remover::end_block(const instruction& terminator) {
  for (const assignment& each : m_assigned[m_block])
    append(m_out, spv::OpStore, words{each.variable, each.value});
  m_out.insert(m_out.end(), m_merge.begin(), m_merge.end());
  m_merge.clear();
  append(m_out, terminator.code, terminator.operands);
}

void phi_remover::write(const instruction& i) {
  const auto& o = i.operands;
  switch (i.code) {
    case spv::OpFunction:
      if (m_writes_types) m_out.insert(m_out.end(), m_types.begin(), m_types.end());
      m_writes_types = false;
      m_begins_function = true;
      m_function = o[1];
      return append(m_out, i.code, o);
    case spv::OpLabel:
      m_block = o[0];
      append(m_out, i.code, o);
      if (!m_begins_function) return;
      m_begins_function = false;
      for (const variable& each : m_variables)
        if (each.function == m_function)
          append(m_out, spv::OpVariable, words{each.pointer_type, each.name, spv::StorageClassFunction});
      return;
    case spv::OpPhi: return append(m_out, spv::OpLoad, words{o[0], o[1], m_variable_of[o[1]]});
    case spv::OpLoopMerge:
    case spv::OpSelectionMerge: return append(m_merge, i.code, o);
    case spv::OpBranch:
    case spv::OpBranchConditional:
    case spv::OpSwitch:
    case spv::OpReturn:
    case spv::OpReturnValue:
    case spv::OpKill:
    case spv::OpUnreachable: return end_block(i);
    default: append(m_out, i.code, o);
  }
}

words phi_remover::run() {
  for_each(m_in, [&](const instruction& i) { scan(i); });
  m_out.assign(m_in.begin(), m_in.begin() + header_words);
  for_each(m_in, [&](const instruction& i) { write(i); });
  m_out[3] = m_bound;
  return std::move(m_out);
}

} // namespace

words without_phis(std::span<const word> module) { return phi_remover(module).run(); }

} // namespace prism::devices::vulkan::lower
