import { createHash, randomBytes } from "node:crypto";
import type { Person } from "../person.ts";

/** How long a link can be used, once. */
const linkMs = 5 * 60_000;
/** How long somebody stays signed in. */
const sessionMs = 12 * 3_600_000;
const mostAtOnce = 1_000;

/** Links that are used once, and the sessions they open. Both die with the process. */
export interface Sessions {
  /** A token of 256 bits, for one sign-in within five minutes. */
  readonly link: (person: Person) => string;
  /** The session that a token opens; nothing where it was used, is too old, or was never given. */
  readonly signIn: (token: string) => { readonly id: string; readonly person: Person } | undefined;
  readonly find: (id: string) => Person | undefined;
  readonly signOut: (id: string) => void;
}

interface Kept {
  readonly person: Person;
  readonly until: number;
  readonly leave: () => void;
}

const digest = (token: string): string => createHash("sha256").update(token).digest("hex");

export const sessions = (now: () => number): Sessions => {
  const links = new Map<string, Kept>();
  const open = new Map<string, Kept>();
  /** Under the hash of a token, so that no lookup tells anything of it by its time. */
  const keep = (kept: Map<string, Kept>, person: Person, ms: number, leave = () => {}): string => {
    for (const [key, { until, leave: end }] of kept) {
      if (until > now() && kept.size < mostAtOnce) continue;
      kept.delete(key);
      end();
    }
    const token = randomBytes(32).toString("base64url");
    kept.set(digest(token), { person, until: now() + ms, leave });
    return token;
  };
  const find = (kept: Map<string, Kept>, token: string): Kept | undefined => {
    const found = kept.get(digest(token));
    return found === undefined || found.until <= now() ? undefined : found;
  };
  return {
    link: (person) => keep(links, person, linkMs),
    signIn: (token) => {
      const found = find(links, token);
      links.delete(digest(token));
      if (found === undefined) return undefined;
      const signedOut = new AbortController();
      const person = { ...found.person, endsAt: now() + sessionMs, signedOut: signedOut.signal };
      return { id: keep(open, person, sessionMs, () => signedOut.abort()), person };
    },
    find: (id) => find(open, id)?.person,
    signOut: (id) => {
      find(open, id)?.leave();
      open.delete(digest(id));
    },
  };
};
