import { hash, timingSafeEqual } from "node:crypto";
import * as Redacted from "effect/Redacted";
import { ConfigurationError } from "../../../types/errors.ts";
import type { Principal } from "../../../types/principal.ts";
import { bearerTokenPattern, invalidTokenError, tokenRequiredError } from "./bearer.ts";
import { checkPrincipal } from "./check-principal.ts";
import type { Authenticator, HostAuth, ResourceMetadata, TokenAuth } from "./host-auth.ts";
import type { JwtKeySet } from "./jwks.ts";
import { openJwtAuthenticator } from "./jwt.ts";

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
        const message =
          "The kind of authentication cannot change while the host is running. Restart the host.";
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

interface KnownToken {
  readonly digest: Buffer;
  readonly principal: Principal;
}

const sha256 = (text: string): Buffer => hash("sha256", text, "buffer");

const tokenConfigError = (index: number, what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `/auth/tokens/${index}/token ${what}`);

const digestOf = (token: string, index: number): Buffer => {
  if (token.startsWith("sha256:")) {
    const digits = token.slice("sha256:".length);
    if (!/^[0-9a-f]{64}$/i.test(digits))
      throw tokenConfigError(index, 'must have 64 hexadecimal digits after "sha256:".');
    return Buffer.from(digits, "hex");
  }
  if (token.length < 16)
    throw tokenConfigError(
      index,
      "is shorter than 16 characters. Use 32 random characters (openssl rand -hex 16).",
    );
  if (!bearerTokenPattern.test(token))
    throw tokenConfigError(
      index,
      "has characters that are not allowed in an Authorization header. Use letters and digits.",
    );
  return sha256(token);
};

const readTokens = ({ tokens }: TokenAuth): readonly KnownToken[] => {
  if (tokens.length === 0)
    throw new ConfigurationError(
      "invalid_config",
      "/auth/tokens is empty, so no caller could authenticate. Add a token.",
    );
  const known: KnownToken[] = [];
  tokens.forEach(({ token, principal }, index) => {
    const digest = digestOf(token, index);
    checkPrincipal(principal, `/auth/tokens/${index}/principal`);
    if (known.some((other) => other.digest.equals(digest)))
      throw tokenConfigError(index, "occurs twice. Each token must identify one principal.");
    known.push({ digest, principal });
  });
  return known;
};

/** Compares all hashes in constant time. */
export const createTokenAuthenticator = (auth: TokenAuth): Authenticator => {
  const known = readTokens(auth);
  return {
    identify: async (token) => {
      if (token === undefined) throw tokenRequiredError({});
      const digest = sha256(Redacted.value(token).text);
      let found: KnownToken | undefined;
      for (const one of known) if (timingSafeEqual(one.digest, digest)) found = one;
      if (found !== undefined) return { principal: found.principal };
      throw invalidTokenError({}, "Unknown token. Ask the operator of this host for a token.");
    },
    close: async () => {},
  };
};
