import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scope from "effect/Scope";
import { describe, expect, it } from "vitest";
import { sandboxScene } from "../../../test/kit/sandbox-scene.ts";
import type { ProgramAnswer, ProgramCall } from "../sandbox.ts";
import { openEngine } from "./engine.ts";

const { engine, run, endingOf, resultOf } = sandboxScene(openEngine({ most: 2 }));
describe("program", () => {
  it("receives its input and returns its value as JSON", async () => {
    expect(
      await resultOf("return { got: input.list.map((n) => n * 2) }", { input: { list: [1, 2] } }),
    ).toEqual({
      got: [2, 4],
    });
    expect(await resultOf("")).toBeNull();
    expect(await resultOf("return [undefined, () => 1, new Date(0), NaN]")).toEqual([
      null,
      null,
      "1970-01-01T00:00:00.000Z",
      null,
    ]);
  });

  it("keeps its source positions when its types are removed", async () => {
    const typed = { language: "typescript" } as const;
    expect(
      await resultOf("const n: number = input as number; return n satisfies number", { ...typed, input: 3 }),
    ).toBe(3);
    expect(await endingOf("type A = string;\nconst a: A = 'x';\n  null!.b;", typed)).toMatchObject({
      kind: "error",
      name: "TypeError",
      line: 3,
    });
    const unsupported = await endingOf("\nenum Color { Red }", typed);
    expect(unsupported).toMatchObject({ kind: "error", name: "SyntaxError", line: 2 });
    expect((unsupported as { readonly message: string }).message).toContain("plain JavaScript");
    expect(await endingOf("\n\nconst a: number = ;", typed)).toMatchObject({ name: "SyntaxError", line: 3 });
  });

  it("fails with the name, message, line and column of its error", async () => {
    expect(await endingOf("const f = () => {\n  throw new RangeError('no');\n};\nf();")).toEqual({
      kind: "error",
      name: "RangeError",
      message: "no",
      line: 2,
      column: 23,
      stack: "at f (program:2:23)\nat <anonymous> (program:4:2)",
    });
    expect(await endingOf("const x = ;")).toMatchObject({ name: "SyntaxError", line: 1, column: 11 });
    expect(await endingOf("if (true) {")).toMatchObject({ name: "SyntaxError", line: 1 });
    expect(await endingOf("throw 'text'")).toEqual({ kind: "error", name: "Error", message: "text" });
    expect(await endingOf("throw { get message() { throw 1 } }")).toMatchObject({ kind: "error" });
    expect(await endingOf("await Promise.reject(new Error('later'))")).toMatchObject({
      message: "later",
      line: 1,
    });
  });

  it("ends at once when it waits for something that can never settle", async () => {
    const ending = await endingOf("await new Promise(() => {})");
    expect(ending).toMatchObject({
      kind: "error",
      message: expect.stringContaining("a promise that never settles"),
    });
  });

  it("prints to its console with levels, up to logBytes", async () => {
    const printed = await run(
      "console.log('a', { b: 1 }, undefined); console.warn(new Error('c')); console.error('d\\u0000e'); console.info(1n)",
    );
    expect(printed.logs).toEqual([
      { level: "log", text: 'a {"b":1} undefined' },
      { level: "warn", text: "Error: c" },
      { level: "error", text: "d\u0000e" },
      { level: "log", text: "1" },
    ]);
    expect(printed.logsCut).toBe(false);
    const cut = await run("console.log('é'.repeat(8)); console.log('never')", { limits: { logBytes: 9 } });
    expect([cut.logs, cut.logsCut]).toEqual([[{ level: "log", text: "éééé" }], true]);
  });

  it("starts with fresh globals", async () => {
    await resultOf("Object.prototype.left = 1; globalThis.kept = 2; JSON.parse = null; return 1");
    expect(await resultOf("return [{}.left, typeof kept, typeof JSON.parse]")).toEqual([
      null,
      "undefined",
      "function",
    ]);
  });
});

