import type { IncomingMessage } from "node:http";
import { type HttpRejection, httpRejection } from "../http-rejection.ts";

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

export const headersRejection = ({ rawHeaders, url }: IncomingMessage): HttpRejection | undefined => {
  if (rawHeaders.length >= maxHeaders * 2)
    return httpRejection(431, "too_many_headers", `Send fewer than ${maxHeaders} headers.`);
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!singleValueHeaders.has(name)) continue;
    if (seen.has(name)) return httpRejection(400, "invalid_request", `Send the header ${name} only once.`);
    seen.add(name);
  }
  if (url?.startsWith("/") === true) return undefined;
  return httpRejection(400, "invalid_request", "The request target must be a path that starts with a slash.");
};
