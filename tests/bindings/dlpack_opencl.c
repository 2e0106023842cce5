/* A program in C99 that knows OpenCL and DLPack, and reads and writes PRISM's arrays by the tensor's cl_mem;
 * then the reverse: PRISM takes a cl_mem that this program made. The exit status is 0 if the numbers are
 * right, 77 if the selected device is none of OpenCL. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <prism.h>
#include <prism/dlpack.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      printf("line %d: %s is false\n", __LINE__, #condition);                                                \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

static prism_error* error = NULL;
static void right(prism_status status, int line) {
  if (status == PRISM_OK) return;
  printf("line %d: status %d: %s\n", line, (int)status, prism_error_message(error));
  exit(1);
}
#define RIGHT(call) right(call, __LINE__)

enum { N = 6000 };

/* What a consumer makes of a tensor: the memory object, the offset of the first element, and a queue in the
 * object's own context. */
struct consumer {
  cl_mem memory;
  size_t offset;
  cl_context context;
  cl_device_id device;
  cl_command_queue queue;
};

static struct consumer consume(const DLTensor* tensor) {
  struct consumer c;
  c.memory = (cl_mem)tensor->data;
  c.offset = (size_t)tensor->byte_offset;
  CHECK(clGetMemObjectInfo(c.memory, CL_MEM_CONTEXT, sizeof c.context, &c.context, NULL) == CL_SUCCESS);
  CHECK(clGetContextInfo(c.context, CL_CONTEXT_DEVICES, sizeof c.device, &c.device, NULL) == CL_SUCCESS);
  c.queue = clCreateCommandQueueWithProperties(c.context, c.device, NULL, NULL);
  CHECK(c.queue != NULL);
  return c;
}

static const char* const text = "kernel void twice(global float* x, ulong first) {\n"
                                "  x[first + get_global_id(0)] *= 2;\n"
                                "}\n";

static void double_by_a_kernel(const struct consumer* c, size_t count) {
  const cl_ulong first = c->offset / sizeof(float);
  cl_program program = clCreateProgramWithSource(c->context, 1, (const char**)&text, NULL, NULL);
  cl_kernel kernel;
  CHECK(clBuildProgram(program, 1, &c->device, "", NULL, NULL) == CL_SUCCESS);
  kernel = clCreateKernel(program, "twice", NULL);
  CHECK(clSetKernelArg(kernel, 0, sizeof c->memory, &c->memory) == CL_SUCCESS);
  CHECK(clSetKernelArg(kernel, 1, sizeof first, &first) == CL_SUCCESS);
  CHECK(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL) == CL_SUCCESS);
  CHECK(clFinish(c->queue) == CL_SUCCESS);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

/* An array of 0, 1, 2, ... `count` of them. */
static prism_array* counted(const prism_device* device, int64_t count) {
  prism_array* made = NULL;
  prism_given arguments[4];
  size_t results = 0;
  memset(arguments, 0, sizeof arguments);
  arguments[0].struct_size = arguments[1].struct_size = arguments[2].struct_size = arguments[3].struct_size =
      sizeof(prism_given);
  arguments[0].kind = arguments[1].kind = arguments[2].kind = PRISM_GIVEN_INTEGER;
  arguments[1].integer = count, arguments[2].integer = 1;
  arguments[3].kind = PRISM_GIVEN_TYPE, arguments[3].integer = PRISM_F32;
  RIGHT(prism_array_call("arange", device, arguments, 4, &made, 1, &results, &error));
  return made;
}

static float read_element(prism_array* array, int64_t count, int64_t which) {
  float* all = malloc(sizeof(float) * (size_t)count);
  float value;
  RIGHT(prism_array_to_host(array, all, sizeof(float) * (size_t)count, &error));
  value = all[which];
  free(all);
  return value;
}

static void program_reads_and_writes_an_array(const prism_device* device, int64_t count) {
  prism_array* array = counted(device, count);
  DLManagedTensorVersioned* tensor = NULL;
  struct consumer c;
  float* seen = malloc(sizeof(float) * (size_t)count);
  int64_t i;
  RIGHT(prism_array_to_dlpack(array, 1, 0, (void**)&tensor, &error));
  CHECK(tensor->dl_tensor.device.device_type == kDLOpenCL);
  c = consume(&tensor->dl_tensor);
  CHECK(clEnqueueReadBuffer(c.queue, c.memory, CL_TRUE, c.offset, sizeof(float) * (size_t)count, seen, 0,
                            NULL, NULL) == CL_SUCCESS);
  for (i = 0; i < count; ++i) CHECK(seen[i] == (float)i);
  double_by_a_kernel(&c, (size_t)count);
  CHECK(read_element(array, count, count - 1) == 2 * (float)(count - 1));
  clReleaseCommandQueue(c.queue);
  tensor->deleter(tensor);
  free(seen);
  RIGHT(prism_release(array, &error));
}

