// Whether a test can act as another user.
#pragma once

#include <stdlib.h>
#include <unistd.h>

namespace prism_test {

inline constexpr uid_t nobody = 65534;

/// Root can, but not in a user namespace that knows no other users, as in a container without root.
inline bool can_be_another_user() {
  if (::geteuid() != 0) return false;
  char name[] = "/tmp/prism-other-user-XXXXXX";
  const int file = ::mkstemp(name);
  if (file < 0) return false;
  const bool given = ::fchown(file, nobody, nobody) == 0;
  ::close(file);
  ::unlink(name);
  return given;
}

} // namespace prism_test
