import { expect, it } from "vitest";
import type { Reply } from "../../../types/reply.ts";
import { toRemoteResult } from "./to-remote-result.ts";

const reply = (more: Partial<Reply>): Reply =>
  ({ id: "1", tool: "t", ok: true, text: "words", flow: "continue", ...more }) as Reply;
const content = [{ type: "text", text: "words" }];

it("passes an object on as structured content beside the words for the model", () => {
  expect(toRemoteResult(reply({ value: { a: 1 } }))).toEqual({ content, structuredContent: { a: 1 } });
});

it("passes on words alone where the value is no plain object", () => {
  for (const value of [undefined, null, 3, "a", [1], new Date(0)]) {
    expect(toRemoteResult(reply({ value }))).toEqual({ content });
  }
});

it("passes the text of the reply on as it is", () => {
  const said = reply({ value: "two\nlines", text: "two\nlines" });
  expect(toRemoteResult(said)).toEqual({ content: [{ type: "text", text: "two\nlines" }] });
});

it("marks a reply that is not ok as an error, and gives no value with it", () => {
  expect(toRemoteResult(reply({ ok: false, value: { a: 1 } }))).toEqual({ content, isError: true });
});
