import { describe, expect, it } from "vitest";
import { toPlainValue } from "./check.ts";

const read = (value: unknown): unknown => {
  const plain = toPlainValue(value);
  return plain.ok ? plain.value : plain;
};
const refusal = (why: string) => ({ ok: false, why });

/** A list nested this many levels deep. */
const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};

describe("JSON value", () => {
  it("is returned with its text", () => {
    const value = { a: [1, "two", true, null, { b: {} }], c: -1.5 };
    expect(toPlainValue(value)).toEqual({ ok: true, value, text: JSON.stringify(value) });
    for (const each of [0, "", false, null, [], {}]) {
      expect(toPlainValue(each)).toEqual({ ok: true, value: each, text: JSON.stringify(each) });
    }
  });

  it("is copied", () => {
    const list = [1];
    const value = { list };
    const plain = toPlainValue(value);
    list.push(2);
    expect(plain).toEqual({ ok: true, value: { list: [1] }, text: '{"list":[1]}' });
  });

  it("loses the sign of minus zero", () => {
    expect(Object.is(read(-0), 0)).toBe(true);
    expect(Object.is((read([-0]) as number[])[0], 0)).toBe(true);
    expect(read(5)).toBe(5);
  });

  it("keeps a member named __proto__ as an own member", () => {
    const value = JSON.parse('{"__proto__":{"admin":true},"a":1}');
    const copy = read(value) as Record<string, unknown>;
    expect(Object.keys(copy).toSorted()).toEqual(["__proto__", "a"]);
    expect(copy.admin).toBeUndefined();
    expect(toPlainValue(value)).toMatchObject({ text: '{"__proto__":{"admin":true},"a":1}' });
  });
});

describe("undefined", () => {
  it("is written as null at the top level", () => {
    expect(toPlainValue(undefined)).toEqual({ ok: true, value: undefined, text: "null" });
  });

  it("is omitted from objects and becomes null in lists", () => {
    const copy = read({ a: undefined, b: 1 }) as object;
    expect(Object.keys(copy)).toEqual(["b"]);
    expect(read([undefined, 1])).toEqual([null, 1]);
    expect(read(new Array(2))).toEqual([null, null]);
  });

  it("is refused as the result of toJSON", () => {
    expect(read({ toJSON: () => undefined })).toEqual(refusal("it has no JSON form"));
  });
});

describe("value with toJSON", () => {
  it("is replaced by its result at any depth", () => {
    const day = new Date(0);
    expect(read(day)).toBe("1970-01-01T00:00:00.000Z");
    expect(read({ days: [day] })).toEqual({ days: ["1970-01-01T00:00:00.000Z"] });
  });

  it("receives itself as this and an empty key at the top level", () => {
    const given: unknown[] = [];
    const value = {
      toJSON(this: unknown, ...said: unknown[]) {
        given.push(this === value, ...said);
        return 1;
      },
    };
    expect(read(value)).toBe(1);
    expect(given).toEqual([true, ""]);
  });

  it("is a plain object when toJSON is not a function", () => {
    expect(read({ toJSON: "text" })).toEqual({ toJSON: "text" });
  });

  it("is refused when toJSON returns the value itself", () => {
    const value: object = { toJSON: () => value };
    expect(read(value)).toEqual(refusal("it has more than 256 levels, or contains itself"));
  });

  it("is unwrapped when it is a boxed string, number or boolean", () => {
    expect(read([Object("a"), Object(1), Object(false)])).toEqual(["a", 1, false]);
  });
});

describe("value that JSON cannot represent", () => {
  it("is refused with the name of its class", () => {
    const emptied: readonly [object, string][] = [
      [new Map([[1, 2]]), "Map"],
      [new Set([1]), "Set"],
      [Promise.resolve(1), "Promise"],
      [/a/, "RegExp"],
      [new TypeError("no"), "TypeError"],
      [new ArrayBuffer(1), "ArrayBuffer"],
      [new Uint8Array(1), "Uint8Array"],
    ];
    for (const [value, name] of emptied) {
      const why = `it contains a ${name}, which JSON cannot represent`;
      expect(read(value)).toEqual(refusal(why));
      expect(read({ inside: [value] })).toEqual(refusal(why));
    }
  });

  it("is refused with an unsupported number or type", () => {
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(read([number])).toEqual(refusal(`it contains ${number}, which JSON does not have`));
    }
    for (const value of [() => 1, Symbol("s"), 1n]) {
      expect(read([value])).toEqual(refusal(`it contains a ${typeof value}, which JSON does not have`));
    }
  });

  it("is refused when a getter throws", () => {
    const locked = {
      get open() {
        throw new Error("not for you");
      },
    };
    expect(read(locked)).toEqual(refusal("it cannot be read or written"));
  });
});

describe("oversized value", () => {
  it("is refused above 256 levels", () => {
    expect(toPlainValue(nested(256)).ok).toBe(true);
    expect(read(nested(257))).toEqual(refusal("it has more than 256 levels, or contains itself"));
    const circle: unknown[] = [];
    circle.push({ circle });
    expect(read(circle)).toEqual(refusal("it has more than 256 levels, or contains itself"));
  });

  it("is refused above one million parts", () => {
    const tooMany = refusal("it has more than 1000000 parts");
    const zeros = (length: number) => new Array(length).fill(0);
    expect(read(zeros(1_000_000))).toEqual(tooMany);
    expect(read(new Array(2 ** 32 - 1))).toEqual(tooMany);
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [String(at), 0]));
    // The list and its two items, then the object and its members, then the other list.
    const most = 1_000_000 - 3 - 1 - 10 - 1;
    expect(toPlainValue([members(10), zeros(most)]).ok).toBe(true);
    expect(read([members(10), zeros(most + 1)])).toEqual(tooMany);
    expect(read([members(11), zeros(most)])).toEqual(tooMany);
  });
});
