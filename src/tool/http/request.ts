import { refuseHeader } from "../../http/headers.ts";
import type { OutsideRequest } from "../../http/outside.ts";
import { isObject } from "../../json/is-object.ts";
import { ToolDefinitionError, ToolExecutionError } from "../../words/errors.ts";
import { type RequestContent, writeContent } from "./content.ts";
import { addHeaders, pairsOf, pathParts, placeParameter, type RequestParameter } from "./parameters.ts";
import { pathTemplate } from "./path-template.ts";
import { refuseInput } from "./refuse-input.ts";
import { toText } from "./styles.ts";

const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;

export interface RequestOptions<In> {
  /** `{name}` in the path takes that part of the input. */
  readonly url: string;
  readonly method?: (typeof methods)[number];
  /** Left out, GET and DELETE send what the path did not take of the input. */
  readonly query?: RequestFields<In>;
  readonly headers?: RequestFields<In>;
  /** Left out, POST, PUT and PATCH send what the path did not take of the input. */
  readonly body?: RequestFields<In> | ((input: In) => unknown);
  /** Parts of the input with a place and a style of their own. With them, nothing else of the input is sent unless it is named. */
  readonly parameters?: readonly RequestParameter[];
  /** The part of the input that is the body, and how it is written: JSON, a form, text or bytes. In place of `body`. */
  readonly content?: RequestContent;
}

/** A request before its secret is put in. */
export interface PlannedRequest {
  readonly url: string;
  readonly method: NonNullable<OutsideRequest["method"]>;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
}

export type RequestPlan = (input: unknown) => PlannedRequest | ToolExecutionError;

const check = <In>({ method = "GET", headers = {}, body, content }: RequestOptions<In>): void => {
  const refuse = (why: string) => new ToolDefinitionError("invalid_definition", `An HTTP tool ${why}.`);
  if (!methods.includes(method)) throw refuse(`has one of the methods ${methods.join(", ")}`);
  if (method === "GET" && body !== undefined) throw refuse("that uses GET sends no body; use `query`");
  if (body !== undefined && content !== undefined)
    throw refuse("has both `body` and `content`; leave one out");
  for (const name of Object.keys(headers)) {
    const reason = refuseHeader(name, "");
    if (reason !== undefined) throw refuse(`cannot be sent: ${reason}`);
  }
};

/** Lists repeat their name, and what is neither list nor scalar goes as JSON. */
const addQuery = (url: URL, fields: Readonly<Record<string, unknown>>, kept: ReadonlySet<string>): void => {
  for (const [name, value] of Object.entries(fields)) {
    if (kept.has(name)) continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) url.searchParams.append(name, toText(item));
    }
  }
};

const toHeaders = (fields: Readonly<Record<string, unknown>>): Headers | ToolExecutionError => {
  const headers = new Headers({ accept: "application/json, */*;q=0.5" });
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    if (typeof value === "object")
      return refuseInput(`The header ${name} must be one string, not a structure.`);
    const reason = refuseHeader(name, String(value));
    if (reason !== undefined) return refuseInput(`The input does not fit into the request: ${reason}.`);
    headers.set(name, String(value));
  }
  return headers;
};

/** Text goes as it is when the author named another content type; everything else is JSON. */
const toBody = (value: unknown, headers: Headers): string | undefined => {
  const type = headers.get("content-type");
  if (typeof value === "string" && type !== null && !type.includes("json")) return value;
  const text = JSON.stringify(value) as string | undefined;
  if (text !== undefined && type === null) headers.set("content-type", "application/json");
  return text;
};

/** How an input becomes a request. Throws at definition time what no input could repair. */
export const requestPlan = <In>(options: RequestOptions<In>): RequestPlan => {
  check(options);
  const { method = "GET", query, headers: headerFields = {}, body } = options;
  const { content } = options;
  const parameters = (options.parameters ?? []).map(placeParameter);
  const isPlaced = options.parameters !== undefined || content !== undefined;
  const template = pathTemplate(options.url, pathParts(parameters));
  const sendsBody = !isPlaced && (method === "POST" || method === "PUT" || method === "PATCH");

  const bodyOf = (input: unknown): unknown => {
    if (typeof body === "function") return body(input as In);
    if (body !== undefined) return resolveFields(body, input as In);
    return sendsBody ? without(input, template.names) : undefined;
  };

  return (input) => {
    const given = isObject(input) ? input : {};
    const url = template.expand(given);
    if (url instanceof ToolExecutionError) return url;
    const rest = without(input, template.names);
    // What the author wrote into the URL is not the model's to repeat.
    const kept = new Set(url.searchParams.keys());
    if (query !== undefined) addQuery(url, resolveFields(query, input as In), kept);
    else if (!isPlaced && !sendsBody && body === undefined && isObject(rest)) addQuery(url, rest, kept);
    const pairs = pairsOf(parameters, "query", given);
    if (pairs.length > 0)
      url.search = [url.search.slice(1), ...pairs].filter((each) => each !== "").join("&");
    const headers = toHeaders(resolveFields(headerFields, input as In));
    if (headers instanceof ToolExecutionError) return headers;
    const refusal = addHeaders(headers, parameters, given);
    if (refusal !== undefined) return refusal;
    if (content === undefined)
      return { url: url.href, method, headers, body: toBody(bodyOf(input), headers) };
    const written = writeContent(content, given);
    if (written instanceof ToolExecutionError) return written;
    if (written !== undefined) headers.set("content-type", written.type);
    return { url: url.href, method, headers, body: written?.body };
  };
};

/** Named parts of a request: constants, and functions of the validated input. */
type RequestFields<In> = Readonly<Record<string, FieldValue | ((input: In) => unknown)>>;

type FieldValue = string | number | boolean | null | undefined;
const resolveFields = <In>(fields: RequestFields<In>, input: In): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "function" ? value(input) : value]),
  );

/** What the path did not take. */
const without = (input: unknown, names: ReadonlySet<string>): unknown =>
  isObject(input) && names.size > 0
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)))
    : input;
