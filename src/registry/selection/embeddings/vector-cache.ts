import * as Effect from "effect/Effect";
import { normalizeVector } from "./embedder.ts";
import type { VectorStore } from "./vector-store.ts";

type VectorMap = ReadonlyMap<string, Float32Array>;

export interface VectorCache {
  /** At length one, whatever the store gives. */
  readonly get: (keys: readonly string[]) => Effect.Effect<VectorMap>;
  readonly set: (entries: VectorMap) => Effect.Effect<void>;
}

/**
 * A store as one computation uses it. One that fails knows nothing: vectors can be computed. After a call that took too
 * long this computation goes on without it, or every batch would wait as long again; the next asks it anew.
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

/** Foreign code or a foreign file made them, whatever their type says. */
const checkVectors = (found: unknown): VectorMap => {
  const vectors = new Map<string, Float32Array>();
  if (!(found instanceof Map)) return vectors;
  for (const [key, vector] of found) if (isVector(vector)) vectors.set(key, normalizeVector(vector));
  return vectors;
};

/** Zeros have no direction; they are computed again, as are lists of what is no number. */
const isVector = (value: unknown): value is Float32Array =>
  value instanceof Float32Array && value.every(Number.isFinite) && value.some((number) => number !== 0);
