import { expect, it } from "vitest";
import type { Reply } from "../../../words/reply.ts";
import { fromValue } from "./from-value.ts";

const reply = (more: Partial<Reply>): Reply =>
  ({ id: "1", tool: "t", ok: true, text: "words", flow: "continue", ...more }) as Reply;
const content = [{ type: "text", text: "words" }];

it("passes an object on as structured content beside the words for the model", () => {
  expect(fromValue(reply({ value: { a: 1 } }))).toEqual({ content, structuredContent: { a: 1 } });
});

it("passes on words alone where the value is no plain object", () => {
  for (const value of [undefined, null, 3, "a", [1], new Date(0)]) {
    expect(fromValue(reply({ value }))).toEqual({ content });
  }
});

it("passes a text on as it is, without the quotes of JSON", () => {
  const said = reply({ value: "two\nlines", text: JSON.stringify("two\nlines") });
  expect(fromValue(said)).toEqual({ content: [{ type: "text", text: "two\nlines" }] });
});

it("marks a reply that is not ok as an error, and gives no value with it", () => {
  expect(fromValue(reply({ ok: false, value: { a: 1 } }))).toEqual({ content, isError: true });
});
