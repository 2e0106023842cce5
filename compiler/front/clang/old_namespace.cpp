#include "compiler/front/clang/old_namespace.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/Sema.h"

namespace prism::compiler {
using namespace clang;

void namespace_alias_reader::operator()(const Token& token) {
  if (m_state == state::done) return;
  const auto is = [&](const char* name) {
    return token.is(tok::identifier) && token.getIdentifierInfo()->isStr(name);
  };
  if (token.is(tok::kw_namespace)) {
    m_state = state::after_namespace;
  } else if (m_state == state::after_namespace && is("sycl")) {
    m_state = state::after_sycl;
  } else if (m_state == state::after_sycl && token.is(tok::equal)) {
    m_state = state::after_equal;
  } else if (m_state == state::after_equal && is("cl")) {
    m_state = add_alias(token.getLocation()) ? state::done : state::outside;
  } else if (m_state != state::after_equal || token.isNot(tok::coloncolon)) {
    m_state = state::outside;
  }
}

bool namespace_alias_reader::add_alias(SourceLocation at) {
  if (!m_compiler->hasSema()) return false;
  ASTContext& context = m_compiler->getASTContext();
  TranslationUnitDecl* file = context.getTranslationUnitDecl();
  IdentifierInfo& cl = context.Idents.get("cl");
  IdentifierInfo& sycl = context.Idents.get("sycl");
  auto* original = file->lookup(&sycl).find_first<NamespaceDecl>();
  if (!original || file->lookup(&cl).empty()) return false; // <CL/sycl.hpp> is not included, or not yet
  Sema& sema = m_compiler->getSema(); // of two declarations of one name it takes the newer
  sema.PushOnScopeChains(
      NamespaceAliasDecl::Create(context, file, at, at, &sycl, NestedNameSpecifierLoc(), at, original),
      sema.TUScope);
  return true;
}

} // namespace prism::compiler
