# add_sycl_to_target(TARGET t [SOURCES a.cpp ...]): compiles these sources of target t (by default all its C++
# files) with prism++, and links libprism. For programs, static, shared, module and object libraries; may be
# called again for more sources. A target without C++ files (an interface library, or a program made of the
# objects of others) is only linked.
#
# The sources stay in their target, so that every property of target and source works as for any other source:
# order after generated headers, system include folders, visibility, precompiled headers, launchers, export.
# The target's compiler launcher is `prism++ --as-launcher`: it starts the project's compiler, unless the command
# defines __PRISM_KERNELS__, which add_sycl_to_target sets for these sources. Then it compiles with prism++.
# All three marks are definitions because every compiler and editor that meets them accepts these.
#
# Target properties, read when the build is generated; variables of the same names are their defaults:
#   PRISM_TARGETS  images to put into the program: host;opencl;vulkan (prism++ --targets)
#   PRISM_CHECK    access: reports wrong accesses (prism++ --check)
#   PRISM_STDPAR   ON: standard algorithms with std::execution::par_unseq run on the default device (prism++ --stdpar)
#   PRISM_DEVICE_PASS  ON: device code is compiled by a pass of its own, with __SYCL_DEVICE_ONLY__ (prism++ --device-pass)
#
# The including file sets PRISM_DRIVER (the driver), PRISM_DRIVER_DEPENDS (targets that a kernel's object depends
# on), PRISM_DRIVER_FILES (files of the same kind), and the property PRISM_LINK_OPTIONS of prism::prism.

if(NOT CMAKE_VERSION VERSION_LESS 3.23) # before, the variables are no defaults
  define_property(TARGET PROPERTY PRISM_TARGETS INITIALIZE_FROM_VARIABLE PRISM_TARGETS
                  BRIEF_DOCS "Images that prism++ puts into the program" FULL_DOCS "host;opencl;vulkan, or some of them; all by default")
  define_property(TARGET PROPERTY PRISM_CHECK INITIALIZE_FROM_VARIABLE PRISM_CHECK
                  BRIEF_DOCS "What prism++ checks" FULL_DOCS "access: wrong indices and host code that uses memory while a device does")
  define_property(TARGET PROPERTY PRISM_STDPAR INITIALIZE_FROM_VARIABLE PRISM_STDPAR
                  BRIEF_DOCS "Whether standard algorithms run on devices" FULL_DOCS "ON: those with std::execution::par_unseq")
  define_property(TARGET PROPERTY PRISM_DEVICE_PASS INITIALIZE_FROM_VARIABLE PRISM_DEVICE_PASS
                  BRIEF_DOCS "Whether device code has a pass of its own" FULL_DOCS "ON: kernels are compiled with __SYCL_DEVICE_ONLY__")
endif()

# Sets `out` to the absolute path of a source that CMAKE_CURRENT_SOURCE_DIR or, if it is generated,
# CMAKE_CURRENT_BINARY_DIR contains.
function(prism_absolute_source source folder out)
  get_filename_component(full "${source}" ABSOLUTE BASE_DIR ${folder})
  if(NOT EXISTS "${full}")
    get_filename_component(built "${source}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
    get_source_file_property(generated "${built}" GENERATED)
    if(generated OR EXISTS "${built}")
      set(full "${built}")
    endif()
  endif()
  set(${out} "${full}" PARENT_SCOPE)
endfunction()

# Puts prism++ before the compiler of the target's C++ files, where a launcher that the target has stays behind it,
# and marks the sources that prism++ compiles. Calls after the first change nothing.
function(prism_mark target sources)
  get_target_property(launcher ${target} CXX_COMPILER_LAUNCHER)
  if(NOT launcher)
    set(launcher)
  endif()
  if(NOT "--as-launcher" IN_LIST launcher)
    set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER ${PRISM_DRIVER} --as-launcher ${launcher} --)
  endif()
  foreach(source IN LISTS sources)
    get_property(options SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY COMPILE_OPTIONS)
    if(NOT "-D__PRISM_KERNELS__" IN_LIST options)
      set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS -D__PRISM_KERNELS__)
      set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${PRISM_DRIVER_FILES})
      # No batches with sources of the other compiler; no scan for modules by it.
      set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
      set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY CXX_SCAN_FOR_MODULES OFF)
    endif()
  endforeach()
endfunction()

