import { ModelError } from "../../words/errors.ts";

export const unreadableReply = (what: string): ModelError =>
  new ModelError("model_unreadable", `The provider's answer cannot be read: ${what} is not JSON.`);

/** A reply as it came, parsed unless it already is. */
export const parseReply = (body: unknown): unknown => {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body);
  } catch {
    throw unreadableReply("its body");
  }
};
