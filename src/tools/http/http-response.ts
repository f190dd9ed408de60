import type { OutsideResponse } from "../../http/outside.ts";
import { readJson } from "../../json/read-json.ts";
import type { Redactor } from "../../json/redact.ts";
import { ToolExecutionError } from "../../words/errors.ts";

/** A good answer, as a `response` mapping gets it. */
export interface HttpResponse extends OutsideResponse {
  readonly text: () => string;
  /** Strict: a key that comes twice or a number that would lose digits fails the call. */
  readonly json: () => unknown;
}

const typeOf = (headers: Headers): string =>
  (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();

const isJson = (type: string): boolean =>
  type === "text/json" || /^application\/([\w.-]+\+)?json$/.test(type);

const isText = (type: string): boolean =>
  type === "" ||
  type.startsWith("text/") ||
  type.endsWith("+xml") ||
  /^application\/(xml|javascript|yaml|x-ndjson|x-www-form-urlencoded)$/.test(type);

/** The body as text, in the charset it claims where that is known. */
export const textOf = ({ headers, body }: OutsideResponse): string => {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(headers.get("content-type") ?? "")?.[1];
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
};

const unreadable = (message: string): ToolExecutionError =>
  new ToolExecutionError("failed", message, { ran: true, retryable: false });

export const httpResponse = (response: OutsideResponse, redactor: () => Redactor): HttpResponse => {
  const text = () => textOf(response);
  const json = () => {
    // The body was bounded in bytes already.
    const reading = readJson(text(), { maxLength: Number.POSITIVE_INFINITY });
    if (reading.ok) return reading.value;
    // The problem quotes the answer, and the answer may echo the secret.
    throw unreadable(redactor().text(`The answer is not strict JSON: ${reading.problem.message}`));
  };
  return { ...response, text, json };
};

/** JSON by its content type, or text; nothing for an empty body. Throws what it cannot read. */
export const decode = (response: HttpResponse): unknown => {
  const type = typeOf(response.headers);
  if (response.body.byteLength === 0) return isText(type) && type !== "" ? "" : null;
  if (isJson(type)) return response.json();
  if (isText(type)) return response.text();
  throw unreadable(
    `The answer is ${type.slice(0, 80)}, neither JSON nor text; the tool needs a \`response\` mapping.`,
  );
};
