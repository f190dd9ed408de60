import { headerProblem } from "../../base/http/headers.ts";
import type { HttpEgressRequest } from "../../base/http/http-egress.ts";
import { isObject, toPointer } from "../../base/json/json-value.ts";
import { ToolExecutionError } from "../../types/errors.ts";
import { encodeContent } from "./encode-content.ts";
import {
  isDotSegment,
  placeholder,
  type RequestFields,
  type RequestOptions,
  type ResolvedParameter,
  readTemplate,
  resolveParameter,
} from "./request-options.ts";
import { unsendableInputError } from "./status-error.ts";
import { encodeStrictly, memberText, toPairs, toStyledText } from "./styles.ts";

export interface PlannedRequest {
  readonly url: string;
  readonly method: NonNullable<HttpEgressRequest["method"]>;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
}

export type RequestPlan = (input: unknown) => PlannedRequest | ToolExecutionError;

/** Repeats the name for list items. */
const addQuery = (url: URL, fields: Readonly<Record<string, unknown>>, kept: ReadonlySet<string>): void => {
  for (const [name, value] of Object.entries(fields)) {
    if (kept.has(name)) continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) url.searchParams.append(name, memberText(item));
    }
  }
};

const toHeaders = (fields: Readonly<Record<string, unknown>>): Headers | ToolExecutionError => {
  const headers = new Headers({ accept: "application/json, */*;q=0.5" });
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    if (typeof value === "object")
      return unsendableInputError(`The header ${name} must be one string, not a structure.`);
    const reason = headerProblem(name, String(value));
    if (reason !== undefined)
      return unsendableInputError(`The input does not fit into the request: ${reason}.`);
    headers.set(name, String(value));
  }
  return headers;
};

/** Text is sent as is if another content type is set. */
const toBody = (value: unknown, headers: Headers): string | undefined => {
  const type = headers.get("content-type");
  if (typeof value === "string" && type !== null && !type.includes("json")) return value;
  const text = JSON.stringify(value) as string | undefined;
  if (text !== undefined && type === null) headers.set("content-type", "application/json");
  return text;
};

/** Invalid options were refused at definition time. */
export const requestPlan = <In>(options: RequestOptions<In>): RequestPlan => {
  const { method = "GET", query, headers: headerFields = {}, body } = options;
  const { content } = options;
  const parameters = (options.parameters ?? []).map(resolveParameter);
  const isPlaced = options.parameters !== undefined || content !== undefined;
  const template = pathTemplate(options.url, pathParts(parameters));
  const sendsBody = !isPlaced && (method === "POST" || method === "PUT" || method === "PATCH");

  const bodyOf = (input: unknown): unknown => {
    if (typeof body === "function") return body(input as In);
    if (body !== undefined) return resolveFields(body, input as In);
    return sendsBody ? omitNames(input, template.names) : undefined;
  };

  return (input) => {
    const given = isObject(input) ? input : {};
    const url = template.expand(given);
    if (url instanceof ToolExecutionError) return url;
    const rest = omitNames(input, template.names);
    // Query parameters in the URL cannot be repeated by the input.
    const kept = new Set(url.searchParams.keys());
    if (query !== undefined) addQuery(url, resolveFields(query, input as In), kept);
    else if (!isPlaced && !sendsBody && body === undefined && isObject(rest)) addQuery(url, rest, kept);
    const pairs = parameterPairs(parameters, "query", given);
    if (pairs.length > 0)
      url.search = [url.search.slice(1), ...pairs].filter((each) => each !== "").join("&");
    const headers = toHeaders(resolveFields(headerFields, input as In));
    if (headers instanceof ToolExecutionError) return headers;
    const refusal = addHeaders(headers, parameters, given);
    if (refusal !== undefined) return refusal;
    if (content === undefined)
      return { url: url.href, method, headers, body: toBody(bodyOf(input), headers) };
    const written = encodeContent(content, given);
    if (written instanceof ToolExecutionError) return written;
    if (written !== undefined) headers.set("content-type", written.type);
    return { url: url.href, method, headers, body: written?.body };
  };
};

/** Host and query are fixed, so that input cannot redirect the request. */
interface PathTemplate {
  readonly names: ReadonlySet<string>;
  readonly expand: (input: Readonly<Record<string, unknown>>) => URL | ToolExecutionError;
}

interface PathPart {
  readonly from: string;
  readonly write: (value: unknown) => string;
}

