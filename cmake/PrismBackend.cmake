# prism_add_backend(NAME n SOURCES a.cpp ... [LIBRARIES ...]): a backend module n.so, built against the
# installed device interface. To use it, put its folder on PRISM_BACKEND_PATH; other users must not be able to
# write to that folder.
# prism_add_conformance_test(n): a test that runs PRISM's conformance kit on every device of the module.
# The including file sets PRISM_BACKEND_INCLUDE and PRISM_CONFORMANCE.
function(prism_add_backend)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ARG_NAME OR NOT ARG_SOURCES)
    message(FATAL_ERROR "prism_add_backend needs NAME and SOURCES: prism_add_backend(NAME n SOURCES a.cpp)")
  endif()
  add_library(${ARG_NAME} MODULE ${ARG_SOURCES})
  set_target_properties(${ARG_NAME} PROPERTIES PREFIX "" CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_VISIBILITY_PRESET hidden)
  target_include_directories(${ARG_NAME} SYSTEM PRIVATE ${PRISM_BACKEND_INCLUDE})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_LIBRARIES})
  target_link_options(${ARG_NAME} PRIVATE -Wl,-z,nodelete) # devices/api/thread_end.hpp
endfunction()

function(prism_add_conformance_test name)
  if(NOT EXISTS ${PRISM_CONFORMANCE})
    message(FATAL_ERROR "prism_add_conformance_test: ${PRISM_CONFORMANCE} is missing; PRISM was installed without PRISM_TESTS")
  endif()
  add_test(NAME conformance_${name} COMMAND ${PRISM_CONFORMANCE} $<TARGET_FILE:${name}>)
  set_tests_properties(conformance_${name} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)
endfunction()
