import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { cosine, embedTexts } from "./embedder.ts";

const embed = (vectors: readonly (readonly number[] | Float32Array)[]) =>
  Effect.runPromise(
    embedTexts(
      { name: "fake", embed: async () => vectors, callTimeoutMs: 1000 },
      vectors.map(String),
      undefined,
    ),
  );

it.each([
  [[3, 4], [4, 3], 24 / 25],
  [[1, 2, 2], [2, 1, 2], 8 / 9],
  [[5], [-2], -1],
  [[0, 0, 0], [1, 2, 3], 0],
])("cosine of %j and %j is %d, whatever their lengths", async (left, right, expected) => {
  const [one, other] = await embed([left, Float32Array.from(right)]);
  expect(cosine(one!, other!)).toBeCloseTo(expected, 6);
});
