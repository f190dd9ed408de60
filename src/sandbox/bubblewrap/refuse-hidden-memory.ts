/**
 * A seccomp filter for system calls whose memory counts for no process. Child processes inherit it. If it
 * cannot be installed, Python exits before the program starts.
 */
export const refuseHiddenMemory = `
def refuse_hidden_memory():
    import ctypes, struct
    # memfd_create, memfd_secret, shmget, mount, fsopen, fsmount, unshare, setns
    known = {
        "x86_64": (0xC000003E, [319, 447, 29, 165, 430, 432, 272, 308]),
        "aarch64": (0xC00000B7, [279, 447, 194, 40, 430, 432, 97, 268]),
    }.get(os.uname().machine)
    if known is None:
        return
    machine, numbers = known
    allow, refuse = (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050001)
    # Calls in the form of another machine have other numbers, so all of them are refused.
    steps = [(0x20, 0, 0, 4), (0x15, 1, 0, machine), refuse, (0x20, 0, 0, 0), (0x35, 0, 1, 0x40000000), refuse]
    for number in numbers:
        steps += [(0x15, 0, 1, number), refuse]
    steps.append(allow)
    packed = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(packed)))
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero) or libc.prctl(22, ctypes.c_ulong(2), program, zero, zero):
        raise OSError(ctypes.get_errno(), "The system takes no filter of calls")
refuse_hidden_memory()
del refuse_hidden_memory
`;
