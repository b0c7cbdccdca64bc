"""The system calls that a sandboxed process may not make: a deny list, assembled by hand into classic BPF.

The namespaces are the wall; this list takes away the parts of the kernel that have broken such walls before (io_uring,
userfaultfd, keyrings, bpf, new namespaces, odd socket families), tracing of other processes, and memory that
no limit counts (memfd, System V segments). Knows nothing of bubblewrap: `program()` gives the bytes that both
`bwrap --seccomp` and prctl(PR_SET_SECCOMP) load. Numbers: Linux's syscall_64.tbl and asm-generic/unistd.h.
"""

from __future__ import annotations

import errno
import os
import platform
import struct

# BPF opcodes and seccomp return values (linux/filter.h, linux/seccomp.h)
LOAD, JUMP_EQUAL, JUMP_GREATER_OR_EQUAL, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL_PROCESS, FAIL_WITH = 0x7FFF0000, 0x80000000, 0x00050000
# Offsets in struct seccomp_data: the call's number, the architecture, the low half of the first argument.
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_CALLS = 0x40000000  # x86-64's second table of calls, under which every denied call has another number

# name: (number on x86_64, number on aarch64)
DENIED: dict[str, tuple[int, int]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # large and often attacked parts of the kernel
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "fanotify_init": (300, 262),
    # memory that neither PSS nor a sized file system counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # the machine
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "personality": (135, 92),
    "vhangup": (153, 58),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
CLONE, CLONE3, SOCKET = (56, 220), (435, 435), (41, 198)
NEW_NAMESPACES = 0x7E020080  # every CLONE_NEW... flag
SOCKET_FAMILIES = (1, 2, 10, 16)  # UNIX, INET, INET6, NETLINK (getaddrinfo asks it for interfaces)


def architecture() -> str:
    """Names this machine's architecture.

    Raises:
        OSError: the deny list has no numbers for it.
    """
    machine = platform.machine()
    if machine not in AUDIT_ARCH:
        raise OSError(f"the sandbox knows the system calls of {' and '.join(AUDIT_ARCH)}, not of {machine!r}")
    return machine


def program(machine: str | None = None) -> bytes:
    """Assembles the filter for `machine` (default: this one) as an array of struct sock_filter."""
    machine = machine or architecture()
    column = list(AUDIT_ARCH).index(machine)
    code: list[tuple[int, int, int, int]] = []  # (opcode, jump if true, jump if false, constant)

    def add(opcode: int, constant: int, if_true: int = 0, if_false: int = 0) -> None:
        code.append((opcode, if_true, if_false, constant))

    def fail(error: int) -> None:
        add(RETURN, FAIL_WITH | error)

    add(LOAD, ARCHITECTURE)
    add(JUMP_EQUAL, AUDIT_ARCH[machine], 1, 0)
    add(RETURN, KILL_PROCESS)  # a 32-bit call: its numbers mean other things
    add(LOAD, NUMBER)
    if machine == "x86_64":
        add(JUMP_GREATER_OR_EQUAL, X32_CALLS, 0, 1)
        fail(errno.ENOSYS)
    # clone3 hides its flags behind a pointer; told that it does not exist, the C library falls back to clone.
    add(JUMP_EQUAL, CLONE3[column], 0, 1)
    fail(errno.ENOSYS)
    add(JUMP_EQUAL, CLONE[column], 0, 4)
    add(LOAD, FIRST_ARGUMENT)
    add(JUMP_ANY_BIT, NEW_NAMESPACES, 0, 1)
    fail(errno.EPERM)
    add(RETURN, ALLOW)
    families = len(SOCKET_FAMILIES)
    add(JUMP_EQUAL, SOCKET[column], 0, families + 3)
    add(LOAD, FIRST_ARGUMENT)
    for i, family in enumerate(SOCKET_FAMILIES):
        add(JUMP_EQUAL, family, families - i, 0)
    fail(errno.EAFNOSUPPORT)
    add(RETURN, ALLOW)
    for i, numbers in enumerate(DENIED.values()):
        add(JUMP_EQUAL, numbers[column], len(DENIED) - i, 0)  # to the failure at the end
    add(RETURN, ALLOW)
    fail(errno.EPERM)
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def program_descriptor() -> int:
    """Opens a new file descriptor from which `bwrap --seccomp` reads the program; the caller closes it."""
    descriptor = os.memfd_create("seccomp")
    os.write(descriptor, program())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
