import { OutsideError } from "../words/errors.ts";
import type { AllowList } from "./allow.ts";
import { withoutContent, withoutCredentials } from "./headers.ts";
import type { HttpMethod } from "./outside.ts";
import { readUrl } from "./url.ts";

/** One request on the wire, between two redirects. */
export interface Hop {
  readonly url: URL;
  readonly method: HttpMethod;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const isRedirect = (status: number, location: unknown): boolean =>
  redirects.has(status) && location !== undefined && location !== null;

const refused = (reason: string): OutsideError =>
  new OutsideError("outside_refused", `The outgoing client refused a redirect: ${reason}.`, { ran: true });

const becomesGet = (status: number, method: HttpMethod): boolean =>
  status === 303 ? method !== "HEAD" : (status === 301 || status === 302) && method === "POST";

/** Whether this request after a redirect may do again what the one before it may have done. */
export const repeats = ({ method }: Hop): boolean => method !== "GET" && method !== "HEAD";

/** Where a redirect leads, judged like a first URL, or why it is not followed. */
export const nextHop = (hop: Hop, status: number, location: string, allow: AllowList): Hop | OutsideError => {
  const url = readUrl(location, allow, hop.url);
  if (url instanceof OutsideError) return refused(url.failure.detail ?? url.message.replace(/\.$/, ""));
  if (hop.url.protocol === "https:" && url.protocol === "http:")
    return refused("it leads from https: to http:");
  // Otherwise any public server could steer a request into the places opened for others.
  if (allow.has(url) && !allow.has(hop.url)) return refused("it leads from outside into the allow list");
  const dropsBody = becomesGet(status, hop.method);
  const kept = url.origin === hop.url.origin ? hop.headers : withoutCredentials(hop.headers);
  return {
    url,
    method: dropsBody ? "GET" : hop.method,
    headers: dropsBody ? withoutContent(kept) : kept,
    body: dropsBody ? undefined : hop.body,
  };
};
