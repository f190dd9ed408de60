import { isIP } from "node:net";

const bareHost = (host: string): string => host.replace(/^\[|\]$/g, "").toLowerCase();

export const isLoopback = (host: string | undefined): boolean => {
  if (host === undefined) return false;
  const address = bareHost(host).replace(/^::ffff:(?=\d+\.)/, "");
  return address === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
};

export const toUrlHost = (host: string): string =>
  isIP(bareHost(host)) === 6 ? `[${bareHost(host)}]` : host;
