import { HttpEgressError } from "../../types/errors.ts";
import type { AllowList } from "./allow-list.ts";
import { withoutContent, withoutCredentials } from "./headers.ts";
import type { HttpMethod } from "./http-egress.ts";
import { readUrl } from "./url.ts";

export interface RequestHop {
  readonly url: URL;
  readonly method: HttpMethod;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const isRedirect = (status: number, location: unknown): boolean =>
  redirectStatuses.has(status) && location !== undefined && location !== null;

const redirectRefusedError = (reason: string): HttpEgressError =>
  new HttpEgressError("outside_refused", `The HTTP client refused a redirect: ${reason}.`, { ran: true });

const becomesGet = (status: number, method: HttpMethod): boolean =>
  status === 303 ? method !== "HEAD" : (status === 301 || status === 302) && method === "POST";

export const repeatsSideEffects = ({ method }: RequestHop): boolean => method !== "GET" && method !== "HEAD";

/** The next URL passes the same checks as the first. */
export const nextHop = (
  hop: RequestHop,
  status: number,
  location: string,
  allow: AllowList,
): RequestHop | HttpEgressError => {
  const url = readUrl(location, allow, hop.url);
  if (url instanceof HttpEgressError)
    return redirectRefusedError(url.failure.detail ?? url.message.replace(/\.$/, ""));
  if (hop.url.protocol === "https:" && url.protocol === "http:")
    return redirectRefusedError("it redirects from https: to http:");
  // Otherwise a public server could send requests to places that were opened for others.
  if (allow.has(url) && !allow.has(hop.url))
    return redirectRefusedError("it redirects from a public address to an entry of the allow list");
  const dropsBody = becomesGet(status, hop.method);
  const kept = url.origin === hop.url.origin ? hop.headers : withoutCredentials(hop.headers);
  return {
    url,
    method: dropsBody ? "GET" : hop.method,
    headers: dropsBody ? withoutContent(kept) : kept,
    body: dropsBody ? undefined : hop.body,
  };
};
