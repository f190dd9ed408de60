import { expect, it } from "vitest";
import { findSleeps } from "../../scripts/check-sleeps.ts";

it.each([
  ["a timer", "setTimeout(() => {}, 5);"],
  ["a promise of a timer", "await new Promise((resolve) => setTimeout(resolve, 5));"],
  ["an import of timers", 'import { setTimeout as pause } from "node:timers/promises";'],
  ["polling by vitest", "await expect.poll(() => 1).toBe(1);"],
  ["waiting by vitest", "await vi.waitFor(() => expect(1).toBe(1));"],
  ["a time measurement", "const start = performance.now();"],
])("reports %s", (_, source) => {
  expect(findSleeps(source)).toHaveLength(1);
});

it("accepts a sleep with a reason on the line before, and code in strings", () => {
  expect(findSleeps("// allow-sleep: the tool is slow\nsetTimeout(() => {}, 5);")).toEqual([]);
  expect(findSleeps('const program = "setTimeout(() => {}, 5)";')).toEqual([]);
  expect(findSleeps('import { setImmediate } from "node:timers/promises";')).toEqual([]);
});

it("says on which line the call is", () => {
  expect(findSleeps("\n\nsetInterval(() => {}, 5);")).toEqual([{ line: 3, call: "setInterval" }]);
});
