import * as Effect from "effect/Effect";
import { normalizeVector } from "./embedder.ts";
import type { VectorStore } from "./vector-store.ts";

type VectorMap = ReadonlyMap<string, Float32Array>;

export interface VectorCache {
  readonly get: (keys: readonly string[]) => Effect.Effect<VectorMap>;
  readonly set: (entries: VectorMap) => Effect.Effect<void>;
}

/**
 * A failing store counts as empty. After a timeout this computation skips the store, so that the other
 * batches do not wait too.
 */
export const vectorCache = (store: VectorStore | undefined, callTimeoutMs: number): VectorCache => {
  let isLate = false;

  const call = <A>(run: (store: VectorStore, signal: AbortSignal) => PromiseLike<A>) =>
    Effect.suspend(() =>
      store === undefined || isLate
        ? Effect.undefined
        : Effect.tryPromise((signal) => run(store, signal)).pipe(
            Effect.timeoutOrElse({
              duration: callTimeoutMs,
              orElse: () =>
                Effect.sync(() => {
                  isLate = true;
                  return undefined;
                }),
            }),
            Effect.orElseSucceed(() => undefined),
          ),
    );

  return {
    get: (keys) =>
      Effect.map(
        call((from, signal) => from.get(keys, signal)),
        checkVectors,
      ),
    set: (entries) => Effect.asVoid(call((into, signal) => into.set(entries, signal))),
  };
};

/** Third-party code or another file made the vectors. */
const checkVectors = (found: unknown): VectorMap => {
  const vectors = new Map<string, Float32Array>();
  if (!(found instanceof Map)) return vectors;
  for (const [key, vector] of found) if (isVector(vector)) vectors.set(key, normalizeVector(vector));
  return vectors;
};

/** Zero vectors have no direction. */
const isVector = (value: unknown): value is Float32Array =>
  value instanceof Float32Array && value.every(Number.isFinite) && value.some((number) => number !== 0);
