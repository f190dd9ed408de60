import { expect, it } from "vitest";
import { dialectOf } from "./dialect.ts";
import { createServerClock } from "./server-clock.ts";

const day = Date.UTC(2026, 10, 17);

/** A clock that was measured against a server: what this process's clock said before and after, and the server's. */
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

it("a time is told by the server's clock, as it was in the middle of the question", () => {
  expect(measured([day, day + 200, day + 100 + 5_000])).toBe(day + 5_000);
  expect(measured([day, day + 200, day + 100 - 3_600_000])).toBe(day - 3_600_000);
});

it("a second more or less is no difference, and a difference that is gone counts no more", () => {
  expect(measured([day, day, day + 1_000])).toBe(day);
  expect(measured([day, day, day - 1_000])).toBe(day);
  expect(measured([day, day, day + 1_001])).toBe(day + 1_001);
  expect(measured([day, day, day + 5_000], [day, day, day])).toBe(day);
});

it("a question that took longer than a second, or during which the clock was set back, says nothing", () => {
  expect(measured([day, day + 1_000, day + 500 + 5_000])).toBe(day + 5_000);
  expect(measured([day, day + 1_001, day + 5_000])).toBe(day);
  expect(measured([day, day - 1_001, day + 5_000])).toBe(day);
});

it("without a server this process's clock is the one that counts", () => {
  const clock = createServerClock(dialectOf({ dialect: "sqlite" }), () => 0);
  expect(clock.measure().next([]).done).toBe(true);
  expect(clock.toServerTime(day)).toBe(day);
});
