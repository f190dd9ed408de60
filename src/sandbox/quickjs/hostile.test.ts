import { describe, expect, it } from "vitest";
import { sandboxScene } from "../../../test/kit/sandbox-scene.ts";
import type { ProgramAnswer, ProgramCall } from "../sandbox.ts";
import { openEngine } from "./engine.ts";

const { run, endingOf, resultOf } = sandboxScene(openEngine({ most: 2 }));
const echo = {
  functions: ["echo"],
  answer: async ({ input }: ProgramCall): Promise<ProgramAnswer> => ({ ok: true, value: input }),
};

describe("access to the host", () => {
  it.each([
    [
      "by name",
      "return [typeof process, typeof require, typeof Buffer, typeof fetch, typeof setTimeout, typeof WebAssembly, typeof std, typeof os]",
    ],
    [
      "by constructors",
      "return [typeof tools.echo.constructor('return this')().process, typeof (await tools.echo({})).constructor.constructor('return process')]",
    ],
    ["by this", "return [typeof (function () { return this })()?.process]"],
  ])("is impossible %s", async (_, source) => {
    const seen = (await resultOf(source, echo)) as readonly string[];
    expect(seen.filter((type) => type !== "undefined" && type !== "function")).toEqual([]);
  });

  it("is impossible by import", async () => {
    expect(await endingOf("await import('node:fs')")).toMatchObject({ kind: "error" });
    expect(await endingOf("import fs from 'node:fs'")).toMatchObject({ kind: "error", name: "SyntaxError" });
  });

  it("is impossible by returned keys that would change prototypes", async () => {
    expect(await endingOf(`return JSON.parse('{"__proto__":{"polluted":1}}')`)).toMatchObject({
      kind: "error",
    });
    expect(({} as { readonly polluted?: number }).polluted).toBeUndefined();
  });
});

describe("program that replaces built-ins", () => {
  it.each([
    ["JSON", "JSON.stringify = () => '\"forged\"'; JSON.parse = () => 'forged'"],
    ["Promise", "Promise.prototype.then = function () { return this }; globalThis.Promise = class {}"],
    [
      "array methods",
      "Object.defineProperty(Array.prototype, 0, { set() {}, get() { return 'forged' } }); Array.prototype.push = null; Array.prototype.join = () => 'forged'",
    ],
    ["array iteration", "Array.prototype[Symbol.iterator] = function* () {}"],
    [
      "function methods",
      "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 'forged'",
    ],
    ["string methods", "String.prototype.slice = () => 'forged'; String.prototype.toString = () => 'forged'"],
    [
      "object methods",
      "Object.freeze = Object.create = Object.defineProperty = () => ({}); Object.prototype.value = 'forged'; Object.prototype.get = () => 'forged'; Object.prototype.toJSON = undefined",
    ],
    [
      "errors",
      "Error.prototype.name = 'forged'; Error.prepareStackTrace = () => 'forged'; globalThis.Error = null",
    ],
    [
      "the global object",
      "for (const key of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[key] } catch {}",
    ],
  ])("affects only itself: %s", async (_, change) => {
    const calls: string[] = [];
    const answer = async ({ input }: ProgramCall): Promise<ProgramAnswer> => {
      calls.push(input);
      return { ok: true, value: '{"a":[1]}' };
    };
    const source = `${change}; console.log("said"); const got = await tools.f({ n: 1 }); return [got.a.length, "real"]`;
    const { ending, logs } = await run(source, { functions: ["f"], answer });
    expect(ending).toEqual({ kind: "value", value: [1, "real"] });
    expect(calls).toEqual(['{"n":1}']);
    expect(logs).toEqual([{ level: "log", text: "said" }]);
  });

  it("has its errors reported without forged fields", async () => {
    const forged =
      "const e = new Error('x'); e.stack = 'at f (program.js:99:9)'; e.name = { toString() { throw 1 } }; throw e";
    expect(await endingOf(`\n${forged}`)).toMatchObject({
      kind: "error",
      name: "Error",
      message: "x",
      line: 2,
    });
    const ending = await endingOf(
      "throw Object.assign(new InternalError('interrupted'), { uncatchable: true })",
    );
    expect(ending).toMatchObject({ kind: "error", name: "InternalError", message: "interrupted" });
  });

  it("cannot hide that it was stopped", async () => {
    const source = "try { for (;;) {} } catch { return 'forged' } finally { return 'forged' }";
    expect(await endingOf(source, { limits: { cpuMs: 50 } })).toMatchObject({
      kind: "stopped",
      limit: "cpu",
    });
  });

  it("has a returned thenable read once", async () => {
    expect(await resultOf("return { then(yes, no) { yes(1); yes(2); no(3); throw 4 } }")).toBe(1);
    expect(await endingOf("return new Proxy({}, { get() { throw new Error('trap') } })")).toMatchObject({
      kind: "error",
      message: "trap",
    });
  });

  it("has a long text truncated before it is copied", async () => {
    const limits = { callBytes: 1_000, resultBytes: 1_000, logBytes: 1_000 };
    const long = "const long = 'x'.repeat(5_000_000);";
    expect(await endingOf(`${long} await tools.echo(long)`, { ...echo, limits })).toMatchObject({
      limit: "call",
    });
    expect(await endingOf(`${long} return long`, { limits })).toMatchObject({ limit: "result" });
    const { ending, logsCut, logs } = await run(`${long} console.log(long, long); return 1`, { limits });
    expect([ending, logsCut, logs[0]?.text.length]).toEqual([{ kind: "value", value: 1 }, true, 1_000]);
    expect(await endingOf(`${long} throw new Error(long)`)).toMatchObject({
      kind: "error",
      message: "x".repeat(8_192),
    });
  });
});
