import { AsyncLocalStorage } from "node:async_hooks";

/** What has become of one message on its way out: the SDK may send it again without telling anybody. */
export interface SentRequest {
  readonly isToolCall: boolean;
  /** It may have arrived. */
  isSent: boolean;
  /** The status of an answer that asked for the same once more: with another authorization, or at another place. */
  refusedStatus: number | undefined;
}

/** The message that is being sent in this async context. */
export const currentSentRequest = new AsyncLocalStorage<SentRequest>();

/**
 * A tool's call that was answered with a wish for another authorization, or with a redirect, is not sent again: that the
 * server did not run it is only its claim.
 */
export class NotResentError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the call was answered with HTTP ${status} and is not sent again`);
    this.status = status;
  }
}
