# prism_use_precompiled_headers(TARGET): the sources of a test program that prism++ compiles begin with tests/sycl/common.hpp, parsed once
# for all programs: sycl.hpp and gtest.h are 1.1 s of processor time in each. Call it before add_sycl_to_target. Not for programs with
# sources of another compiler, nor for those that define a macro before they include sycl.hpp. --check=access defines one too: without it the
# headers report nothing.
#
# clang checks that the options agree; therefore the options here are those of a test's source. ccache reads the header's checksum in
# place of the precompiled file, which contains absolute paths, so that several working trees share results.
if(NOT PRISM_COMPILER OR NOT COMMAND add_sycl_to_target)
  function(prism_use_precompiled_headers target)
  endfunction()
  return()
endif()

set(PRISM_TEST_HEADERS ${CMAKE_CURRENT_BINARY_DIR}/common.pch)
string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
get_directory_property(options COMPILE_OPTIONS)
if(CMAKE_CROSSCOMPILING)
  list(APPEND flags ${CMAKE_CXX_COMPILE_OPTIONS_TARGET}${CMAKE_CXX_COMPILER_TARGET} ${CMAKE_CXX_COMPILE_OPTIONS_SYSROOT}${CMAKE_SYSROOT})
endif()
set(precompile ${PRISM_DRIVER} --as-launcher -- ${CMAKE_CXX_COMPILER} -D__PRISM_KERNELS__ -DPRISM_TEST_COMPILED=1
  -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/runtime/include ${flags} ${options} -fPIE -DGTEST_HAS_PTHREAD=1 -std=c++17 -Wno-pragma-once-outside-header)
set(header ${PROJECT_SOURCE_DIR}/tests/sycl/common.hpp)
add_custom_command(OUTPUT ${PRISM_TEST_HEADERS} ${PRISM_TEST_HEADERS}.sum
  COMMAND ${precompile} -x c++-header -Xclang -fno-pch-timestamp -Xclang -fpch-instantiate-templates -MD -MT ${PRISM_TEST_HEADERS}
    -MF ${PRISM_TEST_HEADERS}.d -o ${PRISM_TEST_HEADERS} -c ${header}
  COMMAND ${precompile} -x c++ -E -P -o ${PRISM_TEST_HEADERS}.text ${header}
  COMMAND ${CMAKE_COMMAND} -E sha256sum common.pch.text > ${PRISM_TEST_HEADERS}.sum
  DEPENDS ${PRISM_DRIVER_DEPENDS} ${PRISM_DRIVER_FILES} DEPFILE ${PRISM_TEST_HEADERS}.d WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
  COMMENT "tests/sycl/common.hpp, precompiled" VERBATIM)
add_custom_target(prism_test_headers DEPENDS ${PRISM_TEST_HEADERS})

function(prism_use_precompiled_headers target)
  add_dependencies(${target} prism_test_headers)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${PRISM_TEST_HEADERS})
  target_compile_options(${target} PRIVATE -include-pch ${PRISM_TEST_HEADERS}) # of the target: another one may compile the source differently
  get_target_property(launcher ${target} CXX_COMPILER_LAUNCHER)
  if(launcher MATCHES "ccache")
    set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 ${launcher})
  endif()
endfunction()
