import type { AppOrigins } from "../types/apps.ts";

/**
 * The policy of the frame's document. The page of an App is a `srcdoc` in it, so that it has the same policy by the rules of
 * HTML and can only add to it: no tag of its own takes anything away from a header of somebody else's document.
 * There is no `'self'`, since the frame's origin has nothing that an App needs.
 */
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
    // Of the frame in this document too: an App that leaves its page can only go where frames may.
    "frame-src": frame,
    "object-src": [],
    "base-uri": base,
    "form-action": [],
    "frame-ancestors": [studio],
  })
    .map(([name, sources]) => `${name} ${sources.length === 0 ? "'none'" : sources.join(" ")}`)
    .join("; ");

/**
 * The same once more for browsers that know it: of what CSP says nothing about, such as WebRTC and lookups of names, nothing
 * is opened. Where a redirect leads is for the policy above.
 */
export const appConnectionAllowlist = ({ connect, resource, frame, base }: AppOrigins): string => {
  const all = new Set([...connect, ...resource, ...frame, ...base]);
  return `(${Array.from(all, (source) => `"${source}"`).join(" ")});webrtc=block;redirects=allow`;
};

/** Nothing of the machine is lent to an App, whatever its resource asks for. */
export const deniedPermissionsPolicy = [
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