const encode = (
  from: string,
  value: unknown,
  write: PathPart["write"] | undefined,
): string | ToolExecutionError => {
  const pointer = toPointer([from]);
  const isStructure = write !== undefined && typeof value === "object" && value !== null;
  if (!isStructure && typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
    return unsendableInputError(
      `${pointer} is part of a path, so it must be a string, a number or a boolean.`,
      pointer,
    );
  }
  const texts = isStructure ? textsIn(value) : [String(value)];
  if (texts.length === 0 || texts.some((text) => text === "" || /[/\\]/.test(text) || !text.isWellFormed())) {
    return unsendableInputError(
      `${pointer} is part of a path, so it must not be empty or contain a slash.`,
      pointer,
    );
  }
  return write === undefined ? encodeURIComponent(texts[0]!) : write(value);
};

const textsIn = (value: object): readonly string[] =>
  Object.entries(value)
    .filter(([, member]) => member !== undefined && member !== null)
    .flatMap(([key, member]) => [...(Array.isArray(value) ? [] : [key]), memberText(member)]);

export const pathTemplate = (
  text: string,
  parts: ReadonlyMap<string, PathPart> = new Map(),
): PathTemplate => {
  const { base, segments, names } = readTemplate(text);

  const expandSegment = (
    segment: string,
    input: Readonly<Record<string, unknown>>,
  ): string | ToolExecutionError => {
    let refusal: ToolExecutionError | undefined;
    const expanded = segment.replaceAll(placeholder, (_, name: string) => {
      const { from, write } = parts.get(name) ?? { from: name, write: undefined };
      const encoded = encode(from, Object.hasOwn(input, from) ? input[from] : undefined, write);
      if (typeof encoded === "string") return encoded;
      refusal ??= encoded;
      return "";
    });
    // A dot segment would escape from the path.
    return (
      refusal ??
      (isDotSegment(expanded)
        ? unsendableInputError(`The path would contain the segment "${expanded}".`)
        : expanded)
    );
  };

  return {
    names,
    expand: (input) => {
      const expanded: string[] = [];
      for (const segment of segments) {
        const part = expandSegment(segment, input);
        if (typeof part !== "string") return part;
        expanded.push(part);
      }
      const url = new URL(base);
      url.pathname = expanded.join("/");
      const isKept =
        url.origin === base.origin && url.pathname.split("/").length === Math.max(2, expanded.length);
      return isKept
        ? url
        : unsendableInputError("The input would change the host or the segments of the path.");
    },
  };
};

const resolveFields = <In>(fields: RequestFields<In>, input: In): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "function" ? value(input) : value]),
  );

const omitNames = (input: unknown, names: ReadonlySet<string>): unknown =>
  isObject(input) && names.size > 0
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)))
    : input;

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const parameterValue = (
  { from, json }: ResolvedParameter,
  input: Readonly<Record<string, unknown>>,
): unknown => {
  const value = Object.hasOwn(input, from) ? input[from] : undefined;
  return json && isPresent(value) ? JSON.stringify(value) : value;
};

const parameterPairs = (
  parameters: readonly ResolvedParameter[],
  place: "query" | "cookie",
  input: Readonly<Record<string, unknown>>,
): readonly string[] =>
  parameters
    .filter((parameter) => parameter.in === place)
    .flatMap((parameter) => toPairs(parameterValue(parameter, input), parameter));

/** Replaces existing values. */
const addHeaders = (
  headers: Headers,
  parameters: readonly ResolvedParameter[],
  input: Readonly<Record<string, unknown>>,
): ToolExecutionError | undefined => {
  for (const parameter of parameters) {
    const value = parameter.in === "header" ? parameterValue(parameter, input) : undefined;
    if (!isPresent(value)) continue;
    const text = toStyledText(value, parameter, (each) => each);
    const reason = headerProblem(parameter.name, text);
    if (reason !== undefined)
      return unsendableInputError(
        `The input does not fit into the request: ${reason}.`,
        `/${parameter.from}`,
      );
    headers.set(parameter.name, text);
  }
  const cookies = parameterPairs(parameters, "cookie", input);
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  return undefined;
};

const pathParts = (
  parameters: readonly ResolvedParameter[],
): ReadonlyMap<string, { readonly from: string; readonly write: (value: unknown) => string }> =>
  new Map(
    parameters
      .filter((parameter) => parameter.in === "path")
      .map((parameter) => [
        parameter.name,
        {
          from: parameter.from,
          write: (value: unknown) =>
            toStyledText(parameter.json ? JSON.stringify(value) : value, parameter, encodeStrictly),
        },
      ]),
  );
