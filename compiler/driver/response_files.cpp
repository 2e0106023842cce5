#include "compiler/driver/response_files.hpp"

#include <cstring>
#include <fstream>
#include <stdexcept>

namespace prism::driver {

namespace {

constexpr int most_nested = 32;
constexpr std::size_t most_bytes = std::size_t{64} << 20;

/// Words separated by white space, where quotes hold words together. A backslash keeps the next character as
/// it is, inside of quotes too: the rules of LLVM and of binutils.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) word += text[++i], inside = true;
    else if (quote != 0) c == quote ? void(quote = 0) : void(word += c);
    else if (c == '"' || c == '\'') quote = c, inside = true;
    else if (std::strchr(" \t\r\n", c)) {
      if (inside) words.push_back(word);
      word.clear();
      inside = false;
    } else word += c, inside = true;
  }
  if (inside) words.push_back(word);
  return words;
}

std::string contents_of(std::ifstream& stream, const std::string& file) {
  std::string text;
  char piece[1 << 14];
  while (stream.read(piece, sizeof piece), stream.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most_bytes)
      throw std::runtime_error("the response file '" + file + "' has more than 64 MiB");
  }
  return text;
}

void expand(const std::vector<std::string>& arguments, int depth, std::vector<std::string>& all) {
  for (const std::string& argument : arguments) {
    std::ifstream stream;
    if (argument.size() > 1 && argument[0] == '@') stream.open(argument.substr(1));
    if (!stream.is_open()) {
      all.push_back(argument);
      continue;
    }
    if (depth == most_nested)
      throw std::runtime_error("the response file '" + argument.substr(1) +
                               "' is named by itself, or by 32 others in a row");
    expand(words_of(contents_of(stream, argument.substr(1))), depth + 1, all);
  }
}

} // namespace

std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  expand(arguments, 0, all);
  return all;
}

std::string response_file_text(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    text += '"';
    for (const char c : argument) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += "\"\n";
  }
  return text;
}

} // namespace prism::driver
