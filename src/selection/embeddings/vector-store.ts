/** Keeps vectors beyond the life of a process. What it does not give back is computed again, so it may forget anything. */
export interface VectorStore {
  readonly get: (keys: readonly string[]) => PromiseLike<ReadonlyMap<string, Float32Array>>;
  readonly set: (entries: ReadonlyMap<string, Float32Array>) => PromiseLike<void>;
}
