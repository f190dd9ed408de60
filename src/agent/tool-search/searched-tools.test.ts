import { expect, it } from "vitest";
import { tool } from "../../tools/tool.ts";
import type { Registration } from "../../types/tool.ts";
import { SearchedTools } from "./searched-tools.ts";

const made = (name: string): Registration => ({
  key: name,
  wireName: name,
  origin: "internal",
  tool: tool({ name, description: "Does it", input: [], run: () => 1 }),
});
const [listed, other] = [made("listed"), made("other")];

it("looks up a single tool for get and all tools only for iteration", () => {
  const asked: string[] = [];
  const map = new SearchedTools(
    new Map([["listed", listed]]),
    (name) => {
      asked.push(name);
      return name === "other" ? other : undefined;
    },
    () => {
      asked.push("all");
      return [listed, other];
    },
  );
  expect([map.get("listed"), map.get("other"), map.get("none")]).toEqual([listed, other, undefined]);
  expect([map.has("listed"), map.has("none")]).toEqual([true, false]);
  expect(asked).toEqual(["other", "none", "none"]);
  expect([...map.values()]).toEqual([listed, other]);
  expect([...map]).toEqual([...map.entries()]);
  expect([...map.keys()]).toEqual(["listed", "other"]);
  const reported: string[] = [];
  map.forEach((_, name) => {
    reported.push(name);
  });
  expect([reported, map.size]).toEqual([["listed", "other"], 2]);
  expect(asked).toEqual(["other", "none", "none", "all"]);
});
