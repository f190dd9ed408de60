import type { McpCaller } from "../../../types/mcp.ts";
import type { RequestDeadline } from "./request/request-deadline.ts";

interface CallerRequests {
  readonly caller: McpCaller;
  calls: number;
  readonly deadlines: Set<RequestDeadline>;
}

/** Calls of one party are one caller's, whatever object each of them has. */
const callerKeyOf = (caller: McpCaller): McpCaller | string => caller.party ?? caller;

/** Who has requests in flight on a connection. A question or a log line that names no request is theirs, or nobody's. */
export class ActiveCallers {
  readonly #requestsByCaller = new Map<McpCaller | string, CallerRequests>();

  enter(caller: McpCaller, deadline?: RequestDeadline): () => void {
    const key = callerKeyOf(caller);
    const presence = this.#requestsByCaller.get(key) ?? { caller, calls: 0, deadlines: new Set() };
    presence.calls++;
    if (deadline !== undefined) presence.deadlines.add(deadline);
    this.#requestsByCaller.set(key, presence);
    return () => {
      presence.calls--;
      if (deadline !== undefined) presence.deadlines.delete(deadline);
      if (presence.calls === 0) this.#requestsByCaller.delete(key);
    };
  }

  /** The one that can be asked. With several it cannot be told whose question it is, also if only one could answer. */
  toAsk(): McpCaller | "nobody" | "several" {
    if (this.#requestsByCaller.size > 1) return "several";
    const caller = this.only();
    return caller?.ask === undefined ? "nobody" : caller;
  }

  /** The only one there is: what a server says while another waits too may be about the other's business. */
  only(): McpCaller | undefined {
    if (this.#requestsByCaller.size !== 1) return undefined;
    const [presence] = this.#requestsByCaller.values();
    return presence?.caller;
  }

  /** A person thinks as long as it takes: the deadlines of its requests stand still meanwhile. */
  async thinking<Answer>(caller: McpCaller, work: () => Promise<Answer>): Promise<Answer> {
    const deadlines = [...(this.#requestsByCaller.get(callerKeyOf(caller))?.deadlines ?? [])];
    for (const deadline of deadlines) deadline.pause();
    try {
      return await work();
    } finally {
      for (const deadline of deadlines) deadline.resume();
    }
  }
}
