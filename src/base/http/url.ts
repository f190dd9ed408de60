import { HttpEgressError } from "../../types/errors.ts";
import type { AllowList } from "./allow-list.ts";
import { hostAndPortOf, hostOf, portOf } from "./host-and-port.ts";

/** Omits the query, which may hold a secret. */
export const displayUrl = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`.slice(0, 300);

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
