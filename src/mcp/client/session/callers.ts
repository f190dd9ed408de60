import type { McpCaller } from "../../../words/mcp.ts";
import type { Deadline } from "./request/deadline.ts";

interface CallerRequests {
  calls: number;
  readonly deadlines: Set<Deadline>;
}

/** Who has requests in flight on a connection. A question or a log line that names no request is theirs, or nobody's. */
export class Callers {
  readonly #present = new Map<McpCaller, CallerRequests>();

  enter(caller: McpCaller, deadline?: Deadline): () => void {
    const presence = this.#present.get(caller) ?? { calls: 0, deadlines: new Set() };
    presence.calls++;
    if (deadline !== undefined) presence.deadlines.add(deadline);
    this.#present.set(caller, presence);
    return () => {
      presence.calls--;
      if (deadline !== undefined) presence.deadlines.delete(deadline);
      if (presence.calls === 0) this.#present.delete(caller);
    };
  }

  /** The one that can be asked. With several it cannot be told whose question it is. */
  toAsk(): McpCaller | "nobody" | "several" {
    const able = [...this.#present.keys()].filter(({ ask }) => ask !== undefined);
    return able.length > 1 ? "several" : (able[0] ?? "nobody");
  }

  /** The only one there is: what a server says while another waits too may be about the other's business. */
  only(): McpCaller | undefined {
    if (this.#present.size !== 1) return undefined;
    const [caller] = this.#present.keys();
    return caller;
  }

  /** A person thinks as long as it takes: the deadlines of its requests stand still meanwhile. */
  async thinking<Answer>(caller: McpCaller, work: () => Promise<Answer>): Promise<Answer> {
    const deadlines = [...(this.#present.get(caller)?.deadlines ?? [])];
    for (const deadline of deadlines) deadline.pause();
    try {
      return await work();
    } finally {
      for (const deadline of deadlines) deadline.resume();
    }
  }
}
