import type { JWTPayload } from "jose";
import type { Principal } from "../../../types/principal.ts";
import type { ClaimNames } from "./host-auth.ts";

/** The message contains no text from the token. */
export class UnusableClaimError extends Error {}

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
    `The claim ${name} must be a text of at most ${maxClaimLength} printable characters.`,
  );
};

const splitWords = (value: unknown): readonly string[] =>
  typeof value === "string" ? value.split(" ") : Array.isArray(value) ? value : [];

const readRoles = (payload: JWTPayload, name: string | undefined): readonly string[] =>
  name === undefined ? [] : splitWords(readClaim(payload, name)).filter(isPrincipalName).slice(0, maxRoles);

/** `scope` (RFC 9068), or `scp` as some servers write it. */
export const readScopes = (payload: JWTPayload): ReadonlySet<string> =>
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
export const readPrincipal = (payload: JWTPayload, names: ClaimNames = {}): Principal => {
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
