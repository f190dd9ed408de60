import type { Client } from "@modelcontextprotocol/client";
import type { ServerTransport } from "../transport/server-transport.ts";
import type { ActiveCallers } from "./active-callers.ts";
import type { ParamHeader } from "./param-headers.ts";

/** What is known of a tool from the last list, as far as calling it depends on it. */
export interface ToolNeeds {
  readonly headers: readonly ParamHeader[];
  readonly needsTask: boolean;
}

/** An open connection, as the parts of a session share it. */
export interface ServerConnection {
  readonly id: string;
  readonly client: Client;
  readonly wire: ServerTransport;
  readonly isModern: boolean;
  readonly callers: ActiveCallers;
  readonly callTimeoutMs: number;
  readonly mask: (text: string) => string;
  /** Only tools that need something. */
  readonly tools: Map<string, ToolNeeds>;
}
