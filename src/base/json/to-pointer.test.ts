import { expect, it } from "vitest";
import { toPointer } from "./json-value.ts";

it("toPointer escapes tildes and slashes", () => {
  expect(toPointer([])).toBe("");
  expect(toPointer(["a", 0, "b/c", "~1", ""])).toBe("/a/0/b~1c/~01/");
});
