import type { McpCaller } from "../../../words/mcp.ts";
import type { Deadline } from "./request/deadline.ts";

interface CallerRequests {
  readonly caller: McpCaller;
  calls: number;
  readonly deadlines: Set<Deadline>;
}

/** Calls of one party are one caller's, whatever object each of them has. */
const keyOf = (caller: McpCaller): McpCaller | string => caller.party ?? caller;

/** Who has requests in flight on a connection. A question or a log line that names no request is theirs, or nobody's. */
export class Callers {
  readonly #present = new Map<McpCaller | string, CallerRequests>();

  enter(caller: McpCaller, deadline?: Deadline): () => void {
    const key = keyOf(caller);
    const presence = this.#present.get(key) ?? { caller, calls: 0, deadlines: new Set() };
    presence.calls++;
    if (deadline !== undefined) presence.deadlines.add(deadline);
    this.#present.set(key, presence);
    return () => {
      presence.calls--;
      if (deadline !== undefined) presence.deadlines.delete(deadline);
      if (presence.calls === 0) this.#present.delete(key);
    };
  }

  /** The one that can be asked. With several it cannot be told whose question it is, also if only one could answer. */
  toAsk(): McpCaller | "nobody" | "several" {
    if (this.#present.size > 1) return "several";
    const caller = this.only();
    return caller?.ask === undefined ? "nobody" : caller;
  }

  /** The only one there is: what a server says while another waits too may be about the other's business. */
  only(): McpCaller | undefined {
    if (this.#present.size !== 1) return undefined;
    const [presence] = this.#present.values();
    return presence?.caller;
  }

  /** A person thinks as long as it takes: the deadlines of its requests stand still meanwhile. */
  async thinking<Answer>(caller: McpCaller, work: () => Promise<Answer>): Promise<Answer> {
    const deadlines = [...(this.#present.get(keyOf(caller))?.deadlines ?? [])];
    for (const deadline of deadlines) deadline.pause();
    try {
      return await work();
    } finally {
      for (const deadline of deadlines) deadline.resume();
    }
  }
}
