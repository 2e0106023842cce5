# prism_build_before_install(TARGET...): `cmake --install` installs files and builds none, so after a build of some targets
# (./prism demo) it would stop at the first missing file. With this it builds the missing targets first. Call it before the
# targets' own install rules; a TARGET that the configuration leaves out is ignored.
function(prism_build_before_install)
  set(pairs)
  foreach(target ${ARGV})
    list(APPEND pairs "$<$<TARGET_EXISTS:${target}>:${target}=$<TARGET_FILE:${target}>>")
  endforeach()
  install(CODE "
    set(missing)
    set(pairs \"${pairs}\") # a folder's name may have spaces
    foreach(pair IN LISTS pairs)
      string(REGEX REPLACE \"=.*\" \"\" target \"\${pair}\")
      string(REGEX REPLACE \"^[^=]*=\" \"\" file \"\${pair}\")
      if(pair AND NOT EXISTS \"\${file}\")
        list(APPEND missing \${target})
      endif()
    endforeach()
    if(missing)
      list(JOIN missing \", \" names)
      message(STATUS \"Building what was not built yet: \${names}\")
      execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target \${missing} RESULT_VARIABLE failed)
      if(failed)
        message(FATAL_ERROR \"Nothing was installed, because the build of \${names} failed; the reason is above.\")
      endif()
    endif()")
endfunction()
