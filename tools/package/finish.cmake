# CPack runs this after it has written the packages. All work is in finish.py.
execute_process(COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/finish.py ${CPACK_PACKAGE_FILES} COMMAND_ERROR_IS_FATAL ANY)
