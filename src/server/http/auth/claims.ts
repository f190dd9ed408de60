import type { JWTPayload } from "jose";
import type { Principal } from "../../words/principal.ts";
import type { ClaimNames } from "./host-auth.ts";

/** Says why a token tells nobody's name; the words are ours. */
export class UnusableClaim extends Error {}

const longest = 256;
const mostRoles = 64;

const isName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= longest && !/\p{Cc}|\p{Cf}/u.test(value);

const own = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** A claim by its very name (names may be URLs), else by the path its dots make. */
const readClaim = (payload: JWTPayload, name: string): unknown =>
  own(payload, name) ?? name.split(".").reduce<unknown>(own, payload);

const readName = (payload: JWTPayload, name: string): string | undefined => {
  const value = readClaim(payload, name);
  if (value === undefined || value === null) return undefined;
  if (isName(value)) return value;
  throw new UnusableClaim(`The claim ${name} must be a text of at most ${longest} printable characters.`);
};

const words = (value: unknown): readonly string[] =>
  typeof value === "string" ? value.split(" ") : Array.isArray(value) ? value : [];

const readRoles = (payload: JWTPayload, name: string | undefined): readonly string[] =>
  name === undefined ? [] : words(readClaim(payload, name)).filter(isName).slice(0, mostRoles);

/** `scope` as RFC 9068 has it, or `scp` as some servers still write it. */
export const readScopes = (payload: JWTPayload): ReadonlySet<string> =>
  new Set(words(own(payload, "scope") ?? own(payload, "scp")).filter(isName));

const first = (payload: JWTPayload, names: readonly string[]): string => {
  for (const name of names) {
    const found = readName(payload, name);
    if (found !== undefined) return found;
  }
  throw new UnusableClaim(`The token has none of the claims ${names.join(", ")}, so it tells nobody's name.`);
};

/** Who is calling. What it may use is not in here: that comes from scopes alone. */
export const readPrincipal = (payload: JWTPayload, names: ClaimNames = {}): Principal => {
  const agent = first(payload, names.agent ?? ["client_id", "azp", "sub"]);
  const user = names.user === null ? undefined : readName(payload, names.user ?? "sub");
  const tenant = names.tenant === undefined ? undefined : first(payload, [names.tenant]);
  const roles = readRoles(payload, names.roles);
  return {
    agent,
    ...(user === undefined ? {} : { user }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(roles.length === 0 ? {} : { roles: Object.freeze(roles) }),
  };
};
