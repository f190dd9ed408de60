import { type HttpRejection, httpRejection } from "../http-rejection.ts";
import { toUrlHost } from "../loopback.ts";

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

/** Prevents DNS rebinding. */
export const hostRejection = (
  host: string | undefined,
  list: ReadonlySet<string>,
): HttpRejection | undefined =>
  host !== undefined && list.has(host.toLowerCase())
    ? undefined
    : httpRejection(
        403,
        "forbidden_host",
        "This Host header is not allowed. Use the address that the host was started with, or add the name to allowedHosts.",
      );
