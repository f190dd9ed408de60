import { ConfigurationError } from "../../words/errors.ts";
import type { Authenticator, HostAuth, ResourceMetadata } from "./host-auth.ts";
import type { Keys } from "./jwks.ts";
import { jwtAuth } from "./jwt.ts";
import { checkPrincipal } from "./principal.ts";
import { staticTokens } from "./static-tokens.ts";

/** An authenticator whose callers, and what they may do, can change while the host is open. */
export interface ChangingAuth extends Required<Omit<Authenticator, "metadata">> {
  /** As it is now. */
  readonly metadata: ResourceMetadata | undefined;
  /** From now on only these callers are known. Another kind of auth is refused, and nothing changes. */
  readonly change: (next: HostAuth) => Promise<void>;
}

type OpenedAuth = Authenticator & { readonly keys?: Keys };

/** Opens the first; each `change` opens another and closes the one before. */
export const changingAuth = async (first: HostAuth, now: () => number): Promise<ChangingAuth> => {
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  let current = await openAuth(first, now, undefined);
  current.onChange?.(changed);
  return {
    get metadata() {
      return current.metadata;
    },
    identify: (token) => current.identify(token),
    problem: () => current.problem?.(),
    onChange: (listener) => void listeners.add(listener),
    change: async (next) => {
      if (next.kind !== first.kind) {
        const message = "How callers say who they are cannot change while the host is open. Start it again.";
        throw new ConfigurationError("invalid_config", message);
      }
      const opened = await openAuth(next, now, current.keys);
      const before = current;
      current = opened;
      current.onChange?.(changed);
      changed();
      await before.close();
    },
    close: () => current.close(),
  };
};

const openAuth = async (auth: HostAuth, now: () => number, before: Keys | undefined): Promise<OpenedAuth> => {
  if (auth.kind === "tokens") return staticTokens(auth);
  if (auth.kind === "jwt") return jwtAuth(auth, now, before);
  if (auth.kind !== "none")
    throw new ConfigurationError("invalid_config", '/auth/kind must be "none", "tokens" or "jwt".');
  checkPrincipal(auth.principal, "/auth/principal");
  return { identify: async () => ({ principal: auth.principal }), close: async () => {} };
};
