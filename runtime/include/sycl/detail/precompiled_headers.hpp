// Empty. prism++ precompiles the headers that a source begins with as if this file included them
// (compiler/driver/header_cache.hpp), because clang names the file that it precompiles among the dependencies
// of every object: this one does not change.
#pragma once
