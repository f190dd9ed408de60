import { ChatClaimRefusal } from "../../runtime/chat/claim-chat.ts";
import { ToolError } from "../../types/errors.ts";
import { failures } from "../../types/failures.ts";
import { ChatError, chatBusyError, chatDeletedError, chatNotFoundError } from "./request/chat-error.ts";

/** What a person may read of a failure: what a model may. Nothing where only an operator may. */
const userMessageOf = (error: unknown): string | undefined =>
  ToolError.is(error) && failures[error.code].reader === "model" ? error.message : undefined;

/** A failure in the middle of an answer. Whoever may not read it is told what to ask an operator about. */
export const failureText = (error: unknown, reference: string): string =>
  error instanceof ChatError ? error.message : (userMessageOf(error) ?? genericFailureText(reference));

const genericFailureText = (reference: string): string =>
  `Something went wrong, and the answer could not be written. Whoever runs this finds out more by the reference ${reference}.`;

/** A failure before there is an answer. */
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

const unclaimableError = ({ why }: ChatClaimRefusal): ChatError => {
  if (why === "busy") return chatBusyError();
  return why === "deleted" ? chatDeletedError() : chatNotFoundError();
};

/** Whether an operator should hear of it: nobody else can do anything about it. */
export const isForOperators = (error: unknown): boolean =>
  !(error instanceof ChatError) && !(error instanceof ChatClaimRefusal) && userMessageOf(error) === undefined;
