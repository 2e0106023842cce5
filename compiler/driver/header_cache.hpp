// Precompiled headers of prism++: sycl.hpp and the standard headers below it are parsed once for all sources
// that are compiled with the same options, because parsing them takes most of a small file's time.
//
// A source qualifies if it begins with #include lines of standard headers and PRISM's: then nothing before
// them can change what they mean. The second such compilation with the same options precompiles the headers,
// under <cache folder>/headers; a later one uses the file while no header below it has changed. Without a
// folder that can be written, on a full disk and for headers that do not compile, clang parses the headers as
// text.
//
// Any process; several at once: one of them precompiles, the others parse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/driver/command_line.hpp"

namespace prism::driver {

/// PRISM's headers among the #include lines that a source begins with, in their order. Comments and headers
/// of the C and C++ libraries may stand between them; any other line ends the list. A pure function.
std::vector<std::string> leading_headers(std::string_view text);

/// Why this command line cannot use a precompiled header: the option, or a description of it; empty if it
/// can. A pure function.
std::string why_headers_are_parsed(const request& asked);

/// The options that decide what a precompiled header contains: the user's without inputs, outputs, warnings,
/// debug information and what only LLVM's passes read, with absolute folders of headers and one level for all
/// that optimise for speed. A pure function of its arguments.
std::vector<std::string> options_of_headers(const request& asked, const std::string& working_folder);

/// The options that make clang read the headers of the request's sources from a precompiled file; none if
/// there is no such file. Makes it if now is the time.
std::vector<std::string> use_precompiled_headers(const request& asked, const places& where);

} // namespace prism::driver
