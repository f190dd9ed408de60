import { hostAndPortOf, hostOf, portOf } from "../../../base/http/host-and-port.ts";

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

export const hostProblem = (url: URL, hosts: readonly string[]): string | undefined => {
  if (isAllowedHost(url, hosts)) return undefined;
  const wanted = JSON.stringify([443, 80].includes(portOf(url)) ? hostOf(url) : hostAndPortOf(url));
  const shown = wanted.slice(0, 120);
  const why =
    hosts.length === 0
      ? `No host is granted, so ${shown} cannot be reached`
      : `${shown} is not among the granted hosts, which are ${hosts.slice(0, 20).join(", ")}`;
  return `${why}. An operator can grant it: config: { skills: { http: { hosts: [${shown}] } } }.`;
};
