import { expect, it } from "vitest";
import type { Registration } from "../../types/tool.ts";
import { indexTools } from "./tool-index.ts";

const index = indexTools(["ask", "pay/refund"].map((key) => ({ key }) as Registration));

it.each([
  ["*refund", "**/refund"],
  ["ref*", "**/ref*"],
  ["*fun*", "**/*fun*"],
])("suggests a pattern across namespaces for %s, which matches no slash", (pattern, meant) => {
  expect(index.matching(pattern)).toEqual([]);
  expect(index.suggest(pattern)).toBe(meant);
});

it("suggests no wider pattern that matches no tool either", () => {
  expect(index.suggest("*mail")).toBeUndefined();
});
