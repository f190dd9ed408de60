import { expect, it } from "vitest";
import { preserveLargeIntegers } from "./preserve-large-integers.ts";
import { readJson } from "./read-json.ts";

it.each([
  [{ id: 9007199254740992 }, '{"id":9007199254740992}'],
  [{ a: [{ b: -9007199254740994 }] }, '{"a":[{"b":-9007199254740994}]}'],
  [{ mass: 5.972e24 }, '{"mass":5972000000000000327155712}'],
])("a parsed value with a whole number beyond 2^53-1 becomes a text that is refused: %j", (value, text) => {
  expect(preserveLargeIntegers(value)).toBe(text);
  const reading = readJson(text);
  expect(reading.ok ? "" : reading.problem.message).toContain("would lose digits");
});

it.each([[{ id: 9007199254740991, f: 1.5, e: 1e-7 }], [{}], ["9007199254740993"], [null], [[1, 2]]])(
  "a value whose numbers are as they were sent stays the very value: %j",
  (value) => {
    expect(preserveLargeIntegers(value)).toBe(value);
  },
);

it("a value that holds itself or throws when it is read stays what it is", () => {
  const round: Record<string, unknown> = {};
  round.self = round;
  const hostile = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  expect(preserveLargeIntegers(round)).toBe(round);
  expect(preserveLargeIntegers(hostile)).toBe(hostile);
});
