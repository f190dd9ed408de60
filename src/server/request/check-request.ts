import { HttpError } from "./http-error.ts";

/** Also the headers of a node request without credentials. */
export type HeaderSource = Pick<Headers, "get">;

/** Prevents DNS rebinding. */
export const checkHost = (host: string | null | undefined, isAllowed: (host: string) => boolean): void => {
  if (host !== null && host !== undefined && isAllowed(host.toLowerCase())) return;
  throw new HttpError(
    403,
    "forbidden_host",
    "This Host header is not allowed. Use the address that the server printed, or add the name to the allowed hosts.",
  );
};

export interface OriginRules {
  /** Host header of the request. */
  readonly host: string;
  /** Origins of other pages that may send requests. */
  readonly origins: ReadonlySet<string>;
  /** Whether other sites may link here. */
  readonly allowsNavigation: boolean;
}

/** Prevents requests from pages of other origins (CSRF). Programs that are not browsers send no such headers. */
export const checkOrigin = (headers: HeaderSource, rules: OriginRules): void => {
  if (isAllowedOrigin(headers, rules)) return;
  throw new HttpError(
    403,
    "forbidden_origin",
    "Pages of this origin may not send requests here. To allow them, add the origin to the allowed origins.",
  );
};

const isAllowedOrigin = (
  headers: HeaderSource,
  { host, origins, allowsNavigation }: OriginRules,
): boolean => {
  const origin = headers.get("origin");
  if (origin !== null) {
    if (origins.has(origin)) return true;
    const own = host.toLowerCase();
    if (origin !== `http://${own}` && origin !== `https://${own}`) return false;
  }
  // Browsers omit Origin in some cross-site requests.
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return true;
  return allowsNavigation && headers.get("sec-fetch-mode") === "navigate";
};

/** Forms cannot send JSON. Bodies are not decompressed, so they cannot grow. */
export const checkJsonContent = (headers: HeaderSource): void => {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new HttpError(415, "unsupported_encoding", "Send the body without a content-encoding.");
  }
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() === "application/json") return;
  throw new HttpError(
    415,
    "unsupported_media_type",
    "Send a JSON body with the header content-type: application/json.",
  );
};

export const hostOf = (request: Request): string => request.headers.get("host") ?? new URL(request.url).host;

export const isOrigin = (origin: unknown): boolean =>
  typeof origin === "string" && URL.canParse(origin) && new URL(origin).origin === origin;
