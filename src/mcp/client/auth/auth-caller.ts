import type { FetchLike } from "@modelcontextprotocol/client";
import type { KnownSecrets } from "../../../base/credentials/credentials.ts";
import { authRejectedError } from "../../../base/credentials/oauth/credential-errors.ts";
import type { LoopbackRedirect } from "../../../base/credentials/oauth/loopback-redirect.ts";
import { isLoopbackUrl, tokenIdentityOf } from "../../../base/credentials/oauth/oauth-credential.ts";
import type { TokenOwner } from "../../../base/credentials/oauth/token-access.ts";
import type { HttpEgressClient } from "../../../base/http/http-egress.ts";
import type { MaybeSecret, McpOAuth, RemoteServer } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import { type AuthorizationServer, isSameIssuer } from "./authorization-server.ts";
import { mcpServerLabel } from "./challenge.ts";
import type { TokenBundleStore } from "./token-bundle.ts";

export type RemoteServerWithId = RemoteServer & { readonly id: string };

export type OnSignIn = (server: RemoteServerWithId, url: URL, principal: Principal | undefined) => unknown;

export interface AuthServices {
  readonly bundles: TokenBundleStore;
  readonly now: () => number;
  readonly known: Pick<KnownSecrets, "add">;
  readonly reveal: (value: MaybeSecret) => Promise<string>;
  readonly onSignIn: OnSignIn | undefined;
  readonly signInTimeoutMs: number;
  readonly redirects: Set<LoopbackRedirect>;
  /** Time of the last unfinished prompt, so that reconnects do not open page after page. */
  readonly lastPromptAt: Map<string, number>;
}

export interface MachineGrantRequest {
  readonly issuer: string;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly fetch: FetchLike;
}

/** Obtains tokens without user interaction. */
export interface MachineGrant {
  readonly clientId: string;
  readonly clientSecret?: MaybeSecret;
  readonly issuer?: string;
  /** Form fields of the token request. */
  readonly form: (
    request: MachineGrantRequest,
  ) => Readonly<Record<string, string>> | Promise<Record<string, string>>;
}

export interface AuthCaller {
  readonly owner: TokenOwner;
  readonly server: RemoteServerWithId;
  readonly principal: Principal | undefined;
  readonly oauth: McpOAuth;
  readonly machine: MachineGrant | undefined;
  readonly egress: HttpEgressClient;
  /** Sends with `egress`. */
  readonly fetch: FetchLike;
}

/** Otherwise the MCP server's metadata would choose who receives the client secret. */
export const checkSecretIssuer = (
  { owner, server, oauth }: AuthCaller,
  { issuer }: AuthorizationServer,
  expected = oauth.issuer,
): void => {
  if (expected !== undefined) {
    if (!isSameIssuer(expected, issuer))
      throw authRejectedError(
        owner.label,
        "has an authorization server that is not the issuer of its client secret",
      );
    return;
  }
  const url = new URL(server.url);
  if (isLoopbackUrl(url) || new URL(issuer).host === url.host) return;
  throw authRejectedError(
    owner.label,
    "has a client secret of an unknown authorization server; set oauth.issuer",
  );
};

const canonicalUrl = (url: string): string => {
  const read = new URL(url);
  read.hash = "";
  return read.href;
};

/** Without a principal, the runtime itself is the owner. */
export const tokenOwnerOf = (
  { id, url }: RemoteServerWithId,
  principal: Principal | undefined,
): TokenOwner => {
  const label = mcpServerLabel(id);
  const place = ["mcp", id, canonicalUrl(url)];
  if (principal === undefined) return { label, key: JSON.stringify(place) };
  const identity = tokenIdentityOf(principal);
  if (identity === undefined)
    throw authRejectedError(
      label,
      "has no tokens for a caller whose user or tenant differs from its delegator's",
    );
  const { tenant, user, agent } = identity;
  return { label, key: JSON.stringify([...place, tenant ?? null, user ?? null, agent]) };
};
