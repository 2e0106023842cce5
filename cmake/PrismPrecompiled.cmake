# Headers that prism++ parses once for many sources of this build: sycl.hpp takes one to two seconds of processor time in each of them.
#
# prism_precompile(NAME HEADER OPTION...) precompiles a header of the repository with these options.
# prism_use_precompiled(NAME TARGET [SOURCE...]) begins these sources of a target with it, by default all its C++ files; prism++ must compile
# them. Call it before add_sycl_to_target. Not for programs with sources of another compiler unless the others are named, nor for sources that
# define a macro before they include sycl.hpp.
#
# clang checks that the options of header and source agree: the standard, macros, -fPIC or -fPIE, and whether the code is optimised. Some targets
# are optimised in every build, so only optimised builds have precompiled headers. ccache reads the header's checksum in place of
# the precompiled file, which contains absolute paths, so that several working trees share results. Packages are built without, because an object
# made with a precompiled header has its functions in another order.
function(prism_precompile name header)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
  if(NOT PRISM_COMPILER OR PRISM_LEAVE_PATHS_OUT OR NOT "${flags}" MATCHES "-O[123]")
    return()
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}.pch)
  get_directory_property(options COMPILE_OPTIONS)
  if(CMAKE_CROSSCOMPILING)
    list(APPEND flags ${CMAKE_CXX_COMPILE_OPTIONS_TARGET}${CMAKE_CXX_COMPILER_TARGET} ${CMAKE_CXX_COMPILE_OPTIONS_SYSROOT}${CMAKE_SYSROOT})
  endif()
  set(precompile ${PRISM_DRIVER} --as-launcher -- ${CMAKE_CXX_COMPILER} -D__PRISM_KERNELS__ -I${PROJECT_SOURCE_DIR}
    -I${PROJECT_SOURCE_DIR}/runtime/include ${flags} ${options} ${ARGN} -Wno-pragma-once-outside-header)
  add_custom_command(OUTPUT ${made} ${made}.sum
    COMMAND ${precompile} -x c++-header -Xclang -fno-pch-timestamp -Xclang -fpch-instantiate-templates -MD -MT ${made}
      -MF ${made}.d -o ${made} -c ${PROJECT_SOURCE_DIR}/${header}
    COMMAND ${precompile} -x c++ -E -P -o ${made}.text ${PROJECT_SOURCE_DIR}/${header}
    COMMAND ${CMAKE_COMMAND} -E sha256sum ${name}.pch.text > ${made}.sum
    DEPENDS ${PRISM_DRIVER_DEPENDS} ${PRISM_DRIVER_FILES} DEPFILE ${made}.d WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    COMMENT "${header}, precompiled as ${name}" VERBATIM)
  add_custom_target(prism_precompiled_${name} DEPENDS ${made})
  set_property(GLOBAL PROPERTY PRISM_PRECOMPILED_${name} ${made})
endfunction()

function(prism_use_precompiled name target)
  get_property(made GLOBAL PROPERTY PRISM_PRECOMPILED_${name})
  if(NOT made)
    return()
  endif()
  add_dependencies(${target} prism_precompiled_${name})
  set(sources ${ARGN})
  if(sources)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS -include-pch ${made})
  else()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    target_compile_options(${target} PRIVATE -include-pch ${made}) # of the target: another one may compile the source differently
  endif()
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${made})
  get_target_property(launcher ${target} CXX_COMPILER_LAUNCHER)
  if(launcher MATCHES "ccache" AND NOT launcher MATCHES "CCACHE_PCH_EXTSUM")
    set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 ${launcher})
  endif()
endfunction()
