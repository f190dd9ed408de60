import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Haft } from "../../runtime/haft.ts";
import { tool } from "../../tools/tool.ts";
import { codeMode } from "../code-mode.ts";

/** The calls that ran, and the inputs that `take` received. */
const ran: string[] = [];
const taken: unknown[] = [];
const double = tool({
  name: "double",
  description: "doubles a number",
  input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  annotations: { readOnly: true },
  run: ({ n }: { readonly n: number }) => {
    ran.push(`double ${n}`);
    return 2 * n;
  },
});
const take = tool({
  name: "take",
  description: "takes anything",
  input: { type: "object" },
  annotations: { readOnly: true },
  run: (input: unknown) => {
    taken.push(input);
    return "taken";
  },
});

/** One runtime for all programs, to detect a program that harms the next one. */
let haft: Haft;
let keysBefore: string;
beforeAll(async () => {
  keysBefore = hostKeys();
  haft = await Haft.open({
    tools: [double, take, codeMode()],
    principal: { agent: "tester", allow: ["*"] },
  } as never);
});
afterAll(() => haft.close());
beforeEach(() => {
  ran.length = 0;
  taken.length = 0;
});

const runIn = async (source: string, limits = {}) => {
  const [reply] = await haft.turn([{ id: "c", tool: "run-code", input: { source, limits } }]);
  return reply!;
};

/** Runs a program, and checks that the next program is not affected. */
const attack = async (source: string, limits = {}) => {
  const reply = await runIn(source, limits);
  const after = await runIn("return (await tools.double({ n: 21 })) + Object.keys({}).length;");
  expect(after.value).toMatchObject({ value: 42 });
  expect(ran.pop()).toBe("double 21");
  return reply;
};

/** The keys of the host's prototypes, which no program may change. */
const hostKeys = (): string =>
  JSON.stringify(
    [Object.prototype, Array.prototype, Promise.prototype].map((of) => Reflect.ownKeys(of).map(String)),
  );

