import { refuseHeader } from "../../http/headers.ts";
import type { OutsideRequest } from "../../http/outside.ts";
import { isObject } from "../../json/is-object.ts";
import { ToolDefinitionError, ToolExecutionError } from "../../words/errors.ts";
import { pathTemplate } from "./path-template.ts";
import { refuseInput } from "./refuse-input.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export interface RequestOptions<In> {
  /** `{name}` in the path takes that part of the input. */
  readonly url: string;
  readonly method?: (typeof methods)[number];
  /** Left out, GET and DELETE send what the path did not take of the input. */
  readonly query?: RequestFields<In>;
  readonly headers?: RequestFields<In>;
  /** Left out, POST, PUT and PATCH send what the path did not take of the input. */
  readonly body?: RequestFields<In> | ((input: In) => unknown);
}

/** A request before its secret is put in. */
export interface PlannedRequest {
  readonly url: string;
  readonly method: NonNullable<OutsideRequest["method"]>;
  readonly headers: Headers;
  readonly body: string | undefined;
}

export type RequestPlan = (input: unknown) => PlannedRequest | ToolExecutionError;

const check = <In>({ method = "GET", headers = {}, body }: RequestOptions<In>): void => {
  const refuse = (why: string) => new ToolDefinitionError("invalid_definition", `An HTTP tool ${why}.`);
  if (!methods.includes(method)) throw refuse(`has one of the methods ${methods.join(", ")}`);
  if (method === "GET" && body !== undefined) throw refuse("that uses GET sends no body; use `query`");
  for (const name of Object.keys(headers)) {
    const reason = refuseHeader(name, "");
    if (reason !== undefined) throw refuse(`cannot be sent: ${reason}`);
  }
};

const toText = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

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
  const template = pathTemplate(options.url);
  const sendsBody = method === "POST" || method === "PUT" || method === "PATCH";

  const bodyOf = (input: unknown): unknown => {
    if (typeof body === "function") return body(input as In);
    if (body !== undefined) return resolveFields(body, input as In);
    return sendsBody ? without(input, template.names) : undefined;
  };

  return (input) => {
    const url = template.expand(isObject(input) ? input : {});
    if (url instanceof ToolExecutionError) return url;
    const rest = without(input, template.names);
    // What the author wrote into the URL is not the model's to repeat.
    const kept = new Set(url.searchParams.keys());
    if (query !== undefined) addQuery(url, resolveFields(query, input as In), kept);
    else if (!sendsBody && body === undefined && isObject(rest)) addQuery(url, rest, kept);
    const headers = toHeaders(resolveFields(headerFields, input as In));
    if (headers instanceof ToolExecutionError) return headers;
    return { url: url.href, method, headers, body: toBody(bodyOf(input), headers) };
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
