#include "devices/vulkan/lower/dot_products.hpp"

#include <string_view>

namespace prism::devices::vulkan::lower {

namespace {

bool is_dot_product(spv::Op code) { return code >= spv::OpSDotKHR && code <= spv::OpSUDotAccSatKHR; }

bool is_capability_of_dot_products(word capability) {
  return capability >= spv::CapabilityDotProductInputAllKHR && capability <= spv::CapabilityDotProductKHR;
}

bool is_extension_of_dot_products(std::span<const word> name) {
  const std::string_view text(reinterpret_cast<const char*>(name.data()), name.size_bytes());
  return text.substr(0, text.find('\0')) == "SPV_KHR_integer_dot_product";
}

class divider {
public:
  explicit divider(std::span<const word> module) : m_in(module), m_bound(module[3]) {}

  words run() {
    bool has_any = false;
    for_each(m_in, [&](const instruction& i) { has_any |= is_dot_product(i.code); });
    if (!has_any) return {};
    m_out.assign(m_in.begin(), m_in.begin() + header_words);
    for_each(m_in, [&](const instruction& i) {
      const auto& o = i.operands;
      if (i.code == spv::OpCapability && is_capability_of_dot_products(o[0])) return;
      if (i.code == spv::OpExtension && is_extension_of_dot_products(o)) return;
      if (i.code == spv::OpTypeInt && o[1] == 32) m_u32 = o[0];
      if (i.code == spv::OpFunction && !m_has_constants) declare_constants();
      if (is_dot_product(i.code)) write_products(i);
      else append(m_out, i.code, o);
    });
    m_out[3] = m_bound;
    return std::move(m_out);
  }

private:
  void declare_constants() {
    m_has_constants = true;
    for (word value = 8; value <= 24; value += 8) {
      append(m_out, spv::OpConstant, words{m_u32, m_bound, value});
      m_shifts[value / 8] = m_bound++;
    }
    append(m_out, spv::OpConstant, words{m_u32, m_bound, 255});
    m_byte_mask = m_bound++;
  }

  id emit(spv::Op code, id a, id b) {
    append(m_out, code, words{m_u32, m_bound, a, b});
    return m_bound++;
  }

  /// The byte as a number of 32 bits.
  id byte_of(id packed, unsigned index, bool is_signed) {
    if (!is_signed) {
      const id low = index == 0 ? packed : emit(spv::OpShiftRightLogical, packed, m_shifts[index]);
      return index == 3 ? low : emit(spv::OpBitwiseAnd, low, m_byte_mask);
    }
    const id high = index == 3 ? packed : emit(spv::OpShiftLeftLogical, packed, m_shifts[3 - index]);
    return emit(spv::OpShiftRightArithmetic, high, m_shifts[3]);
  }

  void write_products(const instruction& i) {
    const auto& o = i.operands;
    const bool is_packed =
        o.size() == 5 && o[0] == m_u32 && o[4] == spv::PackedVectorFormatPackedVectorFormat4x8BitKHR;
    if (!is_packed || i.code > spv::OpSUDotKHR)
      throw refused{"the dot product " + std::to_string(i.code) + " of SPIR-V"};
    const bool first_is_signed = i.code != spv::OpUDotKHR, second_is_signed = i.code == spv::OpSDotKHR;
    id sum = 0;
    for (unsigned index = 0; index < 4; ++index) {
      const id a = byte_of(o[2], index, first_is_signed), b = byte_of(o[3], index, second_is_signed);
      const id product = emit(spv::OpIMul, a, b);
      if (index == 3) append(m_out, spv::OpIAdd, words{m_u32, o[1], sum, product});
      else sum = index == 0 ? product : emit(spv::OpIAdd, sum, product);
    }
  }

  const std::span<const word> m_in;
  words m_out;
  id m_bound, m_u32 = 0, m_byte_mask = 0;
  id m_shifts[4] = {}; // constants of 8 times the index
  bool m_has_constants = false;
};

} // namespace

words without_dot_products(std::span<const word> module) { return divider(module).run(); }

} // namespace prism::devices::vulkan::lower
