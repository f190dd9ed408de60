import { expect, it } from "vitest";
import { stem } from "./terms.ts";
import { dimensions, vocabulary } from "./vocabulary.ts";

const { find, near, rarityOf, size, addTo } = vocabulary();

it.each([
  ["movie", "film"],
  ["doctor", "physician"],
  ["email", "mail"],
  ["picture", "photo"],
  ["flight", "plane"],
])("near finds for %s the word %s", (word, other) => {
  const places = near(find(stem(word))!).map(({ place }) => place);
  expect(places).toContain(find(stem(other)));
});

it("near returns the most similar words first with a similarity from 0 to 1 and without the word itself", () => {
  for (let place = 0; place < size; place += 97) {
    const likenesses = near(place).map(({ likeness }) => likeness);
    expect(likenesses).toEqual(likenesses.toSorted((a, b) => b - a));
    expect(likenesses.every((likeness) => likeness > 0 && likeness <= 1)).toBe(true);
    expect(near(place).map((one) => one.place)).not.toContain(place);
  }
});

it("rarityOf returns less for common words and the maximum for unknown ones", () => {
  expect(rarityOf("get")).toBeLessThan(rarityOf("weather"));
  expect(rarityOf("weather")).toBeLessThan(rarityOf("mortgag"));
  expect(rarityOf("qqzzx")).toBe(13);
  expect(rarityOf("2024")).toBeLessThan(13);
  expect(find("qqzzx")).toBeUndefined();
});

it("addTo gives similar vectors for related words", () => {
  const direction = (word: string): Float32Array => {
    const sum = new Float32Array(dimensions);
    addTo(sum, find(stem(word)) as number, 1);
    return sum;
  };
  const cosine = (left: string, right: string): number => {
    const [a, b] = [direction(left), direction(right)];
    const dot = (x: Float32Array, y: Float32Array) =>
      x.reduce((sum, one, at) => sum + one * (y[at] as number), 0);
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  };
  expect(cosine("movie", "film")).toBeGreaterThan(0.7);
  expect(cosine("movie", "mortgage")).toBeLessThan(0.3);
});
