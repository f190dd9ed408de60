import { redactor } from "../json/redact.ts";
import { shorten } from "../text/cut-text.ts";
import { ModelError, ToolCancelledError, ToolError } from "../words/errors.ts";
import { type ModelCode, modelCodeOf } from "./model-code.ts";
import { readTrouble } from "./read-trouble.ts";
import { readRetryAfter } from "./retry-after.ts";

const advice: Record<ModelCode, string> = {
  model_unauthorized: "the provider refuses the key. Check that it is right and may use this model.",
  model_rate_limited: "the provider takes no more requests for now.",
  model_overloaded: "the provider is overloaded or broken. Try again later.",
  model_context_exceeded:
    "the conversation is longer than the model takes. Shorten it, or use a model that takes more.",
  model_bad_request: "the provider refuses the request.",
  model_unreachable:
    "the provider cannot be reached, or the connection broke. Check the address and the network.",
  model_timed_out: "the provider took too long.",
  model_unreadable: "the provider's answer ended early or makes no sense.",
};

const spent = "the provider's quota for this key is spent: asking again will not help.";

const aborted = ["AbortError", "APIUserAbortError"];
const masking = redactor();
const keyShaped = /\b(?:sk|rk|pk|gsk|xai|sess)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}/g;
const longest = 300;

const saidOf = (said: string): string => {
  const masked = String(masking.value(said.replace(keyShaped, "[redacted]")));
  const line = masked.replace(/[\p{Cc}\s]+/gu, " ").trim();
  return shorten(line, longest);
};

const isOwn = (error: unknown): error is ModelError | ToolCancelledError => {
  try {
    return ToolError.is(error) && (error.name === "ModelError" || error.name === "ToolCancelledError");
  } catch {
    return false;
  }
};

/** An error of ours that was thrown below an SDK, which may have wrapped it. */
const ownIn = (error: unknown): ModelError | ToolCancelledError | undefined => {
  let each = error;
  try {
    for (let depth = 0; depth < 3 && typeof each === "object" && each !== null; depth++) {
      if (isOwn(each)) return each;
      each = (each as { readonly cause?: unknown }).cause;
    }
  } catch {
    // A foreign error may throw when it is looked at.
  }
  return undefined;
};

/** Whatever a vendor's SDK threw, as one row of the failure table. Reads it without trusting it: never throws. */
export const toModelError = (id: string, error: unknown): ModelError | ToolCancelledError => {
  const own = ownIn(error);
  if (own !== undefined) return own;
  const trouble = readTrouble(error);
  if (aborted.some((name) => trouble.names.includes(name))) {
    return new ToolCancelledError("cancelled", `${id}: the request was cancelled.`);
  }
  const code = modelCodeOf(trouble);
  const isSpent = code === "model_rate_limited" && trouble.words.has("insufficient_quota");
  const retryAfterMs = isSpent ? undefined : readRetryAfter(trouble.header, trouble.text);
  const mayWait = code === "model_rate_limited" || code === "model_overloaded";
  // A server that repeats the key in its refusal must not bring it into a message or a log.
  const isQuiet = code === "model_unauthorized";
  const said = isQuiet ? "" : saidOf(trouble.said);
  const message = `${id}: ${isSpent ? spent : advice[code]}${said === "" ? "" : ` It said: ${said}`}`;
  const detail = [
    ...(trouble.status === undefined ? [] : [`status ${trouble.status}`]),
    ...(trouble.request === undefined ? [] : [`request ${trouble.request}`]),
  ].join(", ");
  return new ModelError(code, message, {
    ...(detail === "" ? {} : { detail }),
    ...(trouble.status === undefined ? {} : { status: trouble.status }),
    ...(isSpent ? { retryable: false } : {}),
    ...(mayWait && retryAfterMs !== undefined ? { retryAfterMs } : {}),
    ...(isQuiet ? {} : { cause: error }),
  });
};
