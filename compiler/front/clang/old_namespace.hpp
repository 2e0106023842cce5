// Supports "namespace sycl = cl::sycl;" after <CL/sycl.hpp>: the line with which programs of SYCL 1.2.1 got a
// short name. C++ refuses it if sycl is a namespace and not an alias. No header can avoid that, because other
// headers reopen namespace sycl.
#pragma once

#include "clang/Lex/Token.h"

namespace clang {
class CompilerInstance;
}

namespace prism::compiler {

/// Receives every token that clang reads. At "namespace sycl = cl" after <CL/sycl.hpp> it makes ::sycl
/// visible as an alias of that name, too. The program's alias then repeats this one, which C++ allows.
class namespace_alias_reader {
public:
  explicit namespace_alias_reader(clang::CompilerInstance& compiler) : m_compiler(&compiler) {}
  void operator()(const clang::Token& token);

private:
  bool add_alias(clang::SourceLocation at);

  clang::CompilerInstance* m_compiler;
  enum class state { outside, after_namespace, after_sycl, after_equal, done } m_state = state::outside;
};

} // namespace prism::compiler