# The target links libprism, and so do those that link the target: its headers may include <sycl/sycl.hpp>.
# Not target_link_libraries: it has two forms that must not be mixed, and the project may use either.
function(prism_link target)
  get_target_property(kind ${target} TYPE)
  set(properties LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
  if(kind STREQUAL "INTERFACE_LIBRARY") # it links nothing itself
    set(properties INTERFACE_LINK_LIBRARIES)
  endif()
  foreach(property IN LISTS properties)
    get_target_property(linked ${target} ${property})
    if(NOT linked OR NOT "prism::prism" IN_LIST linked)
      # prism::stdpar first: it defines free for the process.
      set_property(TARGET ${target} APPEND PROPERTY ${property}
                   $<$<BOOL:$<TARGET_PROPERTY:${target},PRISM_STDPAR>>:prism::stdpar> prism::prism)
    endif()
  endforeach()
  # prism++ under the linker's name links the device code of several files. An expression, because an exported
  # library is linked where prism::prism has another path.
  set(property LINK_OPTIONS)
  if(kind MATCHES "STATIC_LIBRARY|OBJECT_LIBRARY|INTERFACE_LIBRARY")
    set(property INTERFACE_LINK_OPTIONS)
  endif()
  get_target_property(options ${target} ${property})
  if(NOT options MATCHES "PRISM_LINK_OPTIONS")
    set_property(TARGET ${target} APPEND PROPERTY ${property} $<TARGET_PROPERTY:prism::prism,PRISM_LINK_OPTIONS>)
  endif()
endfunction()

function(add_sycl_to_target)
  cmake_parse_arguments(ARG "" "TARGET" "SOURCES" ${ARGN})
  if(NOT ARG_TARGET)
    message(FATAL_ERROR "add_sycl_to_target needs TARGET: add_sycl_to_target(TARGET t SOURCES a.cpp)")
  endif()
  if(NOT TARGET ${ARG_TARGET})
    message(FATAL_ERROR "add_sycl_to_target: there is no target '${ARG_TARGET}'; call it after add_executable or add_library")
  endif()
  get_target_property(kind ${ARG_TARGET} TYPE)
  if(kind STREQUAL "INTERFACE_LIBRARY")
    if(ARG_SOURCES)
      message(FATAL_ERROR "add_sycl_to_target: '${ARG_TARGET}' is an INTERFACE library, which compiles nothing; name the targets that compile these sources")
    endif()
    prism_link(${ARG_TARGET})
    return()
  endif()

  # Absolute paths of what the target has already.
  get_target_property(sources ${ARG_TARGET} SOURCES)
  get_target_property(folder ${ARG_TARGET} SOURCE_DIR)
  set(present)
  set(all_cpp)
  if(sources)
    foreach(source IN LISTS sources)
      prism_absolute_source("${source}" ${folder} full)
      list(APPEND present "${full}")
      if(full MATCHES "\\.(cpp|cc|cxx|C|c\\+\\+|CPP)$")
        list(APPEND all_cpp "${full}")
      endif()
    endforeach()
  endif()
  set(chosen ${all_cpp})
  if(ARG_SOURCES)
    set(chosen)
    foreach(source IN LISTS ARG_SOURCES)
      prism_absolute_source("${source}" ${CMAKE_CURRENT_SOURCE_DIR} full)
      list(APPEND chosen "${full}")
      if(NOT full IN_LIST present)
        target_sources(${ARG_TARGET} PRIVATE "${full}")
      endif()
    endforeach()
  endif()
  if(PRISM_DRIVER_DEPENDS)
    add_dependencies(${ARG_TARGET} ${PRISM_DRIVER_DEPENDS})
  endif()
  set_property(TARGET ${ARG_TARGET} PROPERTY LINKER_LANGUAGE CXX)
  if(NOT chosen)
    prism_link(${ARG_TARGET})
    return()
  endif()
  get_target_property(standard ${ARG_TARGET} CXX_STANDARD)
  if(NOT standard) # stated in compile_commands.json too: clangd's default may be older than the compiler's
    set_property(TARGET ${ARG_TARGET} PROPERTY CXX_STANDARD 17)
  endif()
  target_compile_options(${ARG_TARGET} PRIVATE # twice is once: CMake drops what a list repeats
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:PRISM_TARGETS>>>:-D__PRISM_TARGETS__=$<JOIN:$<TARGET_PROPERTY:PRISM_TARGETS>,+>>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:PRISM_CHECK>>>:-D__PRISM_CHECK__=$<TARGET_PROPERTY:PRISM_CHECK>>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:PRISM_STDPAR>>>:-D__PRISM_STDPAR__>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:PRISM_DEVICE_PASS>>>:-D__PRISM_DEVICE_PASS__>)
  prism_link(${ARG_TARGET})
  prism_mark(${ARG_TARGET} "${chosen}")
  # Again at the end of the folder, because what the project sets until then replaces the values of properties.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL prism_mark [[${ARG_TARGET}]] [[${chosen}]])")
endfunction()
