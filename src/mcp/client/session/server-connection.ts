import type { Client } from "@modelcontextprotocol/client";
import type { McpCaller } from "../../../types/mcp.ts";
import type { ServerTransport } from "../transport/server-transport.ts";
import type { ParamHeader } from "./param-headers.ts";
import type { RequestDeadline } from "./request/request-deadline.ts";

export interface ToolNeeds {
  readonly headers: readonly ParamHeader[];
  readonly needsTask: boolean;
}

interface CallerRequests {
  readonly caller: McpCaller;
  calls: number;
  readonly deadlines: Set<RequestDeadline>;
}

/** Calls with the same `party` belong to one caller. */
const callerKeyOf = (caller: McpCaller): McpCaller | string => caller.party ?? caller;

/** A server message without a request id is attributed only if there is exactly one caller. */
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

  inputCaller(): McpCaller | "none" | "several" {
    if (this.#requestsByCaller.size > 1) return "several";
    const caller = this.singleCaller();
    return caller?.ask === undefined ? "none" : caller;
  }

  singleCaller(): McpCaller | undefined {
    if (this.#requestsByCaller.size !== 1) return undefined;
    const [presence] = this.#requestsByCaller.values();
    return presence?.caller;
  }

  /** Pauses the caller's deadlines during user input. */
  async withPausedDeadlines<Answer>(caller: McpCaller, work: () => Promise<Answer>): Promise<Answer> {
    const deadlines = [...(this.#requestsByCaller.get(callerKeyOf(caller))?.deadlines ?? [])];
    for (const deadline of deadlines) deadline.pause();
    try {
      return await work();
    } finally {
      for (const deadline of deadlines) deadline.resume();
    }
  }
}

export interface ServerConnection {
  readonly id: string;
  readonly client: Client;
  readonly wire: ServerTransport;
  readonly isModern: boolean;
  readonly callers: ActiveCallers;
  readonly callTimeoutMs: number;
  readonly mask: (text: string) => string;
  readonly tools: Map<string, ToolNeeds>;
}
