import type { FailureCode } from "../types/failures.ts";
import type { VendorErrorInfo } from "./read-vendor-error.ts";

export type ModelFailureCode = Extract<FailureCode, `model_${string}`>;

const contextTooLong =
  /context.{0,10}(length|window|size|limit)|too many (input )?tokens|(prompt|input|conversation) is too long|maximum prompt length|input token count|reduce the length/i;
const badKey = /api[ _]key (is )?(not valid|invalid)|API_KEY_INVALID|invalid (x-)?api[ -]key/i;
const connectionBroken =
  /fetch failed|socket hang ?up|terminated|other side closed|premature close|connection error|network error|timed? ?out|getaddrinfo|failed to fetch/i;
const connectionErrorName =
  /^(E[A-Z]{3,}|UND_ERR_\w+|EAI_AGAIN|\w*Connection\w*Error|\w*Timeout\w*|SocketError|FetchError)$/;

/** For bodies without an HTTP status, such as in a stream. */
const codeByWord: readonly (readonly [ModelFailureCode, RegExp])[] = [
  ["model_context_exceeded", /^(context_length_exceeded|request_too_large)$/],
  [
    "model_unauthorized",
    /^(authentication_error|permission_error|invalid_api_key|UNAUTHENTICATED|PERMISSION_DENIED)$/,
  ],
  ["model_rate_limited", /^(rate_limit_error|rate_limit_exceeded|insufficient_quota|RESOURCE_EXHAUSTED)$/],
  [
    "model_overloaded",
    /^(overloaded_error|api_error|server_error|timeout_error|vector_store_timeout|internal_error|INTERNAL|UNAVAILABLE|DEADLINE_EXCEEDED)$/,
  ],
  [
    "model_bad_request",
    /^(not_found_error|billing_error|invalid_\w+|image_\w+|\w*policy\w*|data_residency_mismatch|INVALID_ARGUMENT|NOT_FOUND|FAILED_PRECONDITION)$/,
  ],
];

const codeByStatus = (status: number): ModelFailureCode | undefined => {
  if (status === 401 || status === 403) return "model_unauthorized";
  if (status === 429) return "model_rate_limited";
  if (status === 408 || status === 409 || status >= 500) return "model_overloaded";
  if (status === 413) return "model_context_exceeded";
  return status >= 400 ? "model_bad_request" : undefined;
};

/** By status, then by error type, then by the message. */
export const modelFailureCodeOf = ({ status, errorTypes, text }: VendorErrorInfo): ModelFailureCode => {
  const known = status === undefined ? undefined : codeByStatus(status);
  const named = codeByWord.find(([, pattern]) => [...errorTypes].some((word) => pattern.test(word)))?.[0];
  const code = known ?? named;
  if (code === "model_bad_request") {
    if (named === "model_context_exceeded" || contextTooLong.test(text)) return "model_context_exceeded";
    return badKey.test(text) ? "model_unauthorized" : code;
  }
  if (code !== undefined) return code;
  const isBroken =
    [...errorTypes].some((word) => connectionErrorName.test(word)) || connectionBroken.test(text);
  if (isBroken && status === undefined && !errorTypes.has("SyntaxError")) return "model_unreachable";
  return "model_unreadable";
};
