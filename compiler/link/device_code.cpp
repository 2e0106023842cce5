#include "compiler/link/device_code.hpp"

#include <stdexcept>

#include "compiler/front/extract.hpp"
#include "compiler/support/options.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr StringRef blob_magic = "PRISMBC1";
constexpr std::size_t header_bytes = 16; // magic, length of the bitcode
constexpr StringRef kernels_node = "prism.pending", targets_node = "prism.targets";

std::string bitcode_of(const Module& module) {
  std::string bytes;
  raw_string_ostream stream(bytes);
  WriteBitcodeToFile(module, stream);
  return bytes;
}

/// A name that only files with the same device code share. Such files may share the object too.
void give_name(GlobalVariable& variable, const std::string& prefix, unsigned number) {
  if (!variable.hasLocalLinkage()) return;
  variable.setName(prefix + std::to_string(number));
  variable.setLinkage(GlobalValue::LinkOnceODRLinkage);
  variable.setVisibility(GlobalValue::HiddenVisibility);
  variable.setComdat(variable.getParent()->getOrInsertComdat(variable.getName()));
}

void add_text(NamedMDNode& node, ArrayRef<std::string> texts) {
  SmallVector<Metadata*> operands;
  for (const std::string& text : texts)
    operands.push_back(MDString::get(node.getParent()->getContext(), text));
  node.addOperand(MDNode::get(node.getParent()->getContext(), operands));
}

/// The variable with the bitcode, in the section.
GlobalVariable* write_section(Module& host, const std::string& bitcode, const char* section) {
  std::string bytes = blob_magic.str();
  const std::uint64_t length = bitcode.size();
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += bitcode;
  bytes.resize(alignTo(bytes.size(), 8));
  Constant* data = ConstantDataArray::getString(host.getContext(), bytes, false);
  auto* variable =
      new GlobalVariable(host, data->getType(), true, GlobalValue::PrivateLinkage, data, "prism.device_code");
  variable->setSection(section);
  GlobalValue::SanitizerMetadata
      unwatched; // -fsanitize=address would pad it, and read_device_code finds no padding
  unwatched.NoAddress = unwatched.NoHWAddress = true;
  variable->setSanitizerMetadata(unwatched);
  variable->setAlignment(Align(8));
  return variable;
}

/// Specialisation constants and device_globals are found by the addresses of hidden objects.
bool reads_objects(const Function& function) {
  return any_of(reachable_from(function), [](const GlobalValue* global) {
    return global->getName() == "__prism_specialization_constant" ||
           global->getName() == "__prism_device_global";
  });
}

/// Makes the object need the symbol that the link of device code defines. In llvm.used, so that linkers that
/// drop unused sections look for it too.
void need_link_step(Module& host) {
  auto* symbol = new GlobalVariable(host, Type::getInt8Ty(host.getContext()), true,
                                    GlobalValue::ExternalLinkage, nullptr, linked_symbol);
  symbol->setVisibility(GlobalValue::HiddenVisibility);
  auto* reference = new GlobalVariable(host, symbol->getType(), true, GlobalValue::PrivateLinkage, symbol,
                                       "prism.needs_link_step");
  appendToUsed(host, {reference});
}

std::string text_at(const MDNode& node, unsigned index) {
  auto* text = index < node.getNumOperands() ? dyn_cast<MDString>(node.getOperand(index)) : nullptr;
  if (!text) throw std::runtime_error("its list of kernels is damaged");
  return text->getString().str();
}

