import { redactor } from "../base/json/redact.ts";
import { headOf, shorten } from "../base/text/cut-text.ts";
import { parseRetryAfter } from "../tools/http/status-error.ts";
import { ModelError, ToolCancelledError, ToolError } from "../types/errors.ts";
import type { FailureCode } from "../types/failures.ts";

const advice: Record<ModelFailureCode, string> = {
  model_unauthorized:
    "the provider rejected the API key. Check that the key is correct and may use this model.",
  model_rate_limited: "the provider's rate limit is reached. Try again later.",
  model_overloaded: "the provider is overloaded or failing. Try again later.",
  model_context_exceeded:
    "the conversation exceeds the model's context window. Shorten it, or use a model with a larger one.",
  model_bad_request: "the provider rejected the request.",
  model_unreachable:
    "the provider cannot be reached, or the connection failed. Check the address and the network.",
  model_timed_out: "the provider did not answer in time.",
  model_unreadable: "the provider's response ended early or cannot be parsed.",
};

const quotaSpent = "the provider's quota for this key is used up. Retrying will not help.";

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
  const message = `${id}: ${isQuotaExceeded ? quotaSpent : advice[code]}${said === "" ? "" : ` Provider message: ${said}`}`;
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

interface VendorErrorInfo {
  readonly status: number | undefined;
  /** From the error class, which providers cannot set. */
  readonly names: readonly string[];
  readonly errorTypes: ReadonlySet<string>;
  /** The provider's message. */
  readonly providerMessage: string;
  /** For pattern matching. */
  readonly text: string;
  readonly request: string | undefined;
  readonly header: (name: string) => string | undefined;
}

const maxCauseDepth = 5;
const maxBodyLength = 20_000;

const readProperty = (value: unknown, key: string): unknown => {
  try {
    return value === undefined || value === null ? undefined : (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? headOf(value, maxBodyLength) : undefined;

/** Gemini embeds the JSON body in the message. */
const parseJson = (text: string | undefined): unknown => {
  const start = text?.indexOf("{") ?? -1;
  if (text === undefined || start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start));
  } catch {
    return undefined;
  }
};

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const errorsOf = (error: unknown): readonly unknown[] => {
  const errors: unknown[] = [];
  for (let at = error; isPresent(at) && errors.length < maxCauseDepth; at = readProperty(at, "cause"))
    errors.push(at);
  return errors;
};

/** The innermost object is last. */
const bodiesOf = (error: unknown): readonly unknown[] => {
  const text = parseJson(
    textOf(readProperty(error, "responseBody")) ?? textOf(readProperty(error, "message")),
  );
  const body = readProperty(error, "error");
  return [text, readProperty(text, "error"), body, readProperty(body, "error")].filter(isPresent);
};

const statusOf = (value: unknown): number | undefined =>
  ["status", "status_code", "statusCode", "code"]
    .map((key) => readProperty(value, key))
    .find((found): found is number => typeof found === "number" && found >= 100 && found < 600);

/** OpenAI's errors are all named "Error". */
const namesOf = (value: unknown): readonly string[] =>
  [readProperty(value, "name"), readProperty(readProperty(value, "constructor"), "name")].flatMap(
    (name) => textOf(name) ?? [],
  );

const wordsOf = (value: unknown): readonly string[] => [
  ...namesOf(value),
  ...["code", "type", "status"].flatMap((key) => textOf(readProperty(value, key)) ?? []),
];

const sentenceOf = (value: unknown): string | undefined =>
  textOf(value) ?? textOf(readProperty(value, "message"));

const headerOf = (headers: unknown, name: string): string | undefined => {
  try {
    if (headers instanceof Headers) return headers.get(name) ?? undefined;
    return textOf(Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1]);
  } catch {
    return undefined;
  }
};

const readVendorError = (error: unknown): VendorErrorInfo => {
  const errors = errorsOf(error);
  const bodies = errors.flatMap(bodiesOf);
  const parts = [...errors, ...bodies];
  const sentences = parts.flatMap((part) => sentenceOf(part) ?? []);
  const headers = readProperty(error, "headers") ?? readProperty(error, "responseHeaders");
  const request = textOf(readProperty(error, "requestID"));
  return {
    status: parts.map(statusOf).find((status) => status !== undefined),
    names: namesOf(error),
    errorTypes: new Set(parts.flatMap(wordsOf)),
    providerMessage: bodies.flatMap((body) => sentenceOf(body) ?? []).at(-1) ?? sentences[0] ?? "",
    text: sentences.join("\n"),
    request: request !== undefined && /^[\w-]{1,100}$/.test(request) ? request : undefined,
    header: (name) => headerOf(headers, name),
  };
};

/** Longer values would block the caller. */
const maxRetryAfterMs = 3_600_000;

const withinLimit = (millis: number): number | undefined =>
  Number.isFinite(millis) && millis >= 0 ? Math.min(Math.ceil(millis), maxRetryAfterMs) : undefined;

const millisOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : undefined;

const readRetryAfter = (
  header: (name: string) => string | undefined,
  message: string,
): number | undefined => {
  const exact = millisOf(header("retry-after-ms"));
  if (exact !== undefined) return withinLimit(exact);
  const text = header("retry-after");
  const fraction = millisOf(text);
  if (fraction !== undefined) return withinLimit(fraction * 1_000);
  // Dates are relative to the server's clock, if it sends one.
  const served = Date.parse(header("date") ?? "");
  const dated = parseRetryAfter(text ?? null, Number.isNaN(served) ? Date.now() : served);
  if (dated !== undefined) return withinLimit(dated);
  const delay = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d{1,9})?)s"/.exec(message)?.[1];
  return delay === undefined ? undefined : withinLimit(Number(delay) * 1_000);
};

type ModelFailureCode = Extract<FailureCode, `model_${string}`>;

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
const modelFailureCodeOf = ({ status, errorTypes, text }: VendorErrorInfo): ModelFailureCode => {
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
