# prism_add_fortran(FOLDER): the target prism::fortran, the modules `prism` and `prism_c` of FOLDER's sources over libprism-c. It is compiled in the
# project that uses it, because a .mod file is good for one compiler and version only; FFTW ships its Fortran interface as a source too.
function(prism_add_fortran folder)
  if(TARGET prism_fortran)
    return()
  endif()
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/prism-fortran)
  add_library(prism_fortran STATIC EXCLUDE_FROM_ALL ${folder}/prism_c.f90 ${folder}/prism_objects.f90 ${folder}/prism.F90)
  add_library(prism::fortran ALIAS prism_fortran)
  set_target_properties(prism_fortran PROPERTIES Fortran_MODULE_DIRECTORY ${modules} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(prism_fortran PUBLIC ${modules} PRIVATE ${folder})
  target_link_libraries(prism_fortran PUBLIC prism::c)
endfunction()
