import type { JsonLimits } from "../../../json/limits.ts";
import { toPointer } from "../../../json/pointer.ts";
import type { Change } from "../../../words/hydration.ts";
import { cutText } from "../sentences.ts";
import type { Places } from "./places.ts";

/** Leaves a repair from any depth. Thrown and caught inside of this folder only. */
export class Refusal extends Error {}

export const refuse = (why: string): never => {
  throw new Refusal(why);
};

/** Counts what is looked at, so that no text can cost more than its length allows. */
export class Steps {
  readonly most: number;
  #spent = 0;

  constructor(length: number) {
    this.most = 64 * length + 10_000;
  }

  take(count: number): void {
    if (this.#spent + count > this.most) refuse("it takes more work than its length allows");
    this.#spent += count;
  }

  get spent(): number {
    return this.#spent;
  }
}

/** More than anybody could look through. */
const mostChanges = 10_000;

export class Changes {
  readonly list: Change[];

  constructor(before: readonly Change[] = []) {
    this.list = [...before];
  }

  add(stage: Change["stage"], path: readonly (string | number)[], from: string, to: string): void {
    if (this.list.length >= mostChanges) refuse(`it would take more than ${mostChanges} changes`);
    this.list.push(Object.freeze({ stage, pointer: toPointer(path), from: cutText(from), to: cutText(to) }));
  }
}

/** What one repair carries along. */
export interface Repairing {
  readonly places: Places;
  readonly steps: Steps;
  readonly changes: Changes;
  readonly limits: JsonLimits | undefined;
}
