import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { McpServerState } from "../../../types/mcp.ts";

/** Ends all requests in flight. */
export interface TransportFault {
  readonly kind: "unreachable" | "garbage" | "closed";
  readonly reason: string;
}

export interface ServerTransport extends Transport {
  readonly kind: McpServerState["transport"];
  readonly fault: TransportFault | undefined;
  onWarning?: ((message: string) => void) | undefined;
  readonly pid?: number | undefined;
  readonly stderrTail?: () => string;
  readonly lastOutputAt?: () => { readonly output?: number; readonly error?: number };
  /** Sees, and may change, accepted messages before the SDK. */
  onInspect?: ((message: JSONRPCMessage) => void) | undefined;
}

/** `ran` is true if part of the message may have arrived. */
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
