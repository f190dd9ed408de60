import type { Client } from "@modelcontextprotocol/client";
import type { ServerTransport } from "../transport/server-transport.ts";
import type { ActiveCallers } from "./active-callers.ts";
import type { ParamHeader } from "./param-headers.ts";

export interface ToolNeeds {
  readonly headers: readonly ParamHeader[];
  readonly needsTask: boolean;
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