device_code parse(StringRef bitcode, LLVMContext& context) {
  Expected<std::unique_ptr<Module>> module =
      parseBitcodeFile(MemoryBufferRef(bitcode, "device code"), context);
  if (!module) throw std::runtime_error(toString(module.takeError()));
  device_code code{std::move(*module), {}, ""};
  if (NamedMDNode* kernels = code.module->getNamedMetadata(kernels_node)) {
    for (const MDNode* node : kernels->operands()) {
      std::uint32_t bytes = 0;
      if (StringRef(text_at(*node, 2)).getAsInteger(10, bytes))
        throw std::runtime_error("its list of kernels is damaged");
      code.kernels.push_back({text_at(*node, 0), text_at(*node, 1), bytes, text_at(*node, 3)});
    }
    kernels->eraseFromParent();
  }
  if (NamedMDNode* targets = code.module->getNamedMetadata(targets_node)) {
    if (targets->getNumOperands() != 0) code.targets = text_at(*targets->getOperand(0), 0);
    targets->eraseFromParent();
  }
  return code;
}

} // namespace

void add_constant_ids(const GlobalValue& global, SmallSetVector<GlobalVariable*, 8>& ids) {
  if (global.getName() != "__prism_specialization_constant" && global.getName() != "__prism_device_global")
    return;
  for (const User* user : global.users())
    if (auto* call = dyn_cast<CallBase>(user))
      if (auto* id = dyn_cast<GlobalVariable>(call->getArgOperand(0)->stripPointerCasts())) ids.insert(id);
}

std::unique_ptr<Module> clone_device_code(const Module& host, const reachable_set& wanted,
                                          ValueToValueMapTy& map) {
  std::unique_ptr<Module> module = CloneModule(host, map, [&](const GlobalValue* global) {
    if (auto* variable = dyn_cast<GlobalVariable>(global))
      return variable->isConstant() && wanted.count(global) != 0;
    return wanted.count(global) != 0;
  });
  for (const char* name : {"llvm.used", "llvm.compiler.used", "llvm.global.annotations", "llvm.global_ctors",
                           "llvm.global_dtors"})
    if (GlobalVariable* variable = module->getNamedGlobal(name)) variable->eraseFromParent();
  for (Function& function : make_early_inc_range(*module))
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  for (GlobalVariable& variable : make_early_inc_range(module->globals()))
    if (variable.isDeclaration() && variable.use_empty()) variable.eraseFromParent();
  module->setModuleInlineAsm("");
  return module;
}

std::vector<kernel_entry> take_pending(Module& host, std::vector<kernel_entry>& kernels) {
  SmallPtrSet<const GlobalValue*, 16> elsewhere;
  for (const Function* function : find_external_functions(host))
    if (function->isDeclaration()) elsewhere.insert(function);
  std::vector<kernel_entry> pending;
  if (elsewhere.empty()) return pending;
  const auto split = std::stable_partition(kernels.begin(), kernels.end(), [&](const kernel_entry& kernel) {
    return none_of(reachable_from(*kernel.function),
                   [&](const GlobalValue* global) { return elsewhere.contains(global); });
  });
  pending.assign(split, kernels.end());
  kernels.erase(split, kernels.end());
  return pending;
}

