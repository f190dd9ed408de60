import { expect, it } from "vitest";
import { createServerClock } from "./database.ts";
import { dialectOf } from "./dialect.ts";

const day = Date.UTC(2026, 10, 17);

/**
 * Measures a clock against a server: the local time before and after the query, and the time of the server.
 */
const measured = (...answers: readonly (readonly [before: number, after: number, serverMs: number])[]) => {
  let here = 0;
  const clock = createServerClock(dialectOf({ dialect: "postgres" }), () => here);
  for (const [before, after, serverMs] of answers) {
    here = before;
    const measuring = clock.measure();
    measuring.next([]);
    here = after;
    expect(measuring.next([{ seconds: serverMs / 1_000 }]).done).toBe(true);
  }
  return clock.toServerTime(day);
};

it("converts a time by the server's clock at the middle of the query", () => {
  expect(measured([day, day + 200, day + 100 + 5_000])).toBe(day + 5_000);
  expect(measured([day, day + 200, day + 100 - 3_600_000])).toBe(day - 3_600_000);
});

it("ignores a difference of up to a second, and an earlier difference", () => {
  expect(measured([day, day, day + 1_000])).toBe(day);
  expect(measured([day, day, day - 1_000])).toBe(day);
  expect(measured([day, day, day + 1_001])).toBe(day + 1_001);
  expect(measured([day, day, day + 5_000], [day, day, day])).toBe(day);
});

it("ignores a query of more than a second or with a clock that was set back", () => {
  expect(measured([day, day + 1_000, day + 500 + 5_000])).toBe(day + 5_000);
  expect(measured([day, day + 1_001, day + 5_000])).toBe(day);
  expect(measured([day, day - 1_001, day + 5_000])).toBe(day);
});

it("uses the local clock without a server", () => {
  const clock = createServerClock(dialectOf({ dialect: "sqlite" }), () => 0);
  expect(clock.measure().next([]).done).toBe(true);
  expect(clock.toServerTime(day)).toBe(day);
});
