// prism++ under the name of a linker: joins the device code of a program's objects, then starts the linker of
// that name.
//
// Compilers find it by -B<folder of these names>; so it sees what is really linked, whatever the compiler's
// command was. Without device code to join it replaces itself by the linker at once.
#pragma once

#include <string>
#include <vector>

namespace prism::driver {

bool is_linker_name(const std::string& name); // ld, ld.lld, ...

/// The exit status; does not return when there is nothing to join. Throws std::runtime_error.
int link(const std::string& name, std::vector<std::string> arguments);

} // namespace prism::driver
