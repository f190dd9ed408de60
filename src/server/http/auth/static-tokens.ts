import { hash, timingSafeEqual } from "node:crypto";
import * as Redacted from "effect/Redacted";
import { ConfigurationError } from "../../../types/errors.ts";
import type { Principal } from "../../../types/principal.ts";
import { bearerTokenPattern, invalidTokenRejection, tokenRequiredRejection } from "./bearer.ts";
import { checkPrincipal } from "./check-principal.ts";
import type { Authenticator, TokenAuth } from "./host-auth.ts";

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
      "is shorter than 16 characters; take 32 random ones (openssl rand -hex 16).",
    );
  if (!bearerTokenPattern.test(token))
    throw tokenConfigError(
      index,
      "has characters that no Authorization header carries; take letters and digits.",
    );
  return sha256(token);
};

const readTokens = ({ tokens }: TokenAuth): readonly KnownToken[] => {
  if (tokens.length === 0)
    throw new ConfigurationError("invalid_config", "/auth/tokens is empty, so nobody could call; add one.");
  const known: KnownToken[] = [];
  tokens.forEach(({ token, principal }, index) => {
    const digest = digestOf(token, index);
    checkPrincipal(principal, `/auth/tokens/${index}/principal`);
    if (known.some((other) => other.digest.equals(digest)))
      throw tokenConfigError(index, "is there twice; each token stands for one principal.");
    known.push({ digest, principal });
  });
  return known;
};

/** Compares all hashes in constant time. */
export const createTokenAuthenticator = (auth: TokenAuth): Authenticator => {
  const known = readTokens(auth);
  return {
    identify: async (token) => {
      if (token === undefined) return tokenRequiredRejection({});
      const digest = sha256(Redacted.value(token).text);
      let found: KnownToken | undefined;
      for (const one of known) if (timingSafeEqual(one.digest, digest)) found = one;
      if (found !== undefined) return { principal: found.principal };
      return invalidTokenRejection(
        {},
        "This token is not known here. Ask the operator of this host for one.",
      );
    },
    close: async () => {},
  };
};
