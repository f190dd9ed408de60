import type { JsonLimits } from "../../../base/json/json-problem.ts";
import type { Changes } from "./changes.ts";
import type { SchemaPlaces } from "./schema-places.ts";

/** Thrown and caught inside this folder only. */
export class RepairRefusal extends Error {}

export const refuseRepair = (why: string): never => {
  throw new RepairRefusal(why);
};

/** Limits the work of a repair in proportion to the length of the text. */
export class StepBudget {
  readonly most: number;
  #spent = 0;

  constructor(length: number) {
    this.most = 64 * length + 10_000;
  }

  take(count: number): void {
    if (this.#spent + count > this.most)
      refuseRepair("the repair needs more steps than the length of the text allows");
    this.#spent += count;
  }

  get spent(): number {
    return this.#spent;
  }
}

export interface RepairContext {
  readonly places: SchemaPlaces;
  readonly steps: StepBudget;
  readonly changes: Changes;
  readonly limits: JsonLimits | undefined;
  readonly tool: string | undefined;
  readonly takesNothing: () => boolean;
}
