import type { HttpEgressResponse } from "../../base/http/http-egress.ts";
import { displayUrl, isRedirect } from "../../base/http/url.ts";
import { readJson } from "../../base/json/read-json.ts";
import type { Redactor } from "../../base/json/redact.ts";
import { shorten } from "../../base/text/cut-text.ts";
import { ToolExecutionError } from "../../types/errors.ts";

export const isSuccessStatus = (status: number): boolean => status >= 200 && status < 300;

const isTransientStatus = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

/** Seconds or a date (RFC 9110). */
export const parseRetryAfter = (value: string | null, now: number): number | undefined => {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
};

const maxExcerptLength = 500;

const excerpt = (response: HttpEgressResponse, redactor: Redactor): string => {
  // A secret at the cut would otherwise remain in part.
  const text = redactor
    .text(responseText(response))
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return shorten(text, maxExcerptLength);
};

/** A successful response, as passed to a `response` mapping. */
export interface HttpResponse extends HttpEgressResponse {
  readonly text: () => string;
  /** Strict: duplicate keys and numbers that would lose digits fail the call. */
  readonly json: () => unknown;
}

const contentTypeOf = (headers: Headers): string =>
  (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();

const isJson = (type: string): boolean =>
  type === "text/json" || /^application\/([\w.-]+\+)?json$/.test(type);

const isText = (type: string): boolean =>
  type === "" ||
  type.startsWith("text/") ||
  type.endsWith("+xml") ||
  /^application\/(xml|javascript|yaml|x-ndjson|x-www-form-urlencoded)$/.test(type);

/** The body as text, in the declared charset if it is known. */
export const responseText = ({ headers, body }: HttpEgressResponse): string => {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(headers.get("content-type") ?? "")?.[1];
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
};

const unreadableResponseError = (message: string): ToolExecutionError =>
  new ToolExecutionError("failed", message, { ran: true, retryable: false });

export const httpResponse = (response: HttpEgressResponse, redactor: () => Redactor): HttpResponse => {
  const text = () => responseText(response);
  const json = () => {
    // The size was already limited.
    const reading = readJson(text(), { maxLength: Number.POSITIVE_INFINITY });
    if (reading.ok) return reading.value;
    // The response may echo the secret.
    throw unreadableResponseError(
      redactor().text(`The response is not strict JSON: ${reading.problem.message}`),
    );
  };
  return { ...response, text, json };
};

/** Null for an empty body. Throws for types that are neither JSON nor text. */
export const decodeResponse = (response: HttpResponse): unknown => {
  const type = contentTypeOf(response.headers);
  if (response.body.byteLength === 0) return isText(type) && type !== "" ? "" : null;
  if (isJson(type)) return response.json();
  if (isText(type)) return response.text();
  throw unreadableResponseError(
    `The response is ${type.slice(0, 80)}, neither JSON nor text; the tool needs a \`response\` mapping.`,
  );
};

/** The claim that nothing was processed may be wrong. */
const rejectionStatuses: ReadonlySet<number> = new Set([
  401, 403, 405, 413, 415, 421, 425, 426, 428, 429, 431, 503,
]);

interface StatusContext {
  readonly method: string;
  readonly redactor: Redactor;
  readonly now: number;
}

export const statusError = (
  response: HttpEgressResponse,
  { method, redactor, now }: StatusContext,
): ToolExecutionError => {
  const { status, headers } = response;
  const where = redactor.text(`${method} ${displayUrl(new URL(response.url))}`);
  const place = method === "GET" ? undefined : redirectTarget(response);
  if (place !== undefined)
    return redirectNotFollowedError(`${where} answered ${status}`, redactor.text(place), status);
  const bodyExcerpt = excerpt(response, redactor);
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), now);
  const isClaim = rejectionStatuses.has(status);
  const claim = isClaim ? ", which states that nothing was done" : "";
  return new ToolExecutionError(
    "failed",
    `${where} answered ${status}${claim}${bodyExcerpt === "" ? "." : `: ${bodyExcerpt}`}`,
    {
      ran: true,
      ...(isClaim ? { claimsNotRun: true } : {}),
      retryable: isTransientStatus(status),
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  );
};

/** Without the query, which may contain secrets. */
const redirectTarget = ({ status, headers, url }: HttpEgressResponse): string | undefined => {
  const location = headers.get("location");
  const place = location !== null && isRedirect(status, location) ? URL.parse(location, url) : null;
  return place === null ? undefined : place.origin + place.pathname;
};

/** Following would repeat a request that may have had an effect. */
const redirectNotFollowedError = (what: string, place: string, status: number): ToolExecutionError =>
  new ToolExecutionError(
    "failed",
    `${what}, which states that nothing was done. The request is not repeated, because it may have had an effect: give the final URL, or mark the tool idempotent (annotations.idempotent). The redirect target is ${place.slice(0, 300)}.`,
    { ran: true, claimsNotRun: true, retryable: false, status },
  );

/** A retry will not help. */
export const tokenRejectedError = (credential: string, method: string, url: string): ToolExecutionError =>
  new ToolExecutionError(
    "failed",
    `${method} ${displayUrl(new URL(url))} answered 401 to the caller's token of ${JSON.stringify(credential)}, and again to a new one: the granted scopes are not sufficient, or the token is for another service.`,
    { ran: true, claimsNotRun: true, retryable: false, status: 401 },
  );

/** Not repeated on the mere claim that nothing was done. */
export const tokenRenewedError = (credential: string, method: string, url: string): ToolExecutionError =>
  new ToolExecutionError(
    "failed",
    `${method} ${displayUrl(new URL(url))} answered 401 to the caller's token of ${JSON.stringify(credential)}, which states that nothing was done. The token was renewed; the request is not repeated, because it may have had an effect.`,
    { ran: true, claimsNotRun: true, retryable: true, status: 401 },
  );

/** Nothing was sent, and a retry will not help. */
export const unsendableInputError = (message: string, pointer = ""): ToolExecutionError =>
  new ToolExecutionError("failed", message, {
    ran: false,
    retryable: false,
    issues: [{ pointer, message }],
  });
