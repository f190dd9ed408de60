import { expect, it } from "vitest";
import { preserveLargeIntegers } from "./raw-slices.ts";
import { readJson } from "./read-json.ts";

it.each([
  [{ id: 9007199254740992 }, '{"id":9007199254740992}'],
  [{ a: [{ b: -9007199254740994 }] }, '{"a":[{"b":-9007199254740994}]}'],
  [{ mass: 5.972e24 }, '{"mass":5972000000000000327155712}'],
])(
  "preserveLargeIntegers turns a value with an integer beyond 2^53-1 into text that readJson rejects: %j",
  (value, text) => {
    expect(preserveLargeIntegers(value)).toBe(text);
    const reading = readJson(text);
    expect(reading.ok ? "" : reading.problem.message).toContain("would lose digits");
  },
);

it.each([[{ id: 9007199254740991, f: 1.5, e: 1e-7 }], [{}], ["9007199254740993"], [null], [[1, 2]]])(
  "preserveLargeIntegers returns a value without large integers as it is: %j",
  (value) => {
    expect(preserveLargeIntegers(value)).toBe(value);
  },
);

it("preserveLargeIntegers returns cyclic values and values with throwing getters as they are", () => {
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
