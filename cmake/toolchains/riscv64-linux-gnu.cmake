# Builds PRISM for RISC-V of 64 bits on another machine; see debian.cmake. `./prism check --all riscv64` does all of it.
set(CMAKE_SYSTEM_PROCESSOR riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
# Debian's libgtest.a has exception tables of functions that the linker drops as duplicates, which lld counts as errors on this processor. Only
# programs, which are the tests, are linked in spite of them.
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,--noinhibit-exec")
