import { ChatClaimRefusal } from "../../runtime/chat/claim-chat.ts";
import { ToolError } from "../../types/errors.ts";
import { HttpError } from "../request/http-error.ts";

export const chatNotFoundError = (): HttpError => new HttpError(404, "not_found", "The chat does not exist.");

export const chatBusyError = (): HttpError =>
  new HttpError(
    409,
    "busy",
    "Another answer is being written in this chat. Wait until it is complete or stop it, then send the message again.",
  );

export const approvalOpenError = (): HttpError =>
  new HttpError(
    409,
    "question_open",
    "A call of this chat is pending approval. Decide the approval request or stop the answer before you send another message.",
  );

/** Errors of the runtime that have a status of their own. */
export const toChatError = (error: unknown): unknown => {
  if (error instanceof ChatClaimRefusal) return unclaimableError(error);
  if (!ToolError.is(error)) return error;
  if (error.code === "still_running") return chatBusyError();
  return error.code === "cancelled"
    ? new HttpError(503, "closed", "The server is shutting down. Try again soon.")
    : error;
};

const unclaimableError = ({ reason }: ChatClaimRefusal): HttpError => {
  if (reason === "busy") return chatBusyError();
  return reason === "deleted"
    ? new HttpError(410, "deleted", "This chat was deleted. Start a chat with another id.")
    : chatNotFoundError();
};
