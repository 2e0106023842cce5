#include "compiler/link/device_pass.hpp"

#include "compiler/front/extract.hpp"
#include "compiler/link/device_code.hpp"
#include "compiler/support/diagnose.hpp"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr StringRef bodies_node = "prism.pass.bodies", external_node = "prism.pass.external",
                    ids_node = "prism.pass.ids";

void add_line(Module& module, StringRef node, ArrayRef<StringRef> texts) {
  SmallVector<Metadata*> operands;
  for (StringRef text : texts) operands.push_back(MDString::get(module.getContext(), text));
  module.getOrInsertNamedMetadata(node)->addOperand(MDNode::get(module.getContext(), operands));
}

/// Calls `visit` with the texts of each line and removes the node.
template <class Visit>
void take_lines(Module& module, StringRef node, Visit visit) {
  NamedMDNode* lines = module.getNamedMetadata(node);
  if (!lines) return;
  for (const MDNode* line : lines->operands()) {
    SmallVector<std::string, 3> texts;
    for (const MDOperand& text : line->operands()) texts.push_back(cast<MDString>(text)->getString().str());
    visit(texts);
  }
  lines->eraseFromParent();
}

template <class List>
void erase_all(List&& list) {
  for (auto& each : make_early_inc_range(list)) {
    each.removeDeadConstantUsers();
    each.replaceAllUsesWith(PoisonValue::get(each.getType()));
    each.eraseFromParent();
  }
}

void clear(Module& module) {
  while (!module.named_metadata_empty()) module.named_metadata_begin()->eraseFromParent();
  module.dropAllReferences();
  erase_all(module.aliases());
  erase_all(module.ifuncs());
  erase_all(module.functions());
  erase_all(module.globals());
  module.setModuleInlineAsm("");
}

/// Every function and constant of the file is the device's own; the host may have another one of that name.
void make_internal(Module& code) {
  for (GlobalObject& object : code.global_objects()) {
    if (object.isDeclaration()) continue;
    object.setComdat(nullptr);
    object.setLinkage(GlobalValue::InternalLinkage);
    object.setVisibility(GlobalValue::DefaultVisibility);
    object.setDSOLocal(true);
  }
}

/// A name with which the other pass finds the function again.
StringRef name_root(Function& function, unsigned& number) {
  function.setLinkage(GlobalValue::ExternalLinkage);
  function.setName("__prism_device_pass_" + std::to_string(number++));
  return function.getName();
}

class device_pass_user {
public:
  device_pass_user(Module& host, const std::string& file) : m_host(host), m_context(host.getContext()) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> content = MemoryBuffer::getFile(file);
    if (!content) {
      fail("the code of the device pass cannot be read: " + content.getError().message());
      return;
    }
    Expected<std::unique_ptr<Module>> code = parseBitcodeFile((*content)->getMemBufferRef(), m_context);
    if (code) m_code = std::move(*code);
    else fail("the code of the device pass cannot be read: " + toString(code.takeError()));
  }

  std::vector<device_version> run() {
    std::vector<device_version> versions;
    if (!m_code) return versions;
    take_lines(*m_code, bodies_node,
               [&](ArrayRef<std::string> texts) { m_bodies[texts[1]] = {texts[0], texts[2]}; });
    std::vector<std::pair<std::string, std::string>> external;
    take_lines(*m_code, external_node,
               [&](ArrayRef<std::string> texts) { external.emplace_back(texts[0], texts[1]); });
    choose_bodies();
    open_ids();
    if (m_failed) return versions;
    if (Linker::linkModules(m_host, std::move(m_code))) fail("the code of the device pass cannot be linked");
    for (const auto& [variable, linkage] : m_local) variable->setLinkage(linkage);
    if (m_failed) return versions;
    for (const auto& [body, name] : m_chosen) replace_body(*body, *m_host.getFunction(name));
    for (const auto& [name, code] : external) {
      Function* device = m_host.getFunction(code);
      device->setLinkage(GlobalValue::InternalLinkage);
      if (Function* function = m_host.getFunction(name)) versions.emplace_back(function, device);
    }
    return versions;
  }

