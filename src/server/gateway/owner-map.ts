export const maxEntriesPerOwner = 10_000;

/** Limited per owner, so that one owner cannot evict the entries of another. */
export class OwnerMap<Value> {
  readonly #byOwner = new Map<string, Map<string, Value>>();
  readonly #onEvict: (owner: string) => void;

  constructor(onEvict: (owner: string) => void = () => {}) {
    this.#onEvict = onEvict;
  }

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  get(owner: string, key: string): Value | undefined {
    return this.#byOwner.get(owner)?.get(key);
  }

  set(owner: string, key: string, value: Value): void {
    const own = this.#byOwner.get(owner) ?? new Map<string, Value>();
    this.#byOwner.set(owner, own);
    own.delete(key);
    own.set(key, value);
    if (own.size <= maxEntriesPerOwner) return;
    own.delete(own.keys().next().value as string);
    this.#onEvict(owner);
  }

  delete(owner: string, key: string): void {
    const own = this.#byOwner.get(owner);
    own?.delete(key);
    if (own?.size === 0) this.#byOwner.delete(owner);
  }

  oldest(owner: string): readonly [string, Value] | undefined {
    return this.#byOwner.get(owner)?.entries().next().value;
  }

  *[Symbol.iterator](): Generator<readonly [owner: string, key: string, value: Value]> {
    for (const [owner, own] of this.#byOwner) for (const [key, value] of own) yield [owner, key, value];
  }
}
