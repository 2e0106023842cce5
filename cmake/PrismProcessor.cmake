# prism_needs_little_endian(): ends the configuration for a big-endian processor. PRISM's images, caches and files have the bytes of numbers in
# little-endian order, as the devices do.
function(prism_needs_little_endian)
  if(CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")
    message(FATAL_ERROR "PRISM does not support ${CMAKE_SYSTEM_PROCESSOR}: it is big-endian, and PRISM's images and files are little-endian.")
  endif()
endfunction()
