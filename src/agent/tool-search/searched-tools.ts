import type { Registration } from "../../types/tool.ts";

/** Iteration resolves all visible tools of the agent; lookups do not. */
export class SearchedTools implements ReadonlyMap<string, Registration> {
  readonly #listed: ReadonlyMap<string, Registration>;
  readonly #find: (wireName: string) => Registration | undefined;
  readonly #all: () => Iterable<Registration>;
  #whole: ReadonlyMap<string, Registration> | undefined;

  constructor(
    listed: ReadonlyMap<string, Registration>,
    find: (wireName: string) => Registration | undefined,
    all: () => Iterable<Registration>,
  ) {
    this.#listed = listed;
    this.#find = find;
    this.#all = all;
  }

  get(wireName: string): Registration | undefined {
    return this.#listed.get(wireName) ?? this.#find(wireName);
  }

  has(wireName: string): boolean {
    return this.get(wireName) !== undefined;
  }

  get size(): number {
    return this.#everything().size;
  }

  forEach(
    tell: (registration: Registration, wireName: string, all: ReadonlyMap<string, Registration>) => void,
  ): void {
    for (const [wireName, registration] of this) tell(registration, wireName, this);
  }

  entries(): MapIterator<[string, Registration]> {
    return this.#everything().entries();
  }

  keys(): MapIterator<string> {
    return this.#everything().keys();
  }

  values(): MapIterator<Registration> {
    return this.#everything().values();
  }

  [Symbol.iterator](): MapIterator<[string, Registration]> {
    return this.entries();
  }

  #everything(): ReadonlyMap<string, Registration> {
    this.#whole ??= new Map([
      ...this.#listed,
      ...[...this.#all()].map((one) => [one.wireName, one] as const),
    ]);
    return this.#whole;
  }
}
