import { toPointer } from "../../../json/pointer.ts";
import type { Change } from "../../../words/hydration.ts";
import { cutText, longestText } from "../sentences.ts";
import { refuse } from "./repairing.ts";

/** More than anybody could look through. */
const mostChanges = 10_000;
const mostCharacters = 250_000;

/** Never writes out more of a path than is shown of it: keys can be as long as the whole text. */
const shownPointer = (path: readonly (string | number)[]): string => {
  let pointer = "";
  for (const step of path) {
    pointer += toPointer([typeof step === "number" ? step : step.slice(0, longestText + 1)]);
    if (pointer.length > longestText) break;
  }
  return cutText(pointer);
};

/** What a repair did so far. Each change is short, and so is the list: a repair that needs more is refused. */
export class Changes {
  readonly list: Change[];
  #characters = 0;

  constructor(before: readonly Change[] = []) {
    this.list = [...before];
  }

  add(stage: Change["stage"], path: readonly (string | number)[], from: string, to: string): void {
    const change = { stage, pointer: shownPointer(path), from: cutText(from), to: cutText(to) };
    this.#characters += change.pointer.length + change.from.length + change.to.length;
    if (this.list.length >= mostChanges || this.#characters > mostCharacters) {
      refuse("it would take more changes than anybody could look through");
    }
    this.list.push(Object.freeze(change));
  }
}
