import { expect, it } from "vitest";
import { tool } from "../../tools/tool.ts";
import { toSearchAnswer } from "./search-answer.ts";
import type { ToolSearchHit, ToolSearchResults } from "./search-index.ts";

const found = (name: string, description: string, score = 0.5): ToolSearchHit => ({
  name,
  spec: tool({ name, description, input: [], run: () => 1 }).spec,
  score,
  reason: "by the test",
  found: [],
  evidence: { shared: 1, wish: 1, named: 0, described: 0, phrases: 0, meaning: 0, weight: 0 },
});
const answer = (search: Partial<ToolSearchResults>) =>
  toSearchAnswer({ tools: [], confidence: 0, wishes: [], ...search }, (name) =>
    name === "known" ? { loaded: true } : {},
  );

it("summarizes a tool by the truncated first sentence of its description", () => {
  const { tools } = answer({
    tools: [
      found("known", "Pays\n  it back. Takes v1.2 ids.", 0.123456),
      found("plain", "No end"),
      found("long", "word ".repeat(100)),
    ],
  });
  expect(tools.slice(0, 2)).toEqual([
    { name: "known", summary: "Pays it back.", score: 0.12, loaded: true },
    { name: "plain", summary: "No end", score: 0.5 },
  ]);
  expect(tools[2]!.summary).toHaveLength(160);
  expect(tools[2]!.summary).toMatch(/…$/);
});

it("names the tools for each wish when there are several wishes", () => {
  const tools = [found("a", "A"), found("b", "B")];
  const wishes = [
    { text: "do a", tools: ["a"] },
    { text: "do b", tools: ["b"] },
  ];
  expect(answer({ tools, wishes }).wishes).toEqual(wishes);
  expect(answer({ tools, wishes: wishes.slice(1) })).not.toHaveProperty("wishes");
});

it("says that no tool fits and what to do", () => {
  const none = "No tool fits: nothing here speaks of flights.";
  expect(answer({ none }).none).toBe(`${none} Search again with other words, or answer without a tool.`);
  expect(answer({}).none).toMatch(/^No tool matches this query\. Search again/);
  expect(answer({ tools: [found("a", "A")] })).not.toHaveProperty("none");
});
