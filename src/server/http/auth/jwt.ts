import { hash } from "node:crypto";
import * as Redacted from "effect/Redacted";
import { errors, type JWTVerifyOptions, jwtVerify } from "jose";
import { type HttpRefusal, refusal, retryAfter } from "../refusal.ts";
import { type BearerChallenge, insufficientScope, invalidToken, tokenRequired } from "./bearer.ts";
import { readPrincipal, readScopes, UnusableClaim } from "./claims.ts";
import type { Authenticator, Identified, JwtAuth } from "./host-auth.ts";
import { type Keys, KeysUnavailable, openKeys } from "./jwks.ts";
import { checkJwtOptions, metadataUrl, readAlgorithms, resourceMetadata } from "./jwt-options.ts";

const typeNames: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt", "application/jwt"]);

/** What a caller may know of why its token is refused; never what is in the token. */
const reasonOf = (error: unknown, { audience }: JwtAuth): string => {
  if (error instanceof UnusableClaim) return error.message;
  if (error instanceof errors.JWTExpired) return "The token expired. Get a new one.";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "aud")
      return `The token is for another audience. Get one with the parameter resource=${audience}.`;
    if (error.claim === "iss") return "The token is from another issuer than this endpoint trusts.";
    if (error.claim === "nbf") return "The token is not valid yet. Check the clocks.";
    return "The token lacks a claim that is needed, or has it in the wrong form.";
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return "The token is signed in a way that is not accepted here.";
  if (error instanceof errors.JWKSNoMatchingKey)
    return "The token is signed with a key that the issuer does not show.";
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return "The token does not say which key signed it (kid).";
  return "The token cannot be verified. Get a new one from the issuer.";
};

const isAboutKeys = (error: unknown): boolean =>
  error instanceof KeysUnavailable ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid;

const keysUnavailable = (): HttpRefusal =>
  refusal(
    503,
    "keys_unavailable",
    "The keys of the token's issuer cannot be reached, so no token can be checked. Try again in a moment.",
    retryAfter(5_000),
  );

export interface JwtAuthenticator extends Authenticator {
  /** For whoever takes over from this one. */
  readonly keys: Keys;
}

/** Checks access tokens of one issuer for this one audience, and turns their scopes into tools. */
export const jwtAuth = async (auth: JwtAuth, now: () => number, before?: Keys): Promise<JwtAuthenticator> => {
  checkJwtOptions(auth);
  const options = {
    issuer: auth.issuer,
    audience: auth.audience,
    algorithms: readAlgorithms(auth),
    clockTolerance: auth.clockToleranceSec ?? 0,
    requiredClaims: ["exp"],
  } satisfies JWTVerifyOptions;
  const keys = await openKeys(auth, now, before);
  const required = auth.requiredScopes ?? [];
  const challenge: BearerChallenge = { metadataUrl: metadataUrl(auth.audience), scopes: required };
  const patterns = new Map(Object.entries(auth.scopes ?? {}));
  const verified = verifiedTokens(now);
  const listeners = new Set<() => void>();
  keys.onChange(() => {
    verified.forget();
    for (const listener of listeners) listener();
  });

  const verify = async (text: string): Promise<Identified | HttpRefusal> => {
    const keep = verified.keeper();
    const { payload, protectedHeader } = await jwtVerify(text, keys.find, {
      ...options,
      currentDate: new Date(now()),
    });
    if (protectedHeader.typ !== undefined && !typeNames.has(protectedHeader.typ.toLowerCase()))
      return invalidToken(challenge, "This is not an access token.");
    const principal = readPrincipal(payload, auth.claims);
    const scopes = readScopes(payload);
    if (!required.every((scope) => scopes.has(scope)))
      return insufficientScope(challenge, `The token lacks a scope. Get one with ${required.join(" ")}.`);
    const allow = new Set([...scopes].flatMap((scope) => patterns.get(scope) ?? []));
    const endsAt = (payload.exp! + options.clockTolerance) * 1000;
    // They open pages and not tools, so they are what the caller is rather than what it may call.
    const pages = [...scopes].filter((scope) => scope.startsWith("studio:"));
    const roles = pages.length === 0 ? {} : { roles: Object.freeze([...(principal.roles ?? []), ...pages]) };
    const caller = Object.freeze({ ...principal, ...roles, allow: Object.freeze([...allow]) });
    const found = Object.freeze({ principal: caller, endsAt });
    keep(text, found);
    return found;
  };

  return {
    keys,
    metadata: resourceMetadata(auth),
    close: keys.close,
    problem: keys.problem,
    onChange: (listener) => void listeners.add(listener),
    identify: async (token) => {
      if (token === undefined) return tokenRequired(challenge);
      try {
        const { text } = Redacted.value(token);
        // What was found with a set counts no longer than the set does.
        return (keys.areHeld() ? verified.find(text) : undefined) ?? (await verify(text));
      } catch (error) {
        return isAboutKeys(error) ? keysUnavailable() : invalidToken(challenge, reasonOf(error, auth));
      }
    },
  };
};

const keptMs = 60_000;
const most = 1_000;

interface VerifiedTokens {
  readonly find: (text: string) => Identified | undefined;
  /** Until the token ends, but for a minute at most. What was checked with keys that were replaced meanwhile is not kept. */
  readonly keeper: () => (text: string, found: Identified & { readonly endsAt: number }) => void;
  /** Another set of keys counts now, and each token is checked against it. */
  readonly forget: () => void;
}

/** Tokens that were verified a moment ago, by their hashes: an agent shows the same one with every call. */
const verifiedTokens = (now: () => number): VerifiedTokens => {
  let kept = new Map<string, { readonly found: Identified; readonly from: number; readonly until: number }>();
  const keyOf = (text: string): string => hash("sha256", text, "base64");
  return {
    find: (text) => {
      const one = kept.get(keyOf(text));
      const at = now();
      return one !== undefined && one.from <= at && at < one.until ? one.found : undefined;
    },
    keeper: () => {
      const into = kept;
      return (text, found) => {
        const from = now();
        into.set(keyOf(text), { found, from, until: Math.min(found.endsAt, from + keptMs) });
        if (into.size > most) into.delete(into.keys().next().value!);
      };
    },
    forget: () => {
      kept = new Map();
    },
  };
};
