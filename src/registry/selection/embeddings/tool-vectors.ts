import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import { hashJson } from "../../../base/json/canonical-json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import { EmbeddingError, embedTexts, normalizeVector, type TimedEmbedder } from "./embedder.ts";

/**
 * Stores vectors beyond the life of a process. Missing vectors are computed again, so it may drop any.
 * Signals are aborted when the result is no longer needed.
 */
export interface VectorStore {
  readonly get: (
    keys: readonly string[],
    signal?: AbortSignal,
  ) => PromiseLike<ReadonlyMap<string, Float32Array>>;
  readonly set: (entries: ReadonlyMap<string, Float32Array>, signal?: AbortSignal) => PromiseLike<void>;
}

export interface ToolVectorsOptions {
  readonly embedder: TimedEmbedder;
  readonly store: VectorStore | undefined;
  readonly batchSize: number;
  readonly maxVectors: number;
}

/** Each vector is computed once, also for concurrent requests. */
export interface ToolVectors {
  /** In the order of the specs. Stored vectors of another dimension are computed again. */
  readonly vectorsOf: (
    specs: readonly ToolSpec[],
    dimension?: number,
  ) => Effect.Effect<readonly Float32Array[], EmbeddingError>;
  readonly size: () => number;
}

type PendingVector = Deferred.Deferred<Float32Array, EmbeddingError>;

interface MissingVector {
  readonly text: string;
  readonly pending: PendingVector;
}

export const toolVectors = ({ embedder, store, batchSize, maxVectors }: ToolVectorsOptions): ToolVectors => {
  const bySpec = new WeakMap<ToolSpec, Float32Array>();
  const byKey = new Map<string, Float32Array>();
  const underWay = new Map<string, PendingVector>();

  const fits = (vector: Float32Array | undefined, dimension: number | undefined): vector is Float32Array =>
    vector !== undefined && (dimension === undefined || vector.length === dimension);

  const keep = (key: string, vector: Float32Array): void => {
    byKey.delete(key);
    byKey.set(key, vector);
  };

  /** Keeps what the last query needed; otherwise every query would compute it again. */
  const evict = (needed: number): void => {
    const most = Math.max(maxVectors, needed);
    for (const key of byKey.keys()) {
      if (byKey.size <= most) return;
      byKey.delete(key);
    }
  };

  const settle = (
    missing: ReadonlyMap<string, MissingVector>,
    found: ReadonlyMap<string, Float32Array>,
  ): void => {
    for (const [key, vector] of found) {
      const one = missing.get(key);
      if (one === undefined) continue;
      keep(key, vector);
      underWay.delete(key);
      Deferred.doneUnsafe(one.pending, Effect.succeed(vector));
    }
  };

  const compute = Effect.fnUntraced(function* (
    missing: ReadonlyMap<string, MissingVector>,
    dimension: number | undefined,
  ) {
    const stored = vectorCache(store, embedder.callTimeoutMs);
    const known = yield* stored.get([...missing.keys()]);
    settle(missing, new Map([...known].filter(([, vector]) => fits(vector, dimension))));
    const left = [...missing].filter(([key]) => underWay.has(key));
    for (let at = 0; at < left.length; at += batchSize) {
      const batch = left.slice(at, at + batchSize);
      const vectors = yield* embedTexts(
        embedder,
        batch.map(([, { text }]) => text),
        dimension,
      );
      const entries = new Map(batch.map(([key], place) => [key, vectors[place]!]));
      settle(missing, entries);
      yield* stored.set(entries);
    }
  });

  const failAll = (missing: ReadonlyMap<string, MissingVector>, fault: EmbeddingError): void => {
    for (const [key, { pending }] of missing) {
      if (underWay.get(key) === pending) underWay.delete(key);
      Deferred.doneUnsafe(pending, Effect.fail(fault));
    }
  };

  const startComputation = (
    missing: ReadonlyMap<string, MissingVector>,
    dimension: number | undefined,
    clock: Clock.Clock,
  ): void => {
    const work = Effect.catch(
      Effect.provideService(compute(missing, dimension), Clock.Clock, clock),
      (fault) => Effect.sync(() => failAll(missing, fault)),
    );
    // On a fiber of its own, because other requests may still wait after the first is interrupted.
    Effect.runFork(
      Effect.catchDefect(work, (defect) =>
        Effect.sync(() => failAll(missing, new EmbeddingError({ message: String(defect) }))),
      ),
    );
  };

  const vectorsOf: ToolVectors["vectorsOf"] = Effect.fnUntraced(function* (specs, dimension) {
    const clock = yield* Clock.Clock;
    const vectors: (Float32Array | PendingVector)[] = [];
    const missing = new Map<string, MissingVector>();
    for (const spec of specs) {
      const known = bySpec.get(spec);
      if (fits(known, dimension)) {
        vectors.push(known);
        continue;
      }
      const text = toolTextToEmbed(spec);
      const key = hashJson({ embedder: embedder.name, text });
      const kept = byKey.get(key);
      if (fits(kept, dimension)) vectors.push(kept);
      else {
        let pending = underWay.get(key);
        if (pending === undefined) {
          pending = Deferred.makeUnsafe();
          underWay.set(key, pending);
          missing.set(key, { text, pending });
        }
        vectors.push(pending);
      }
    }
    if (missing.size > 0) startComputation(missing, dimension, clock);
    const all: Float32Array[] = [];
    for (const [at, one] of vectors.entries()) {
      const vector = one instanceof Float32Array ? one : yield* Deferred.await(one);
      // Another request may have read it from the store before the dimension was known.
      if (!fits(vector, dimension))
        return yield* new EmbeddingError({ message: staleReason(vector, dimension) });
      all.push(vector);
      if (isFrozenSpec(specs[at]!)) bySpec.set(specs[at]!, vector);
    }
    evict(specs.length);
    return all;
  });

  return { vectorsOf: vectorsOf, size: () => byKey.size };
};

/** Models read some hundred words at most, and many take quadratic time. */
const maxEmbeddedLength = 2000;

export const toolTextToEmbed = ({ name, description }: ToolSpec): string =>
  clipText(`${nameToWords(name)}. ${description}`);

const nameToWords = (name: string): string =>
  name
    .slice(0, maxEmbeddedLength)
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();

export const queryTextToEmbed = (query: string): string => clipText(query);

const clipText = (text: string): string => text.slice(0, maxEmbeddedLength).toWellFormed().trim();

const staleReason = (vector: Float32Array, dimension: number | undefined): string =>
  `a stored vector has ${vector.length} numbers, but the embedder returns ${dimension}`;

const isFrozenSpec = (spec: ToolSpec): boolean => Object.isFrozen(spec);

type VectorMap = ReadonlyMap<string, Float32Array>;

interface VectorCache {
  readonly get: (keys: readonly string[]) => Effect.Effect<VectorMap>;
  readonly set: (entries: VectorMap) => Effect.Effect<void>;
}

/**
 * A failing store counts as empty. After a timeout this computation skips the store, so that the other
 * batches do not wait too.
 */
const vectorCache = (store: VectorStore | undefined, callTimeoutMs: number): VectorCache => {
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
