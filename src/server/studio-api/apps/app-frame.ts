import { checkFields } from "../../../base/json/check-fields.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import { isOrigin } from "../../request/check-request.ts";
import type { AppOrigins } from "../schemas/apps.ts";
import { declarationFields, originKinds, parseAppOrigins } from "./app-origins.ts";

/** The App is a `srcdoc` of the frame document. It inherits this policy and cannot loosen it. */
export const appContentSecurityPolicy = (
  { connect, resource, frame, base }: AppOrigins,
  studio: string,
): string =>
  Object.entries({
    "default-src": ["'none'"],
    "script-src": ["'unsafe-inline'", ...resource],
    "style-src": ["'unsafe-inline'", ...resource],
    "img-src": ["data:", "blob:", ...resource],
    "font-src": ["data:", ...resource],
    "media-src": ["data:", "blob:", ...resource],
    "connect-src": connect,
    "worker-src": ["blob:"],
    // Applies also if the App navigates away.
    "frame-src": frame,
    "object-src": [],
    "base-uri": base,
    "form-action": [],
    "frame-ancestors": [studio],
  })
    .map(([name, sources]) => `${name} ${sources.length === 0 ? "'none'" : sources.join(" ")}`)
    .join("; ");

/** Covers what CSP does not, such as WebRTC and DNS lookups. */
export const appConnectionAllowlist = ({ connect, resource, frame, base }: AppOrigins): string => {
  const all = new Set([...connect, ...resource, ...frame, ...base]);
  return `(${Array.from(all, (source) => `"${source}"`).join(" ")});webrtc=block;redirects=allow`;
};

const deniedPermissionsPolicy = [
  "accelerometer",
  "autoplay",
  "camera",
  "clipboard-read",
  "clipboard-write",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "geolocation",
  "gyroscope",
  "hid",
  "identity-credentials-get",
  "idle-detection",
  "local-fonts",
  "magnetometer",
  "microphone",
  "midi",
  "otp-credentials",
  "payment",
  "picture-in-picture",
  "publickey-credentials-create",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "storage-access",
  "usb",
  "window-management",
  "xr-spatial-tracking",
]
  .map((name) => `${name}=()`)
  .join(", ");

/** Options of `appFrame`. */
export interface AppFrameOptions {
  /** Origins of the Studios that may use the frame, such as `https://studio.example`. */
  readonly studios: readonly string[] | (() => readonly string[]);
}

/** Fetch handler of the frame's origin. */
export interface AppFrame {
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Serves the document in which a Studio shows MCP Apps. Use an origin that serves nothing else, on another
 * host name than the Studio, and set it as `appOrigin`.
 */
export const appFrame = (options: AppFrameOptions): AppFrame => {
  checkFields("appFrame", options, ["studios"]);
  const { studios } = options;
  const allowedStudios = typeof studios === "function" ? studios : () => studios;
  if (typeof studios !== "function" && !(Array.isArray(studios) && studios.every(isOrigin))) {
    throw new ConfigurationError(
      "invalid_config",
      "appFrame: `studios` must be an array of origins, such as https://studio.example.",
    );
  }
  return {
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (request.method !== "GET" && request.method !== "HEAD")
        return frameErrorResponse(405, "Only GET is allowed.");
      if (pathname !== "/")
        return frameErrorResponse(404, "This origin serves only the frame of MCP Apps, at /.");
      const studio = searchParams.get("studio");
      if (studio === null || !allowedStudios().includes(studio)) {
        return frameErrorResponse(
          403,
          "This Studio may not use the frame. Add its origin to `studios` of appFrame.",
        );
      }
      // Anyone can build this URL, so its origins are validated again.
      const csp = Object.fromEntries(
        originKinds.map((kind) => [declarationFields[kind], searchParams.getAll(kind)] as const),
      );
      const { allowedOrigins } = parseAppOrigins(csp, [
        new URL(studio).hostname,
        new URL(request.url).hostname,
      ]);
      return new Response(request.method === "HEAD" ? null : frameDocument(studio), {
        headers: {
          ...frameHeaders,
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": appContentSecurityPolicy(allowedOrigins, studio),
          "connection-allowlist": appConnectionAllowlist(allowedOrigins),
        },
      });
    },
  };
};

const maxMessageBurst = 200;
const messagesPerSecond = 100;
const floodThreshold = 1_000;
/** In characters of JSON. */
const maxAppMessageLength = 1_048_576;

/** The sandbox proxy of the MCP Apps specification. It checks the window and origin of every message. */
const frameDocument = (studio: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>MCP App</title>
<style>html,body{margin:0;height:100%;overflow:hidden}iframe{display:block;border:0;width:100%;height:100%}</style>
</head>
<body>
<script>
"use strict";
(() => {
  const studio = ${JSON.stringify(studio).replaceAll("<", "\\u003c")};
  const own = "ui/notifications/sandbox-";
  const host = window.parent;
  if (host === window) return;
  const isOwn = (message) => typeof message?.method === "string" && message.method.startsWith(own);
  const tell = (name, params) => host.postMessage({ jsonrpc: "2.0", method: own + name, params }, studio);
  let app;
  let isTaken = false;
  let loads = 0;
  let left = ${maxMessageBurst};
  setInterval(() => { left = Math.min(${maxMessageBurst}, left + ${messagesPerSecond / 10}); }, 100);
  const end = (why) => {
    app?.remove();
    app = undefined;
    tell("ended", { why });
  };
  const show = (html) => {
    if (isTaken || typeof html !== "string") return;
    isTaken = true;
    app = document.createElement("iframe");
    app.setAttribute("sandbox", "allow-scripts allow-forms");
    app.setAttribute("allow", "");
    app.referrerPolicy = "no-referrer";
    app.title = "App";
    app.srcdoc = html;
    app.addEventListener("load", () => {
      loads += 1;
      if (loads > 1) end("left");
    });
    document.body.append(app);
  };
  const passOn = (message) => {
    left -= 1;
    if (left < -${floodThreshold}) return end("flood");
    if (left < 0 || typeof message !== "object" || message === null || isOwn(message)) return;
    let text;
    try {
      text = JSON.stringify(message);
    } catch {
      return;
    }
    if (text.length <= ${maxAppMessageLength}) return host.postMessage(JSON.parse(text), studio);
    const { id } = message;
    if (typeof id !== "string" && typeof id !== "number") return;
    const error = { code: -32600, message: "The message has more than ${maxAppMessageLength} characters." };
    app.contentWindow.postMessage({ jsonrpc: "2.0", id, error }, "*");
  };
  window.addEventListener("message", ({ data, source, origin }) => {
    if (source === host && origin === studio) {
      if (data?.method === own + "resource-ready") show(data.params?.html);
      else if (!isOwn(data)) app?.contentWindow?.postMessage(data, "*");
    } else if (app !== undefined && source === app.contentWindow) passOn(data);
  });
  tell("proxy-ready", {});
})();
</script>
</body>
</html>
`;

const frameHeaders: Readonly<Record<string, string>> = {
  "permissions-policy": deniedPermissionsPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-dns-prefetch-control": "off",
};

const frameErrorResponse = (status: number, message: string): Response =>
  new Response(`${message}\n`, {
    status,
    headers: {
      ...frameHeaders,
      "content-type": "text/plain; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    },
  });
