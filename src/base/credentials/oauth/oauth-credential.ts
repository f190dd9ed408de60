import type { Principal } from "../../../types/principal.ts";
import { hostOf } from "../../http/url.ts";

/** Fields of every grant type. */
interface CommonGrantFields {
  /** The client id that the service knows. */
  readonly clientId: string;
  /** Name of a secret. A client without one is public and relies on PKCE. */
  readonly clientSecret?: string;
  /**
   * Sends the client secret in a header, or in the form body for servers that do not read the header. Unless
   * set: `basic`.
   */
  readonly clientAuth?: "basic" | "form";
  /** The token endpoint. If omitted, it is read from the metadata of `issuer` (RFC 8414). */
  readonly tokenUrl?: string;
  /** The authorization server. If set, a sign-in response from another issuer is refused (RFC 9207). */
  readonly issuer?: string;
  /** Requested scopes. Unless set: the default of the service. */
  readonly scopes?: readonly string[];
  /** Audience of the token, for services that require one. */
  readonly audience?: string;
  /** Resource indicators (RFC 8707): one URI or several. */
  readonly resource?: string | readonly string[];
}

/** A grant of the client itself, with one token per caller. */
interface ClientGrant extends CommonGrantFields {
  /** Grant type. */
  readonly grant: "client_credentials";
}

/** A grant that starts from an existing refresh token. */
interface RefreshGrant extends CommonGrantFields {
  /** Grant type. */
  readonly grant: "refresh_token";
  /** Returns the name of the secret that holds the caller's first refresh token. */
  readonly refreshToken: (principal: Principal) => string;
}

/** A user signs in, with PKCE. */
interface SignInGrant extends CommonGrantFields {
  /** Grant type. */
  readonly grant: "authorization_code";
  /** Where the user signs in. Unless set: read from the metadata of `issuer`. */
  readonly authorizationUrl?: string;
  /** Where the service sends the user back to. */
  readonly redirectUrl: string;
}

/** How to obtain a caller's token for one service. Secrets are referenced by name. */
export type OAuthCredential = ClientGrant | RefreshGrant | SignInGrant;

export const isLoopbackUrl = (url: URL): boolean => {
  const host = hostOf(url);
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
};

export const endpointProblem = (text: unknown): string | undefined => {
  if (typeof text !== "string" || !URL.canParse(text)) return "is not an absolute URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "is not https:";
  if (url.protocol === "http:" && !isLoopbackUrl(url)) return "is http: to another machine; use https:";
  if (url.username !== "" || url.password !== "") return "contains a user name or a password";
  return url.hash === "" ? undefined : "has a fragment";
};

interface TokenIdentity {
  readonly tenant: string | undefined;
  readonly user: string | undefined;
  readonly agent: string;
}

const maxDelegationDepth = 64;

/**
 * A delegated caller has the tenant and user of its delegator. One that names others has no identity, because
 * delegation can only narrow.
 */
export const tokenIdentityOf = (principal: Principal): TokenIdentity | undefined => {
  let { tenant, user } = principal;
  let lender = principal.within;
  for (let depth = 0; lender !== undefined; depth++) {
    const isSwapped =
      (tenant !== undefined && lender.tenant !== undefined && tenant !== lender.tenant) ||
      (user !== undefined && lender.user !== undefined && user !== lender.user);
    if (isSwapped || depth >= maxDelegationDepth) return undefined;
    tenant ??= lender.tenant;
    user ??= lender.user;
    lender = lender.within;
  }
  return { tenant, user, agent: agentPathOf(principal) };
};

const agentPathOf = (principal: Principal): string => {
  const agents = [principal.agent];
  for (let lender = principal.within; lender !== undefined; lender = lender.within) {
    if (lender.agent !== agents.at(-1)) agents.push(lender.agent);
  }
  return agents.length === 1 ? principal.agent : JSON.stringify(agents);
};

export const tokenKeyOf = (name: string, { tenant, user, agent }: TokenIdentity): string =>
  JSON.stringify([name, tenant ?? null, user ?? null, agent]);
