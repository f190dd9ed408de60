import { Unclaimable } from "../runtime/chat/claim-chat.ts";
import { ToolError } from "../words/errors.ts";
import { failures } from "../words/failures.ts";
import { busy, deleted, notFound, Refusal } from "./request/refusal.ts";

/** What a person may read of a failure: what a model may. Nothing where only an operator may. */
const readable = (error: unknown): string | undefined =>
  ToolError.is(error) && failures[error.code].reader === "model" ? error.message : undefined;

/** A failure in the middle of an answer. Whoever may not read it is told what to ask an operator about. */
export const failureText = (error: unknown, reference: string): string =>
  error instanceof Refusal ? error.message : (readable(error) ?? general(reference));

const general = (reference: string): string =>
  `Something went wrong, and the answer could not be written. Whoever runs this finds out more by the reference ${reference}.`;

/** A failure before there is an answer. */
export const toRefusal = (error: unknown, reference: string): Refusal => {
  if (error instanceof Refusal) return error;
  if (error instanceof Unclaimable) return unclaimable(error);
  if (ToolError.is(error) && error.code === "still_running") return busy();
  if (ToolError.is(error) && error.code === "cancelled") {
    return new Refusal(503, "closed", "The server is about to stop. Try again soon.");
  }
  const text = readable(error);
  return text === undefined
    ? new Refusal(500, "failed", general(reference))
    : new Refusal(422, "refused", text);
};

const unclaimable = ({ why }: Unclaimable): Refusal => {
  if (why === "busy") return busy();
  return why === "deleted" ? deleted() : notFound();
};

/** Whether an operator should hear of it: nobody else can do anything about it. */
export const isOperators = (error: unknown): boolean =>
  !(error instanceof Refusal) && !(error instanceof Unclaimable) && readable(error) === undefined;