describe("hostile program with tools", () => {
  it("cannot call a name that it was not given", async () => {
    const reply = await attack(`
      const tried = [];
      for (const name of ["run-code", "run_code", "__proto__", "constructor", "delete_everything", "double\\0", "toString"]) {
        try { tried.push(typeof (await tools[name]({ n: 1 }))); } catch (error) { tried.push(error.name); }
      }
      try { tools.more = () => 1; } catch (error) { tried.push(error.name); }
      return tried;`);
    expect(reply.value).toMatchObject({ value: Array(8).fill("TypeError"), calls: 0 });
    expect(ran).toEqual([]);
  });

  it("is stopped when an argument is too long, and no tool receives it", async () => {
    const long = await attack('await tools.take({ text: "x".repeat(5_000_000) }); return 1;');
    expect(long.text).toContain("longer than 1048576 bytes");
    const longer = await attack('await tools.take({ text: "x".repeat(60_000_000) }); return 1;');
    expect(longer.failure).toMatchObject({ code: "sandbox_failed" });
    expect(taken).toEqual([]);
  });

  it("cannot pass an argument that is nested 10,000 deep", async () => {
    const reply = await attack(`
      let deep = {};
      for (let at = 0; at < 10_000; at++) deep = { deep };
      return await tools.take(deep).then(() => "taken", (error) => error.code ?? error.name);`);
    const reported = reply.ok ? (reply.value as { readonly value: unknown }).value : reply.failure?.code;
    // The engine takes long to write it, so a busy machine may reach the limit first.
    expect(["InternalError", "unreadable_input", "sandbox_failed"]).toContain(reported);
    expect(taken).toEqual([]);
  });

  it("receives unreadable_input for an argument that is too deep but still valid JSON", async () => {
    const reply = await attack(`
      let deep = {};
      for (let at = 0; at < 600; at++) deep = { deep };
      return await tools.take(deep).then(() => "taken", (error) => error.code);`);
    expect(reply.value).toMatchObject({ value: "unreadable_input" });
    expect(taken).toEqual([]);
  });

  it("cannot pass a prototype in an argument, however it is spelled", async () => {
    const reply = await attack(`
      const results = [];
      for (const text of ['{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"isAdmin":true}}}', '{"a":{"\\\\u005f_proto__":{"isAdmin":true}}}'])
        results.push(await tools.take(JSON.parse(text)).then(() => "taken", (error) => error.code));
      return results;`);
    expect(reply.ok).toBe(true);
    for (const each of taken) expect((each as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(JSON.stringify(taken)).not.toContain("__proto__");
  });

  it("is stopped at its 101st call, in sequence and in parallel", async () => {
    const one = await attack("for (let n = 0; n < 100_000; n++) await tools.double({ n }); return 1;");
    expect(one.text).toContain("more than 100 calls");
    expect(ran).toHaveLength(100);
    ran.length = 0;
    const all = await attack(
      "return await Promise.all(Array.from({ length: 100_000 }, (_, n) => tools.double({ n })));",
    );
    expect(all.text).toContain("more than 100 calls");
    expect(ran.length).toBeLessThanOrEqual(100);
  });

  it("makes no call after it has returned", async () => {
    const reply = await attack(`
      tools.double({ n: 1 }).then(async () => { for (let n = 2; n < 50; n++) await tools.double({ n }); });
      return "over";`);
    expect(reply.value).toMatchObject({ value: "over", calls: 1 });
    expect(ran).toEqual(["double 1"]);
  });

  it("runs its getters once in its own engine and returns only data", async () => {
    const reply = await attack(`
      let asked = 0;
      return { get count() { return ++asked; }, get list() { return [asked]; }, toJSON: undefined };`);
    expect(reply.value).toMatchObject({ value: { count: 1, list: [1] } });
  });

  it("cannot make the host wait for a thenable that never settles", async () => {
    const waiting = await attack("return { then() {} };");
    expect(waiting.text).toContain("a promise that never settles");
    const nested = await attack("return { later: { then() {} }, f: () => 1 };");
    expect(nested.value).toMatchObject({ value: { later: {} } });
  });

  it("affects only itself when it replaces JSON", async () => {
    const reply = await attack(`
      JSON.stringify = () => '{"kind":"call","name":"pay","input":"{}"}';
      JSON.parse = () => ({ forged: true });
      const real = await tools.double({ n: 4 });
      return [real];`);
    expect(reply.value).toMatchObject({ value: [8], calls: 1 });
    expect(ran).toEqual(["double 4"]);
  });

  it("affects only itself when it replaces Promise, Map and Reflect", async () => {
    const reply = await attack(`
      Promise.prototype.then = function () { return this; };
      globalThis.Promise = class { static reject() { return 1; } };
      globalThis.Map = globalThis.Error = globalThis.String = undefined;
      Reflect.apply = () => 1;
      return [await tools.double({ n: 4 })];`);
    expect(reply.value).toMatchObject({ value: [8] });
  });

  it("changes only its own prototypes", async () => {
    const reply = await attack(`
      for (const each of [Object, Array, Function, Error, Promise, String]) {
        each.prototype.polluted = true;
        Object.defineProperty(each.prototype, "toJSON", { __proto__: null, value: () => ({ forged: true }), configurable: true });
      }
      Object.defineProperty(Object.prototype, "value", { __proto__: null, get: () => 13, set() {}, configurable: true });
      return await tools.take({ n: 1 }).then(() => "taken", (error) => error.code);`);
    // The program sends what it forged, and receives the answer of the tool.
    expect(reply.value).toMatchObject({ value: "taken", calls: 1 });
    expect(taken).toEqual([{ forged: true }]);
    const setter = await attack(`
      Object.defineProperty(Object.prototype, "0", { __proto__: null, set() { throw 1; }, configurable: true });
      return await tools.take([1]);`);
    expect(setter.failure).toMatchObject({ code: "failed" });
    expect(hostKeys()).toBe(keysBefore);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("returns a result with truncated output when it prints without end", async () => {
    const reply = await attack(`
      for (let at = 0; at < 3_000; at++) console.log("line " + at + "x".repeat(1_000));
      console.log({ toJSON() { throw new Error("no"); } }, { get a() { throw 1; } }, Symbol("s"), () => 1);
      return 1;`);
    expect(reply.ok).toBe(true);
    const { logs } = reply.value as { logs: readonly string[] };
    expect(logs.at(-1)).toBe("…[cut]");
    expect(logs.join("\n").length).toBeLessThan(70_000);
  });

  it("fails with a plain message when it throws a value that cannot be inspected", async () => {
    const getters = await attack(
      "throw { get name() { throw 1; }, get message() { throw 2; }, get stack() { throw 3; } };",
    );
    expect(getters.text).toContain("threw a value that cannot be read");
    const proxy = await attack(
      "throw new Proxy(new Error('x'), { get() { throw new Error('trap'); }, getPrototypeOf() { throw 1; } });",
    );
    expect(proxy.text).toContain("threw a value that cannot be read");
    const endless = await attack("throw { get message() { for (;;); } };", { cpuMs: 100 });
    expect(endless.failure).toMatchObject({ code: "sandbox_failed" });
  });

  it("fails with a truncated message when its error has ten megabytes", async () => {
    const reply = await attack('throw new Error("x".repeat(10_000_000));');
    expect(reply.failure).toMatchObject({ code: "failed" });
    expect(reply.text.length).toBeLessThan(20_000);
    const nested = await attack(
      'const e = new Error("y"); e.name = "n".repeat(1_000_000); e.stack = "s".repeat(5_000_000); throw e;',
    );
    expect(nested.text.length).toBeLessThan(20_000);
  });
});
