import { describe, expect, it } from "vitest";
import { sandboxScene } from "../../../test/kit/sandbox-scene.ts";
import type { ProgramAnswer } from "../sandbox.ts";
import { openEngine } from "./engine.ts";

const { run, endingOf, resultOf } = sandboxScene(openEngine({ most: 2 }));
const never = { functions: ["f"], answer: (): Promise<ProgramAnswer> => new Promise(() => {}) };
const one = { functions: ["f"], answer: async (): Promise<ProgramAnswer> => ({ ok: true, value: "1" }) };

describe("CPU limit", () => {
  const limits = { cpuMs: 50 };

  it.each([
    ["in a loop", "for (;;) {}"],
    ["in a loop that cleans up", "for (;;) { try { for (;;) {} } finally { continue } }"],
    ["in jobs that follow each other", "const again = () => Promise.resolve().then(again); await again()"],
    ["in an async loop", "for (;;) await null"],
    ["in a regular expression", "return /(a+)+$/.test('a'.repeat(40) + 'b')"],
    ["in a comparison", "return [3, 2, 1].sort(() => { for (;;) {} })"],
    ["while its value is read", "return { toJSON() { for (;;) {} } }"],
    ["while its error is read", "throw { get message() { for (;;) {} } }"],
    ["in a thenable that it returns", "return { then() { for (;;) {} } }"],
    ["while an argument is read", "await tools.f({ get a() { for (;;) {} } })"],
    ["while it prints", "console.log({ toJSON() { for (;;) {} } })"],
    ["outside of its function", "}); for (;;) {} (async () => {"],
  ])("stops a program that computes %s", async (_, source) => {
    expect(await endingOf(source, { limits, ...one })).toEqual({
      kind: "stopped",
      limit: "cpu",
      message: "The program used more than 50 ms of CPU time.",
    });
  });

  it("adds up the computing time between calls", async () => {
    const source = "for (;;) { for (let i = 0; i < 20000; i++) {} await tools.f() }";
    const limited = { cpuMs: 30, calls: 1_000_000 };
    expect(await endingOf(source, { limits: limited, ...one })).toMatchObject({ limit: "cpu" });
  });

  it("does not count the time of waiting for answers", async () => {
    const answer = (): Promise<ProgramAnswer> =>
      // allow-sleep: the answer takes longer than the program may compute
      new Promise((resolve) => setTimeout(() => resolve({ ok: true, value: "1" }), 200));
    const { ending, usage } = await run("return await tools.f()", {
      limits: { cpuMs: 150 },
      functions: ["f"],
      answer,
    });
    expect(ending).toEqual({ kind: "value", value: 1 });
    expect(usage.cpuMs).toBeLessThan(usage.wallMs);
  });
});

describe("time limit", () => {
  const timedOut = { kind: "stopped", limit: "time", message: "The program took longer than 1000 ms." };

  it("stops a program that waits", async () => {
    const { ending, usage } = await run("console.log(1); await tools.f()", {
      limits: { wallMs: 1_000 },
      ...never,
    });
    expect(ending).toEqual(timedOut);
    expect(usage.calls).toBe(1);
  });

  it("stops a program that computes, and returns its output so far", async () => {
    const source = "console.log('early'); await tools.f(); for (;;) {}";
    const { ending, logs } = await run(source, { limits: { wallMs: 1_000 }, ...one });
    expect(ending).toEqual(timedOut);
    expect(logs).toEqual([{ level: "log", text: "early" }]);
  });

  it.each([
    ["time", { wallMs: 1_000 }],
    ["cpu", { cpuMs: 200 }],
  ])("ends the worker when the engine cannot be interrupted, for the limit %s", async (limit, limits) => {
    // A single step of the engine that takes years.
    const source =
      "console.log('early'); await tools.f(); return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)";
    const { ending, logs } = await run(source, { limits, ...one });
    expect(ending).toMatchObject({ kind: "stopped", limit });
    expect(logs).toEqual([{ level: "log", text: "early" }]);
    expect(await resultOf("return 1")).toBe(1);
  });
});

