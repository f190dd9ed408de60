import { deepStrictEqual } from "node:assert";
import vm from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyJson } from "./copy-json.ts";
import { readJson } from "./read-json.ts";

const copied = (value: unknown) => {
  const reading = copyJson(value);
  if (!reading.ok) throw new Error(reading.problem.message);
  return reading.value;
};

const refusal = (value: unknown) => {
  const reading = copyJson(value);
  if (reading.ok) throw new Error("accepted");
  return reading.problem;
};

describe("copyJson", () => {
  it("returns an equal value that shares no objects with the original", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const strict = readJson(text);
        const copy = copyJson(value);
        if (strict.ok) expect(copy.ok).toBe(true);
        if (copy.ok) deepStrictEqual(JSON.parse(JSON.stringify(copy.value)), JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
    const given = { a: [{ b: 1 }] };
    const copy = copied(given) as typeof given;
    copy.a[0]!.b = 2;
    expect(given.a[0]!.b).toBe(1);
  });
  it("drops undefined, symbol, inherited and non-enumerable members", () => {
    const value = Object.defineProperty({ a: 1, b: undefined, [Symbol("c")]: 1 }, "d", { value: 1 });
    expect(copied(value)).toEqual({ a: 1 });
    expect(Object.keys(copied(value) as object)).toEqual(["a"]);
  });
  it("returns ordinary objects for values of another realm or prototype", () => {
    for (const value of [
      Object.assign(Object.create(null), { a: [1] }),
      vm.runInNewContext("({ a: [1] })"),
    ]) {
      deepStrictEqual(copied(value), { a: [1] });
    }
  });
  it("calls a getter once", () => {
    let reads = 0;
    const value = {
      get a() {
        return ++reads;
      },
    };
    expect(copied(value)).toEqual({ a: 1 });
    expect(reads).toBe(1);
  });
  it("duplicates an object that occurs twice", () => {
    const shared = { x: 1 };
    expect(copied([shared, shared])).toEqual([{ x: 1 }, { x: 1 }]);
  });
});

class Account {
  id = 1;
  toJSON() {
    return { id: 2 };
  }
}

const loop: Record<string, unknown> = { a: [] };
(loop.a as unknown[]).push({ loop });

let laughs: unknown = "ha";
for (let i = 0; i < 40; i++) laughs = [laughs, laughs];

describe("copyJson rejections", () => {
  it.each([
    [{ a: [1, undefined] }, "/a/1", "undefined is not JSON"],
    [undefined, "", "undefined is not JSON"],
    [new Array(3), "/0", "undefined is not JSON"],
    [new Array(4_000_000_000), "", "larger than 1048576"],
    [{ when: new Date(0) }, "/when", "pass its toISOString() text"],
    [
      { who: new Account() },
      "/who",
      "An instance of Account is not JSON; pass plain data; its toJSON is not called",
    ],
    [{ toJSON: () => 1 }, "/toJSON", "A function is not JSON"],
    [[new Map()], "/0", "Object.fromEntries(map)"],
    [[new Uint8Array(1)], "/0", "An instance of Uint8Array"],
    [Object.create({ a: 1 }), "", "An instance of a class"],
    [[Object("boxed")], "/0", "An instance of String"],
    [{ f: () => 1 }, "/f", "A function is not JSON"],
    [{ s: Symbol("x") }, "/s", "A symbol is not JSON"],
    [{ n: 1n }, "/n", "A bigint is not JSON; pass it as a string"],
    [[Number.NaN], "/0", "NaN is not JSON"],
    [[Number.NEGATIVE_INFINITY], "/0", "-Infinity is not JSON"],
    [loop, "/a/0/loop", "contains itself"],
    [JSON.parse('{"x":{"__proto__":{"polluted":1}}}'), "/x/__proto__", "never accepted"],
    [{ constructor: { prototype: {} } }, "/constructor", "never accepted"],
    [laughs, undefined, "larger than 1048576"],
    ["x".repeat(1_048_577), "", "larger than 1048576"],
  ])("rejects value %# with its pointer", (value, pointer, words) => {
    const problem = refusal(value);
    expect(problem.message).toContain(words);
    if (pointer !== undefined) expect(problem.pointer).toBe(pointer);
    expect(problem).toMatchObject({ position: -1, line: 0, column: 0 });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
  it("rejects a getter or proxy that throws and reports its pointer", () => {
    const thrower = {
      get b(): number {
        throw new Error("secret detail");
      },
    };
    expect(refusal({ a: [thrower] })).toMatchObject({ pointer: "/a/0/b" });
    expect(refusal({ a: [thrower] }).message).not.toContain("secret detail");
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(refusal({ trap })).toMatchObject({ pointer: "/trap" });
    expect(refusal({ revoked: revokedProxy() })).toMatchObject({ pointer: "/revoked" });
  });
  it("rejects a value that fails only on the first read", () => {
    let reads = 0;
    const value = {
      get a() {
        return ++reads === 1 ? 1n : 1;
      },
    };
    expect(refusal(value).message).toContain("not plain JSON data");
  });
  it("counts depth like readJson", () => {
    const deep = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown;
    expect(copyJson(deep(64)).ok).toBe(true);
    expect(refusal(deep(65)).message).toContain("deeper than 64 levels");
    expect(copyJson(deep(1_000), { maxDepth: 5_000 }).ok).toBe(true);
    expect(refusal(deep(100_000)).message).toContain("deeper than 64 levels");
  });
});

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
