// "namespace sycl = cl::sycl;" behind <CL/sycl.hpp>: the line with which programs of SYCL 1.2.1 got a short
// name. Where sycl is a namespace and not an alias, C++ refuses it, and a header can do nothing about that:
// others reopen namespace sycl.
#pragma once

#include "clang/Lex/Token.h"

namespace clang {
class CompilerInstance;
}

namespace prism::compiler {

/// Is shown every token that clang reads. At "namespace sycl = cl" behind <CL/sycl.hpp> ::sycl becomes
/// visible under an alias of its own name, too; the program's alias then repeats that one, which is allowed.
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
