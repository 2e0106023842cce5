# add_sycl_to_target(TARGET t [SOURCES a.cpp ...]): compiles these sources of target t (by default all its C++
# files) with prism++ and links libprism. For programs, static and shared libraries; may be called again for
# more sources.
#
# The sources are compiled in an object library whose compiler launcher is `prism++ --as-launcher`: prism++
# replaces the compiler that CMake names, so include folders, definitions, options and header dependencies
# work as for any source.
# The including file sets PRISM_DRIVER (the driver), PRISM_LINKERS (its folder of linker names) and
# PRISM_DRIVER_DEPENDS (targets and files that a kernel's object depends on).

# Sets `out` to the target's sources without those in `taken`, for any spelling of their paths, and `all_cpp`
# to its C++ files.
function(prism_split_sources target taken out all_cpp)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(rest)
  set(cpp)
  set(absolute)
  foreach(source ${taken})
    get_filename_component(full ${source} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND absolute ${full})
  endforeach()
  if(sources)
    foreach(source ${sources})
      get_filename_component(full "${source}" ABSOLUTE BASE_DIR ${folder})
      if(full MATCHES "\\.(cpp|cc|cxx|C|c\\+\\+|CPP)$")
        list(APPEND cpp ${full})
      endif()
      if(NOT full IN_LIST absolute)
        list(APPEND rest "${source}")
      endif()
    endforeach()
  endif()
  set(${out} "${rest}" PARENT_SCOPE)
  set(${all_cpp} "${cpp}" PARENT_SCOPE)
endfunction()

function(add_sycl_to_target)
  cmake_parse_arguments(ARG "" "TARGET" "SOURCES" ${ARGN})
  if(NOT ARG_TARGET)
    message(FATAL_ERROR "add_sycl_to_target needs TARGET: add_sycl_to_target(TARGET t SOURCES a.cpp)")
  endif()
  if(NOT TARGET ${ARG_TARGET})
    message(FATAL_ERROR "add_sycl_to_target: there is no target '${ARG_TARGET}'; call it after add_executable or add_library")
  endif()
  prism_split_sources(${ARG_TARGET} "" rest all_cpp)
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${all_cpp})
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "add_sycl_to_target: target '${ARG_TARGET}' has no C++ files; name them: add_sycl_to_target(TARGET ${ARG_TARGET} SOURCES a.cpp)")
  endif()
  prism_split_sources(${ARG_TARGET} "${ARG_SOURCES}" rest all_cpp)

  set(objects ${ARG_TARGET}_sycl)
  set(number 2)
  while(TARGET ${objects})
    set(objects ${ARG_TARGET}_sycl${number})
    math(EXPR number "${number} + 1")
  endwhile()
  add_library(${objects} OBJECT ${ARG_SOURCES})
  # Even if the other sources use link-time optimisation, these objects must be machine code that every linker
  # reads.
  set_target_properties(${objects} PROPERTIES CXX_COMPILER_LAUNCHER "${PRISM_DRIVER};--as-launcher" POSITION_INDEPENDENT_CODE ON
                                              INTERPROCEDURAL_OPTIMIZATION OFF)
  get_target_property(standard ${ARG_TARGET} CXX_STANDARD)
  if(NOT standard)
    set(standard 17) # said in compile_commands.json too: clangd's default may be earlier than the compiler's
  endif()
  set_target_properties(${objects} PROPERTIES CXX_STANDARD ${standard})
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${ARG_TARGET},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:${ARG_TARGET},COMPILE_DEFINITIONS>)
  target_compile_options(${objects} PRIVATE $<TARGET_PROPERTY:${ARG_TARGET},COMPILE_OPTIONS> -fno-lto)
  target_compile_features(${objects} PRIVATE cxx_std_17 $<TARGET_PROPERTY:${ARG_TARGET},COMPILE_FEATURES>)
  get_target_property(kind ${ARG_TARGET} TYPE)
  if(kind MATCHES "SHARED_LIBRARY|MODULE_LIBRARY")
    get_target_property(define ${ARG_TARGET} DEFINE_SYMBOL) # what CMake defines for a shared library's own sources
    target_compile_definitions(${objects} PRIVATE $<IF:$<BOOL:${define}>,${define},${ARG_TARGET}_EXPORTS>)
  endif()
  if(PRISM_DRIVER_DEPENDS)
    add_dependencies(${objects} ${PRISM_DRIVER_DEPENDS})
  endif()
  if(PRISM_DRIVER_FILES)
    set_source_files_properties(${ARG_SOURCES} PROPERTIES OBJECT_DEPENDS "${PRISM_DRIVER_FILES}")
  endif()
  # The target's own compiler must not compile these sources: it links their objects instead.
  set_target_properties(${ARG_TARGET} PROPERTIES SOURCES "${rest};$<TARGET_OBJECTS:${objects}>" LINKER_LANGUAGE CXX)
  # Runs before the linker and links the device code of several files.
  set(link_options LINK_OPTIONS)
  if(kind STREQUAL "STATIC_LIBRARY")
    set(link_options INTERFACE_LINK_OPTIONS)
  endif()
  set_property(TARGET ${ARG_TARGET} APPEND PROPERTY ${link_options} "-B${PRISM_LINKERS}")
  # Not target_link_libraries: it has two forms that must not be mixed, and the project may use either.
  set_property(TARGET ${ARG_TARGET} APPEND PROPERTY LINK_LIBRARIES prism::prism)
  if(kind STREQUAL "STATIC_LIBRARY")
    set_property(TARGET ${ARG_TARGET} APPEND PROPERTY INTERFACE_LINK_LIBRARIES $<LINK_ONLY:prism::prism>)
  endif()
endfunction()
