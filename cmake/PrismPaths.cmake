# prism_leave_paths_out(): nothing that is built has the path of the source folder or of the build folder, so that builds of the same
# sources in different folders have the same bytes. For packages: a debugger then needs `set substitute-path`.
#
# Compilers replace a path by the last option whose path it begins with, so the build folder, which may be in the source folder, is last. The
# second path is for ccache, which gives the compiler paths relative to the build folder (CCACHE_BASEDIR).
macro(prism_leave_paths_out)
  file(RELATIVE_PATH prism_up ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  foreach(path ${PROJECT_SOURCE_DIR} ${prism_up} ${PROJECT_BINARY_DIR})
    string(REGEX REPLACE "/$" "" path ${path})
    add_compile_options(-ffile-prefix-map=${path}/=)
  endforeach()
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON) # a search path of libraries is overwritten when it is installed, but leaves its length
endmacro()
