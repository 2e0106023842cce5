# Builds PRISM for AArch64 on another machine; see debian.cmake. `./prism check --all aarch64` does all of it.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
