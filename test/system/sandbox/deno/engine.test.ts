import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scope from "effect/Scope";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findDeno } from "../../../../src/sandbox/deno/deno-start.ts";
import { openEngine } from "../../../../src/sandbox/deno/engine.ts";
import type { Sandbox, SandboxProgram } from "../../../../src/sandbox/sandbox.ts";
import { programRunner } from "../../../kit/sandbox-scene.ts";
import { waitFor } from "../../../kit/wait-for.ts";

const scope = Effect.runSync(Scope.make());
let box: Sandbox;

beforeAll(async () => {
  box = await Effect.runPromise(Scope.provide(openEngine(), scope));
});

afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void));
});

const { run, ending, value } = programRunner(() => box);

describe("Deno program", () => {
  it("runs TypeScript with its input, and returns its value and its output by level", async () => {
    const source = `
      interface Order { readonly amount: number }
      const orders: readonly Order[] = input.orders;
      console.log("count", orders.length, { a: [1] });
      console.warn("careful");
      console.error(new Map([[1, 2]]));
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { sum: orders.map(({ amount }) => amount).reduce((a, b) => a + b), none: undefined };`;
    const { ending, logs, logsCut } = await run(source, {
      language: "typescript",
      input: { orders: [{ amount: 2 }, { amount: 3 }] },
    });
    expect(ending).toEqual({ kind: "value", value: { sum: 5 } });
    expect([logs, logsCut]).toEqual([
      [
        { level: "log", text: "count 2 { a: [ 1 ] }" },
        { level: "warn", text: "careful" },
        { level: "error", text: "Map(1) { 1 => 2 }" },
      ],
      false,
    ]);
  });

  it("returns null without a value, and has a null input by default", async () => {
    expect([await value("input"), await value("return input"), await value("return undefined")]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("reports a thrown error with its position in the source, also in TypeScript", async () => {
    const typed =
      "interface Unused {\n  a: string;\n}\nconst f = (): void => {\n  throw new RangeError('no');\n};\nf();";
    expect(await ending(typed, { language: "typescript" })).toEqual({
      kind: "error",
      name: "RangeError",
      message: "no",
      line: 5,
      column: 9,
      stack: "RangeError: no\n    at f (program:5:9)\n    at default (program:7:1)",
    });
    expect(await ending("null.x")).toMatchObject({ name: "TypeError", line: 1, column: 6 });
    expect(await ending("throw 5")).toMatchObject({ kind: "error", message: "5" });
    expect(await ending("throw { get message() { throw 1 } }")).toMatchObject({ kind: "error" });
    const late =
      "setTimeout(() => {\n throw new Error('late') }, 1); await new Promise((r) => setTimeout(r, 5000))";
    expect(await ending(late)).toMatchObject({ message: "late", line: 2 });
  });

  it.each(["javascript", "typescript"] as const)(
    "reports a syntax error in %s with its position",
    async (language) => {
      expect(await ending("const a = 1;\n let b = = 2;", { language })).toMatchObject({
        kind: "error",
        name: "SyntaxError",
        message: "Expression expected",
        line: 2,
        column: 10,
      });
    },
  );

  it("fails when its value is not JSON", async () => {
    expect(await ending("return 1n")).toMatchObject({ kind: "error", name: "TypeError" });
    expect(await ending("const a = {}; a.a = a; return a")).toMatchObject({
      kind: "error",
      name: "TypeError",
    });
  });

  it("reads and writes files in a folder that is deleted afterward", async () => {
    const { ending, files } = await run(
      "Deno.writeTextFileSync('out.txt', Deno.readTextFileSync('in/a.txt') + '!'); Deno.removeSync('in', { recursive: true }); return [[...Deno.readDirSync('.')].length, Deno.cwd()]",
      { files: { "in/a.txt": Buffer.from("hi") } },
    );
    expect(ending).toEqual({ kind: "value", value: [1, expect.stringContaining("haft-sandbox-")] });
    expect(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString()])).toEqual([
      ["out.txt", "hi!"],
    ]);
    expect(existsSync((ending as { value: [number, string] }).value[1])).toBe(false);
  });
});

describe("Deno limits", () => {
  it.each([
    ["cpu", "for (;;);", { cpuMs: 200 }],
    ["cpu", "for (;;) await null;", { cpuMs: 200 }],
    ["time", "await new Promise((r) => setTimeout(r, 1e6))", { wallMs: 200 }],
    [
      "time",
      "Deno.addSignalListener('SIGTERM', () => {}); await new Promise((r) => setTimeout(r, 1e6))",
      { wallMs: 200 },
    ],
    ["memory", "const a = []; for (;;) a.push(new Array(1000).fill(1.5))", {}],
    ["memory", "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))", {}],
    ["result", "return 'x'.repeat(3000)", { resultBytes: 1000 }],
    ["source", "return 1 // a comment", { sourceBytes: 10 }],
    ["files", "for (let i = 0; ; i++) Deno.writeFileSync('f' + i, new Uint8Array(1e6))", {}],
    ["files", "for (let i = 0; ; i++) Deno.writeFileSync('f' + i, new Uint8Array(0))", {}],
  ] as const)("%s stops %s", async (limit, source, limits) => {
    expect(await ending(source, { limits })).toMatchObject({ kind: "stopped", limit });
  });

  it("reject a single allocation beyond the memory limit", async () => {
    for (const asked of ["new WebAssembly.Memory({ initial: 30000 })", "new Uint8Array(1e9).fill(1)"])
      expect(await ending(asked)).toMatchObject({ kind: "error", name: "RangeError" });
  });

  it("cut the output, and end a program that floods it", async () => {
    const chatty = await run("for (let i = 0; i < 1e4; i++) console.log('0123456789'); return 1", {
      limits: { logBytes: 100 },
    });
    expect([chatty.ending, chatty.logsCut]).toEqual([{ kind: "value", value: 1 }, true]);
    expect(chatty.logs.reduce((sum, { text }) => sum + text.length + 1, 0)).toBeLessThanOrEqual(100);
    const flood = await run(
      "const b = new TextEncoder().encode('x'.repeat(65535) + '\\n'); for (;;) Deno.stdout.writeSync(b)",
      { limits: { logBytes: 100 } },
    );
    expect([flood.ending.kind, flood.logsCut]).toEqual(["lost", true]);
  });

  it("report a program that exits as lost, and one that waits forever as an error", async () => {
    expect(await ending("Deno.exit(0)")).toMatchObject({ kind: "lost" });
    expect(await ending("await new Promise(() => {})")).toMatchObject({
      kind: "error",
      message: "The program waits for a promise that never settles.",
    });
  });

  it("end background timers with the value", async () => {
    expect(await value("setInterval(() => {}, 1); return 1")).toBe(1);
  });
});

describe("Deno engine", () => {
  const refusal = async (program: Partial<SandboxProgram>): Promise<string> =>
    (await Effect.runPromise(Effect.flip(box.run({ language: "javascript", source: "", ...program }))))
      .message;

  it("rejects unsupported programs, and names the engine that supports them", async () => {
    expect(await refusal({ functions: ["get_weather"] })).toContain("in quickjs");
    expect(await refusal({ language: "python" })).toBe(
      "The sandbox deno runs javascript and typescript, not python.",
    );
    expect(await refusal({ input: { big: 1n } })).toBe("The program's input is not JSON.");
    expect(await refusal({ files: { "../x": Buffer.from("") } })).toContain("not a relative path");
  });

  it("does not start without Deno or without a memory limit", async () => {
    const message = async (effect: ReturnType<typeof findDeno>) =>
      (await Effect.runPromise(Effect.flip(effect))).message;
    expect(await message(findDeno({ deno: "/nowhere/deno" }))).toContain("npm install deno");
    expect(await message(findDeno({}, ""))).toContain("the memory of a Deno program cannot be limited");
    expect(await Effect.runPromise(findDeno({ withoutSystemLimits: true }, ""))).toMatchObject({
      prlimit: undefined,
    });
  });

  it("deletes an interrupted program and its folder", async () => {
    const mark = `up-${randomUUID()}`;
    const source = `Deno.writeTextFileSync(${JSON.stringify(mark)}, ""); for (;;);`;
    const fiber = Effect.runFork(box.run({ language: "javascript", source }));
    const isUp = (): boolean =>
      readdirSync(tmpdir()).some(
        (name) => name.startsWith("haft-sandbox-") && existsSync(join(tmpdir(), name, "files", mark)),
      );
    await waitFor(async () => expect(await isUp()).toBe(true));
    await Effect.runPromise(Fiber.interrupt(fiber));
    expect(isUp()).toBe(false);
  });

  it("ends running programs and starts no others after close", async () => {
    const other = Effect.runSync(Scope.make());
    const closing = await Effect.runPromise(Scope.provide(openEngine(), other));
    const running = Effect.runPromise(
      closing.run({ language: "javascript", source: "for (;;);", limits: { cpuMs: 60_000 } }),
    );
    await closing.close();
    await expect(
      running.then(
        ({ ending }) => ending.kind,
        () => "refused",
      ),
    ).resolves.toMatch(/lost|refused/);
    const after = await Effect.runPromise(Effect.flip(closing.run({ language: "javascript", source: "" })));
    expect(after.message).toBe("The sandbox is closed.");
    await Effect.runPromise(Scope.close(other, Exit.void));
  });
});
