import type { FetchLike } from "@modelcontextprotocol/client";
import { isLoopbackUrl } from "../../../base/credentials/oauth/endpoint-problem.ts";
import type { LoopbackRedirect } from "../../../base/credentials/oauth/loopback-redirect.ts";
import type { MaybeSecret, McpOAuth } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import { notRetryableAuthError } from "./auth-errors.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { MachineGrant } from "./machine-grant.ts";
import type { TokenBundleStore, TokenOwner } from "./tokens/token-bundle-store.ts";
import type { RemoteServerWithId } from "./tokens/token-owner.ts";

export type OnSignIn = (server: RemoteServerWithId, url: URL, principal: Principal | undefined) => unknown;

export interface AuthServices {
  readonly bundles: TokenBundleStore;
  readonly now: () => number;
  readonly random: () => string;
  readonly reveal: (value: MaybeSecret) => Promise<string>;
  readonly onSignIn: OnSignIn | undefined;
  readonly signInTimeoutMs: number;
  readonly redirects: Set<LoopbackRedirect>;
  /** Time of the last unfinished prompt, so that reconnects do not open page after page. */
  readonly lastPromptAt: Map<string, number>;
}

export interface AuthCaller {
  readonly owner: TokenOwner;
  readonly server: RemoteServerWithId;
  readonly principal: Principal | undefined;
  readonly oauth: McpOAuth;
  readonly machine: MachineGrant | undefined;
  readonly fetch: FetchLike;
}

/** Otherwise the MCP server's metadata would choose who receives the client secret. */
export const checkSecretIssuer = (
  { owner, server, oauth }: AuthCaller,
  { issuer }: AuthorizationServer,
  expected = oauth.issuer,
): void => {
  if (expected !== undefined) {
    if (expected.replace(/\/$/, "") !== issuer.replace(/\/$/, ""))
      throw notRetryableAuthError(
        owner.id,
        "has an authorization server that is not the issuer of its client secret",
      );
    return;
  }
  const url = new URL(server.url);
  if (isLoopbackUrl(url) || new URL(issuer).host === url.host) return;
  throw notRetryableAuthError(
    owner.id,
    "has a client secret of an unknown authorization server; set oauth.issuer",
  );
};