void embed_device_code(Module& host, const std::vector<kernel_entry>& pending,
                       const std::vector<device_version>& versions,
                       const std::function<void(Module&)>& simplify) {
  reachable_set wanted;
  const auto want = [&](const Function& function) {
    const reachable_set found = reachable_from(function);
    wanted.insert(found.begin(), found.end());
  };
  const auto on_device = [&](const Function* function) {
    const auto version =
        find_if(versions, [&](const device_version& each) { return each.first == function; });
    return version == versions.end() ? function : version->second;
  };
  for (const kernel_entry& kernel : pending) want(*kernel.function);
  for (const Function* function : find_external_functions(host))
    if (!function->isDeclaration()) want(*on_device(function));
  if (wanted.empty()) return;
  SmallSetVector<GlobalVariable*, 8> ids;
  for (const GlobalValue* global : wanted) add_constant_ids(*global, ids);

  ValueToValueMapTy unnamed;
  const std::uint64_t hash = xxh3_64bits(bitcode_of(*clone_device_code(host, wanted, unnamed)));
  const std::string prefix = "__prism_linked_" + utohexstr(hash, true) + "_";
  unsigned number = 0;
  for (const kernel_entry& kernel : pending) give_name(*kernel.slot, prefix, number++);
  for (GlobalVariable* id : ids) give_name(*id, prefix, number++);

  ValueToValueMapTy map;
  std::unique_ptr<Module> module = clone_device_code(host, wanted, map);
  SmallPtrSet<const Function*, 16> roots;
  NamedMDNode* kernels = module->getOrInsertNamedMetadata(kernels_node);
  for (const kernel_entry& kernel : pending) {
    auto* function = cast<Function>(map[kernel.function]);
    function->setComdat(nullptr);
    function->setLinkage(GlobalValue::ExternalLinkage);
    function->setName(prefix + std::to_string(number++));
    roots.insert(function);
    add_text(*kernels, {function->getName().str(), kernel.slot->getName().str(),
                        std::to_string(kernel.argument_bytes), kernel.display_name});
  }
  for (const Function* function : find_external_functions(host)) {
    auto* copy = cast_or_null<Function>(map.lookup(on_device(function)));
    if (!copy) continue;
    roots.insert(copy);
    if (on_device(function) == function) continue;
    if (Function* plain = module->getFunction(function->getName())) // of a kernel that names it
      plain->replaceAllUsesWith(copy), plain->eraseFromParent();
    copy->setLinkage(GlobalValue::ExternalLinkage);
    copy->setName(function->getName());
  }
  // hierarchical kernels need their functions: these show the scopes
  if (!module->getFunction("__prism_hierarchical")) {
    prepare_to_inline_small(*module, [&](const Function& function) { return roots.contains(&function); });
    simplify(*module);
  }
  add_text(*module->getOrInsertNamedMetadata(targets_node), {current_options().targets()});
  GlobalVariable* section = write_section(host, bitcode_of(*module), device_code_section);
  section->setMetadata(LLVMContext::MD_exclude,
                       MDNode::get(host.getContext(), {})); // from the linked program
  appendToCompilerUsed(host, {section});
  if (!pending.empty()) need_link_step(host);
}

void embed_exported_code(Module& host, const Module& linked, const std::set<std::string>& kernels) {
  std::set<std::string> exported;
  reachable_set wanted;
  for (const Function& function : linked) {
    const bool is_visible =
        !function.isDeclaration() && !function.isDiscardableIfUnused() && function.hasDefaultVisibility();
    if (!is_visible || kernels.count(function.getName().str()) != 0 || reads_objects(function)) continue;
    exported.insert(function.getName().str());
    const reachable_set found = reachable_from(function);
    wanted.insert(found.begin(), found.end());
  }
  if (exported.empty()) return;
  ValueToValueMapTy map;
  const std::unique_ptr<Module> module = clone_device_code(linked, wanted, map);
  for (Function& function : *module) {
    if (function.isDeclaration()) continue;
    const bool is_exported = exported.count(function.getName().str()) != 0;
    function.setComdat(nullptr);
    function.setVisibility(GlobalValue::DefaultVisibility);
    // Two libraries may export one function, and the program may have its own, as with functions for the
    // host.
    function.setLinkage(is_exported ? GlobalValue::WeakODRLinkage : GlobalValue::InternalLinkage);
  }
  add_text(*module->getOrInsertNamedMetadata(targets_node), {current_options().targets()});
  appendToUsed(host, {write_section(host, bitcode_of(*module), exported_code_section)});
}

std::vector<device_code> read_device_code(StringRef section, LLVMContext& context) {
  std::vector<device_code> found;
  while (!section.empty()) {
    std::uint64_t length = 0;
    if (section.size() < header_bytes || !section.starts_with(blob_magic))
      throw std::runtime_error("it does not begin with " + blob_magic.str());
    std::memcpy(&length, section.data() + blob_magic.size(), sizeof length);
    if (length > section.size() - header_bytes) throw std::runtime_error("it is truncated");
    found.push_back(parse(section.substr(header_bytes, length), context));
    section = section.drop_front(std::min<std::uint64_t>(section.size(), alignTo(header_bytes + length, 8)));
  }
  return found;
}

} // namespace prism::compiler
