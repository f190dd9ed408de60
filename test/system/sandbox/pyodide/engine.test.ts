import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEngine } from "../../../../src/sandbox/pyodide/engine.ts";
import type { ProgramResult, Sandbox, SandboxProgram } from "../../../../src/sandbox/sandbox.ts";

const scope = Effect.runSync(Scope.make());
let box: Sandbox;
let server: Server;
let connections = 0;
let folder: string;

beforeAll(async () => {
  box = await Effect.runPromise(Scope.provide(openEngine(), scope));
  folder = mkdtempSync(join(tmpdir(), "haft-pyodide-test-"));
  writeFileSync(join(folder, "canary"), "outside");
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
  await Effect.runPromise(Scope.close(scope, Exit.void));
});

const run = (source: string, more: Partial<SandboxProgram> = {}): Promise<ProgramResult> =>
  Effect.runPromise(box.run({ language: "python", source, ...more }));

it("returns the value of the last line, its output and its files", async () => {
  const source = `
import asyncio, sys
print("hello", input["name"])
print("careful", file=sys.stderr)
with open("out.txt", "w") as out:
    out.write(open("in.txt").read().upper())
await asyncio.sleep(0)
{"sum": sum(input["numbers"]), "text": "ä", "none": None, "list": (1, 2.5, True)}`;
  const { ending, logs, files } = await run(source, {
    input: { name: "Ada", numbers: [1, 2, 3] },
    files: { "in.txt": Buffer.from("abc") },
  });
  expect(ending).toEqual({ kind: "value", value: { sum: 6, text: "ä", none: null, list: [1, 2.5, true] } });
  expect(logs).toEqual([
    { level: "log", text: "hello Ada" },
    { level: "error", text: "careful" },
  ]);
  expect(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString()])).toEqual([
    ["in.txt", "abc"],
    ["out.txt", "ABC"],
  ]);
});

/** The first random number of a program whose interpreter starts from the same snapshot as the next. */
let drawn = 0;

it("JavaScript reached from Python has no permissions", async () => {
  const source = `
import json, os
canary, port, ppid = input
done = []
def js_read():
    import js
    js.Deno.readTextFileSync(canary)
def js_env():
    import js
    assert len(js.Object.keys(js.Deno.env.toObject())) > 0
def node_read():
    from pyodide.code import run_js
    run_js("(path) => process.getBuiltinModule('fs').readFileSync(path)")(canary)
def node_env():
    from pyodide.code import run_js
    run_js("process.env.PATH.length")
def chain():
    import js
    js.Array.constructor("path", "return Deno.readTextFileSync(path)")(canary)
def mount():
    import pyodide_js
    pyodide_js.mountNodeFS("/outside", os.path.dirname(canary))
    assert "canary" in os.listdir("/outside")
def mount_raw():
    import pyodide_js
    pyodide_js.FS.mkdir("/raw")
    pyodide_js.FS.mount(pyodide_js.FS.filesystems.NODEFS, {"root": os.path.dirname(canary)}, "/raw")
    open("/raw/canary").read()
def up():
    open("/folder/../.." + canary).read()
def connect():
    import socket
    socket.create_connection(("127.0.0.1", port), 1)
async def js_connect():
    import js
    from pyodide.ffi import to_js
    await js.Deno.connect(to_js({"hostname": "127.0.0.1", "port": port}, dict_converter=js.Object.fromEntries))
async def js_fetch():
    import js
    await js.fetch(f"http://127.0.0.1:{port}/")
def abandoned():
    import js
    js.fetch(f"http://127.0.0.1:{port}/")
    raise ValueError
def command():
    import subprocess
    subprocess.run(["/bin/true"], check=True)
def js_command():
    import js
    js.Deno.Command.new("/bin/true").outputSync()
def kill():
    import js
    js.Deno.kill(ppid, "SIGCONT")
def write():
    import js
    js.Deno.writeTextFileSync(canary + ".new", "x")
for name, how in list(globals().items()):
    if not callable(how) or name.startswith("_"):
        continue
    try:
        answer = how()
        if answer is not None:
            await answer
        done.append(name)
    except BaseException:
        pass
import random
[done, random.random()]`;
  const { port } = server.address() as { port: number };
  const { ending } = await run(source, { input: [join(folder, "canary"), port, process.pid] });
  expect(ending).toEqual({ kind: "value", value: [[], expect.any(Number)] });
  drawn = (ending as { value: [unknown, number] }).value[1];
  expect(connections).toBe(0);
  expect(readdirSync(folder)).toEqual(["canary"]);
});

it("errors and syntax errors have their line in the source", async () => {
  expect((await run("def f():\n  return 1 / 0\n\nf()")).ending).toEqual({
    kind: "error",
    name: "ZeroDivisionError",
    message: "division by zero",
    line: 2,
    column: 10,
    stack: "  line 4, in <module>\n  line 2, in f\nZeroDivisionError: division by zero",
  });
  expect((await run("x = 1\nif x\n  y")).ending).toMatchObject({ name: "SyntaxError", line: 2, column: 5 });
});

it("an endless loop and excessive memory use are stopped, and the next program has a fresh interpreter", async () => {
  const looping = await run("import builtins\nbuiltins.left = 1\nwhile True: pass", {
    limits: { cpuMs: 200 },
  });
  expect(looping.ending).toMatchObject({ kind: "stopped", limit: "cpu" });
  const hungry = await run("a = []\nwhile True: a.append(bytearray(1000000))");
  expect(hungry.ending).toMatchObject({ kind: "stopped", limit: "memory" });
  const next = await run("import builtins, random\n[hasattr(builtins, 'left'), random.random()]");
  expect(next.ending).toMatchObject({ kind: "value", value: [false, expect.any(Number)] });
  expect((next.ending as { value: unknown[] }).value[1]).not.toBe(drawn);
});

it("a missing Pyodide is reported with the packages to install", async () => {
  const refused = Effect.flip(Effect.scoped(openEngine({ pyodide: "/nowhere" })));
  expect((await Effect.runPromise(refused)).message).toContain("npm install pyodide deno");
});
