// prism++ called by the name of a linker: links the device code of a program's objects, then starts the
// linker of that name.
//
// Compilers find it by -B<folder of these names>. It therefore sees the files that are really linked, for any
// command of the compiler. If there is no device code to link, it replaces itself by the linker at once.
#pragma once

#include <string>
#include <vector>

namespace prism::driver {

bool is_linker_name(const std::string& name); // ld, ld.lld, ...

/// Returns the exit status; does not return if there is no device code to link. Throws std::runtime_error.
int link(const std::string& name, std::vector<std::string> arguments);

} // namespace prism::driver
