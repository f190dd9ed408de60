import { ChatClaimRefusal } from "../../runtime/chat/claim-chat.ts";
import { ToolError } from "../../types/errors.ts";
import { failures } from "../../types/failures.ts";
import { ChatError, chatBusyError, chatDeletedError, chatNotFoundError } from "./request/chat-error.ts";

/** Users may read what models may read. */
const userMessageOf = (error: unknown): string | undefined =>
  ToolError.is(error) && failures[error.code].reader === "model" ? error.message : undefined;

export const failureText = (error: unknown, reference: string): string =>
  error instanceof ChatError ? error.message : (userMessageOf(error) ?? genericFailureText(reference));

const genericFailureText = (reference: string): string =>
  `Something went wrong, and the answer could not be written. Whoever runs this finds out more by the reference ${reference}.`;

export const toChatError = (error: unknown, reference: string): ChatError => {
  if (error instanceof ChatError) return error;
  if (error instanceof ChatClaimRefusal) return unclaimableError(error);
  if (ToolError.is(error) && error.code === "still_running") return chatBusyError();
  if (ToolError.is(error) && error.code === "cancelled") {
    return new ChatError(503, "closed", "The server is about to stop. Try again soon.");
  }
  const text = userMessageOf(error);
  return text === undefined
    ? new ChatError(500, "failed", genericFailureText(reference))
    : new ChatError(422, "refused", text);
};

const unclaimableError = ({ reason }: ChatClaimRefusal): ChatError => {
  if (reason === "busy") return chatBusyError();
  return reason === "deleted" ? chatDeletedError() : chatNotFoundError();
};

export const isForOperators = (error: unknown): boolean =>
  !(error instanceof ChatError) && !(error instanceof ChatClaimRefusal) && userMessageOf(error) === undefined;
