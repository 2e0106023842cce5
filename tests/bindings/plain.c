/* A whole program in C89: picks a device, allocates, copies, launches a kernel of a library by name, waits
 * and reads. Argument: the library of kernels. The exit status is 0 if the numbers are right, 77 without a
 * device. */
#include <prism.h>

#include <stdio.h>

enum { N = 1000 };

static int failed(prism_status status, prism_error* error) {
  if (status == PRISM_OK) return 0;
  printf("status %d: %s\n", (int)status, prism_error_message(error));
  prism_release(error, NULL);
  return 1;
}

int main(int argc, char** argv) {
  static float host[N];
  float factor = 2.0f;
  void *x = NULL, *y = NULL;
  size_t items = N;
  int i;
  prism_error* error = NULL;
  prism_device* device = NULL;
  prism_queue* queue = NULL;
  prism_library* library = NULL;
  prism_kernel* kernel = NULL;
  prism_event* copied[2];
  prism_event* done = NULL;
  prism_argument arguments[3] = {{0}};

  if (argc != 2) return 2;
  if (failed(prism_device_select(NULL, &device, &error), error)) return 77;
  if (failed(prism_queue_create(device, 0, &queue, &error), error)) return 1;
  if (failed(prism_allocate(queue, PRISM_MEMORY_DEVICE, sizeof host, 0, &x, &error), error)) return 1;
  if (failed(prism_allocate(queue, PRISM_MEMORY_DEVICE, sizeof host, 0, &y, &error), error)) return 1;
  for (i = 0; i < N; ++i) host[i] = (float)i;
  if (failed(prism_copy_from_host(queue, x, host, sizeof host, NULL, 0, &copied[0], &error), error)) return 1;
  if (failed(prism_copy_from_host(queue, y, host, sizeof host, NULL, 0, &copied[1], &error), error)) return 1;

  if (failed(prism_library_open(argv[1], &library, &error), error)) return 1;
  if (failed(prism_kernel_get(library, "saxpy", &kernel, &error), error)) return 1;
  for (i = 0; i < 3; ++i) {
    arguments[i].struct_size = sizeof(prism_argument);
    arguments[i].type = PRISM_F32;
    arguments[i].kind = i == 0 ? PRISM_ARGUMENT_VALUE : PRISM_ARGUMENT_POINTER;
    arguments[i].count = N;
  }
  arguments[0].value = &factor;
  arguments[1].value = x;
  arguments[2].value = y;
  if (failed(prism_launch(queue, kernel, &items, NULL, arguments, 3, copied, 2, &done, &error), error))
    return 1;
  if (failed(prism_copy_to_host(queue, host, y, sizeof host, &done, 1, NULL, &error), error)) return 1;
  if (failed(prism_queue_wait(queue, &error), error)) return 1;
  for (i = 0; i < N; ++i)
    if (host[i] != 3.0f * (float)i) {
      printf("element %d is %g\n", i, host[i]);
      return 1;
    }
  prism_free(x, NULL);
  prism_free(y, NULL);
  prism_release(copied[0], NULL);
  prism_release(copied[1], NULL);
  prism_release(done, NULL);
  prism_release(kernel, NULL);
  prism_release(library, NULL);
  prism_release(queue, NULL);
  prism_release(device, NULL);
  puts("y = 3 x");
  return 0;
}
