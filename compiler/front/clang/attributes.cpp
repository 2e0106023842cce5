// Reads kernel attributes while clang reads the source: [[sycl::reqd_work_group_size(8)]] void
// operator()(...) const { ... }, and [=](...) [[sycl::reqd_sub_group_size(16)]] { ... }.
//
// clang has no attributes of SYCL, and an attribute after a lambda's parameters belongs to a type, which
// plugins cannot handle. This class therefore takes the attribute out of the token stream, and inserts a call
// of a reserved function at the start of the body, with the same arguments. Templates, constants and macros
// in them keep their meaning. front/attributes.cpp finds the call.
#include <optional>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSwitch.h"

#include "compiler/front/clang/old_namespace.hpp"

namespace {

using namespace clang;
using token_list = std::vector<Token>;

/// sycl/detail/kernel_abi.hpp defines it together with the reserved functions.
constexpr const char* guard_macro = "PRISM_KERNEL_ATTRIBUTES";

/// The reserved function for an attribute; "" for a hint; empty for an attribute that is not SYCL's.
std::optional<StringRef> function_of(StringRef scope, StringRef name) {
  if (scope != "sycl" && scope != "intel" && scope != "cl") return std::nullopt;
  return llvm::StringSwitch<std::optional<StringRef>>(name)
      .Case("reqd_work_group_size", StringRef("__prism_reqd_work_group_size"))
      .Case("reqd_sub_group_size", StringRef("__prism_reqd_sub_group_size"))
      .Case("device_has", StringRef("__prism_device_has"))
      .Cases("work_group_size_hint", "vec_type_hint", StringRef(""))
      .Default(std::nullopt);
}

bool opens(const Token& token) { return token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace); }
bool closes(const Token& token) { return token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace); }

/// The token lists between commas that are not in brackets.
std::vector<token_list> split_at_commas(ArrayRef<Token> tokens) {
  std::vector<token_list> parts(1);
  int depth = 0;
  for (const Token& token : tokens) {
    depth += opens(token) - closes(token);
    if (depth == 0 && token.is(tok::comma)) parts.emplace_back();
    else parts.back().push_back(token);
  }
  return parts;
}

class attribute_reader {
public:
  explicit attribute_reader(Preprocessor& preprocessor) : m_preprocessor(preprocessor) {}

  void operator()(const Token& token) {
    if (m_reading) return;
    const bool begins = token.is(tok::l_square) && m_after_bracket;
    m_after_bracket = token.is(tok::l_square) && !begins;
    if (!begins || !m_preprocessor.isMacroDefined(guard_macro) || !may_be_ours(token)) return;
    m_reading = true;
    read_attributes();
    m_reading = false;
  }

private:
  /// Reads the text after "[[" without changing the token stream, which is safe at any moment, also during a
  /// look-ahead. True if the text up to the first "]" names an attribute of SYCL, or a macro that may stand
  /// for one.
  bool may_be_ours(const Token& bracket) const {
    const SourceManager& sources = m_preprocessor.getSourceManager();
    const SourceLocation begin = sources.getSpellingLoc(bracket.getLocation());
    const auto [file, offset] = sources.getDecomposedLoc(begin);
    bool invalid = false;
    const StringRef text = sources.getBufferData(file, &invalid);
    if (invalid) return false;
    Lexer raw(sources.getLocForStartOfFile(file), m_preprocessor.getLangOpts(), text.begin(),
              text.begin() + offset + 1, text.end());
    Token token;
    for (raw.LexFromRawLexer(token); token.isNot(tok::eof) && token.isNot(tok::r_square);
         raw.LexFromRawLexer(token)) {
      if (token.isNot(tok::raw_identifier)) continue;
      const StringRef name = token.getRawIdentifier();
      if (function_of("sycl", name) || m_preprocessor.isMacroDefined(name)) return true;
    }
    return false;
  }

  /// The next token, taken from the stream even if the parser may backtrack to it.
  Token next() {
    Token token;
    m_preprocessor.Lex(token);
    if (m_preprocessor.isBacktrackEnabled()) m_preprocessor.ReplacePreviousCachedToken({});
    return token;
  }

  /// After "[[": all tokens that were read go back, except for the attributes, which become calls.
  void read_attributes() {
    token_list read, calls;
    if (read_list(read, calls) && read_to_body(read, calls))
      read.insert(read.end(), calls.begin(), calls.end());
    auto back = std::make_unique<Token[]>(read.size());
    std::copy(read.begin(), read.end(), back.get());
    m_preprocessor.EnterTokenStream(std::move(back), read.size(), /*DisableMacroExpansion=*/true,
                                    /*IsReinject=*/true);
  }

  /// Reads from after "[[" up to "]]"; true if an attribute was taken out.
  bool read_list(token_list& read, token_list& calls) {
    token_list list;
    for (int depth = 0;;) {
      const Token token = next();
      if (token.is(tok::eof) || (depth == 0 && closes(token))) {
        const bool taken = take_attributes(list, calls);
        read.insert(read.end(), list.begin(), list.end());
        read.push_back(token);
        if (token.is(tok::r_square)) read.push_back(next());
        return taken;
      }
      depth += opens(token) - closes(token);
      list.push_back(token);
    }
  }

