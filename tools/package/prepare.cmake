# CPack runs this after it has installed the files of a package, and before it packs them. All work is in prepare.py; only the
# search path of libraries is removed here, because CMake does it without further programs. Debian's loader needs none.
if(CPACK_GENERATOR STREQUAL "DEB")
  file(GLOB_RECURSE files ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/bin/* ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.so*
       ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/libexec/*)
  foreach(file ${files})
    if(NOT IS_SYMLINK ${file})
      file(READ ${file} magic LIMIT 4 HEX)
      if(magic STREQUAL "7f454c46")
        file(RPATH_REMOVE FILE ${file})
      endif()
    endif()
  endforeach()
endif()
execute_process(COMMAND python3 ${CPACK_PRISM_PREPARE} ${CPACK_GENERATOR} ${CPACK_TEMPORARY_INSTALL_DIRECTORY} ${CPACK_PACKAGE_VERSION} ${CPACK_PACKAGE_CONTACT}
                COMMAND_ERROR_IS_FATAL ANY)
