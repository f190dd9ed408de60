import type { AppOrigins } from "../types/apps.ts";

/** The App is a `srcdoc` in the frame document, which inherits this policy and cannot loosen it. */
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
