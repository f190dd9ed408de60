import { hash } from "node:crypto";
import * as Redacted from "effect/Redacted";
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import type { Principal } from "../../../types/principal.ts";
import { HttpError, retryAfter } from "../../request/http-error.ts";
import {
  type BearerChallenge,
  insufficientScopeError,
  invalidTokenError,
  tokenRequiredError,
} from "./bearer.ts";
import type { AuthenticatedCaller, Authenticator, ClaimNames, JwtAuth } from "./host-auth.ts";
import { type JwtKeySet, KeysUnavailableError, openKeySet } from "./jwks.ts";
import { checkJwtOptions, metadataUrl, readAlgorithms, resourceMetadata } from "./jwt-options.ts";

const typeNames: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt", "application/jwt"]);

/** Contains nothing of the token. */
const jwtRejectionReason = (error: unknown, { audience }: JwtAuth): string => {
  if (error instanceof UnusableClaimError) return error.message;
  if (error instanceof errors.JWTExpired) return "The token expired. Get a new one.";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "aud")
      return `The token is for another audience. Get one with the parameter resource=${audience}.`;
    if (error.claim === "iss") return "The token is from an issuer that this endpoint does not trust.";
    if (error.claim === "nbf") return "The token is not valid yet. Check the clocks.";
    return "A required claim of the token is missing or invalid.";
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return "The token is signed with an algorithm that this endpoint does not accept.";
  if (error instanceof errors.JWKSNoMatchingKey)
    return "The token is signed with a key that is not in the issuer's key set.";
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return "The token does not say which key signed it (kid).";
  return "The token cannot be verified. Get a new one from the issuer.";
};

const isKeySetError = (error: unknown): boolean =>
  error instanceof KeysUnavailableError ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid;

const keysUnavailableError = (): HttpError =>
  new HttpError(
    503,
    "keys_unavailable",
    "The keys of the token's issuer cannot be reached, so tokens cannot be verified. Try again in a moment.",
    { headers: retryAfter(5_000) },
  );

export interface JwtAuthenticator extends Authenticator {
  readonly keys: JwtKeySet;
}

/** Verifies tokens of one issuer and audience, and maps scopes to tools. */
export const openJwtAuthenticator = async (
  auth: JwtAuth,
  now: () => number,
  previousKeys?: JwtKeySet,
): Promise<JwtAuthenticator> => {
  checkJwtOptions(auth);
  const options = {
    issuer: auth.issuer,
    audience: auth.audience,
    algorithms: readAlgorithms(auth),
    clockTolerance: auth.clockToleranceSec ?? 0,
    requiredClaims: ["exp"],
  } satisfies JWTVerifyOptions;
  const keys = await openKeySet(auth, now, previousKeys);
  const required = auth.requiredScopes ?? [];
  const challenge: BearerChallenge = { metadataUrl: metadataUrl(auth.audience), scopes: required };
  const patterns = new Map(Object.entries(auth.scopes ?? {}));
  const verified = createVerifiedTokenCache(now);
  const listeners = new Set<() => void>();
  keys.onChange(() => {
    verified.clear();
    for (const listener of listeners) listener();
  });

  const verify = async (text: string): Promise<AuthenticatedCaller> => {
    const keep = verified.writer();
    const { payload, protectedHeader } = await jwtVerify(text, keys.find, {
      ...options,
      currentDate: new Date(now()),
    });
    if (protectedHeader.typ !== undefined && !typeNames.has(protectedHeader.typ.toLowerCase()))
      throw invalidTokenError(challenge, "This is not an access token.");
    const principal = readPrincipal(payload, auth.claims);
    const scopes = readScopes(payload);
    if (!required.every((scope) => scopes.has(scope)))
      throw insufficientScopeError(challenge, `The token lacks a scope. Get one with ${required.join(" ")}.`);
    const allow = new Set([...scopes].flatMap((scope) => patterns.get(scope) ?? []));
    const endsAt = (payload.exp! + options.clockTolerance) * 1000;
    // Studio scopes open pages, so they become roles.
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
      if (token === undefined) throw tokenRequiredError(challenge);
      try {
        const { text } = Redacted.value(token);
        // Results expire with the key set.
        return (keys.isUsable() ? verified.find(text) : undefined) ?? (await verify(text));
      } catch (error) {
        if (error instanceof HttpError) throw error;
        if (isKeySetError(error)) throw keysUnavailableError();
        throw invalidTokenError(challenge, jwtRejectionReason(error, auth));
      }
    },
  };
};