  bool take_attributes(token_list& list, token_list& calls) {
    token_list left;
    bool taken = false;
    for (const token_list& attribute : split_at_commas(list)) {
      if (take_attribute(attribute, calls)) {
        taken = true;
        continue;
      }
      if (!left.empty()) left.push_back(m_comma);
      left.insert(left.end(), attribute.begin(), attribute.end());
    }
    if (taken) list = std::move(left);
    return taken;
  }

  /// scope :: name ( arguments )
  bool take_attribute(const token_list& attribute, token_list& calls) {
    if (attribute.size() < 5 || !attribute[0].getIdentifierInfo() || attribute[1].isNot(tok::coloncolon) ||
        !attribute[2].getIdentifierInfo() || attribute[3].isNot(tok::l_paren) ||
        attribute.back().isNot(tok::r_paren))
      return false;
    const auto function =
        function_of(attribute[0].getIdentifierInfo()->getName(), attribute[2].getIdentifierInfo()->getName());
    if (!function) return false;
    if (attribute[2].getIdentifierInfo()->isStr("vec_type_hint"))
      m_preprocessor.getDiagnostics().Report(attribute[2].getLocation(), clang::diag::warn_deprecated)
          << "'vec_type_hint'";
    m_comma = attribute[1];
    m_comma.setKind(tok::comma);
    m_name = attribute[2].getLocation();
    const ArrayRef<Token> arguments = ArrayRef<Token>(attribute).slice(4, attribute.size() - 5);
    if (*function == "__prism_device_has") {
      for (const token_list& one : split_at_commas(arguments))
        if (!one.empty()) append_call(calls, *function, as_integer(one), attribute[2]);
    } else if (!function->empty()) {
      append_call(calls, *function, arguments, attribute[2]);
    }
    return true;
  }

  static void append(token_list& list, tok::TokenKind kind, const Token& place) {
    Token token;
    token.startToken();
    token.setKind(kind);
    token.setLocation(place.getLocation());
    token.setLength(place.getLength());
    list.push_back(token);
  }

  /// "static_cast<int>(expression)"
  static token_list as_integer(const token_list& expression) {
    token_list cast;
    for (tok::TokenKind kind : {tok::kw_static_cast, tok::less, tok::kw_int, tok::greater, tok::l_paren})
      append(cast, kind, expression[0]);
    cast.insert(cast.end(), expression.begin(), expression.end());
    append(cast, tok::r_paren, expression[0]);
    return cast;
  }

  /// ":: function(arguments);", at the attribute's location.
  void append_call(token_list& calls, StringRef function, ArrayRef<Token> arguments, const Token& place) {
    append(calls, tok::coloncolon, place);
    append(calls, tok::identifier, place);
    calls.back().setIdentifierInfo(m_preprocessor.getIdentifierInfo(function));
    append(calls, tok::l_paren, place);
    calls.insert(calls.end(), arguments.begin(), arguments.end());
    append(calls, tok::r_paren, place);
    append(calls, tok::semi, place);
  }

  /// Reads up to the "{" of the function's body, which is included, with further attributes on the way; false
  /// if there is none.
  bool read_to_body(token_list& read, token_list& calls) {
    int depth = 0;
    bool after_bracket = false;
    for (;;) {
      const Token token = next();
      read.push_back(token);
      if (depth == 0 && token.is(tok::l_brace)) return true;
      if (token.is(tok::eof) || (depth == 0 && (token.is(tok::semi) || closes(token)))) {
        report_missing_body();
        return false;
      }
      if (token.is(tok::l_square) && after_bracket) {
        read_list(read, calls);
        --depth; // the outer "[" was closed together with the list
        after_bracket = false;
        continue;
      }
      after_bracket = token.is(tok::l_square);
      depth += opens(token) - closes(token);
    }
  }

  void report_missing_body() {
    DiagnosticsEngine& diagnostics = m_preprocessor.getDiagnostics();
    const unsigned id = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Warning,
        "this attribute of SYCL has no effect on a declaration without a body; write it where the function "
        "is defined");
    diagnostics.Report(m_name, id);
  }

  Preprocessor& m_preprocessor;
  bool m_reading = false, m_after_bracket = false;
  Token m_comma;
  SourceLocation m_name; // of the attribute that was taken out last
};

class attribute_action : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    compiler.getPreprocessor().setTokenWatcher( // clang has only one watcher
        [attributes = attribute_reader(compiler.getPreprocessor()),
         aliases = prism::compiler::namespace_alias_reader(compiler)](const Token& token) mutable {
      aliases(token);
      attributes(token);
    });
    return std::make_unique<ASTConsumer>();
  }
  bool ParseArgs(const CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

FrontendPluginRegistry::Add<attribute_action> registered_attributes("prism-attributes",
                                                                    "kernel attributes of SYCL 2020");

} // namespace
