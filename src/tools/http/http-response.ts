import type { HttpEgressResponse } from "../../base/http/http-egress.ts";
import { readJson } from "../../base/json/read-json.ts";
import type { Redactor } from "../../base/json/redact.ts";
import { ToolExecutionError } from "../../types/errors.ts";

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
