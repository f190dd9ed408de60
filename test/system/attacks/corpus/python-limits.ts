import { attacks } from "../attack.ts";

const hang = (source: string) => ({ harm: "hang" as const, source });
const bomb = (source: string) => ({ harm: "memory" as const, source });

export const pythonLimits = attacks(
  "Python: CPU, memory, floods",
  { on: "python3", language: "python" },
  {
    "an endless loop": hang(`while True: pass`),
    "a loop that catches everything": hang(`
while True:
    try:
        while True: pass
    except BaseException:
        pass`),
    "a loop that ignores signals": hang(`
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True: pass`),
    "a regular expression that backtracks": hang(`import re\nre.match("^(a+)+$", "a" * 60 + "b")`),
    "a power of whole numbers": hang(`len(bin(7 ** (10 ** 9)))`),
    "threads that compute": hang(`
import threading
def spin():
    while True: pass
for _ in range(4): threading.Thread(target=spin, daemon=True).start()
spin()`),
    "sleep without end": hang(`import time\ntime.sleep(10 ** 6)`),
    "one long list of bytes": bomb(`len(bytearray(b"x") * (480 * 1024 * 1024))`),
    "many lists": bomb(`
kept = []
for at in range(60): kept.append([0] * 1000000)
len(kept)`),
    "a text that doubles": bomb(`
text = "x"
while len(text) < 300 * 1024 * 1024: text += text
len(text)`),
    "a dictionary": bomb(`len({at: str(at) for at in range(3500000)})`),
    "memory of the system": bomb(`
import mmap
one = mmap.mmap(-1, 480 * 1024 * 1024)
for at in range(0, len(one), 4096): one[at] = 1
len(one)`),
    "memory that belongs to no process": {
      harm: "shared memory",
      source: `
import os, time
part, made = b"x" * (8 * 1024 * 1024), []
try:
    for place in ["/dev/shm", "/tmp", "/var/tmp", "/run", "/home", "/"]:
        try:
            for at in range(30):
                path = f"{place}/{input['mark']}-{at}"
                made.append(path)
                with open(path, "wb") as one: one.write(part)
            if place == "/dev/shm" and os.path.exists(input["secretFile"]): break
        except OSError:
            pass
    time.sleep(0.2)
finally:
    for path in made:
        if os.path.exists(path): os.unlink(path)
1`,
    },
    "memory of files without names": {
      harm: "shared memory",
      source: `
import os
part, held = b"x" * 8000000, []
for _ in range(30):
    one = os.memfd_create("held")
    os.write(one, part)
    held.append(one)
{"held": sum(len(os.pread(one, 8000000, 0)) for one in held)}`,
    },
    "memory of unattached segments": {
      harm: "shared memory",
      source: `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.shmdt.argtypes = [ctypes.c_void_p]
size, held, ids = 16000000, 0, []
try:
    for _ in range(15):
        one = libc.shmget(0, ctypes.c_size_t(size), 0o1600)
        if one < 0: raise OSError(ctypes.get_errno())
        ids.append(one)
        at = libc.shmat(one, None, 0)
        ctypes.memset(at, 1, size)
        libc.shmdt(at)
        held += size
finally:
    for one in ids: libc.shmctl(one, 0, None)
{"held": held}`,
    },
    "memory of a file system of its own": {
      harm: "shared memory",
      source: `
import ctypes, os
libc, here = ctypes.CDLL(None, use_errno=True), "own-" + input["mark"]
users = [] if os.path.exists(input["secretFile"]) else [0x10000000]
os.mkdir(here)
def checked(answer):
    if answer != 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
user, group = os.getuid(), os.getgid()
checked(libc.unshare(sum(users, 0x20000)))
for name, text in [("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")] if users else []:
    with open(f"/proc/self/{name}", "w") as one: one.write(text)
libc.mount(b"none", b"/", None, 0x44000, None)
checked(libc.mount(b"none", here.encode(), b"tmpfs", 0, None))
held = 0
for at in range(30):
    with open(f"{here}/{at}", "wb") as one: held += one.write(b"x" * 8000000)
{"held": held}`,
    },
    "memory over many processes": bomb(`
import os, time
for _ in range(16):
    if os.fork() == 0:
        kept = bytearray(b"x") * (30 * 1024 * 1024)
        time.sleep(1)
        os._exit(0)
time.sleep(1)
1`),
    "memory after its limits were raised": bomb(`
import resource
for name in ["RLIMIT_DATA", "RLIMIT_AS"]:
    try:
        resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (ValueError, OSError):
        pass
len(bytearray(b"x") * (480 * 1024 * 1024))`),
    "a flood past the console": bomb(`
import os
for _ in range(7000): os.write(1, b"x" * 65536)
1`),
    "a flood of lines": {
      harm: "output",
      source: `
for at in range(20000): print("x" * 1000)
1`,
    },
    "files that fill the disk": {
      harm: "files",
      source: `
part = b"x" * (4 * 1024 * 1024)
for at in range(100): open(f"file-{at}", "wb").write(part)
1`,
    },
    "one file that fills the disk": {
      harm: "files",
      source: `
part = b"x" * (4 * 1024 * 1024)
with open("file", "wb") as one:
    for _ in range(70): one.write(part)
1`,
    },
    "processes, up to four hundred": {
      harm: "processes",
      source: `
import os, time
for _ in range(400):
    if os.fork() == 0:
        time.sleep(1.5)
        os._exit(0)
time.sleep(1.5)
1`,
    },
  },
);