private:
  struct code_of_body {
    std::string function, captures;
  };

  void fail(const Twine& what) {
    m_failed = true;
    m_context.emitError("--device-pass: " + what);
  }

  void choose_bodies() {
    DenseMap<const Function*, std::string> names;
    for (const kernel_entry& kernel : find_kernels(m_host)) names[kernel.function] = kernel.display_name;
    StringMap<bool> seen;
    for (const stable_body& body : find_stable_bodies(m_host)) {
      const auto found = m_bodies.find(body.name);
      const std::string kernel = names.lookup(body.function);
      const bool is_first = seen.try_emplace(body.name, true).second;
      if (found == m_bodies.end()) {
        if (!kernel.empty())
          fail("the kernel " + kernel +
               " is only in the host's pass: a condition on __SYCL_DEVICE_ONLY__ "
               "leaves its launch, or a type in its name, out of the device's pass");
      } else if (found->second.captures != body.captures) {
        if (!kernel.empty())
          fail("the kernel " + kernel +
               " captures other values in the device's pass than in the host's: a condition on "
               "__SYCL_DEVICE_ONLY__ must not decide which variables a kernel uses\n  host:   " +
               body.captures + "\n  device: " + found->second.captures);
        else if (!m_failed) m_failed = true, fail("a range's captured values differ between the passes");
      } else if (!is_first && !kernel.empty()) {
        fail("two kernels have one place in the source, " + kernel +
             ", by which the passes cannot distinguish them: give them names");
      } else {
        m_chosen.emplace_back(body.function, found->second.function);
      }
    }
  }

  /// Specialisation constants and device_globals: with internal linkage, too, both passes mean the same
  /// variable.
  void open_ids() {
    take_lines(*m_code, ids_node, [&](ArrayRef<std::string> texts) {
      GlobalVariable* variable = m_host.getNamedGlobal(texts[0]);
      if (!variable) return fail("only the device's pass uses the variable " + readable_name(texts[0]));
      if (!variable->hasLocalLinkage()) return;
      m_local.emplace_back(variable, variable->getLinkage());
      variable->setLinkage(GlobalValue::ExternalLinkage);
    });
  }

  /// The function keeps its name and linkage.
  static void replace_body(Function& body, Function& code) {
    const GlobalValue::LinkageTypes linkage = body.getLinkage();
    Comdat* comdat = body.getComdat();
    body.deleteBody();
    body.setLinkage(linkage);
    body.setComdat(comdat);
    body.setAttributes(code.getAttributes());
    body.setSubprogram(code.getSubprogram());
    code.setSubprogram(nullptr);
    if (code.hasPersonalityFn()) body.setPersonalityFn(code.getPersonalityFn());
    body.splice(body.end(), &code);
    for (auto [to, from] : zip(body.args(), code.args())) {
      to.takeName(&from);
      from.replaceAllUsesWith(&to);
    }
    code.replaceAllUsesWith(&body); // a body that another one names
    code.eraseFromParent();
  }

  Module& m_host;
  LLVMContext& m_context;
  std::unique_ptr<Module> m_code;
  StringMap<code_of_body> m_bodies;
  std::vector<std::pair<Function*, std::string>> m_chosen;
  std::vector<std::pair<GlobalVariable*, GlobalValue::LinkageTypes>> m_local;
  bool m_failed = false;
};

} // namespace

void write_device_pass(Module& module, const std::string& file) {
  const std::vector<stable_body> bodies = find_stable_bodies(module);
  const std::vector<Function*> external = find_external_functions(module);
  reachable_set wanted;
  const auto want = [&](const Function& function) {
    const reachable_set found = reachable_from(function);
    wanted.insert(found.begin(), found.end());
  };
  for (const stable_body& body : bodies) want(*body.function);
  for (const Function* function : external)
    if (!function->isDeclaration()) want(*function);
  SmallSetVector<GlobalVariable*, 8> ids;
  for (const GlobalValue* global : wanted) add_constant_ids(*global, ids);
  for (GlobalVariable* id : ids) wanted.remove(id); // only declared: they are the other pass' objects
  ValueToValueMapTy map;
  std::unique_ptr<Module> code = clone_device_code(module, wanted, map);
  make_internal(*code);
  unsigned number = 0;
  for (const Function* function : external) {
    auto* copy = cast_or_null<Function>(map.lookup(function));
    if (!copy || !wanted.contains(function)) continue;
    if (function->isDeclaration()) copy->addFnAttr(external_attribute);
    else add_line(*code, external_node, {function->getName(), name_root(*copy, number)});
  }
  for (const stable_body& body : bodies) {
    auto& copy = *cast<Function>(map[body.function]);
    add_line(*code, bodies_node, {name_root(copy, number), body.name, body.captures});
  }
  for (const GlobalVariable* id : ids) add_line(*code, ids_node, {id->getName()});
  std::error_code problem;
  raw_fd_ostream stream(file, problem);
  if (!problem) WriteBitcodeToFile(*code, stream);
  stream.close();
  if (problem || stream.has_error()) module.getContext().emitError("cannot write " + file);
  stream.clear_error();
  clear(module);
}

std::vector<device_version> use_device_pass(Module& host, const std::string& file) {
  return device_pass_user(host, file).run();
}

} // namespace prism::compiler
