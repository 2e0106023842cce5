// Response files: a word @FILE of a command line stands for the words in FILE, as in clang, gcc and ld.
// Reads files, starts nothing.
#pragma once

#include <string>
#include <vector>

namespace prism::driver {

/// `arguments` with the words of their response files in place of these, also of those that files name. A
/// file that cannot be opened stays as it is: the compiler or linker reports it. Throws std::runtime_error
/// for one that is too large or names itself.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

/// The words as a response file: one per line, in double quotes.
std::string response_file_text(const std::vector<std::string>& arguments);

} // namespace prism::driver
