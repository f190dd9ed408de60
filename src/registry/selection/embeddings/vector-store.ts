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
