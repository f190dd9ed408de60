import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { Intake } from "./intake.ts";
import type { Wire, WireFault } from "./wire.ts";

/** What all wires have in common: who listens, why it ended, and the gate that every message passes. */
export abstract class GatedWire {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Wire["onmessage"]>;
  onTrouble?: (message: string) => void;
  onpeek?: (message: JSONRPCMessage) => void;
  fault: WireFault | undefined;

  protected readonly intake = new Intake({
    deliver: (message) => {
      this.onpeek?.(message);
      this.onmessage?.(message);
    },
    trouble: (message) => this.onTrouble?.(message),
  });
}
