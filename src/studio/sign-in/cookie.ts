/** The name says that no page but the one of this host set it; loopback has no TLS, so it cannot be `__Host-`. */
export const cookieName = "haft-studio";

const longest = 12 * 3_600;

export const readCookie = (request: Request): string | undefined => {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [name, value] = pair.trim().split("=");
    if (name === cookieName && value !== undefined && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
};

/** No script reads it, and no page of another site has it sent along. */
export const toCookie = (id: string, base: string, isSecure: boolean): string =>
  `${cookieName}=${id}; Path=${base === "" ? "/" : base}; Max-Age=${id === "" ? 0 : longest}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