describe("calls of host functions", () => {
  it("use the path of the function and are numbered in order", async () => {
    const calls: ProgramCall[] = [];
    const answer = async (call: ProgramCall): Promise<ProgramAnswer> => {
      calls.push(call);
      return { ok: true, value: JSON.stringify(call.number) };
    };
    const functions = ["a", "mail.send", "mail.send.later", "odd-name"];
    const source = `return [await tools.a(), await tools.mail.send({ to: 1 }), await tools.mail.send.later([]),
      await tools["odd-name"]("x")]`;
    expect(await resultOf(source, { functions, answer })).toEqual([0, 1, 2, 3]);
    expect(calls).toEqual([
      { number: 0, name: "a", input: "{}" },
      { number: 1, name: "mail.send", input: '{"to":1}' },
      { number: 2, name: "mail.send.later", input: "[]" },
      { number: 3, name: "odd-name", input: '"x"' },
    ]);
  });

  it("run in parallel", async () => {
    let open = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const answer = ({ input }: ProgramCall): Promise<ProgramAnswer> => {
      most = Math.max(most, ++open);
      return new Promise((resolve) => {
        waiting.push(() => resolve({ ok: true, value: input }));
        if (waiting.length === 3) for (const each of waiting) each();
      });
    };
    const source = "return await Promise.all([1, 2, 3].map((n) => tools.echo(n)))";
    expect(await resultOf(source, { functions: ["echo"], answer })).toEqual([1, 2, 3]);
    expect(most).toBe(3);
  });

  it("throw errors that the program can catch, with the line of the call", async () => {
    const answer = async (): Promise<ProgramAnswer> => ({
      ok: false,
      message: "no such city",
      code: "failed",
    });
    const refusing = { functions: ["f"], answer };
    const caught =
      "try { await tools.f() } catch (e) { return [e.name, e.message, e.code, e instanceof Error] }";
    expect(await resultOf(caught, refusing)).toEqual(["ToolError", "no such city", "failed", true]);
    expect(await endingOf("\n\nawait tools.f()", refusing)).toMatchObject({
      name: "ToolError",
      message: "no such city",
      line: 3,
    });
    const rejecting = { functions: ["f"], answer: () => Promise.reject(new Error("secret")) };
    expect(await endingOf("await tools.f()", rejecting)).toMatchObject({
      message: "The call could not be answered.",
    });
    expect(await endingOf("await tools.f()", { functions: ["f"] })).toMatchObject({ name: "ToolError" });
  });

  it("fail when their answer is not JSON, and the program continues", async () => {
    const answer = async (): Promise<ProgramAnswer> => ({ ok: true, value: "{" });
    const source = "try { await tools.f() } catch (e) { return e.message }";
    expect(await resultOf(source, { functions: ["f"], answer })).toBe("The answer cannot be read.");
  });

  it("are members of frozen objects without a prototype", async () => {
    const source = `const seen = [Object.isFrozen(tools), Object.isFrozen(tools.mail), Object.getPrototypeOf(tools), tools.constructor];
      try { tools.mail.send = 1 } catch (e) { seen.push(e.name) }
      return seen`;
    expect(await resultOf(source, { functions: ["mail.send"] })).toEqual([
      true,
      true,
      null,
      null,
      "TypeError",
    ]);
  });

  it("do not delay the program when they are not awaited", async () => {
    const answer = (): Promise<ProgramAnswer> => new Promise(() => {});
    expect(await resultOf("tools.f(); return 1", { functions: ["f"], answer })).toBe(1);
    expect(await resultOf("return 2")).toBe(2);
  });
});

describe("interrupted run", () => {
  it("ends a program that computes, and the next one runs", async () => {
    const { promise: called, resolve } = Promise.withResolvers<void>();
    const answer = async (): Promise<ProgramAnswer> => {
      resolve();
      return { ok: true, value: "1" };
    };
    const source = "await tools.f(); for (;;) {}";
    const fiber = Effect.runFork(engine.run({ language: "javascript", source, functions: ["f"], answer }));
    await called;
    await Effect.runPromise(Fiber.interrupt(fiber));
    expect(await resultOf("return 1")).toBe(1);
  });

  it("ends a program that waits, which receives no further answer", async () => {
    const waits = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<ProgramAnswer>();
    const asked: number[] = [];
    const fiber = Effect.runFork(
      engine.run({
        language: "javascript",
        source: "await tools.f(); await tools.f()",
        functions: ["f"],
        answer: ({ number }) => {
          asked.push(number);
          return answered.promise;
        },
        onIdle: () => waits.resolve(),
      }),
    );
    await waits.promise;
    await Effect.runPromise(Fiber.interrupt(fiber));
    answered.resolve({ ok: true, value: "1" });
    expect(await resultOf("return 1")).toBe(1);
    expect(asked).toEqual([0]);
  });
});

it("queues programs beyond the size of the pool", async () => {
  const all = await Promise.all(Array.from({ length: 12 }, (_, n) => resultOf("return input", { input: n })));
  expect(all).toEqual(Array.from({ length: 12 }, (_, n) => n));
});

it("refuses an input that is not JSON, and files", async () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  await expect(run("return 1", { input: ring })).rejects.toThrow("not JSON");
  await expect(run("return 1", { files: { "a.txt": new Uint8Array(1) } })).rejects.toThrow("has no files");
});

it("ends running programs and refuses later ones when it is closed", async () => {
  const scope = Effect.runSync(Scope.make());
  const closing = Effect.runSync(Scope.provide(openEngine(), scope));
  const waits = Promise.withResolvers<void>();
  const program = {
    language: "javascript",
    source: "await tools.f(); return 1",
    functions: ["f"],
    answer: (): Promise<ProgramAnswer> => new Promise(() => {}),
    onIdle: () => waits.resolve(),
  } as const;
  const running = Effect.runPromise(closing.run(program));
  await waits.promise;
  await Effect.runPromise(Scope.close(scope, Exit.void));
  expect((await running).ending).toMatchObject({ kind: "lost" });
  await expect(Effect.runPromise(closing.run(program))).rejects.toThrow("was closed");
});

it("does not stop a program when only the host is busy", async () => {
  const answer = async (): Promise<ProgramAnswer> => {
    setImmediate(() => {
      // allow-sleep: the host blocks its thread for longer than the program's limit and the second barrier together
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
    });
    return { ok: true, value: "1" };
  };
  const limits = { cpuMs: 200 };
  expect(await resultOf("await tools.f(); return 2", { functions: ["f"], answer, limits })).toBe(2);
});
