import { ConfigurationError, HttpEgressError } from "../../types/errors.ts";
import type { AllowList } from "./address.ts";
import { withoutContent, withoutCredentials } from "./headers.ts";
import type { HttpMethod } from "./http-egress.ts";

/** Omits the query, which may hold a secret. */
export const displayUrl = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`.slice(0, 300);

/** Removes IPv6 brackets and the final dot of a fully qualified name. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

export const portOf = (url: URL): number =>
  url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);

export const hostAndPortOf = (url: URL): string => `${hostOf(url)}:${portOf(url)}`;

/** The port is required, so that no entry opens every port of a host. */
export const parseAllowEntry = (entry: string): string => {
  const url = URL.canParse(`http://${entry}`) ? new URL(`http://${entry}`) : undefined;
  if (url === undefined || !/:\d+$/.test(entry) || url.username !== "" || url.pathname !== "/") {
    throw new ConfigurationError(
      "invalid_config",
      `${JSON.stringify(entry)} is not a valid entry of the allow list; write host:port, such as "intranet.example:8080" or "[::1]:8080".`,
    );
  }
  return hostAndPortOf(url);
};

export const allowAdvice = (url: URL): string =>
  `An operator can allow it: Haft.open({ httpEgress: { allow: [${JSON.stringify(hostAndPortOf(url))}] } }).`;

const urlProblem = (url: URL, allow: AllowList): string | undefined => {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `the scheme ${url.protocol.slice(0, 40)} is not http: or https:`;
  }
  if (url.username !== "" || url.password !== "") {
    return "a URL must not contain a user name or password; use a secret instead";
  }
  if (allow.has(url)) return undefined;
  const host = hostOf(url);
  if (host === "localhost" || host.endsWith(".localhost")) return `${host} is a loopback address`;
  const port = portOf(url);
  // Other low ports speak protocols that may read commands from an HTTP request.
  if (port < 1024 && port !== 80 && port !== 443) return `port ${port} belongs to another protocol than HTTP`;
  return undefined;
};

/** The connector checks the address when the socket connects. */
export const readUrl = (text: string, allow: AllowList, base?: URL): URL | HttpEgressError => {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    return new HttpEgressError(
      "outside_refused",
      "The URL cannot be read; it must be absolute, such as https://host/path.",
      { ran: false },
    );
  }
  url.hash = "";
  const reason = urlProblem(url, allow);
  if (reason === undefined) return url;
  const hint = url.protocol.startsWith("http") && url.username === "" ? ` ${allowAdvice(url)}` : "";
  return new HttpEgressError("outside_refused", `The HTTP client refused the request: ${reason}.${hint}`, {
    detail: reason,
    ran: false,
  });
};

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
