import { expect, it } from "vitest";
import type { Reply } from "../../../types/outcome.ts";
import { toRemoteResult } from "./to-tool-value.ts";

const reply = (more: Partial<Reply>): Reply =>
  ({ id: "1", tool: "t", ok: true, text: "words", flow: "continue", ...more }) as Reply;
const content = [{ type: "text", text: "words" }];

it("toRemoteResult returns an object as structured content next to the text", () => {
  expect(toRemoteResult(reply({ value: { a: 1 } }))).toEqual({ content, structuredContent: { a: 1 } });
});

it("toRemoteResult returns only text when the value is not a plain object", () => {
  for (const value of [undefined, null, 3, "a", [1], new Date(0)]) {
    expect(toRemoteResult(reply({ value }))).toEqual({ content });
  }
});

it("toRemoteResult returns the text of the reply unchanged", () => {
  const said = reply({ value: "two\nlines", text: "two\nlines" });
  expect(toRemoteResult(said)).toEqual({ content: [{ type: "text", text: "two\nlines" }] });
});

it("toRemoteResult marks a failed reply as an error without a value", () => {
  expect(toRemoteResult(reply({ ok: false, value: { a: 1 } }))).toEqual({ content, isError: true });
});
