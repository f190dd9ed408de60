import { expect, it } from "vitest";
import { findSleeps } from "../../scripts/check-sleeps.ts";

it.each([
  ["a timer", "setTimeout(() => {}, 5);"],
  ["a promise of a timer", "await new Promise((resolve) => setTimeout(resolve, 5));"],
  ["an import of timers", 'import { setTimeout as pause } from "node:timers/promises";'],
  ["polling by vitest", "await expect.poll(() => 1).toBe(1);"],
  ["waiting by vitest", "await vi.waitFor(() => expect(1).toBe(1));"],
  ["a time measurement", "const start = performance.now();"],
  ["a time limit of one test", 'it("works", async () => {}, 60_000);'],
  ["a time limit of some tests", 'it.each([1])("works", { timeout: 5_000 }, () => {});'],
  ["a time limit of a hook", "beforeAll(() => {}, 60_000);"],
])("reports %s", (_, source) => {
  expect(findSleeps(source)).toHaveLength(1);
});

it("accepts a sleep with a reason on the line before, and code in strings", () => {
  expect(findSleeps("// allow-sleep: the tool is slow\nsetTimeout(() => {}, 5);")).toEqual([]);
  expect(findSleeps('const program = "setTimeout(() => {}, 5)";')).toEqual([]);
  expect(findSleeps('import { setImmediate } from "node:timers/promises";')).toEqual([]);
});

it("accepts virtual time, longer limits of campaigns, and programs that are slow on purpose", () => {
  expect(findSleeps("Effect.sleep(5); TestClock.adjust(5);")).toEqual([]);
  expect(findSleeps('it("explores", { timeout: 600_000 }, () => {});')).toEqual([]);
  expect(findSleeps("// allow-sleep in this file: a slow server\nsetTimeout(() => {}, 5);")).toEqual([]);
});

it("reports the line of the call", () => {
  expect(findSleeps("\n\nsetInterval(() => {}, 5);")).toEqual([{ line: 3, call: "setInterval" }]);
});
