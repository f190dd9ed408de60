import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { cosine, embedTexts } from "./embedder.ts";
import { energeticEmbeddings } from "./energetic.ts";

it("makes vectors in the process, by which texts of like meaning are alike, also of no text at all", async () => {
  const texts = ["How will the weather be?", "Forecast of rain and sun", "Play a song", ""];
  const vectors = await Effect.runPromise(
    embedTexts({ ...energeticEmbeddings(), callTimeoutMs: 30_000 }, texts, 512),
  );
  const [asked, weather, music, nothing] = vectors as readonly [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  expect(cosine(asked, weather)).toBeGreaterThan(cosine(asked, music) + 0.1);
  expect(nothing).toHaveLength(512);
});

it("stops between steps when nobody waits any more", async () => {
  const stopped = AbortSignal.abort(new Error("nobody waits"));
  await expect(energeticEmbeddings().embed(["a"], stopped)).rejects.toThrow("nobody waits");
});
