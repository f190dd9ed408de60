/** Keeps vectors beyond the life of a process. What it does not give back is computed again, so it may forget anything. Signals are aborted when nobody waits any more. */
export interface VectorStore {
  readonly get: (
    keys: readonly string[],
    signal?: AbortSignal,
  ) => PromiseLike<ReadonlyMap<string, Float32Array>>;
  readonly set: (entries: ReadonlyMap<string, Float32Array>, signal?: AbortSignal) => PromiseLike<void>;
}
