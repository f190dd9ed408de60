/** Cookies ignore ports, so the name contains the port. `__Host-` needs TLS. */
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

export const toSessionCookie = (request: Request, id: string, base: string): string => {
  const isSecure = new URL(request.url).protocol === "https:";
  return `${cookieNameOf(request)}=${id}; Path=${base === "" ? "/" : base}; Max-Age=${id === "" ? 0 : maxCookieAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
};
