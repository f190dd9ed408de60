import fc from "fast-check";
import { expect, test } from "vitest";
import { toObjectArguments } from "./to-object-arguments.ts";

test("text of an object becomes the object, and an object stays itself", () => {
  const given = { city: "Oslo" };
  expect(toObjectArguments('{"city":"Oslo"}')).toStrictEqual(given);
  expect(toObjectArguments(given)).toBe(given);
});

test("no arguments are an empty object", () => {
  expect(toObjectArguments("")).toStrictEqual({});
  for (const nothing of [undefined, null, "null", " \n"])
    expect(toObjectArguments(nothing)).toStrictEqual({});
});

test("what is no object goes under one key as it was written", () => {
  for (const input of ['{"city":', "[1]", "nulls", '{"a":1,"a":2}', '{"id":12345678901234567890}']) {
    expect(toObjectArguments(input)).toStrictEqual({ unreadable: input });
  }
  expect(toObjectArguments([1])).toStrictEqual({ unreadable: [1] });
});

test("any input gives an object and never throws", () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.json(), fc.string()), (input) => {
      const read = toObjectArguments(input);
      expect(typeof read === "object" && read !== null && !Array.isArray(read)).toBe(true);
    }),
  );
});
