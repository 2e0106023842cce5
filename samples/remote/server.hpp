// The server: the same program, started with this module preloaded and PRISM_REMOTE_SERVE set. It serves
// instead of running main(). It forks a process for every client, so a kernel that crashes ends only its
// client's session.
//
// PRISM_REMOTE_TOKEN_FILE=token PRISM_REMOTE_SERVE=unix:/run/user/1000/prism LD_PRELOAD=remote.so ./program
#pragma once

namespace remote {

/// Serves one client until it disconnects. Returns the exit status of the process.
int serve_client(int descriptor, const char* token);

} // namespace remote
