import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import { afterAll, describe, expect, it } from "vitest";
import { openEngine } from "../../../../src/sandbox/bubblewrap/engine.ts";
import type { ProgramResult, SandboxProgram } from "../../../../src/sandbox/sandbox.ts";

const scope = Effect.runSync(Scope.make());
const opened = await Effect.runPromiseExit(Scope.provide(openEngine(), scope));
const reason = Exit.isSuccess(opened)
  ? ""
  : " (skipped: bubblewrap or Python is missing, or bubblewrap does not isolate programs)";
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)));

const run = (source: string, more: Partial<SandboxProgram> = {}): Promise<ProgramResult> =>
  Exit.isSuccess(opened)
    ? Effect.runPromise(opened.value.run({ language: "python", source, ...more }))
    : Promise.reject(new Error(reason));

describe.skipIf(reason !== "")(`system Python in bubblewrap${reason}`, () => {
  it("returns the value of the last line, its output and its files", async () => {
    const source = `
import asyncio, os, sys
print("hello", input["name"], end="")
print("careful", file=sys.stderr)
open("out.txt", "w").write(open("in.txt").read() * 2)
await asyncio.sleep(0)
os.symlink("/usr/bin/env", "link")
[sum(input["numbers"]), None, "ä"]`;
    const { ending, logs, files } = await run(source, {
      input: { name: "Ada", numbers: [1, 2] },
      files: { "in.txt": Buffer.from("ab") },
    });
    expect(ending).toEqual({ kind: "value", value: [3, null, "ä"] });
    expect(logs).toEqual([
      { level: "error", text: "careful" },
      { level: "log", text: "hello Ada" },
    ]);
    expect(Object.keys(files)).toEqual(["in.txt", "out.txt"]);
    expect(Buffer.from(files["out.txt"] as Uint8Array).toString()).toBe("abab");
  });

  it("reports errors with their line", async () => {
    expect((await run("def f():\n  return 1 / 0\n\nf()")).ending).toMatchObject({
      name: "ZeroDivisionError",
      line: 2,
    });
    expect((await run("x = 1\nif x\n  y")).ending).toMatchObject({ name: "SyntaxError", line: 2 });
    expect((await run("{1}")).ending).toMatchObject({ kind: "error", name: "TypeError" });
  });

  it.each([
    ["cpu", "while True: pass", { cpuMs: 200 }],
    ["time", "import time\ntime.sleep(1000)", { wallMs: 200 }],
    ["memory", "a = []\nwhile True: a.append(bytearray(1000000))", {}],
    ["result", "'x' * 3000", { resultBytes: 1000 }],
    ["files", "i = 0\nwhile True:\n  i += 1\n  open(str(i), 'w').write('x' * 100000)", {}],
    ["memory", "import os, time\nwhile True:\n  if os.fork() == 0: time.sleep(1000)", {}],
  ] as const)("hits the %s limit with %j", async (limit, source, limits) => {
    expect((await run(source, { limits })).ending).toMatchObject({ kind: "stopped", limit });
  });

  it("counts files in memory file systems toward its limit, and writes nowhere else", async () => {
    const source = `
def fill(place):
    written = 0
    try:
        for at in range(5):
            with open(f"{place}/{at}", "wb") as one: written += one.write(b"x" * 1000000)
    except OSError:
        pass
    return written
[fill(place) for place in ["/tmp", "/dev/shm", "/", "/var/tmp", "/run", "/dev"]]`;
    const { ending } = await run(source, { limits: { fileBytes: 3_000_000 } });
    const [tmp, shm, ...others] = (ending as { readonly value: readonly number[] }).value;
    expect([tmp, shm].every((bytes) => bytes! >= 2_000_000 && bytes! <= 3_000_000)).toBe(true);
    expect(others).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ["a file without a name", 'import os\nos.memfd_create("x")'],
    ["a segment of System V", "if libc.shmget(0, 4096, 0o1600) < 0: raise PermissionError()"],
    ["another mount", 'if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) < 0: raise PermissionError()'],
    ["namespaces of its own", "if libc.unshare(0x10000000) < 0: raise PermissionError()"],
  ])("refuses %s, whose memory would not be counted", async (_, source) => {
    const { ending } = await run(`import ctypes\nlibc = ctypes.CDLL(None)\n${source}`);
    expect(ending).toMatchObject({ kind: "error", name: "PermissionError" });
    const inChild = await run(
      "import subprocess\nsubprocess.run(['/usr/bin/unshare', '-U', 'true'], capture_output=True).returncode",
    );
    expect(inChild.ending).toEqual({ kind: "value", value: 1 });
  });

  it("sees no outside files, network, environment variables or processes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-bubblewrap-test-"));
    writeFileSync(join(folder, "canary"), "outside");
    const source = `
import os, socket
done = []
def attempt(name, how):
    try:
        how()
        done.append(name)
    except BaseException:
        pass
attempt("read", lambda: open(input[0]).read())
attempt("passwd", lambda: open("/etc/passwd").read())
attempt("write", lambda: open("/usr/lib/haft-canary", "w"))
attempt("kill", lambda: os.kill(input[1], 0))
attempt("lookup", lambda: socket.gethostbyname("localhost.localdomain.invalid"))
[done, sorted(os.environ.keys() - {"PWD", "LC_CTYPE"}), sorted(os.listdir("/sys/class/net") if os.path.exists("/sys") else [])]`;
    const { ending } = await run(source, { input: [join(folder, "canary"), process.pid] });
    rmSync(folder, { recursive: true, force: true });
    expect(ending).toEqual({ kind: "value", value: [[], ["HOME", "LANG", "PATH"], []] });
  });
});
