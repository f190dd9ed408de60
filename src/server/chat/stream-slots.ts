import { type Principal, partyKeyOf } from "../words/principal.ts";
import type { ReadHandlerOptions } from "./handler-options.ts";
import { Refusal } from "./request/refusal.ts";

/** Counts who reads answers, so that nobody takes all the room. */
export class Viewers {
  readonly #limits: Pick<ReadHandlerOptions, "maxStreams" | "maxStreamsPerPerson">;
  readonly #byPerson = new Map<string, number>();
  #all = 0;

  constructor(limits: Pick<ReadHandlerOptions, "maxStreams" | "maxStreamsPerPerson">) {
    this.#limits = limits;
  }

  /**
   * Before anything is written, so that no message is taken whose answer nobody could read. Gives back how to leave, which
   * counts once.
   */
  enter(person: Principal): () => void {
    const key = partyKeyOf(person);
    const own = this.#byPerson.get(key) ?? 0;
    if (own >= this.#limits.maxStreamsPerPerson) {
      throw tooMany("You read as many answers at once as one person may. Close a page, and try again.");
    }
    if (this.#all >= this.#limits.maxStreams) {
      throw tooMany("As many answers are being read as this server has room for. Try again soon.");
    }
    this.#all += 1;
    this.#byPerson.set(key, own + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#all -= 1;
      const left = (this.#byPerson.get(key) ?? 1) - 1;
      if (left === 0) this.#byPerson.delete(key);
      else this.#byPerson.set(key, left);
    };
  }
}

const tooMany = (message: string): Refusal =>
  new Refusal(429, "too_many_streams", message, { "retry-after": "5" });
