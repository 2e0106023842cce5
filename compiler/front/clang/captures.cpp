// Reports mistakes that only the source shows, while clang parses it, at every optimisation level. These are
// a capture by reference, whose host address may be invalid when the kernel runs (SYCL 2020, "Rules for
// parameter passing to kernels"), a capture of a type that no device supports (std::string), and two
// different kernels with one name ("Naming of kernels").
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

#include "compiler/support/options.hpp"

namespace {

using namespace clang;

std::string quoted(StringRef name) { return ("'" + name + "'").str(); }

const CXXRecordDecl* record_of(QualType type) {
  const CXXRecordDecl* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record ? record->getDefinition() : nullptr;
}

/// "'a'", "'a' and 'b'", "'a', 'b' and 3 more"
std::string list_of(ArrayRef<std::string> names) {
  std::string text = names[0];
  for (size_t i = 1; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    if (i == 2 && !last) return text + " and " + std::to_string(names.size() - i) + " more";
    text += (last ? " and " : ", ") + names[i];
  }
  return text;
}

class kernel_reader : public ASTConsumer {
public:
  explicit kernel_reader(DiagnosticsEngine& diagnostics) : m_diagnostics(diagnostics) {}

  void HandleCXXImplicitFunctionInstantiation(FunctionDecl* function) override {
    const TemplateArgumentList* arguments = function->getTemplateSpecializationArgs();
    if (is_annotated(*function, "refuse_captures", "prism.refused_captures"))
      if (const CXXRecordDecl* record = arguments ? record_of(arguments->get(0).getAsType()) : nullptr)
        return report_uncopyable(*record);
    if (!is_annotated(*function, "kernel_entry", "prism.kernel")) return;
    if (!arguments || arguments->size() < 2) return;
    const CXXRecordDecl* record = record_of(arguments->get(1).getAsType());
    if (!record) return;
    check_captures(*record);
    check_name(arguments->get(0).getAsType().getCanonicalType(), *record);
  }

private:
  static bool is_annotated(const FunctionDecl& function, StringRef name, StringRef annotation) {
    const FunctionTemplateDecl* form = function.getPrimaryTemplate();
    if (!form || !form->getIdentifier() || form->getName() != name) return false;
    for (const auto* each : form->getTemplatedDecl()->specific_attrs<AnnotateAttr>())
      if (each->getAnnotation() == annotation) return true;
    return false;
  }

  /// Not the library's own. (In PRISM's tests its headers are not system headers.)
  bool is_users(const CXXRecordDecl& record) const {
    for (const DeclContext* in = record.getDeclContext(); in; in = in->getParent())
      if (auto* space = dyn_cast<NamespaceDecl>(in);
          space && space->getIdentifier() && space->getName() == "sycl")
        return false;
    return !m_diagnostics.getSourceManager().isInSystemHeader(record.getLocation());
  }

  /// The user's functor inside the object that submission makes around it; null if there is none.
  const CXXRecordDecl* users_record(const CXXRecordDecl& record) const {
    if (is_users(record)) return &record;
    for (const FieldDecl* field : record.fields())
      if (const CXXRecordDecl* inner = record_of(field->getType()))
        if (const CXXRecordDecl* found = users_record(*inner)) return found;
    return nullptr;
  }

  /// Finds references at any depth: in the kernel, in lambdas and objects that it contains, in their bases.
  void check_captures(const CXXRecordDecl& record) {
    if (!m_seen.insert(record.getCanonicalDecl()).second) return;
    if (record.isLambda()) report_captures(record);
    for (const FieldDecl* field : record.fields()) {
      if (const CXXRecordDecl* inner = record_of(field->getType())) check_captures(*inner);
      if (!record.isLambda() && field->getType()->isReferenceType())
        report_error(
            field->getLocation(),
            "a kernel holds " + quoted(field->getNameAsString()) +
                ", a reference, which is not valid on a device: use a value, a USM pointer or an accessor");
    }
    for (const CXXBaseSpecifier& base : record.bases())
      if (const CXXRecordDecl* inner = record_of(base.getType())) check_captures(*inner);
  }

  void report_captures(const CXXRecordDecl& lambda) {
    std::vector<std::string> names;
    for (const LambdaCapture& capture : lambda.captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == LCK_ByRef)
        names.push_back(quoted(capture.getCapturedVar()->getName()));
    if (names.empty()) return;
    report_error(lambda.getLocation(),
                 "a kernel captures " + list_of(names) +
                     " by reference, which is not valid on a device: capture by value, [=], " +
                     "data, USM pointers or accessors");
  }

