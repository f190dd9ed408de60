import { toPointer } from "../../../base/json/json-value.ts";
import type { Change } from "../../../types/hydration.ts";
import { maxExcerptLength, toExcerpt } from "../argument-messages.ts";
import { refuseRepair } from "./repair-context.ts";

const maxChanges = 10_000;
const maxChangeCharacters = 250_000;

/** Shortens the steps first, because keys can be as long as the text. */
const shortenPointer = (path: readonly (string | number)[]): string => {
  let pointer = "";
  for (const step of path) {
    pointer += toPointer([typeof step === "number" ? step : step.slice(0, maxExcerptLength + 1)]);
    if (pointer.length > maxExcerptLength) break;
  }
  return toExcerpt(pointer);
};

export class Changes {
  readonly list: Change[];
  #characters = 0;

  constructor(before: readonly Change[] = []) {
    this.list = [...before];
  }

  add(stage: Change["stage"], path: readonly (string | number)[], from: string, to: string): void {
    const change = { stage, pointer: shortenPointer(path), from: toExcerpt(from), to: toExcerpt(to) };
    this.#characters += change.pointer.length + change.from.length + change.to.length;
    if (this.list.length >= maxChanges || this.#characters > maxChangeCharacters) {
      refuseRepair("the repair would need too many changes to review");
    }
    this.list.push(Object.freeze(change));
  }
}
