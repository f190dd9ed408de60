import { redactor } from "../base/json/redact.ts";
import { shorten } from "../base/text/cut-text.ts";
import { ModelError, ToolCancelledError, ToolError } from "../types/errors.ts";
import { type ModelFailureCode, modelFailureCodeOf } from "./model-failure-code.ts";
import { readRetryAfter } from "./read-retry-after.ts";
import { readVendorError } from "./read-vendor-error.ts";

const advice: Record<ModelFailureCode, string> = {
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

const quotaSpent = "the provider's quota for this key is spent: asking again will not help.";

const abortErrorNames = ["AbortError", "APIUserAbortError"];
const maskSecrets = redactor();
const keyPattern = /\b(?:sk|rk|pk|gsk|xai|sess)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}/g;
const maxMessageLength = 300;

const providerMessage = (message: string): string => {
  const masked = String(maskSecrets.value(message.replace(keyPattern, "[redacted]")));
  const line = masked.replace(/[\p{Cc}\s]+/gu, " ").trim();
  return shorten(line, maxMessageLength);
};

const isHaftError = (error: unknown): error is ModelError | ToolCancelledError => {
  try {
    return ToolError.is(error) && (error.name === "ModelError" || error.name === "ToolCancelledError");
  } catch {
    return false;
  }
};

/** An SDK may have wrapped a Haft error. */
const findHaftError = (error: unknown): ModelError | ToolCancelledError | undefined => {
  let each = error;
  try {
    for (let depth = 0; depth < 3 && typeof each === "object" && each !== null; depth++) {
      if (isHaftError(each)) return each;
      each = (each as { readonly cause?: unknown }).cause;
    }
  } catch {}
  return undefined;
};

/** Never throws. */
export const toModelError = (id: string, error: unknown): ModelError | ToolCancelledError => {
  const own = findHaftError(error);
  if (own !== undefined) return own;
  const errorInfo = readVendorError(error);
  if (abortErrorNames.some((name) => errorInfo.names.includes(name))) {
    return new ToolCancelledError("cancelled", `${id}: the request was cancelled.`);
  }
  const code = modelFailureCodeOf(errorInfo);
  const isQuotaExceeded = code === "model_rate_limited" && errorInfo.errorTypes.has("insufficient_quota");
  const retryAfterMs = isQuotaExceeded ? undefined : readRetryAfter(errorInfo.header, errorInfo.text);
  const canRetryLater = code === "model_rate_limited" || code === "model_overloaded";
  // The server may repeat the key in its message.
  const hidesMessage = code === "model_unauthorized";
  const said = hidesMessage ? "" : providerMessage(errorInfo.providerMessage);
  const message = `${id}: ${isQuotaExceeded ? quotaSpent : advice[code]}${said === "" ? "" : ` It said: ${said}`}`;
  const detail = [
    ...(errorInfo.status === undefined ? [] : [`status ${errorInfo.status}`]),
    ...(errorInfo.request === undefined ? [] : [`request ${errorInfo.request}`]),
  ].join(", ");
  return new ModelError(code, message, {
    ...(detail === "" ? {} : { detail }),
    ...(errorInfo.status === undefined ? {} : { status: errorInfo.status }),
    ...(isQuotaExceeded ? { retryable: false } : {}),
    ...(canRetryLater && retryAfterMs !== undefined ? { retryAfterMs } : {}),
    ...(hidesMessage ? {} : { cause: error }),
  });
};
