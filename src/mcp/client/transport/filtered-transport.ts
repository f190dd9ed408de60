import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { InboundMessages } from "./inbound-messages.ts";
import type { ServerTransport, TransportFault } from "./server-transport.ts";

/** What all wires have in common: who listens, why it ended, and the gate that every message passes. */
export abstract class FilteredTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<ServerTransport["onmessage"]>;
  onTrouble?: (message: string) => void;
  onpeek?: (message: JSONRPCMessage) => void;
  fault: TransportFault | undefined;

  protected readonly intake = new InboundMessages({
    deliver: (message) => {
      this.onpeek?.(message);
      this.onmessage?.(message);
    },
    trouble: (message) => this.onTrouble?.(message),
  });
}
