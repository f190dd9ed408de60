import { AsyncLocalStorage } from "node:async_hooks";

/** The SDK may resend a message silently. */
export interface SentRequest {
  readonly isToolCall: boolean;
  /** The message may have arrived. */
  isSent: boolean;
  /** A status after which the SDK would resend. */
  refusedStatus: number | undefined;
}

export const currentSentRequest = new AsyncLocalStorage<SentRequest>();

/**
 * A tool call is not resent after a redirect or authorization error: that it did not run is only the server's
 * claim.
 */
export class NotResentError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the call was answered with HTTP ${status} and is not sent again`);
    this.status = status;
  }
}
