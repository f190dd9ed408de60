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
