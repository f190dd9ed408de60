import { ConfigurationError } from "../../../types/errors.ts";
import { checkPrincipal } from "./check-principal.ts";
import type { Authenticator, HostAuth, ResourceMetadata } from "./host-auth.ts";
import type { JwtKeySet } from "./jwks.ts";
import { openJwtAuthenticator } from "./jwt.ts";
import { createTokenAuthenticator } from "./static-tokens.ts";

/** Lets callers change while the host is open. */
export interface SwappableAuth extends Required<Omit<Authenticator, "metadata">> {
  readonly metadata: ResourceMetadata | undefined;
  /** The kind of authentication cannot change. */
  readonly change: (next: HostAuth) => Promise<void>;
}

type OpenAuthenticator = Authenticator & { readonly keys?: JwtKeySet };

export const openSwappableAuth = async (first: HostAuth, now: () => number): Promise<SwappableAuth> => {
  const listeners = new Set<() => void>();
  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };
  let current = await openAuthenticator(first, now, undefined);
  current.onChange?.(notifyListeners);
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
      const opened = await openAuthenticator(next, now, current.keys);
      const previous = current;
      current = opened;
      current.onChange?.(notifyListeners);
      notifyListeners();
      await previous.close();
    },
    close: () => current.close(),
  };
};

const openAuthenticator = async (
  auth: HostAuth,
  now: () => number,
  previousKeys: JwtKeySet | undefined,
): Promise<OpenAuthenticator> => {
  if (auth.kind === "tokens") return createTokenAuthenticator(auth);
  if (auth.kind === "jwt") return openJwtAuthenticator(auth, now, previousKeys);
  if (auth.kind !== "none")
    throw new ConfigurationError("invalid_config", '/auth/kind must be "none", "tokens" or "jwt".');
  checkPrincipal(auth.principal, "/auth/principal");
  return { identify: async () => ({ principal: auth.principal }), close: async () => {} };
};
