#include "compiler/link/link_kernels.hpp"

#include <set>
#include <stdexcept>

#include "compiler/front/extract.hpp"
#include "compiler/link/device_code.hpp"
#include "compiler/support/options.hpp"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

namespace prism::compiler {
using namespace llvm;

namespace {

template <class T>
T value_of(Expected<T> expected) {
  if (!expected) throw std::runtime_error(toString(expected.takeError()));
  return std::move(*expected);
}

/// Collects LLVM's messages about linking a module. clang's own handler would attribute them to its
/// -mlink-bitcode-file.
class linked_quietly {
public:
  explicit linked_quietly(LLVMContext& context)
      : m_context(context), m_before(context.getDiagnosticHandler()) {
    context.setDiagnosticHandler(std::make_unique<collector>(m_messages));
  }
  ~linked_quietly() { m_context.setDiagnosticHandler(std::move(m_before)); }
  const std::string& messages() const { return m_messages; }

private:
  struct collector : DiagnosticHandler {
    explicit collector(std::string& messages) : m_messages(messages) {}
    bool handleDiagnostics(const DiagnosticInfo& info) override {
      if (info.getSeverity() != DS_Error) return true;
      raw_string_ostream stream(m_messages);
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
      return true;
    }
    std::string& m_messages;
  };

  LLVMContext& m_context;
  std::unique_ptr<DiagnosticHandler> m_before;
  std::string m_messages;
};

/// "Linking globals named '_Z3onei': ..." with the names of the source.
std::string with_readable_name(const std::string& text) {
  const std::size_t begin = text.find('\''), end = text.find('\'', begin + 1);
  if (end == std::string::npos) return text;
  return text.substr(0, begin + 1) + demangle(text.substr(begin + 1, end - begin - 1)) + text.substr(end);
}

class kernel_linker {
public:
  explicit kernel_linker(Module& host)
      : m_host(host), m_linked("prism device code", host.getContext()), m_linker(m_linked) {}

  void read(const std::string& file) {
    try {
      ErrorOr<std::unique_ptr<MemoryBuffer>> content = MemoryBuffer::getFile(file, false, false);
      if (!content) throw std::runtime_error(content.getError().message());
      read_buffer((*content)->getMemBufferRef(), false);
    } catch (const std::runtime_error& problem) {
      fail("the device code of '" + file + "' cannot be read: " + problem.what());
    }
  }

  void link(const std::function<void(const kernel_entry&)>& build) {
    for (device_code& code : m_objects) join(std::move(code));
    while (const auto member = needed_member()) {
      join(std::move(m_members[*member]));
      m_members.erase(m_members.begin() + static_cast<std::ptrdiff_t>(*member));
    }
    if (m_failed) return;
    if (current_options().link_part == 0) {
      define_linked_symbol();
      if (current_options().links_shared_library) export_functions();
    }
    keep_own_part();
    for (const auto& [kernel, targets] : m_kernels) {
      use_targets(targets);
      build(entry_of(kernel));
    }
  }

private:
  void define_linked_symbol() {
    IntegerType* byte = Type::getInt8Ty(m_host.getContext());
    auto* symbol = new GlobalVariable(m_host, byte, true, GlobalValue::ExternalLinkage,
                                      ConstantInt::get(byte, 0), linked_symbol);
    symbol->setVisibility(GlobalValue::HiddenVisibility);
  }

  void export_functions() {
    std::set<std::string> kernels;
    for (const auto& [kernel, targets] : m_kernels) kernels.insert(kernel.function);
    embed_exported_code(m_host, m_linked, kernels);
  }

  /// All parts read all files and would say the same of them: the first one does.
  void fail(const std::string& what) {
    m_failed = true;
    if (current_options().link_part == 0) m_host.getContext().emitError(what);
  }

  void read_buffer(MemoryBufferRef content, bool from_archive) {
    switch (identify_magic(content.getBuffer())) {
      case file_magic::archive: return read_archive(content);
      case file_magic::bitcode: return read_bitcode(content, from_archive);
      case file_magic::elf_relocatable: return read_object(content, device_code_section, from_archive);
      // Like a member of an archive, it is used if it defines a missing function.
      case file_magic::elf_shared_object: return read_object(content, exported_code_section, true);
      default: return; // not one of PRISM's variables
    }
  }

