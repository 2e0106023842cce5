// Names for the bodies of kernels that are equal in both passes of `prism++ --device-pass`, although the code
// between them differs. clang numbers the lambdas of a function in their order, so a lambda that only one
// pass has would shift the numbers. Here a lambda's number is a hash of its place in the source
// (__builtin_sycl_unique_stable_name of DPC++ counts instead the lambdas that name kernels).
//
// Each body gets an annotation "prism.stable:NAME\nCAPTURES". CAPTURES lists what the captured block holds,
// with names, types and offsets: if one pass captures something else, its code must not read the other's
// block.
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/Support/xxhash.h"

#include "compiler/support/options.hpp"

namespace {

using namespace clang;

/// The expansion's and the spelling's place, so that two lambdas in one macro differ.
std::string source_place(const ASTContext& context, const NamedDecl& declaration) {
  return declaration.getLocation().printToString(context.getSourceManager());
}

std::optional<unsigned> number_of_lambda(ASTContext& context, const NamedDecl* declaration) {
  const auto* record = dyn_cast<CXXRecordDecl>(declaration);
  if (!record || !record->isLambda()) return std::nullopt;
  return 2 + unsigned(llvm::xxh3_64bits(source_place(context, *record)) % 1'000'000'007u);
}

class stable_namer : public ASTConsumer {
public:
  void Initialize(ASTContext& context) override {
    m_context = &context;
    m_mangler.reset(ItaniumMangleContext::create(context, context.getDiagnostics(), number_of_lambda));
  }

  void HandleCXXImplicitFunctionInstantiation(FunctionDecl* function) override {
    const TemplateArgumentList* arguments = function->getTemplateSpecializationArgs();
    const FunctionTemplateDecl* form = function->getPrimaryTemplate();
    if (!arguments || arguments->size() < 2 || !form || !form->getIdentifier() || !is_of_library(*form))
      return;
    const bool is_entry = form->getName() == "kernel_entry";
    if (!is_entry && form->getName() != "run_box") return;
    std::string name;
    llvm::raw_string_ostream stream(name);
    if (is_entry) m_mangler->mangleCanonicalTypeName(arguments->get(0).getAsType(), stream << "entry ");
    else stream << "range of " << arguments->get(0).getAsIntegral();
    const QualType functor = arguments->get(1).getAsType();
    m_mangler->mangleCanonicalTypeName(functor, stream << ' ');
    add_places(functor, stream);
    add_captures(functor, 0, stream << '\n');
    function->addAttr(AnnotateAttr::CreateImplicit(*m_context, "prism.stable:" + name, nullptr, 0));
  }

private:
  static bool is_of_library(const FunctionTemplateDecl& form) {
    const auto* detail = dyn_cast<NamespaceDecl>(form.getDeclContext());
    return detail && detail->getIdentifier() && detail->getName() == "detail" &&
           form.getQualifiedNameAsString().compare(0, 6, "sycl::") == 0;
  }

  const CXXRecordDecl* record_of(QualType type) const {
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record ? record->getDefinition() : nullptr;
  }

  /// Two local classes of one name differ by an order, which the passes may not share.
  void add_places(QualType type, llvm::raw_ostream& stream) const {
    const CXXRecordDecl* record = record_of(type);
    if (!record) return;
    if (record->isLocalClass() || record->isLambda()) stream << " @" << source_place(*m_context, *record);
    for (const FieldDecl* field : record->fields()) add_places(field->getType(), stream);
  }

  void add_captures(QualType type, std::uint64_t offset, llvm::raw_ostream& stream) const {
    const CXXRecordDecl* record = record_of(type);
    if (!record || record->isDependentContext() || record->isInvalidDecl()) return;
    const ASTRecordLayout& layout = m_context->getASTRecordLayout(record);
    for (const CXXBaseSpecifier& base : record->bases())
      if (const CXXRecordDecl* inner = record_of(base.getType()); inner && !base.isVirtual())
        add_captures(base.getType(), offset + layout.getBaseClassOffset(inner).getQuantity(), stream);
    auto capture = record->captures_begin();
    const bool is_lambda = record->isLambda();
    for (const FieldDecl* field : record->fields()) {
      std::string name = field->getNameAsString();
      if (is_lambda) {
        name = capture->capturesThis() ? "this" : capture->getCapturedVar()->getNameAsString();
        ++capture;
      }
      const std::uint64_t at = offset + layout.getFieldOffset(field->getFieldIndex()) / 8;
      stream << at << ' ' << name;
      if (record_of(field->getType())) add_captures(field->getType(), at, stream << " {");
      else m_mangler->mangleCanonicalTypeName(field->getType(), stream << ": ");
      stream << (record_of(field->getType()) ? "} " : "; ");
    }
  }

  ASTContext* m_context = nullptr;
  std::unique_ptr<ItaniumMangleContext> m_mangler;
};

class stable_action : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance&, StringRef) override {
    if (prism::compiler::current_options().has_two_passes()) return std::make_unique<stable_namer>();
    return std::make_unique<ASTConsumer>();
  }
  bool ParseArgs(const CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

FrontendPluginRegistry::Add<stable_action> registered_names("prism-stable-names",
                                                            "names that two passes share");

} // namespace
