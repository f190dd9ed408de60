import { existsSync } from "node:fs";
import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { SandboxError } from "../../types/errors.ts";
import { checkProgram } from "../child/check-program.ts";
import { prlimitArguments } from "../child/find-program.ts";
import { guestPool, openGuestProcess } from "../child/guest-process.ts";
import { runGuest } from "../child/run-guest.ts";
import type { Language, Sandbox, SandboxLimits } from "../sandbox.ts";
import { namespaceArguments } from "./namespace-arguments.ts";
import { type Bubblewrap, probeBubblewrap } from "./probe-bubblewrap.ts";

export interface BubblewrapOptions {
  /** Path of Python, which must be an installation of the system. Unless set: /usr/bin/python3. */
  readonly python?: string;
}

const languages: readonly Language[] = ["python"];

const pythonBytes = 64 * 1024 * 1024;

/**
 * Each program runs with the system's Python in its own namespaces: it sees an empty folder and the system's
 * programs, but no network and no other process. `now` and `seed` have no effect.
 */
export const openEngine = (options: BubblewrapOptions = {}): Effect.Effect<Sandbox, SandboxError, Scope> =>
  Effect.gen(function* () {
    const programs = yield* probeBubblewrap;
    const python = options.python ?? "/usr/bin/python3";
    if (!existsSync(python))
      return yield* new SandboxError(
        "sandbox_failed",
        `Python was not found at ${python}. Install it: sudo apt-get install python3 (Debian, Ubuntu).`,
        { ran: false },
      );
    const guests = yield* guestPool;
    return {
      engine: "bubblewrap",
      languages,
      run: (program) =>
        Effect.gen(function* () {
          const checked = yield* checkProgram("bubblewrap", languages, program);
          if (checked.result !== undefined) return checked.result;
          const { limits } = checked;
          return yield* guests.use(openPython(programs, python, limits), (guest) =>
            runGuest("bubblewrap", guest, checked),
          );
        }),
      close: () => Effect.runPromise(guests.close),
    };
  });

const openPython = ({ bwrap, prlimit }: Bubblewrap, python: string, limits: SandboxLimits) =>
  openGuestProcess((folder) => {
    const system = prlimitArguments({
      data: pythonBytes + limits.memoryBytes,
      // The watcher stops the program earlier.
      cpuSeconds: Math.ceil(limits.cpuMs / 1000) + 1,
      openFiles: 256,
      processes: 64,
      fileBytes: limits.fileBytes,
    });
    const view = namespaceArguments({
      writable: [folder],
      cwd: folder,
      temporaryBytes: limits.fileBytes,
    });
    const args = [...view, prlimit, ...system, python, "-I", "-c", pythonGuestSource];
    const env = { PATH: "/usr/bin:/bin", HOME: folder, LANG: "C.UTF-8" };
    return { file: bwrap, args, cwd: "/", env, hasOwnGroups: true };
  }, limits.resultBytes);

/**
 * A seccomp filter for system calls whose memory counts for no process. Child processes inherit it. If it
 * cannot be installed, Python exits before the program starts.
 */
const refuseHiddenMemory = `
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

/** Python cannot hide the token from the program, which can forge only its own value. */
const pythonGuestSource = `
import ast, asyncio, inspect, io, json, os, sys, traceback
${refuseHiddenMemory}
${String.raw`
token = sys.stdin.readline().strip()
pipe = os.dup(1)

def frame(kind, payload):
    rest = f"\n{token} {kind} {payload}\n".encode("utf-8", "backslashreplace")
    while rest:
        rest = rest[os.write(pipe, rest):]

frame("ready", "null")
order = json.loads(sys.stdin.read())
remaining = order["logBytes"]

class Log(io.TextIOBase):
    def __init__(self, level):
        self.level, self.open = level, ""
    def writable(self):
        return True
    def write(self, text):
        *lines, self.open = (self.open + text).split("\n")
        for line in lines:
            self.say(line)
        if len(self.open) > 65536:
            self.finish()
        return len(text)
    def say(self, line):
        global remaining
        if remaining < 0:
            return
        cut = len(line) > remaining
        frame("log", json.dumps({"level": self.level, "text": line[:remaining], "isCut": cut}))
        remaining -= len(line) + 1
    def finish(self):
        if self.open:
            self.say(self.open)
        self.open = ""

sys.stdout, sys.stderr = Log("log"), Log("error")

def run(source, space):
    tree = ast.parse(source, "program.py")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    parts = [(tree, "exec")] + ([] if last is None else [(ast.Expression(last.value), "eval")])
    value, loop = None, asyncio.new_event_loop()
    for part, mode in parts:
        code = compile(part, "program.py", mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        value = eval(code, space)
        if code.co_flags & inspect.CO_COROUTINE:
            value = loop.run_until_complete(value)
    return value if last is not None else None

def error_info(error):
    said = {"name": type(error).__name__, "message": str(error)}
    own = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == "program.py"]
    if isinstance(error, SyntaxError) and error.filename == "program.py":
        said.update(message=error.msg, line=error.lineno, column=error.offset)
    elif own:
        said.update(line=own[-1].lineno)
        lines = [f"  line {each.lineno}, in {each.name}" for each in own[-20:]]
        said["stack"] = "\n".join([*lines, f"{said['name']}: {said['message']}"])
    return said

try:
    payload = json.dumps(run(order["source"], {"__name__": "__main__", "input": order["input"]}), allow_nan=False)
    kind = "long" if len(payload) > order["resultBytes"] else "value"
except MemoryError:
    kind, payload = "memory", "null"
except BaseException as error:
    kind, payload = "error", json.dumps(error_info(error))
sys.stdout.finish()
sys.stderr.finish()
frame(kind, "null" if kind == "long" else payload)
`}`;
