import { expect, it } from "vitest";
import { intentsIn } from "./parse-query.ts";

const texts = (question: string): readonly string[] => intentsIn(question).map(({ text }) => text);

it("one sentence is one intent", () => {
  expect(texts("Book a flight to Oslo")).toEqual(["Book a flight to Oslo"]);
});

it.each([
  ["Book a flight. Send the ticket by mail.", ["Book a flight.", "Send the ticket by mail."]],
  ["Book a flight and then send the ticket", ["Book a flight", "send the ticket"]],
  ["Book a flight, also reserve a table", ["Book a flight", "reserve a table"]],
  ["Read the file\nTranslate the text", ["Read the file", "Translate the text"]],
])("%j has several intents", (question, wishes) => {
  expect(texts(question)).toEqual(wishes);
});

it("a part with little content belongs to the intent before or after it", () => {
  const [wish, ...others] = intentsIn("Hello. Book a flight to Oslo. Thanks.");
  expect(wish?.terms).toEqual(["hello", "book", "flight", "oslo", "thank"]);
  expect(others).toEqual([]);
});

it("the last intent of a long list contains the rest", () => {
  const wishes = intentsIn(Array.from({ length: 40 }, (_, at) => `book flight ${at}0.`).join(" "));
  expect(wishes).toHaveLength(8);
  expect(wishes.at(-1)?.terms.filter((term) => term === "book")).toHaveLength(33);
});

it("a query without words is one intent without terms", () => {
  expect(intentsIn("?!")).toEqual([{ text: "?!", terms: [] }]);
});
