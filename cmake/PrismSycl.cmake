# add_sycl_to_target(TARGET t SOURCES a.cpp ...): compiles those sources of target t with prism++ and links libprism.
#
# The sources get an object library whose compiler launcher is `prism++ --as-launcher`: prism++ takes the place of the
# compiler that CMake names, so include folders, definitions, options and header dependencies work as for any source.
# PRISM_DRIVER (the driver), PRISM_DRIVER_DEPENDS (targets and files a kernel's object depends on) are set by the including file.
function(add_sycl_to_target)
  cmake_parse_arguments(ARG "" "TARGET" "SOURCES" ${ARGN})
  if(NOT ARG_TARGET OR NOT ARG_SOURCES)
    message(FATAL_ERROR "add_sycl_to_target needs TARGET and SOURCES: add_sycl_to_target(TARGET t SOURCES a.cpp)")
  endif()
  set(objects ${ARG_TARGET}_sycl)
  add_library(${objects} OBJECT ${ARG_SOURCES})
  set_target_properties(${objects} PROPERTIES CXX_COMPILER_LAUNCHER "${PRISM_DRIVER};--as-launcher" POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${ARG_TARGET},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:${ARG_TARGET},COMPILE_DEFINITIONS>)
  target_compile_options(${objects} PRIVATE $<TARGET_PROPERTY:${ARG_TARGET},COMPILE_OPTIONS>)
  target_compile_features(${objects} PRIVATE cxx_std_17)
  if(PRISM_DRIVER_DEPENDS)
    add_dependencies(${objects} ${PRISM_DRIVER_DEPENDS})
  endif()
  if(PRISM_DRIVER_FILES)
    set_source_files_properties(${ARG_SOURCES} PROPERTIES OBJECT_DEPENDS "${PRISM_DRIVER_FILES}")
  endif()
  # The target's own compiler must not see these sources: their objects take their place.
  get_target_property(sources ${ARG_TARGET} SOURCES)
  if(NOT sources)
    set(sources "")
  endif()
  list(REMOVE_ITEM sources ${ARG_SOURCES})
  set_target_properties(${ARG_TARGET} PROPERTIES SOURCES "${sources};$<TARGET_OBJECTS:${objects}>" LINKER_LANGUAGE CXX)
  target_link_libraries(${ARG_TARGET} PRIVATE prism::prism)
endfunction()
