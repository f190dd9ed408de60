import { expect, it } from "vitest";
import { stem } from "./terms.ts";

it.each([
  ["caresses", "caress"],
  ["ponies", "poni"],
  ["cats", "cat"],
  ["agreed", "agre"],
  ["plastered", "plaster"],
  ["motoring", "motor"],
  ["sing", "sing"],
  ["hopping", "hop"],
  ["hoping", "hope"],
  ["falling", "fall"],
  ["happy", "happi"],
  ["sky", "sky"],
  ["relational", "relat"],
  ["vietnamization", "vietnam"],
  ["operator", "oper"],
  ["formality", "formal"],
  ["electrical", "electr"],
  ["hopefulness", "hope"],
  ["professional", "profession"],
  ["adoption", "adopt"],
  ["controlling", "control"],
  ["rate", "rate"],
])("stem of %s is %s", (word, root) => {
  expect(stem(word)).toBe(root);
});

it.each([
  ["forecast", "forecasts", "forecasting"],
  ["translate", "translation", "translated", "translates"],
  ["book", "books", "booking", "booked"],
])("stems of %s and its forms are equal", (...words) => {
  expect(new Set(words.map(stem)).size).toBe(1);
});

it.each(["ab", "ipv4", "über", "встреча", "a".repeat(41)])("stem leaves %s unchanged", (word) => {
  expect(stem(word)).toBe(word);
});
