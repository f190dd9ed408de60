import { describe, expect, it } from "vitest";
import { findDuplicate, isMultipleOf, isOneOf } from "./keywords.ts";

describe("findDuplicate", () => {
  it("finds equal objects whatever their key order", () => {
    expect(findDuplicate([{ a: 1, b: [2] }, 1, { b: [2], a: 1 }])).toEqual([0, 2]);
  });

  it("distinguishes values that only look alike", () => {
    expect(
      findDuplicate([1, "1", true, "true", null, "null", [1], ["1"], { a: 1 }, [{ a: 1 }]]),
    ).toBeUndefined();
  });

  it("reads each of 6,000 objects once", () => {
    let reads = 0;
    const items = Array.from({ length: 6_000 }, (_, id) => ({
      get id() {
        reads++;
        return id;
      },
    }));
    expect(findDuplicate(items)).toBeUndefined();
    expect(reads).toBe(6_000);
  });
});

describe("isOneOf", () => {
  it("compares by content when a key has the name of an Object method", () => {
    const fits = isOneOf([{ toString: "x" }, { constructor: {} }, { valueOf: 1 }]);
    expect(fits({ toString: "x" })).toBe(true);
    expect(fits({ constructor: {} })).toBe(true);
    expect(fits({ valueOf: 2 })).toBe(false);
    expect(fits({ toString: 1, a: 2 })).toBe(false);
  });

  it("ignores whether an object has a prototype", () => {
    expect(isOneOf([{ a: 1 }])(Object.assign(Object.create(null), { a: 1 }))).toBe(true);
  });
});

describe("isMultipleOf", () => {
  it.each([
    [4.35, 0.01],
    [19.99, 0.01],
    [0.0075, 0.0001],
    [12_391_239_123, 1e-8],
    [1e308, 0.5],
    [1e22, 1],
    [-9, 3],
    [0, 7],
  ])("%d is a multiple of %d", (value, divisor) => expect(isMultipleOf(value, divisor)).toBe(true));

  it.each([
    [4.355, 0.01],
    [0.00751, 0.0001],
    [1e308, 0.123456789],
    [7, 2],
    [Number.POSITIVE_INFINITY, 1],
  ])("%d is not a multiple of %d", (value, divisor) => expect(isMultipleOf(value, divisor)).toBe(false));
});
