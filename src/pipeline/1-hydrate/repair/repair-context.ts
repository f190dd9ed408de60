import type { JsonLimits } from "../../../base/json/limits.ts";
import type { Changes } from "./changes.ts";
import type { SchemaPlaces } from "./schema-places.ts";

/** Leaves a repair from any depth. Thrown and caught inside of this folder only. */
export class RepairRefusal extends Error {}

export const refuseRepair = (why: string): never => {
  throw new RepairRefusal(why);
};

/** Counts what is looked at, so that no text can cost more than its length allows. */
export class StepBudget {
  readonly most: number;
  #spent = 0;

  constructor(length: number) {
    this.most = 64 * length + 10_000;
  }

  take(count: number): void {
    if (this.#spent + count > this.most) refuseRepair("it takes more work than its length allows");
    this.#spent += count;
  }

  get spent(): number {
    return this.#spent;
  }
}

/** What one repair carries along. */
export interface RepairContext {
  readonly places: SchemaPlaces;
  readonly steps: StepBudget;
  readonly changes: Changes;
  readonly limits: JsonLimits | undefined;
  /** The name of the tool that these are the arguments of. */
  readonly tool: string | undefined;
  /** Whether the tool may be called without arguments. */
  readonly takesNothing: () => boolean;
}
