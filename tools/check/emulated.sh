#!/bin/sh
# emulated.sh MACHINE COMMAND...: runs the command where Linux starts programs for the machine (aarch64, riscv64) under qemu-MACHINE, for tests that
# start programs themselves.
# It must run in a user namespace of its own (unshare --user --map-root-user --mount): from Linux 6.7 each has its own list of such
# programs, so the machine's list stays as it is.
set -e
[ "$(cat /proc/self/uid_map | tr -s ' ')" != " 0 0 4294967295" ] || { echo "emulated.sh: not in a user namespace" >&2; exit 1; }
machine=$1; shift
case $machine in
  aarch64) number='\xb7' ;; # 183 in elf.h
  riscv64) number='\xf3' ;; # 243
  *) echo "emulated.sh: no machine $machine" >&2; exit 1 ;;
esac
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
# The first bytes of an ELF file of 64 bits, program or shared object, for the machine. F: opened now, so it is there under chroot too.
start="\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00$number\\x00"
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf '%s' ":$machine:M::$start:$mask:$(command -v "qemu-$machine"):F" > /proc/sys/fs/binfmt_misc/register
exec "$@"