const verifiedTokenTtlMs = 60_000;
const maxVerifiedTokens = 1_000;

interface VerifiedTokenCache {
  readonly find: (text: string) => AuthenticatedCaller | undefined;
  /** Caches for at most one minute. Results of a replaced key set are dropped. */
  readonly writer: () => (text: string, found: AuthenticatedCaller & { readonly endsAt: number }) => void;
  readonly clear: () => void;
}

/** Keyed by token hash. */
const createVerifiedTokenCache = (now: () => number): VerifiedTokenCache => {
  let entries = new Map<
    string,
    { readonly found: AuthenticatedCaller; readonly from: number; readonly until: number }
  >();
  const keyOf = (text: string): string => hash("sha256", text, "base64");
  return {
    find: (text) => {
      const one = entries.get(keyOf(text));
      const at = now();
      return one !== undefined && one.from <= at && at < one.until ? one.found : undefined;
    },
    writer: () => {
      const into = entries;
      return (text, found) => {
        const from = now();
        into.set(keyOf(text), { found, from, until: Math.min(found.endsAt, from + verifiedTokenTtlMs) });
        if (into.size > maxVerifiedTokens) into.delete(into.keys().next().value!);
      };
    },
    clear: () => {
      entries = new Map();
    },
  };
};

/** The message contains no text from the token. */
class UnusableClaimError extends Error {}

const maxClaimLength = 256;
const maxRoles = 64;

const isPrincipalName = (value: unknown): value is string =>
  typeof value === "string" &&
  value !== "" &&
  value.length <= maxClaimLength &&
  !/\p{Cc}|\p{Cf}/u.test(value);

const ownMember = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** The exact name takes precedence, because names may be URLs. */
const readClaim = (payload: JWTPayload, name: string): unknown =>
  ownMember(payload, name) ?? name.split(".").reduce<unknown>(ownMember, payload);

const readNameClaim = (payload: JWTPayload, name: string): string | undefined => {
  const value = readClaim(payload, name);
  if (value === undefined || value === null) return undefined;
  if (isPrincipalName(value)) return value;
  throw new UnusableClaimError(
    `The claim ${name} must be a string of at most ${maxClaimLength} printable characters.`,
  );
};

const splitWords = (value: unknown): readonly string[] =>
  typeof value === "string" ? value.split(" ") : Array.isArray(value) ? value : [];

const readRoles = (payload: JWTPayload, name: string | undefined): readonly string[] =>
  name === undefined ? [] : splitWords(readClaim(payload, name)).filter(isPrincipalName).slice(0, maxRoles);

/** `scope` (RFC 9068), or `scp` as some servers write it. */
const readScopes = (payload: JWTPayload): ReadonlySet<string> =>
  new Set(splitWords(ownMember(payload, "scope") ?? ownMember(payload, "scp")).filter(isPrincipalName));

const firstNameClaim = (payload: JWTPayload, names: readonly string[]): string => {
  for (const name of names) {
    const found = readNameClaim(payload, name);
    if (found !== undefined) return found;
  }
  throw new UnusableClaimError(
    `The token has none of the claims ${names.join(", ")}. Name the claim with the caller in \`auth.claims\`.`,
  );
};

/** Permissions come from scopes only. */
const readPrincipal = (payload: JWTPayload, names: ClaimNames = {}): Principal => {
  const agent = firstNameClaim(payload, names.agent ?? ["client_id", "azp"]);
  const user = names.user === null ? undefined : readNameClaim(payload, names.user ?? "sub");
  const tenant = names.tenant === undefined ? undefined : firstNameClaim(payload, [names.tenant]);
  const roles = readRoles(payload, names.roles);
  return {
    agent,
    ...(user === undefined ? {} : { user }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(roles.length === 0 ? {} : { roles: Object.freeze(roles) }),
  };
};