static int deleted = 0;
static void count_deletion(DLManagedTensorVersioned* tensor) { (void)tensor, ++deleted; }

/* `memory` holds N floats 0, 1, ...; the tensor has every second of them, from the fourth on. */
static void array_takes_a_memory_object(const prism_device* device, cl_mem memory, DLDevice where,
                                        int is_shared) {
  DLManagedTensorVersioned tensor;
  int64_t shape = (N - 4) / 2, stride = 2;
  prism_array* array = NULL;
  const int before = deleted;
  memset(&tensor, 0, sizeof tensor);
  tensor.version.major = DLPACK_MAJOR_VERSION;
  tensor.deleter = count_deletion;
  tensor.dl_tensor.data = memory, tensor.dl_tensor.byte_offset = 4 * sizeof(float);
  tensor.dl_tensor.device = where;
  tensor.dl_tensor.ndim = 1, tensor.dl_tensor.shape = &shape, tensor.dl_tensor.strides = &stride;
  tensor.dl_tensor.dtype.code = kDLFloat, tensor.dl_tensor.dtype.bits = 32, tensor.dl_tensor.dtype.lanes = 1;
  if (!is_shared) { /* the bytes are copied, if that is allowed */
    CHECK(prism_array_from_dlpack(&tensor, 1, device, PRISM_COPY_NEVER, &array, &error) == PRISM_INVALID);
    CHECK(strstr(prism_error_message(error), "not shared virtual memory") != NULL);
    prism_release(error, NULL), error = NULL;
    shape = N;
    CHECK(prism_array_from_dlpack(&tensor, 1, device, PRISM_COPY_IF_NEEDED, &array, &error) == PRISM_INVALID);
    CHECK(strstr(prism_error_message(error), "reach beyond") != NULL);
    prism_release(error, NULL), error = NULL;
    shape = (N - 4) / 2;
  }
  RIGHT(prism_array_from_dlpack(&tensor, 1, device, is_shared ? PRISM_COPY_NEVER : PRISM_COPY_IF_NEEDED,
                                &array, &error));
  CHECK(deleted == before + (is_shared ? 0 : 1));
  CHECK(read_element(array, shape, 0) == 4 && read_element(array, shape, shape - 1) == (float)(N - 2));
  RIGHT(prism_release(array, &error));
  CHECK(deleted == before + 1);
}

int main(void) {
  prism_device* device = NULL;
  prism_array* array = NULL;
  DLManagedTensorVersioned* tensor = NULL;
  struct consumer c;
  DLDevice where;
  int32_t type = 0, number = 0;
  static float host[N];
  cl_mem own;
  int i;
  const prism_status selected = prism_device_select(NULL, &device, &error);
  if (selected == PRISM_NOT_FOUND) {
    printf("skipped: %s\n", prism_error_message(error));
    return 77;
  }
  RIGHT(selected);
  array = counted(device, N);
  RIGHT(prism_array_dlpack_device(array, &type, &number, &error));
  if (type != kDLOpenCL) {
    printf("skipped: the selected device is of DLPack's type %d, not kDLOpenCL; PoCL is one\n", (int)type);
    return 77;
  }
  program_reads_and_writes_an_array(device, N);
  program_reads_and_writes_an_array(device, 5); /* a part of a block that small arrays share */

  where.device_type = kDLOpenCL, where.device_id = number;
  RIGHT(prism_array_to_dlpack(array, 1, 0, (void**)&tensor, &error));
  c = consume(&tensor->dl_tensor);
  array_takes_a_memory_object(device, c.memory, where, 1); /* PRISM's own memory comes back without a copy */
  for (i = 0; i < N; ++i) host[i] = (float)i;
  own = clCreateBuffer(c.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof host, host, NULL);
  CHECK(own != NULL);
  array_takes_a_memory_object(device, own, where, 0);
  clReleaseMemObject(own);
  clReleaseCommandQueue(c.queue);
  tensor->deleter(tensor);
  RIGHT(prism_release(array, &error));
  RIGHT(prism_release(device, &error));
  return 0;
}
