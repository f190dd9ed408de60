import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import { thrownMessage } from "../../../base/text/thrown-message.ts";

/** A vector of an embedder. All vectors of one embedder have the same dimension. */
export type Vector = readonly number[] | Float32Array;

/** Returns one vector per text, in order. Texts of similar meaning have vectors of similar direction. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => PromiseLike<readonly Vector[]>;

/**
 * An embedding function. Its name must change whenever its vectors change, as with another model or version.
 */
export interface Embedder {
  readonly name: string;
  readonly embed: Embed;
}

/** Without a timeout, a hanging call would block its texts forever. */
export interface TimedEmbedder extends Embedder {
  readonly callTimeoutMs: number;
}

export class EmbeddingError extends Data.TaggedError("EmbeddingFault")<{ readonly message: string }> {}

/** Vectors are normalized to length one, so that their product is the cosine. */
export const embedTexts = (
  { name, embed, callTimeoutMs }: TimedEmbedder,
  texts: readonly string[],
  dimension: number | undefined,
): Effect.Effect<readonly Float32Array[], EmbeddingError> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: (signal) => embed(texts, signal),
      catch: (error) =>
        new EmbeddingError({ message: `the embedder ${name} failed: ${thrownMessage(error)}` }),
    }).pipe(
      Effect.timeoutOrElse({
        duration: callTimeoutMs,
        orElse: () =>
          Effect.fail(
            new EmbeddingError({
              message: `the embedder ${name} did not answer within ${callTimeoutMs} ms`,
            }),
          ),
      }),
    ),
    (vectors) => {
      const fault = vectorProblem(vectors, texts.length, dimension);
      return fault === undefined
        ? Effect.succeed(vectors.map(normalizeVector))
        : Effect.fail(new EmbeddingError({ message: `the embedder ${name} returned ${fault}` }));
    },
  );

const vectorProblem = (
  vectors: unknown,
  count: number,
  dimension: number | undefined,
): string | undefined => {
  if (!Array.isArray(vectors)) return `${typeof vectors} instead of a list of vectors`;
  if (vectors.length !== count) return `${vectors.length} vectors for ${count} texts`;
  const expected = dimension ?? lengthOf(vectors[0]);
  for (const [at, vector] of vectors.entries()) {
    const length = lengthOf(vector);
    if (length === undefined || length === 0) return `no list of numbers for text ${at + 1}`;
    if (length !== expected)
      return `${length} numbers for text ${at + 1}, but its other vectors have ${expected}; use another name for another model`;
    const odd = invalidIndex(vector);
    if (odd !== -1) return `${String(vector[odd])} as number ${odd + 1} of the vector for text ${at + 1}`;
    if (!isMeasurable(vector))
      return `numbers too large or too small to measure in the vector for text ${at + 1}; vectors of about length 1 are expected`;
  }
  return undefined;
};

const lengthOf = (vector: unknown): number | undefined =>
  Array.isArray(vector) || vector instanceof Float32Array ? vector.length : undefined;

const invalidIndex = (vector: Vector): number => {
  for (let at = 0; at < vector.length; at++) if (!Number.isFinite(vector[at])) return at;
  return -1;
};

const squareOf = (vector: Vector): number => {
  let square = 0;
  for (let at = 0; at < vector.length; at++) square += vector[at]! * vector[at]!;
  return square;
};

/** Smaller squares lose precision. */
const minSquare = 1e-200;

const isMeasurable = (vector: Vector): boolean => {
  const square = squareOf(vector);
  return square < minSquare
    ? vector.every((value: number) => value === 0)
    : square < Number.POSITIVE_INFINITY;
};

/** A zero vector stays zero and is similar to nothing. */
export const normalizeVector = (vector: Vector): Float32Array => {
  const length = Math.sqrt(squareOf(vector)) || 1;
  return Float32Array.from(vector, (value) => value / length);
};

export const cosine = (one: Float32Array, other: Float32Array): number => {
  let even = 0;
  let odd = 0;
  const last = one.length - 1;
  for (let at = 0; at < last; at += 2) {
    even += one[at]! * other[at]!;
    odd += one[at + 1]! * other[at + 1]!;
  }
  return one.length % 2 === 1 ? even + odd + one[last]! * other[last]! : even + odd;
};
