import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { McpServerState } from "../../../types/mcp.ts";

/** Why a connection ended. What was in flight ends with it. */
export interface TransportFault {
  readonly kind: "unreachable" | "garbage" | "closed";
  readonly reason: string;
}

/** A transport of the SDK that also says why it ended, and what its operator should know. */
export interface ServerTransport extends Transport {
  readonly kind: McpServerState["transport"];
  readonly fault: TransportFault | undefined;
  onTrouble?: ((message: string) => void) | undefined;
  readonly pid?: number | undefined;
  /** The last lines a child wrote to its standard error. */
  readonly lastWords?: () => string;
  /** When a child was last heard, on either of its streams. */
  readonly heardAt?: () => { readonly output?: number; readonly error?: number };
  /** Sees each message that passed the gate, before the SDK does, and may alter it. */
  onpeek?: ((message: JSONRPCMessage) => void) | undefined;
}

/** A message could not be sent; `ran` says whether some of it may have arrived all the same. */
export class TransportError extends Error {
  readonly fault: TransportFault;
  readonly ran: boolean;
  constructor(fault: TransportFault, ran: boolean) {
    super(fault.reason);
    this.fault = fault;
    this.ran = ran;
  }
}

export const defaultMaxMessageBytes = 10 * 1_048_576;