describe("memory limit", () => {
  const limits = { memoryBytes: 20 * 1024 * 1024, cpuMs: 30_000 };

  it.each([
    ["in arrays", "const all = []; for (;;) all.push(new Array(100).fill(1))"],
    ["in objects", "const all = []; for (;;) all.push({ a: 1 })"],
    ["in a map", "const all = new Map(); for (let i = 0; ; i++) all.set(i, { i })"],
    ["in strings", "const all = []; for (let i = 0; ; i++) all.push('x'.repeat(10000) + i)"],
    ["in one buffer", "return new Uint8Array(100_000_000).length"],
    ["in promises", "const all = []; for (;;) all.push(new Promise(() => {}))"],
  ])("stops a program that allocates %s", async (_, source) => {
    expect(await endingOf(source, { limits })).toEqual({
      kind: "stopped",
      limit: "memory",
      message: "The program used more than 20971520 bytes of memory.",
    });
  });

  it("is available in full to the next program", async () => {
    expect(await resultOf("return new Uint8Array(4_000_000).length", { limits })).toBe(4_000_000);
  });
});

describe("nesting limit", () => {
  it.each([
    ["in calls", "return (function f() { return f() + 1 })()"],
    ["in JSON that it reads", "return JSON.parse('['.repeat(1e6))"],
    ["in code that it makes", "return eval('('.repeat(1e5))"],
    ["in its source", `return ${"(".repeat(40_000)}1`],
    ["in a value that it writes", "let v = 1; for (let i = 0; i < 1e5; i++) v = [v]; return v"],
    [
      "in a value that is too deep for its readers",
      "let v = 1; for (let i = 0; i < 500; i++) v = [v]; return v",
    ],
  ])("fails a program that nests %s, and the next one runs", async (_, source) => {
    expect(await endingOf(source, { limits: { cpuMs: 30_000 } })).toMatchObject({ kind: "error" });
    expect(await resultOf("return 1")).toBe(1);
  });

  it("fails TypeScript that its parser cannot read, and the next program runs", async () => {
    const typed = { language: "typescript" } as const;
    expect(await endingOf(`return ${"(".repeat(90_000)}1`, typed)).toMatchObject({ kind: "error" });
    expect(await resultOf("const n: number = 1; return n", typed)).toBe(1);
    expect(await resultOf("const n: number = 2; return n", typed)).toBe(2);
  });
});

describe("size limits", () => {
  const stopped = (limit: string) => expect.objectContaining({ kind: "stopped", limit });

  it("apply to the source in bytes", async () => {
    expect(await endingOf("//éé", { limits: { sourceBytes: 5 } })).toEqual(stopped("source"));
    expect(await resultOf("//éé", { limits: { sourceBytes: 6 } })).toBeNull();
  });

  it("apply to the value in bytes", async () => {
    expect(await endingOf("return 'éé'", { limits: { resultBytes: 5 } })).toEqual(stopped("result"));
    expect(await resultOf("return 'éé'", { limits: { resultBytes: 6 } })).toBe("éé");
  });

  it("apply to the arguments of a call, which is not made", async () => {
    const { ending, usage } = await run("await tools.f('x'.repeat(100))", {
      ...one,
      limits: { callBytes: 50 },
    });
    expect([ending, usage.calls]).toEqual([stopped("call"), 0]);
  });

  it("apply to the answer to a call", async () => {
    const answer = async (): Promise<ProgramAnswer> => ({ ok: true, value: `"${"x".repeat(100)}"` });
    expect(
      await endingOf("await tools.f()", { functions: ["f"], answer, limits: { callBytes: 50 } }),
    ).toEqual(stopped("call"));
  });

  it("apply to the number of all calls and of parallel calls", async () => {
    const inTurn = "for (let i = 0; i < 4; i++) await tools.f()";
    const all = await run(inTurn, { ...one, limits: { calls: 3 } });
    expect([all.ending, all.usage.calls]).toEqual([stopped("calls"), 3]);
    const atOnce = await run("await Promise.all([1, 2, 3].map(() => tools.f()))", {
      ...one,
      limits: { callsAtOnce: 2 },
    });
    expect([atOnce.ending, atOnce.usage.calls]).toEqual([stopped("calls"), 2]);
    expect(await resultOf(`${inTurn}; return 1`, { ...one, limits: { calls: 4, callsAtOnce: 1 } })).toBe(1);
  });
});
