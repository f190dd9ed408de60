/**
 * The name says that no page but the one of this host set it; loopback has no TLS, so it cannot be `__Host-`. Cookies do
 * not know ports, so the port is in the name: two Studios on one machine do not sign each other out.
 */
const cookieNameOf = (request: Request): string => {
  const { port } = new URL(`http://${request.headers.get("host") ?? new URL(request.url).host}`);
  return port === "" ? "haft-studio" : `haft-studio-${port}`;
};

const maxCookieAgeSeconds = 12 * 3_600;

export const readSessionCookie = (request: Request): string | undefined => {
  const wanted = cookieNameOf(request);
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [name, value] = pair.trim().split("=");
    if (name === wanted && value !== undefined && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
};

/** No script reads it, and no page of another site has it sent along. */
export const toSessionCookie = (request: Request, id: string, base: string): string => {
  const isSecure = new URL(request.url).protocol === "https:";
  return `${cookieNameOf(request)}=${id}; Path=${base === "" ? "/" : base}; Max-Age=${id === "" ? 0 : maxCookieAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
};