  void read_archive(MemoryBufferRef content) {
    const std::unique_ptr<object::Archive> archive = value_of(object::Archive::create(content));
    Error problem = Error::success();
    for (const object::Archive::Child& child : archive->children(problem))
      read_buffer(value_of(child.getMemoryBufferRef()), true);
    if (problem) throw std::runtime_error(toString(std::move(problem)));
  }

  void read_object(MemoryBufferRef content, StringRef name, bool from_archive) {
    const std::unique_ptr<object::ObjectFile> object =
        value_of(object::ObjectFile::createELFObjectFile(content));
    for (const object::SectionRef& section : object->sections())
      if (value_of(section.getName()) == name) take(value_of(section.getContents()), from_archive);
  }

  /// An object of -flto: the section is a variable in it.
  void read_bitcode(MemoryBufferRef content, bool from_archive) {
    const std::unique_ptr<Module> object = value_of(parseBitcodeFile(content, m_host.getContext()));
    for (const GlobalVariable& variable : object->globals())
      if (variable.getSection() == device_code_section && variable.hasInitializer())
        if (auto* data = dyn_cast<ConstantDataSequential>(variable.getInitializer()))
          take(data->getRawDataValues(), from_archive);
  }

  void take(StringRef section, bool from_archive) {
    for (device_code& code : read_device_code(section, m_host.getContext()))
      (from_archive ? m_members : m_objects).push_back(std::move(code));
  }

  void join(device_code code) {
    for (pending_kernel& kernel : code.kernels)
      if (m_slots.insert(kernel.slot).second) m_kernels.emplace_back(std::move(kernel), code.targets);
    m_linked.setDataLayout(code.module->getDataLayout());
    m_linked.setTargetTriple(code.module->getTargetTriple());
    std::string problem;
    {
      const linked_quietly quiet(m_host.getContext());
      if (m_linker.linkInModule(std::move(code.module)))
        problem = "the device code of this program cannot be linked: " + with_readable_name(quiet.messages());
    }
    if (!problem.empty()) fail(problem);
  }

  /// Follows the rule of linkers: a member of a library is used if it defines a missing symbol. Its own
  /// kernels are then built.
  std::optional<std::size_t> needed_member() const {
    for (std::size_t i = 0; i < m_members.size(); ++i)
      for (const Function& function : *m_members[i].module)
        if (!function.isDeclaration() && !function.hasLocalLinkage())
          if (const Function* here = m_linked.getFunction(function.getName()); here && here->isDeclaration())
            return i;
    for (std::size_t i = 0; i < m_members.size(); ++i)
      if (!m_members[i].kernels.empty()) return i;
    return std::nullopt;
  }

  void keep_own_part() {
    std::size_t number = 0;
    erase_if(m_kernels, [&](const auto&) {
      return number++ % current_options().link_parts != current_options().link_part;
    });
  }

  kernel_entry entry_of(const pending_kernel& kernel) {
    Function* function = m_linked.getFunction(kernel.function);
    GlobalVariable* slot = m_host.getNamedGlobal(kernel.slot);
    if (!slot)
      slot = new GlobalVariable(m_host, Type::getInt8Ty(m_host.getContext()), false,
                                GlobalValue::ExternalWeakLinkage, nullptr, kernel.slot);
    slot->setVisibility(GlobalValue::HiddenVisibility);
    return {function, slot, kernel.argument_bytes, kernel.display_name};
  }

  Module& m_host;
  Module m_linked;
  Linker m_linker;
  std::vector<device_code> m_objects, m_members;
  std::vector<std::pair<pending_kernel, std::string>> m_kernels; // with the targets of their files
  std::set<std::string> m_slots;
  bool m_failed = false;
};

} // namespace

void link_kernels(Module& host, const std::string& list_file,
                  const std::function<void(const kernel_entry&)>& build) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> list = MemoryBuffer::getFile(list_file);
  if (!list)
    return host.getContext().emitError("cannot read " + list_file + ": " + list.getError().message());
  kernel_linker linker(host);
  for (line_iterator line(**list); !line.is_at_end(); ++line) linker.read(line->str());
  linker.link(build);
}

} // namespace prism::compiler
