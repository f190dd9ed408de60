import { expect, it } from "vitest";
import { toolNames } from "./from-openapi.ts";

it("toolNames numbers tens of thousands of equal ids in linear time", () => {
  const nameOf = toolNames("");
  const names = Array.from({ length: 40_000 }, (_, index) =>
    nameOf({ id: "same", method: "GET", path: `/p${index}`, tags: [], deprecated: false }),
  );
  expect(new Set(names).size).toBe(40_000);
  expect([names[0], names[1], names.at(-1)]).toEqual(["same", "same_2", "same_40000"]);
});
