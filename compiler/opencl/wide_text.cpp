// Accesses to adjacent numbers, as one access of a vector where the device's build options define
// `prism_wide`, and one by one elsewhere: PoCL's LLVM makes vectors of scalar accesses only.
#include "compiler/opencl/writer.hpp"

namespace prism::compiler {
using namespace llvm;

namespace {

/// The vector access and its parts exclude each other. A fused text (image_format/fuse_opencl.hpp) gives
/// these macros other names, so that it has the parts, which it can replace.
constexpr const char* macros = R"(#ifdef prism_wide
#define prism_part(statement)
#define prism_load2(space, type, at, a, b) \
  do { const type all = *(const space prism_##type*)(at); a = all.s0; b = all.s1; } while (0)
#define prism_load4(space, type, at, a, b, c, d) \
  do { const type all = *(const space prism_##type*)(at); a = all.s0; b = all.s1; c = all.s2; d = all.s3; } \
  while (0)
#define prism_store2(space, type, at, a, b) *(space prism_##type*)(at) = (type)(a, b)
#define prism_store4(space, type, at, a, b, c, d) *(space prism_##type*)(at) = (type)(a, b, c, d)
#else
#define prism_part(statement) statement
#define prism_load2(space, type, at, a, b)
#define prism_load4(space, type, at, a, b, c, d)
#define prism_store2(space, type, at, a, b)
#define prism_store4(space, type, at, a, b, c, d)
#endif
)";

constexpr const char* vectors[] = {"uint2", "uint4", "float2", "float4", "ulong2", "double2"};

} // namespace

void function_writer::find_wide_accesses() {
  const auto is_joined = [this](const Value* pointer) {
    const pointer_space space = m_spaces.of(pointer);
    return space == pointer_space::global || space == pointer_space::local;
  };
  m_wide = wide_accesses(m_kernel, is_joined, m_layout, wide_numbers::all);
}

/// Numbers of one type that has vectors here: the parts may be numbers of several.
bool function_writer::is_written_wide(const wide_access& wide) const {
  Type* const type = getLoadStoreType(const_cast<Instruction*>(wide.parts.front()));
  return (type->isIntegerTy(32) || type->isIntegerTy(64) || type->isFloatTy() || type->isDoubleTy()) &&
         all_of(wide.parts, [&](const Instruction* part) {
    return getLoadStoreType(const_cast<Instruction*>(part)) == type;
  });
}

void function_writer::write_access(const Instruction& access) {
  const wide_access* const wide = m_wide.of(access);
  const bool is_part = wide && is_written_wide(*wide);
  if (is_part && wide->place == &access) statement(wide_statement(*wide));
  m_is_part = is_part;
  if (auto* load = dyn_cast<LoadInst>(&access)) write_load(*load);
  else write_store(cast<StoreInst>(access));
  m_is_part = false;
}

/// By the pointer of the part in whose place it stands: those of other parts may not be computed yet.
std::string function_writer::wide_statement(const wide_access& wide) {
  const Value* const pointer = getLoadStorePointerOperand(wide.place);
  const auto before = static_cast<std::uint32_t>(find(wide.parts, wide.place) - wide.parts.begin());
  const std::string count = std::to_string(wide.parts.size());
  const std::string type = type_name(getLoadStoreType(const_cast<Instruction*>(wide.parts.front()))) + count;
  m_helpers["wide"] = m_helpers["wide_" + type] = true;
  std::string text = (isa<LoadInst>(wide.place) ? "prism_load" : "prism_store") + count + "(" +
                     space_keyword(m_spaces.of(pointer)) + ", " + type + ", " + use(pointer);
  if (before != 0) text += " - " + std::to_string(before * wide.bytes);
  for (const Instruction* part : wide.parts)
    text += ", " + (isa<LoadInst>(part) ? variable(part) : use(cast<StoreInst>(part)->getValueOperand()));
  return text + ")";
}

std::string wide_helper_text(const std::map<std::string, bool>& uses) {
  if (uses.count("wide") == 0) return {};
  std::string text;
  for (const std::string vector : vectors)
    if (uses.count("wide_" + vector) != 0)
      text += "typedef " + vector + " __attribute__((may_alias)) prism_" + vector + ";\n";
  return text + macros;
}

} // namespace prism::compiler
