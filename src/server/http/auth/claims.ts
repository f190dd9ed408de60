import type { JWTPayload } from "jose";
import type { Principal } from "../../../types/principal.ts";
import type { ClaimNames } from "./host-auth.ts";

/** Says why a token tells nobody's name; the words are ours. */
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

/** A claim by its very name (names may be URLs), else by the path its dots make. */
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

/** `scope` as RFC 9068 has it, or `scp` as some servers still write it. */
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

/** Who is calling. What it may use is not in here: that comes from scopes alone. */
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