  /// A value with a destructor, which frees memory of the host or counts its copies there.
  static bool is_uncopyable(QualType type) {
    const CXXRecordDecl* record = record_of(type);
    return record && !record->hasTrivialDestructor();
  }

  static std::string quoted_with_type(const ValueDecl& value) {
    const PrintingPolicy policy(value.getASTContext().getLangOpts());
    return quoted(value.getName()) + " (" + value.getType().getUnqualifiedType().getAsString(policy) + ")";
  }

  /// Its bytes are a copy of it, although it has a destructor. Other SYCL compilers take such captures.
  static bool is_copied_by_bytes(const CXXRecordDecl& record) {
    return record.hasTrivialCopyConstructor() && !record.defaultedCopyConstructorIsDeleted() &&
           none_of(record.ctors(), [](const CXXConstructorDecl* each) {
      return each->isCopyConstructor() && each->isDeleted();
    });
  }

  /// In the kernel, or in lambdas and objects that it holds: the first object whose own members are at fault.
  void report_uncopyable(const CXXRecordDecl& record) {
    std::vector<std::string> names;
    SourceLocation at;
    const auto add = [&](const ValueDecl& value, SourceLocation where) {
      if (names.empty()) at = where;
      names.push_back(quoted_with_type(value));
    };
    if (record.isLambda()) {
      for (const LambdaCapture& capture : record.captures()) {
        if (!capture.capturesVariable() || capture.getCaptureKind() != LCK_ByCopy) continue;
        const ValueDecl& captured = *capture.getCapturedVar();
        if (!is_uncopyable(captured.getType())) continue;
        if (const CXXRecordDecl* inner = record_of(captured.getType()); inner->isLambda())
          return report_uncopyable(*inner);
        add(captured, capture.getLocation());
      }
    } else {
      for (const FieldDecl* field : record.fields())
        if (is_uncopyable(field->getType())) {
          const CXXRecordDecl* inner = record_of(field->getType());
          if (inner->isLambda() || !is_users(record)) return report_uncopyable(*inner);
          add(*field, field->getLocation());
        }
    }
    if (names.empty()) {
      at = record.getLocation();
      names.push_back("the class '" + record.getNameAsString() + "', which has a destructor");
    }
    if (is_copied_by_bytes(record))
      return report(DiagnosticsEngine::Warning, at,
                    "a kernel captures " + list_of(names) +
                        ", whose destructor no device runs [-Wprism-captures]");
    report_error(at, "a kernel captures " + list_of(names) +
                         ", which no device can hold: capture plain data, USM pointers or accessors");
  }

  void report_error(SourceLocation at, const std::string& what) {
    report(DiagnosticsEngine::Error, at, what);
  }

  /// Once for a place, however many instantiations of a template have it.
  void report(DiagnosticsEngine::Level level, SourceLocation at, const std::string& what) {
    if (!m_reported.insert(at.getRawEncoding()).second) return;
    m_diagnostics.Report(at, m_diagnostics.getCustomDiagID(level, "%0")) << what;
  }

  void check_name(QualType name, const CXXRecordDecl& record) {
    if (!prism::compiler::current_options().warn_names) return;
    const CXXRecordDecl* kernel = users_record(record);
    if (!kernel || record_of(name) == kernel) return; // a functor's type is its name, in a range of any kind
    const auto [known, is_new] = m_named.try_emplace(name.getAsOpaquePtr(), kernel);
    if (is_new || known->second == kernel) return;
    m_diagnostics.Report(kernel->getLocation(),
                         m_diagnostics.getCustomDiagID(
                             DiagnosticsEngine::Warning,
                             "another kernel is also named %0; SYCL requires a name of its own for each, and "
                             "get_kernel_id cannot distinguish them [-Wprism-kernel-names]"))
        << name;
    m_diagnostics.Report(known->second->getLocation(),
                         m_diagnostics.getCustomDiagID(DiagnosticsEngine::Note, "the other kernel is here"));
  }

  DiagnosticsEngine& m_diagnostics;
  llvm::SmallPtrSet<const CXXRecordDecl*, 32> m_seen;
  llvm::DenseSet<unsigned> m_reported;
  llvm::DenseMap<void*, const CXXRecordDecl*> m_named;
};

class kernel_action : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    return std::make_unique<kernel_reader>(compiler.getDiagnostics());
  }
  bool ParseArgs(const CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

FrontendPluginRegistry::Add<kernel_action> registered_captures("prism-captures",
                                                               "captures and names of SYCL kernels");

} // namespace
