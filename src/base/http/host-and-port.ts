import { ConfigurationError } from "../../types/errors.ts";

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
