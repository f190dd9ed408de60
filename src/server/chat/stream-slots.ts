import { callerKeyOf, type Principal } from "../../types/principal.ts";
import type { AgentHandlerSettings } from "./handler-options.ts";
import { ChatError } from "./request/chat-error.ts";

export class StreamSlots {
  readonly #limits: Pick<AgentHandlerSettings, "maxStreams" | "maxStreamsPerPerson">;
  readonly #byPerson = new Map<string, number>();
  #total = 0;

  constructor(limits: Pick<AgentHandlerSettings, "maxStreams" | "maxStreamsPerPerson">) {
    this.#limits = limits;
  }

  /**
   * Must precede all writes: no message without a readable answer. Returns an idempotent release function.
   */
  enter(person: Principal): () => void {
    const key = callerKeyOf(person);
    const own = this.#byPerson.get(key) ?? 0;
    if (own >= this.#limits.maxStreamsPerPerson) {
      throw tooManyStreamsError(
        "You read as many answers at once as one person may. Close a page, and try again.",
      );
    }
    if (this.#total >= this.#limits.maxStreams) {
      throw tooManyStreamsError(
        "As many answers are being read as this server has room for. Try again soon.",
      );
    }
    this.#total += 1;
    this.#byPerson.set(key, own + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#total -= 1;
      const left = (this.#byPerson.get(key) ?? 1) - 1;
      if (left === 0) this.#byPerson.delete(key);
      else this.#byPerson.set(key, left);
    };
  }
}

const tooManyStreamsError = (message: string): ChatError =>
  new ChatError(429, "too_many_streams", message, { "retry-after": "5" });
