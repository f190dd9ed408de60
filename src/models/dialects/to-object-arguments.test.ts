import fc from "fast-check";
import { expect, test } from "vitest";
import { toObjectArguments } from "./to-object-arguments.ts";

test("parses text of an object and returns an object as it is", () => {
  const given = { city: "Oslo" };
  expect(toObjectArguments('{"city":"Oslo"}')).toStrictEqual(given);
  expect(toObjectArguments(given)).toBe(given);
});

test("returns an empty object without arguments", () => {
  expect(toObjectArguments("")).toStrictEqual({});
  for (const nothing of [undefined, null, "null", " \n"])
    expect(toObjectArguments(nothing)).toStrictEqual({});
});

test("returns other input unchanged under the key unreadable", () => {
  for (const input of ['{"city":', "[1]", "nulls", '{"a":1,"a":2}', '{"id":12345678901234567890}']) {
    expect(toObjectArguments(input)).toStrictEqual({ unreadable: input });
  }
  expect(toObjectArguments([1])).toStrictEqual({ unreadable: [1] });
});

test("returns an object for any input without throwing", () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.json(), fc.string()), (input) => {
      const read = toObjectArguments(input);
      expect(typeof read === "object" && read !== null && !Array.isArray(read)).toBe(true);
    }),
  );
});
