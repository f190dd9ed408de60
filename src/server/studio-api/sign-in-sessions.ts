import { createHash, randomBytes } from "node:crypto";
import { hostOf } from "../request/check-request.ts";
import type { Person } from "./api-context.ts";

const linkLifetimeMs = 5 * 60_000;
const sessionLifetimeMs = 12 * 3_600_000;
const maxSessions = 1_000;

export interface SignInSessions {
  /** Returns a token for one sign-in. */
  readonly link: (person: Person) => string;
  /** Undefined if the token was used, has expired or is unknown. */
  readonly signIn: (token: string) => { readonly id: string; readonly person: Person } | undefined;
  readonly find: (id: string) => Person | undefined;
  readonly signOut: (id: string) => void;
}

interface StoredSession {
  readonly person: Person;
  readonly until: number;
  readonly leave: () => void;
}

const tokenHash = (token: string): string => createHash("sha256").update(token).digest("hex");

export const createSignInSessions = (now: () => number): SignInSessions => {
  const links = new Map<string, StoredSession>();
  const openSessions = new Map<string, StoredSession>();
  /** Tokens are stored as hashes, so that the time of a lookup reveals nothing about them. */
  const store = (kept: Map<string, StoredSession>, person: Person, ms: number, leave = () => {}): string => {
    for (const [key, { until, leave: end }] of kept) {
      if (until > now() && kept.size < maxSessions) continue;
      kept.delete(key);
      end();
    }
    const token = randomBytes(32).toString("base64url");
    kept.set(tokenHash(token), { person, until: now() + ms, leave });
    return token;
  };
  const find = (kept: Map<string, StoredSession>, token: string): StoredSession | undefined => {
    const found = kept.get(tokenHash(token));
    return found === undefined || found.until <= now() ? undefined : found;
  };
  return {
    link: (person) => store(links, person, linkLifetimeMs),
    signIn: (token) => {
      const found = find(links, token);
      links.delete(tokenHash(token));
      if (found === undefined) return undefined;
      const signedOut = new AbortController();
      const person = { ...found.person, expiresAt: now() + sessionLifetimeMs, signedOut: signedOut.signal };
      return { id: store(openSessions, person, sessionLifetimeMs, () => signedOut.abort()), person };
    },
    find: (id) => find(openSessions, id)?.person,
    signOut: (id) => {
      find(openSessions, id)?.leave();
      openSessions.delete(tokenHash(id));
    },
  };
};

/** Browsers share cookies between ports, so the name contains the port. The prefix `__Host-` needs TLS. */
const cookieNameOf = (request: Request): string => {
  const { port } = new URL(`http://${hostOf(request)}`);
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
