#include "compiler/host/host_accesses.hpp"

#include "compiler/support/diagnose.hpp"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;

namespace {

enum class origin { user, library, prism };

/// Before inlining, all of a function is from one file.
origin origin_of(const Function& function) {
  const DISubprogram* source = function.getSubprogram();
  if (!source) return origin::prism; // no location: the compiler made the function
  const StringRef file = source->getFilename();
  if (file.contains("/include/sycl/") || file.contains("/include/prism/")) return origin::prism;
  return is_system_header(file) ? origin::library : origin::user;
}

struct memory_access {
  Instruction* where;
  Value* pointer;
  Value* bytes; // a 64-bit number
  bool writes;
};

/// The accesses of one function, found before it is changed.
class accesses {
public:
  accesses(Function& function, bool is_library)
      : m_layout(function.getParent()->getDataLayout()), m_is_library(is_library) {
    for (Instruction& each : instructions(function)) look_at(each);
  }
  ArrayRef<memory_access> found() const { return m_found; }

private:
  void look_at(Instruction& each) {
    if (auto* load = dyn_cast<LoadInst>(&each); load && load->isSimple())
      add(each, load->getPointerOperand(), *load->getType(), false);
    if (auto* store = dyn_cast<StoreInst>(&each); store && store->isSimple())
      add(each, store->getPointerOperand(), *store->getValueOperand()->getType(), true);
    if (auto* memory = dyn_cast<MemIntrinsic>(&each); memory && !memory->isVolatile()) {
      if (auto* copy = dyn_cast<MemTransferInst>(memory))
        add(each, copy->getRawSource(), copy->getLength(), false);
      add(each, memory->getRawDest(), memory->getLength(), true);
    }
  }
  void add(Instruction& where, Value* pointer, Type& type, bool writes) {
    const TypeSize size = m_layout.getTypeStoreSize(&type);
    if (!size.isScalable() && size.getFixedValue() != 0)
      add(where, pointer, ConstantInt::get(Type::getInt64Ty(where.getContext()), size.getFixedValue()),
          writes);
  }
  void add(Instruction& where, Value* pointer, Value* bytes, bool writes) {
    const bool named = m_is_library || user_location(where) != nullptr;
    if (named && bytes->getType()->isIntegerTy(64) && pointer->getType()->getPointerAddressSpace() == 0 &&
        may_be_shared(*pointer))
      m_found.push_back({&where, pointer, bytes, writes});
  }

  bool may_be_shared(const Value& pointer) {
    const Value* object = getUnderlyingObject(&pointer, 0);
    if (auto* variable = dyn_cast<AllocaInst>(object)) return is_known_elsewhere(*variable);
    if (auto* global = dyn_cast<GlobalVariable>(object))
      return !global->isConstant() && !global->isThreadLocal();
    return !isa<ConstantPointerNull>(object) && !(m_is_library && is_first_reference(*object));
  }
  /// The object on which a member function is called. Containers and iterators themselves, which are
  /// numerous, are not in USM.
  static bool is_first_reference(const Value& object) {
    auto* load = dyn_cast<LoadInst>(&object);
    auto* spilled = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
    if (!spilled) return false;
    for (const User* user : spilled->users())
      if (auto* store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == spilled) {
        auto* argument = dyn_cast<Argument>(store->getValueOperand());
        return argument && argument->getDereferenceableBytes() != 0 &&
               argument->getArgNo() == (argument->getParent()->hasStructRetAttr() ? 1u : 0u);
      }
    return false;
  }
  bool is_known_elsewhere(const AllocaInst& variable) {
    const auto [known, fresh] = m_variables.try_emplace(&variable, false);
    if (fresh) known->second = escapes(variable);
    return known->second;
  }
  static bool escapes(const AllocaInst& variable) {
    SmallVector<const Value*> addresses = {&variable};
    while (!addresses.empty()) {
      const Value* address = addresses.pop_back_val();
      for (const User* user : address->users()) {
        if (isa<GetElementPtrInst>(user)) addresses.push_back(user);
        else if (auto* store = dyn_cast<StoreInst>(user); store && store->getValueOperand() == address)
          return true;
        else if (!isa<LoadInst, StoreInst, MemIntrinsic, ICmpInst>(user) &&
                 !cast<Instruction>(user)->isLifetimeStartOrEnd())
          return true;
      }
    }
    return false;
  }

  const DataLayout& m_layout;
  bool m_is_library;
  DenseMap<const AllocaInst*, bool> m_variables;
  SmallVector<memory_access> m_found;
};

/// A function to instrument: the function itself, or a copy that host code calls instead.
struct checked_function {
  Function* function;
  origin from;
};

class host_accesses {
public:
  host_accesses(Module& host, const function_set& device_code) : m_host(host), m_device_code(device_code) {}

