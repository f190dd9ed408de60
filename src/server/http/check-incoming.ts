import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { checkHost, checkOrigin, type HeaderSource } from "../request/check-request.ts";
import { HttpError, type HttpErrorOptions } from "../request/http-error.ts";
import { toUrlHost } from "./loopback.ts";

export const pathOfTarget = (target: string): string => {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
};

const invalidRequestError = (message: string, options?: HttpErrorOptions): HttpError =>
  new HttpError(400, "invalid_request", message, options);

// Node uses the first duplicate, some proxies the last.
const singleValueHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "host",
  "origin",
  "transfer-encoding",
]);

export const maxHeaders = 100;

const checkRawHeaders = ({ rawHeaders, url }: IncomingMessage): void => {
  if (rawHeaders.length >= maxHeaders * 2)
    throw new HttpError(431, "too_many_headers", `Send fewer than ${maxHeaders} headers.`);
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!singleValueHeaders.has(name)) continue;
    if (seen.has(name)) throw invalidRequestError(`Send the header ${name} only once.`);
    seen.add(name);
  }
  if (url?.startsWith("/") !== true)
    throw invalidRequestError("The request target must be a path that starts with a slash.");
};

export interface IncomingRules {
  readonly allowedHosts: ReadonlySet<string>;
  readonly allowedOrigins: ReadonlySet<string>;
}

/** Cheapest check first. */
export const checkIncoming = (
  request: IncomingMessage,
  headers: HeaderSource,
  { allowedHosts, allowedOrigins }: IncomingRules,
): void => {
  checkRawHeaders(request);
  const { host } = request.headers;
  checkHost(host, (name) => allowedHosts.has(name));
  checkOrigin(headers, { host: host!, origins: allowedOrigins, allowsNavigation: true });
};

export const toAllowedHosts = (
  bound: { readonly host: string; readonly port: number },
  more: readonly string[],
): ReadonlySet<string> => {
  const names = [toUrlHost(bound.host), "localhost", "127.0.0.1", "[::1]"].map((name) => name.toLowerCase());
  const list = new Set(more);
  for (const name of names) {
    list.add(`${name}:${bound.port}`);
    if (bound.port === 80) list.add(name);
  }
  return list;
};

/** Query strings end up in logs (RFC 6750 §5.3). */
export const checkQuery = (target: string): void => {
  if (!/[?&](access_token|authorization|bearer|token)=/i.test(target)) return;
  throw invalidRequestError(
    "Tokens in the query string are not accepted. Send the header Authorization: Bearer, and replace this token, because it may have been logged.",
  );
};

const webSocketKeyPattern = /^[+/0-9A-Za-z]{22}==$/;
const protocolTokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const isProtocolList = (protocols: string): boolean => {
  const names = protocols.split(",").map((name) => name.trim());
  return names.every((name) => protocolTokenPattern.test(name)) && new Set(names).size === names.length;
};

/** RFC 6455, checked before a slot is taken. */
export const checkHandshake = (method: string | undefined, headers: IncomingHttpHeaders): void => {
  if (method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket")
    throw invalidRequestError("Only an upgrade to websocket is supported.");
  if (!webSocketKeyPattern.test(headers["sec-websocket-key"] ?? ""))
    throw invalidRequestError("A WebSocket handshake needs a Sec-WebSocket-Key of 16 bytes in base64.");
  const version = headers["sec-websocket-version"];
  if (version !== "13" && version !== "8") {
    throw invalidRequestError("This host supports version 13 of WebSocket. Send Sec-WebSocket-Version: 13.", {
      headers: { "sec-websocket-version": "13, 8" },
    });
  }
  const protocols = headers["sec-websocket-protocol"];
  if (protocols !== undefined && !isProtocolList(protocols))
    throw invalidRequestError("Sec-WebSocket-Protocol must be a list of distinct names, such as: mcp.");
};
