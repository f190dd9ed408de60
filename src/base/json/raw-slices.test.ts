import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../test/kit/any-text.ts";
import { findSlices, rewriteSlices, slicePaths } from "./raw-slices.ts";

const slicesOf = (text: string, ...paths: string[]): readonly string[] =>
  findSlices(text, slicePaths(...paths)).slices.map(({ start, end }) => text.slice(start, end));

describe("findSlices", () => {
  it.each([
    ['{"params":{"arguments":{"id":9007199254740993}}}', ['{"id":9007199254740993}']],
    [
      '{"params" : {"name":"a","arguments": {"a":"}\\"{","b":[1, {"c":"]"}]} ,"x":1}}',
      ['{"a":"}\\"{","b":[1, {"c":"]"}]}'],
    ],
    ['{"par\\u0061ms":{"argum\\u0065nts":{"a":1}}}', ['{"a":1}']],
    ['{"a":{"params":{"arguments":{}}},"params":{"arguments":1e-400}}', ["1e-400"]],
    ['{"params":{"arguments":"text \\\\"}}', ['"text \\\\"']],
    ['{"params":[{"arguments":{}}]}', []],
    ["[]", []],
    ["", []],
  ])("finds in %s the slices %j", (text, expected) => {
    expect(slicesOf(text, "params.arguments")).toEqual(expected);
  });

  it("finds the path in every item of a list and nowhere else", () => {
    const text = '[{"a":{"x":1}}, {"b":2}, 3, {"a":[{"x":2},{"x":3}]}]';
    expect(slicesOf(text, "*.a.x")).toEqual(["1"]);
    expect(slicesOf(text, "*.a.*.x", "*.a.x")).toEqual(["1", "2", "3"]);
  });

  it("reports a repeated key in an object on the path", () => {
    const paths = slicePaths("a.b");
    expect(findSlices('{"a":{"b":1,"\\u0062":2}}', paths).repeatedKey).toBe("b");
    expect(findSlices('{"a":{"b":1},"z":1,"z":2}', paths).repeatedKey).toBe("z");
    expect(findSlices('{"a":{"b":{"c":1,"c":2}}}', paths).repeatedKey).toBeUndefined();
  });
});

const spaced = (value: unknown, space: string): string => JSON.stringify(value, null, space);

it("findSlices returns the JSON of the value at the path, however the text is spaced", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom("", " ", "\t"), (wanted, other, space) => {
      const text = spaced(
        { o: other, list: [{ w: wanted, o: other }, other, { o: other, w: wanted }] },
        space,
      );
      const slices = slicesOf(text, "list.*.w");
      const extra =
        typeof other === "object" && other !== null && !Array.isArray(other) && "w" in other ? 1 : 0;
      expect(slices).toHaveLength(2 + extra);
      expect(JSON.parse(slices[0]!)).toEqual(JSON.parse(JSON.stringify(wanted)));
      expect(JSON.parse(slices.at(-1)!)).toEqual(JSON.parse(JSON.stringify(wanted)));
    }),
    { seed: 20260701, numRuns: 500 },
  );
});

it("rewriteSlices terminates for any text and keeps unwanted parts unchanged", () => {
  const paths = slicePaths("a", "*.a", "b.*.c");
  const text = fc.oneof(
    anyText({ maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(...'{}[]":,\\abc1 \n'), maxLength: 60 }),
  );
  fc.assert(
    fc.property(text, (given) => {
      expect(rewriteSlices(given, paths, (slice) => slice).text).toBe(given);
    }),
    { seed: 20260702, numRuns: 2_000 },
  );
});