  void run() {
    choose();
    copy_shared_ones();
    for (const checked_function& each : m_checked) call_copies(each);
    for (const checked_function& each : m_checked) instrument(each);
  }

private:
  void choose() {
    SetVector<Function*> library;
    for (Function& function : m_host) {
      if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
          function.hasFnAttribute(Attribute::Naked))
        continue;
      const origin from = origin_of(function);
      if (from == origin::user) m_checked.push_back({&function, from});
      if (from == origin::library && !accesses(function, true).found().empty()) library.insert(&function);
    }
    for (size_t i = 0; i < library.size(); ++i) // adds library functions on the way to them
      for (User* user : library[i]->users())
        if (auto* call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == library[i] &&
                                                   origin_of(*call->getFunction()) == origin::library)
          library.insert(call->getFunction());
    for (Function* function : library) m_checked.push_back({function, origin::library});
  }

  /// Other files may provide a function of that name, or take it from this file; they may use it in kernels.
  bool is_shared(const Function& function) const {
    return !function.isStrongDefinitionForLinker() ||
           m_device_code.contains(const_cast<Function*>(&function));
  }
  void copy_shared_ones() {
    for (checked_function& each : m_checked) {
      if (!is_shared(*each.function)) continue;
      ValueToValueMapTy map;
      Function* copy = CloneFunction(each.function, map);
      copy->setName(each.function->getName() + ".checked");
      copy->setLinkage(GlobalValue::InternalLinkage);
      copy->setVisibility(GlobalValue::DefaultVisibility);
      copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
      copy->setComdat(nullptr);
      copy->setDSOLocal(true);
      m_copies[each.function] = copy;
      each.function = copy;
    }
  }
  void call_copies(const checked_function& caller) {
    SmallVector<CallBase*> calls;
    for (Instruction& each : instructions(*caller.function))
      if (auto* call = dyn_cast<CallBase>(&each); call && call->getCalledFunction()) calls.push_back(call);
    for (CallBase* call : calls) {
      const auto copy = m_copies.find(call->getCalledFunction());
      if (copy == m_copies.end()) continue;
      if (caller.from == origin::user && origin_of(*copy->second) == origin::library && user_location(*call))
        insert_location(*call);
      call->setCalledFunction(copy->second);
    }
  }
  /// Accesses of a library are reported at the location of the user's call.
  void insert_location(CallBase& call) {
    IRBuilder<> build(&call);
    FunctionCallee at = m_host.getOrInsertFunction("__prism_at", build.getVoidTy(), build.getPtrTy());
    cast<Function>(at.getCallee())->setDoesNotThrow();
    build.CreateCall(at, {text_of(build, source_location(user_location(call)))});
  }
  Constant* text_of(IRBuilder<>& build, const std::string& text) {
    Constant*& known = m_texts[text];
    if (!known) known = build.CreateGlobalString(text, "prism.place");
    return known;
  }

  void instrument(const checked_function& what) {
    const accesses all(*what.function, what.from == origin::library);
    for (const memory_access& each : all.found()) {
      IRBuilder<> build(each.where);
      FunctionCallee note =
          m_host.getOrInsertFunction("__prism_host_access", build.getVoidTy(), build.getPtrTy(),
                                     build.getInt64Ty(), build.getInt32Ty(), build.getPtrTy());
      cast<Function>(note.getCallee())->setDoesNotThrow();
      Constant* place = what.from == origin::library
                            ? ConstantPointerNull::get(build.getPtrTy())
                            : text_of(build, source_location(user_location(*each.where)));
      build.CreateCall(note, {each.pointer, each.bytes, build.getInt32(each.writes), place});
    }
    if (!all.found().empty())
      what.function->removeFnAttr(Attribute::Memory); // const and pure functions report accesses, too
  }

  Module& m_host;
  const function_set& m_device_code;
  std::vector<checked_function> m_checked;
  DenseMap<Function*, Function*> m_copies;
  StringMap<Constant*> m_texts;
};

} // namespace

function_set reachable_from(ArrayRef<Function*> roots) {
  function_set reached;
  SmallVector<const User*> pending(roots.begin(), roots.end());
  SmallPtrSet<const User*, 32> seen;
  while (!pending.empty()) {
    const User* each = pending.pop_back_val();
    if (!seen.insert(each).second) continue;
    if (auto* function = dyn_cast<Function>(each)) {
      reached.insert(const_cast<Function*>(function));
      for (const Instruction& instruction : instructions(*function)) pending.push_back(&instruction);
      continue;
    }
    for (const Value* operand : each->operands())
      if (isa<Constant>(operand)) pending.push_back(cast<User>(operand));
  }
  return reached;
}

void check_host_accesses(Module& host, const function_set& device_code) {
  host_accesses(host, device_code).run();
}

} // namespace prism::compiler
