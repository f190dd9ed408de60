import { checkFields } from "../../../base/json/check-fields.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import {
  appConnectionAllowlist,
  appContentSecurityPolicy,
  deniedPermissionsPolicy,
} from "./app-content-security-policy.ts";
import { declarationFields, originKinds, parseAppOrigins } from "./app-origins.ts";
import { frameDocument } from "./frame-document.ts";
import { isOrigin } from "./is-origin.ts";

/** Whose Apps a frame shows. */
export interface AppFrameOptions {
  /** Origins of the Studios that may use it, such as `https://studio.example`. */
  readonly studios: readonly string[] | (() => readonly string[]);
}

/** What is served on an origin of its own, for the pages of MCP Apps to be shown in. */
export interface AppFrame {
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * The frame in which a Studio shows the pages of MCP Apps: one document, without cookies and without an API. Serve it on an
 * origin that serves nothing else, with another host name than the Studio's, and name it as `appOrigin`.
 */
export const appFrame = (options: AppFrameOptions): AppFrame => {
  checkFields("appFrame", options, ["studios"]);
  const { studios } = options;
  const allowedStudios = typeof studios === "function" ? studios : () => studios;
  if (typeof studios !== "function" && !(Array.isArray(studios) && studios.every(isOrigin))) {
    throw new ConfigurationError(
      "invalid_config",
      "appFrame: `studios` is a list of origins, such as https://studio.example.",
    );
  }
  return {
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (request.method !== "GET" && request.method !== "HEAD")
        return frameErrorResponse(405, "This takes GET.");
      if (pathname !== "/") return frameErrorResponse(404, "There is nothing here but the frame of Apps.");
      const studio = searchParams.get("studio");
      if (studio === null || !allowedStudios().includes(studio)) {
        return frameErrorResponse(403, "This frame is for the Studio that opened it.");
      }
      // Read again as if the App itself had written it: an address is no proof of who made it.
      const csp = Object.fromEntries(
        originKinds.map((kind) => [declarationFields[kind], searchParams.getAll(kind)] as const),
      );
      const { reach } = parseAppOrigins(csp, [new URL(studio).hostname, new URL(request.url).hostname]);
      return new Response(request.method === "HEAD" ? null : frameDocument(studio), {
        headers: {
          ...frameHeaders,
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": appContentSecurityPolicy(reach, studio),
          "connection-allowlist": appConnectionAllowlist(reach),
        },
      });
    },
  };
};

const frameHeaders: Readonly<Record<string, string>> = {
  "permissions-policy": deniedPermissionsPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-dns-prefetch-control": "off",
};

const frameErrorResponse = (status: number, words: string): Response =>
  new Response(`${words}\n`, {
    status,
    headers: {
      ...frameHeaders,
      "content-type": "text/plain; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    },
  });
