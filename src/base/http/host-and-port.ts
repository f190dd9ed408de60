import { ConfigurationError } from "../../types/errors.ts";

/** Without brackets, and without the dot that a full DNS name may end with. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

export const portOf = (url: URL): number =>
  url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);

/** Where a URL leads, as an allow list names it. */
export const hostAndPortOf = (url: URL): string => `${hostOf(url)}:${portOf(url)}`;

/** Reads one entry of an allow list. A port is always named: opening a host whole is more than anybody means. */
export const parseAllowEntry = (entry: string): string => {
  const url = URL.canParse(`http://${entry}`) ? new URL(`http://${entry}`) : undefined;
  if (url === undefined || !/:\d+$/.test(entry) || url.username !== "" || url.pathname !== "/") {
    throw new ConfigurationError(
      "invalid_config",
      `${JSON.stringify(entry)} is not a place in the allow list; write host:port, such as "intranet.example:8080" or "[::1]:8080".`,
    );
  }
  return hostAndPortOf(url);
};
