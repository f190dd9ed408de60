import { compareKeyNames, squeezeName } from "./compare-key-names.ts";

export interface NearName {
  readonly name: string;
  readonly nearness: "same" | "doubled";
}

export class ExpectedObject {
  readonly names: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  readonly others: "refused" | "taken" | "unsaid";
  readonly #nearNames = new Map<string, NearName | undefined>();
  #bySqueezed: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(names: ReadonlySet<string>, required: ReadonlySet<string>, others: ExpectedObject["others"]) {
    this.names = names;
    this.required = required;
    this.others = others;
  }

  near(key: string): NearName | undefined {
    if (key.length > 64) return undefined;
    if (!this.#nearNames.has(key)) this.#nearNames.set(key, this.#findNear(key));
    return this.#nearNames.get(key);
  }

  #findNear(key: string): NearName | undefined {
    this.#bySqueezed ??= Map.groupBy(this.names, squeezeName);
    const near = (this.#bySqueezed.get(squeezeName(key)) ?? []).flatMap((name) => {
      const nearness = compareKeyNames(key, name);
      return nearness === undefined ? [] : [{ name, nearness }];
    });
    return near.length === 1 ? near[0] : undefined;
  }
}
