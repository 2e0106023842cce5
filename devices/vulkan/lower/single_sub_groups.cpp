#include "devices/vulkan/lower/single_sub_groups.hpp"

#include "devices/vulkan/lower/sub_group_steps.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace prism::devices::vulkan::lower {

namespace {

/// OpGroupNonUniformElect to OpGroupNonUniformQuadSwap.
bool is_sub_group_operation(spv::Op code) {
  return code >= spv::OpGroupNonUniformElect && code <= spv::OpGroupNonUniformQuadSwap;
}

bool is_sub_group_capability(word capability) {
  return capability >= spv::CapabilityGroupNonUniform && capability <= spv::CapabilityGroupNonUniformQuad;
}

class replacer {
public:
  explicit replacer(std::span<const word> module) : m_in(module), m_bound(module[3]) {}

  words run() {
    for_each(m_in, [&](const instruction& i) { scan(i); });
    if (!m_has_sub_groups) return {m_in.begin(), m_in.end()};
    m_out.assign(m_in.begin(), m_in.begin() + header_words);
    for_each(m_in, [&](const instruction& i) {
      if (i.code == spv::OpFunction && m_one == 0) declare_numbers();
      if (!replace(i)) append(m_out, i.code, i.operands);
    });
    m_out[3] = m_bound;
    return std::move(m_out);
  }

private:
  void scan(const instruction& i) {
    const auto& o = i.operands;
    switch (i.code) {
      case spv::OpCapability: m_has_sub_groups |= is_sub_group_capability(o[0]); break;
      case spv::OpMemoryBarrier: m_has_sub_groups |= is_sub_group(o[0]); break;
      case spv::OpTypeInt:
        if (o[1] == 32) m_u32 = o[0];
        m_bits[o[0]] = o[1];
        break;
      case spv::OpTypeFloat: m_bits[o[0]] = o[1]; break;
      case spv::OpConstant:
        if (o[0] == m_u32 && o[2] == spv::ScopeSubgroup) m_scope = o[1];
        break;
      case spv::OpDecorate:
        if (o[1] != spv::DecorationBuiltIn) break;
        if (o[2] == spv::BuiltInSubgroupSize || o[2] == spv::BuiltInSubgroupLocalInvocationId)
          m_numbers[o[0]] = o[2];
        break;
      default:
        if (is_exclusive_scan(i)) m_identities[{o[0], i.code}] = 0;
        break;
    }
  }

  static bool is_exclusive_scan(const instruction& i) {
    return is_sub_group_arithmetic(i.code) && i.operands[3] == spv::GroupOperationExclusiveScan;
  }
  bool is_sub_group(id scope) const { return m_scope != 0 && scope == m_scope; }

  void declare_numbers() {
    m_zero = m_bound++;
    m_one = m_bound++;
    append(m_out, spv::OpConstant, words{m_u32, m_zero, 0});
    append(m_out, spv::OpConstant, words{m_u32, m_one, 1});
    for (auto& [scan, identity] : m_identities) {
      identity = m_bound++;
      words constant{scan.first, identity};
      for (const word part : identity_of(scan.second, m_bits[scan.first])) constant.push_back(part);
      append(m_out, spv::OpConstant, constant);
    }
  }

  /// Writes what takes the instruction's place; false if it stays.
  bool replace(const instruction& i) {
    const auto& o = i.operands;
    switch (i.code) {
      case spv::OpCapability: return is_sub_group_capability(o[0]);
      case spv::OpEntryPoint: return write_entry_point(i);
      case spv::OpName: return m_numbers.count(o[0]) != 0;
      case spv::OpDecorate:
        if (o[1] != spv::DecorationBuiltIn || o[2] != spv::BuiltInSubgroupId)
          return m_numbers.count(o[0]) != 0;
        append(m_out, i.code, words{o[0], o[1], spv::BuiltInLocalInvocationIndex});
        return true;
      case spv::OpVariable: return m_numbers.count(o[1]) != 0;
      case spv::OpLoad:
        if (const auto found = m_numbers.find(o[2]); found != m_numbers.end())
          return copy(i, found->second == spv::BuiltInSubgroupSize ? m_one : m_zero);
        return false;
      case spv::OpControlBarrier: return is_sub_group(o[0]);
      case spv::OpMemoryBarrier: return is_sub_group(o[0]);
      case spv::OpGroupNonUniformShuffle: return copy(i, o[3]);
      case spv::OpGroupNonUniformBallot: return write_ballot(i);
      default:
        if (is_exclusive_scan(i)) return copy(i, m_identities.at({o[0], i.code}));
        if (is_sub_group_arithmetic(i.code) && o[3] <= spv::GroupOperationInclusiveScan) return copy(i, o[4]);
        if (is_sub_group_operation(i.code))
          throw refused{"the sub-group operation " + std::to_string(i.code) + " of SPIR-V"};
        return false;
    }
  }

  bool copy(const instruction& i, id value) {
    append(m_out, spv::OpCopyObject, words{i.operands[0], i.operands[1], value});
    return true;
  }

  bool write_ballot(const instruction& i) {
    const id bit = m_bound++;
    append(m_out, spv::OpSelect, words{m_u32, bit, i.operands[3], m_one, m_zero});
    append(m_out, spv::OpCompositeConstruct,
           words{i.operands[0], i.operands[1], bit, m_zero, m_zero, m_zero});
    return true;
  }

  bool write_entry_point(const instruction& i) {
    words operands(i.operands.begin(), i.operands.begin() + 2);
    std::size_t at = 2;
    do { // the name, which ends in a word with a zero byte
      if (at == i.operands.size()) throw refused{"the module is damaged"};
      operands.push_back(i.operands[at]);
    } while ((i.operands[at++] >> 24) != 0);
    std::copy_if(i.operands.begin() + std::ptrdiff_t(at), i.operands.end(), std::back_inserter(operands),
                 [&](id variable) { return m_numbers.count(variable) == 0; });
    append(m_out, i.code, operands);
    return true;
  }

  const std::span<const word> m_in;
  words m_out;
  id m_bound, m_u32 = 0, m_scope = 0, m_zero = 0, m_one = 0;
  bool m_has_sub_groups = false;
  std::unordered_map<id, unsigned> m_bits;           // by the type
  std::map<std::pair<id, spv::Op>, id> m_identities; // by the type and the operation of a scan
  std::unordered_map<id, word> m_numbers; // the built-ins that become constants, by their variables
};

} // namespace

words with_single_sub_groups(std::span<const word> module) { return replacer(module).run(); }

} // namespace prism::devices::vulkan::lower
