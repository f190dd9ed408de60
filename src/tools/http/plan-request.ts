import { refuseHeader } from "../../http/headers.ts";
import type { OutsideRequest } from "../../http/outside.ts";
import { isObject } from "../../json/is-object.ts";
import { ToolExecutionError } from "../../words/errors.ts";
import { writeContent } from "./content.ts";
import { addHeaders, pairsOf, pathParts } from "./parameters.ts";
import { pathTemplate } from "./path-template.ts";
import { placeParameter } from "./place-parameter.ts";
import { refuseInput } from "./refuse-input.ts";
import type { RequestFields, RequestOptions } from "./request.ts";
import { toText } from "./styles.ts";

/** A request before its secret is put in. */
export interface PlannedRequest {
  readonly url: string;
  readonly method: NonNullable<OutsideRequest["method"]>;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
}

export type RequestPlan = (input: unknown) => PlannedRequest | ToolExecutionError;

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

/** How an input becomes a request. What no input could repair was refused when the tool was defined. */
export const requestPlan = <In>(options: RequestOptions<In>): RequestPlan => {
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

const resolveFields = <In>(fields: RequestFields<In>, input: In): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "function" ? value(input) : value]),
  );

/** What the path did not take. */
const without = (input: unknown, names: ReadonlySet<string>): unknown =>
  isObject(input) && names.size > 0
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)))
    : input;
