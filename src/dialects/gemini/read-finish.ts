import type { Finish } from "../../words/model.ts";

const finishes: Readonly<Record<string, Finish>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  // The rest would have to be asked for; nobody does, so the reply is cut off.
  CONTINUATION: "length",
  SAFETY: "filter",
  RECITATION: "filter",
  BLOCKLIST: "filter",
  PROHIBITED_CONTENT: "filter",
  SPII: "filter",
  IMAGE_SAFETY: "filter",
  IMAGE_PROHIBITED_CONTENT: "filter",
  IMAGE_RECITATION: "filter",
};

const spoiled: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "UNEXPECTED_TOOL_CALL",
]);

/** Reasons that say there is no reply to read, though one may come when the model is asked again. */
export const isSpoiled = (reason: string): boolean => spoiled.has(reason);

/** Reasons that nobody knows yet end a reply all the same. */
export const readFinish = (reason: string, hasCalls: boolean): Finish => {
  const finish = Object.hasOwn(finishes, reason) ? finishes[reason]! : "other";
  return hasCalls && (finish === "stop" || finish === "other") ? "calls" : finish;
};
