#include "compiler/host/shared_heap.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {

namespace {

struct replacement {
  llvm::StringRef function, by;
};

// Names of the Itanium ABI where size_t is unsigned long.
constexpr replacement replacements[] = {
    {"malloc", "prism_stdpar_malloc"},
    {"calloc", "prism_stdpar_calloc"},
    {"realloc", "prism_stdpar_realloc"},
    {"aligned_alloc", "prism_stdpar_aligned_alloc"},
    {"memalign", "prism_stdpar_aligned_alloc"},
    {"posix_memalign", "prism_stdpar_posix_memalign"},
    {"_Znwm", "prism_stdpar_new"},
    {"_Znam", "prism_stdpar_new"},
    {"_ZnwmRKSt9nothrow_t", "prism_stdpar_new_nothrow"},
    {"_ZnamRKSt9nothrow_t", "prism_stdpar_new_nothrow"},
    {"_ZnwmSt11align_val_t", "prism_stdpar_new_aligned"},
    {"_ZnamSt11align_val_t", "prism_stdpar_new_aligned"},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", "prism_stdpar_new_aligned_nothrow"},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", "prism_stdpar_new_aligned_nothrow"},
};

/// Sanitizers replace malloc and free themselves and report memory of others.
bool is_sanitized(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& each) {
    return each.hasFnAttribute(llvm::Attribute::SanitizeAddress) ||
           each.hasFnAttribute(llvm::Attribute::SanitizeThread) ||
           each.hasFnAttribute(llvm::Attribute::SanitizeMemory);
  });
}

} // namespace

void use_shared_heap(llvm::Module& module) {
  if (is_sanitized(module)) return;
  for (const replacement& each : replacements) {
    llvm::Function* const old = module.getFunction(each.function);
    if (!old || !old->isDeclaration() || old->use_empty()) continue; // a program may define its own
    llvm::FunctionCallee by =
        module.getOrInsertFunction(each.by, old->getFunctionType(), old->getAttributes());
    old->replaceAllUsesWith(by.getCallee());
  }
}

} // namespace prism::compiler
