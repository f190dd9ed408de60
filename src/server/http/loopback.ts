import { isIP } from "node:net";

const bareHost = (host: string): string => host.replace(/^\[|\]$/g, "").toLowerCase();

/** An address or a name that leads to this machine and to no other. */
export const isLoopback = (host: string | undefined): boolean => {
  if (host === undefined) return false;
  const address = bareHost(host).replace(/^::ffff:(?=\d+\.)/, "");
  return address === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
};

/** As it is written in a URL. */
export const toUrlHost = (host: string): string =>
  isIP(bareHost(host)) === 6 ? `[${bareHost(host)}]` : host;
