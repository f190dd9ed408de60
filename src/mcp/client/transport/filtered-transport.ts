import { InboundMessages } from "./inbound-messages.ts";
import type { ServerTransport, TransportFault } from "./server-transport.ts";

/** Every inbound message of every transport passes this filter. */
export abstract class FilteredTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<ServerTransport["onmessage"]>;
  onWarning?: ServerTransport["onWarning"];
  onInspect?: ServerTransport["onInspect"];
  fault: TransportFault | undefined;

  protected readonly intake = new InboundMessages({
    deliver: (message) => {
      this.onInspect?.(message);
      this.onmessage?.(message);
    },
    trouble: (message) => this.onWarning?.(message),
  });
}
