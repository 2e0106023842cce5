// PRISM's Vulkan calling convention (devices/api/image.hpp): push constants, specialisation constants, buffer references.
// A shader defines `arguments`, its captured block, before it includes this file.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer floats { float at[]; };
