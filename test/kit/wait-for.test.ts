import { expect, it } from "vitest";
import { waitFor } from "./wait-for.ts";

it("returns the first value that the condition gives without throwing", async () => {
  let attempts = 0;
  const value = await waitFor(() => {
    attempts += 1;
    expect(attempts).toBeGreaterThan(2);
    return "ready";
  });
  expect([value, attempts]).toEqual(["ready", 3]);
});

it("refuses a condition that compares a promise instead of its value", async () => {
  await expect(waitFor(() => expect(Promise.resolve(1)).toBe(1))).rejects.toThrow("must await");
});
