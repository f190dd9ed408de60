import type { FetchLike } from "@modelcontextprotocol/client";
import type { MaybeSecret, McpOAuth } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import { notRetryableAuthError } from "./auth-errors.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { isLoopbackUrl } from "./guarded-fetch.ts";
import type { LoopbackRedirect } from "./loopback-redirect.ts";
import type { MachineGrant } from "./machine-grant.ts";
import type { TokenBundleStore, TokenOwner } from "./tokens/token-bundle-store.ts";
import type { RemoteServerWithId } from "./tokens/token-owner.ts";

/** Shows a page to the person who signs in. Where it rejects, the page is named in the error instead. */
export type OnSignIn = (server: RemoteServerWithId, url: URL, principal: Principal | undefined) => unknown;

/** What authorizations of all parties share. */
export interface AuthServices {
  readonly book: TokenBundleStore;
  readonly now: () => number;
  readonly random: () => string;
  readonly reveal: (value: MaybeSecret) => Promise<string>;
  readonly onSignIn: OnSignIn | undefined;
  readonly signInTimeoutMs: number;
  /** Those that wait for a person, so that they can be closed. */
  readonly redirects: Set<LoopbackRedirect>;
  /** When somebody was asked last and did not sign in: connections that are tried again would open page after page. */
  readonly unanswered: Map<string, number>;
}

/** One caller at one server. */
export interface AuthCaller {
  readonly owner: TokenOwner;
  readonly server: RemoteServerWithId;
  readonly principal: Principal | undefined;
  readonly oauth: McpOAuth;
  readonly machine: MachineGrant | undefined;
  readonly fetch: FetchLike;
}

/** Otherwise the MCP server would say who gets to see the client's secret. */
export const checkSecretIssuer = (
  { owner, server, oauth }: AuthCaller,
  { issuer }: AuthorizationServer,
  expected = oauth.issuer,
): void => {
  if (expected !== undefined) {
    if (expected.replace(/\/$/, "") !== issuer.replace(/\/$/, ""))
      throw notRetryableAuthError(
        owner.id,
        "has another authorization service than the issuer its secret belongs to",
      );
    return;
  }
  const url = new URL(server.url);
  if (isLoopbackUrl(url) || new URL(issuer).host === url.host) return;
  throw notRetryableAuthError(
    owner.id,
    "has a client secret, but nothing says which service it belongs to; name it as oauth.issuer",
  );
};
