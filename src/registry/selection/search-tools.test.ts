import { describe, expect, it } from "vitest";
import { specWithParameters } from "../../../test/kit/spec-with-parameters.ts";
import { searchTools } from "./search-tools.ts";

const tools = [
  specWithParameters("book_table", "Reserves a table at a restaurant"),
  specWithParameters("send_mail", "Sends an email to a person"),
];

describe("searchTools", () => {
  it("reports the tool for each intent", () => {
    const { wishes, confidence, none } = searchTools(
      "Reserve a table for two. Then email Ada about it.",
      tools,
    );
    expect(wishes.map((wish) => wish.tools[0])).toEqual(["book_table", "send_mail"]);
    expect([confidence > 0.05, none]).toEqual([true, undefined]);
  });

  it("reports the reason when no tool matches", () => {
    expect(searchTools("qqzzx", tools)).toEqual({
      tools: [],
      confidence: 0,
      none: "No tool matches: none has a word of the query or a word of similar meaning.",
      wishes: [],
    });
    const { none, confidence } = searchTools("reserve a table", tools, { minScore: 1 });
    expect(none).toMatch(/^No tool matches: the best, book_table, has a score of 0\.\d+, below 1\.$/);
    expect(confidence).toBeGreaterThan(0.05);
  });

  it.each([
    [{ scorer: () => 1 }, "unknown option `scorer`. The options are: maxCandidates, minScore, allowUnsafe."],
    [[], "options must be an object."],
    [{ minScore: 2 }, "minScore is 2"],
  ])("rejects %j with its own name in the message", (options, message) => {
    expect(() => searchTools("x", tools, options as never)).toThrow(`searchTools: ${message}`);
  });

  it("accepts specs without optional fields", () => {
    expect(searchTools("feed the cat", [{ name: "feed_cat" }] as never).tools).toHaveLength(1);
  });
});
