import fc from "fast-check";
import { expect, it } from "vitest";
import { questionHistory } from "./question-history.ts";

const pastOf = (...texts: readonly string[]) => {
  const past = questionHistory(100);
  for (const text of texts) past.add({ text, tools: ["find"] });
  return past;
};

it("equal questions and questions that differ only in numbers have similarity 1", () => {
  const past = pastOf("Where is my parcel 4711?");
  expect(past.like("Where is my parcel 4711?")[0]?.likeness).toBe(1);
  expect(past.like("Where is my parcel 99 of 2026?")[0]?.likeness).toBe(1);
});

it("a related word counts less than the word itself", () => {
  const past = pastOf("Book a flight");
  const near = past.like("Book an airline")[0]?.likeness ?? 0;
  expect(near).toBeGreaterThan(past.like("Book a carpet")[0]?.likeness ?? 0);
  expect(near).toBeLessThan(1);
});

it("questions that share no words or only numbers are not similar", () => {
  const past = pastOf("Where is my parcel 4711?", "4711", "");
  expect(past.size).toBe(1);
  expect(past.like("Restart the database 4711")).toEqual([]);
  expect(past.like("")).toEqual([]);
});

it("a question without a tool is not stored", () => {
  const past = questionHistory(10);
  past.add({ text: "Where is my parcel?", tools: [] });
  expect(past.size).toBe(0);
});

it("similarity is from 0.35 to 1 in descending order for at most twenty questions", () => {
  const word = fc.constantFrom(
    "parcel",
    "invoice",
    "flight",
    "Rome",
    "cancel",
    "4711",
    "größe",
    "の",
    "zx81",
  );
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), text, (before, asked) => {
      const found = pastOf(...before).like(asked);
      expect(found.length).toBeLessThanOrEqual(20);
      for (const [at, { likeness }] of found.entries()) {
        expect(likeness).toBeGreaterThanOrEqual(0.35);
        expect(likeness).toBeLessThanOrEqual(found[at - 1]?.likeness ?? 1);
      }
      expect(pastOf(...before).like(asked)).toEqual(found);
    }),
    { numRuns: 200 },
  );
});
