import * as Effect from "effect/Effect";
import { HttpEgress, type HttpEgressResponse, type HttpMethod } from "../../../base/http/http-egress.ts";
import { hostAndPortOf, hostOf, portOf } from "../../../base/http/url.ts";
import { responseText } from "../../../tools/http/status-error.ts";
import type { CallContext } from "../../../types/call.ts";
import { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";

export interface HttpRequestInput {
  readonly url: string;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly as?: "text" | "raw" | "base64";
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

const readMethods: readonly HttpMethod[] = ["GET", "HEAD"];

export const httpGetter = ({ http }: SkillSettings) => {
  const send = requestSender(http);
  return ({ url }: Pick<HttpRequestInput, "url">, context: CallContext) =>
    send({ url, headers: { accept: "text/html, application/json, text/plain;q=0.9, */*;q=0.5" } }, context);
};

export const httpRequester = ({ http }: SkillSettings) => {
  const send = requestSender(http);
  const headersAllowed = new Set(http.headers.map((name) => name.toLowerCase()));
  return (input: HttpRequestInput, context: CallContext) =>
    Effect.gen(function* () {
      const { method = "GET", headers = {}, body } = input;
      if (!http.methods.includes(method))
        return yield* Effect.fail(notAllowedError("methods", method, http.methods));
      for (const name of Object.keys(headers)) {
        if (!headersAllowed.has(name.toLowerCase())) {
          return yield* Effect.fail(notAllowedError("headers", name, http.headers));
        }
      }
      if (body !== undefined && readMethods.includes(method)) {
        return yield* Effect.fail(
          refusedCallError(`A ${method} request cannot have a body. Remove the body or use another method.`),
        );
      }
      return yield* send(input, context);
    });
};

const requestSender =
  ({ hosts, ...limits }: SkillSettings["http"]) =>
  (input: HttpRequestInput, { idempotencyKey }: Pick<CallContext, "idempotencyKey">) =>
    Effect.gen(function* () {
      const { url, method = "GET", headers = {}, body, as = "text" } = input;
      const key: Readonly<Record<string, string>> = readMethods.includes(method)
        ? {}
        : { "idempotency-key": idempotencyKey };
      const { request } = yield* HttpEgress;
      const response = yield* request({
        url,
        method,
        headers: { ...headers, ...key },
        // An allowed host could redirect to any other.
        refuse: (at) => hostProblem(at, hosts),
        timeoutMs: Math.min(input.timeoutMs ?? limits.timeoutMs, limits.timeoutMs),
        maxBytes: Math.min(input.maxBytes ?? limits.maxBytes, limits.maxBytes),
        ...(body === undefined ? {} : { body }),
      });
      return yield* toModelResponse(response, as);
    });

const notAllowedError = (what: "methods" | "headers", name: string, granted: readonly string[]) => {
  const shown = JSON.stringify(name.slice(0, 80));
  const among = granted.length === 0 ? "none is" : `these are: ${granted.join(", ")}`;
  return refusedCallError(
    `${what === "methods" ? "The method" : "The header"} ${shown} is not granted; ${among}. An operator can add it: config: { skills: { http: { ${what}: [${shown}] } } }.`,
  );
};

/** `example.com`, `*.example.com` for subdomains, `example.com:8443`, or `*`. */
export const isAllowedHost = (url: URL, hosts: readonly string[]): boolean =>
  hosts.some((host) => matchesHost(url, host));

const matchesHost = (url: URL, pattern: string): boolean => {
  const [, name = "", port] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
  // Without a port, only 80 and 443.
  const isPort =
    port === undefined ? portOf(url) === 80 || portOf(url) === 443 : portOf(url) === Number(port);
  if (!isPort) return false;
  const host = hostOf(url);
  if (name === "*") return true;
  return name.startsWith("*.")
    ? host.endsWith(name.slice(1)) && host.length > name.length - 1
    : host === name;
};

const hostProblem = (url: URL, hosts: readonly string[]): string | undefined => {
  if (isAllowedHost(url, hosts)) return undefined;
  const wanted = JSON.stringify([443, 80].includes(portOf(url)) ? hostOf(url) : hostAndPortOf(url));
  const shown = wanted.slice(0, 120);
  const why =
    hosts.length === 0
      ? `No host is granted, so ${shown} cannot be reached`
      : `${shown} is not among the granted hosts, which are ${hosts.slice(0, 20).join(", ")}`;
  return `${why}. An operator can grant it: config: { skills: { http: { hosts: [${shown}] } } }.`;
};

/** None of them contains session secrets. */
const visibleHeaders = [
  "content-language",
  "content-length",
  "date",
  "etag",
  "last-modified",
  "link",
  "location",
  "retry-after",
];

const isHtml = (type: string): boolean => type === "text/html" || type === "application/xhtml+xml";

const isText = (type: string): boolean =>
  type.startsWith("text/") ||
  /^application\/([\w.-]+\+)?(json|xml)$/.test(type) ||
  /^application\/(javascript|yaml|x-ndjson|x-www-form-urlencoded|toml)$/.test(type) ||
  type === "image/svg+xml";

/** HTML becomes text; binary types only as base64 on request. */
const toModelResponse = (
  response: HttpEgressResponse,
  as: "text" | "raw" | "base64",
): Effect.Effect<object, ToolExecutionError> =>
  Effect.gen(function* () {
    const { url, status, headers, body } = response;
    const contentType = headers.get("content-type") ?? "";
    const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
    const about = { url, status, contentType, headers: pickHeaders(headers) };
    if (as === "base64") return { ...about, base64: Buffer.from(body).toString("base64") };
    if (body.byteLength === 0) return { ...about, text: "" };
    if (!isText(type) && !(type === "" && !body.includes(0)))
      return yield* Effect.fail(unreadableResponseError(type, url));
    if (!isHtml(type) || as === "raw") return { ...about, text: responseText(response) };
    const { htmlToText: readable } = yield* Effect.promise(() => import("./html-to-text.ts"));
    return { ...about, text: readable(responseText(response), url) };
  });

const pickHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    visibleHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

const unreadableResponseError = (type: string, url: string): ToolExecutionError =>
  new ToolExecutionError(
    "failed",
    `${new URL(url).host} answered with ${type === "" ? "bytes without a content type" : type.slice(0, 80)}, which is not text. Use http-request with as: "base64" to read it.`,
    { ran: true, retryable: false },
  );
