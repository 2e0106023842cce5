// The server: the same program, started with this module preloaded and PRISM_REMOTE_SERVE set. It serves
// before main() would begin and never gets there. Every client has a process of its own, forked off, so a
// kernel that crashes ends its client's session and no other.
//
//   PRISM_REMOTE_TOKEN_FILE=token PRISM_REMOTE_SERVE=unix:/run/user/1000/prism LD_PRELOAD=remote.so ./program
#pragma once

namespace remote {

/// One client, until it goes. Returns the exit status of the process.
int serve_client(int descriptor, const char* token);

} // namespace remote
