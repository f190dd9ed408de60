import type { IncomingHttpHeaders } from "node:http";
import { type Refusal, refusal } from "../refusal.ts";

const forbidden = (): Refusal =>
  refusal(
    403,
    "forbidden_origin",
    "Pages of this origin may not call this host. Add the origin to allowedOrigins if they should.",
  );

/** Pages call only from the host itself and from listed origins. No Origin is fine: that is no page, or no call. */
export const refuseOrigin = (
  headers: IncomingHttpHeaders,
  allowed: ReadonlySet<string>,
): Refusal | undefined => {
  const { origin } = headers;
  if (origin !== undefined) {
    const host = headers.host?.toLowerCase();
    const isOwn = origin === `http://${host}` || origin === `https://${host}`;
    return isOwn || allowed.has(origin) ? undefined : forbidden();
  }
  // Browsers leave Origin out of some requests of foreign pages, but say what kind of page it was.
  const site = headers["sec-fetch-site"];
  const isForeign = site === "cross-site" || site === "same-site";
  return isForeign && headers["sec-fetch-mode"] !== "navigate" ? forbidden() : undefined;
};
