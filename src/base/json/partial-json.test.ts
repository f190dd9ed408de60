import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PartialJson } from "./partial-json.ts";

const reported = (text: string): unknown => new PartialJson().push(text);

describe("PartialJson", () => {
  it("returns the value so far with open containers closed and unfinished numbers and literals left out", () => {
    expect(reported("{")).toEqual({});
    expect(reported('{"ci')).toEqual({});
    expect(reported('{"city"')).toEqual({});
    expect(reported('{"city":')).toEqual({});
    expect(reported('{"city": "Os')).toEqual({ city: "Os" });
    expect(reported('{"city":"Oslo","at')).toEqual({ city: "Oslo" });
    expect(reported('{"n":1')).toEqual({});
    expect(reported('{"n":12,')).toEqual({ n: 12 });
    expect(reported("[1, 2, tr")).toEqual([1, 2]);
    expect(reported('[1, [2, {"a": [')).toEqual([1, [2, { a: [] }]]);
    expect(reported('{"a":{"b":null}} and more')).toEqual({ a: { b: null } });
  });

  it("leaves out an incomplete escape sequence", () => {
    expect(reported('["a\\')).toEqual(["a"]);
    expect(reported('["a\\n')).toEqual(["a\n"]);
    expect(reported('["a\\u00e')).toEqual(["a"]);
    expect(reported('["a\\u00e9')).toEqual(["aé"]);
    expect(reported('["a\\"')).toEqual(['a"']);
  });

  it("returns undefined for texts that are not an object or list and for __proto__ keys", () => {
    for (const text of ["", "  ", "12", '"text"', "```json\n{", "no"]) expect(reported(text)).toBeUndefined();
    expect(reported('{"__proto__":{"a":1}}')).toBeUndefined();
  });

  it("returns only parts of the final value, reaches it, and parses a bounded number of times", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.object({ withNullPrototype: false }), fc.array(fc.jsonValue())),
        fc.integer({ min: 1, max: 7 }),
        (value, size) => {
          const text = JSON.stringify(value);
          const whole = JSON.parse(text) as unknown;
          const partial = new PartialJson();
          for (let at = 0; at < text.length; at += size) {
            const so = partial.push(text.slice(at, at + size));
            if (so !== undefined) expect(isPartOf(so, whole)).toBe(true);
          }
          expect(JSON.stringify(reported(text) ?? whole)).toBe(JSON.stringify(whole));
        },
      ),
    );
    const partial = new PartialJson();
    expect(new PartialJson().push("}{")).toBeUndefined();
    let readings = 0;
    const long = `{"text":"${"a".repeat(100_000)}`;
    for (const character of long) if (partial.push(character) !== undefined) readings += 1;
    expect(readings).toBeGreaterThan(32);
    expect(readings).toBeLessThan(1_000);
  });
});

/** Strings and lists may be shorter, and objects may lack members. */
const isPartOf = (part: unknown, whole: unknown): boolean => {
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) &&
      part.every((item, index) => index < whole.length && isPartOf(item, whole[index]))
    );
  }
  if (typeof part !== "object" || part === null) return Object.is(part, whole) || part === whole;
  return (
    typeof whole === "object" &&
    whole !== null &&
    Object.entries(part).every(
      ([key, item]) => Object.hasOwn(whole, key) && isPartOf(item, (whole as never)[key]),
    )
  );
};
