import type { HttpEgressResponse } from "../../base/http/http-egress.ts";
import { readJson } from "../../base/json/read-json.ts";
import type { Redactor } from "../../base/json/redact.ts";
import { ToolExecutionError } from "../../types/errors.ts";

/** A good answer, as a `response` mapping gets it. */
export interface HttpResponse extends HttpEgressResponse {
  readonly text: () => string;
  /** Strict: a key that comes twice or a number that would lose digits fails the call. */
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

/** The body as text, in the charset it claims where that is known. */
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
    // The body was bounded in bytes already.
    const reading = readJson(text(), { maxLength: Number.POSITIVE_INFINITY });
    if (reading.ok) return reading.value;
    // The problem quotes the answer, and the answer may echo the secret.
    throw unreadableResponseError(
      redactor().text(`The answer is not strict JSON: ${reading.problem.message}`),
    );
  };
  return { ...response, text, json };
};

/** JSON by its content type, or text; nothing for an empty body. Throws what it cannot read. */
export const decodeResponse = (response: HttpResponse): unknown => {
  const type = contentTypeOf(response.headers);
  if (response.body.byteLength === 0) return isText(type) && type !== "" ? "" : null;
  if (isJson(type)) return response.json();
  if (isText(type)) return response.text();
  throw unreadableResponseError(
    `The answer is ${type.slice(0, 80)}, neither JSON nor text; the tool needs a \`response\` mapping.`,
  );
};
