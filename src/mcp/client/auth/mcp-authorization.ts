import { randomBytes } from "node:crypto";
import { keyedTasks } from "../../../base/credentials/keyed-tasks.ts";
import type { KnownSecrets } from "../../../base/credentials/known-secrets.ts";
import {
  type LoopbackRedirect,
  type RedirectAnswer,
  readRedirect,
} from "../../../base/credentials/oauth/loopback-redirect.ts";
import type { TokenStore } from "../../../base/credentials/oauth/token-store.ts";
import { CredentialsError } from "../../../types/errors.ts";
import type { MaybeSecret, McpOAuth } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import type { AuthCaller, AuthServices, OnSignIn } from "./auth-caller.ts";
import { notRetryableAuthError, signInFailedError } from "./auth-errors.ts";
import { createCallerAuthorization, type McpAuthorization } from "./caller-authorization.ts";
import { probeChallenge } from "./challenge.ts";
import { type AuthEgressOptions, createGuardedFetch } from "./guarded-fetch.ts";
import { clientCredentialsGrant, type MachineGrant } from "./machine-grant.ts";
import { prepareSignIn } from "./obtain-tokens.ts";
import { storePendingSignIn } from "./sign-in/request-sign-in.ts";
import { finishSignIn } from "./sign-in/sign-in.ts";
import { bundleAfterSignIn, toStoredTokens } from "./tokens/stored-tokens.ts";
import { createTokenBundleStore } from "./tokens/token-bundle-store.ts";
import { type RemoteServerWithId, tokenOwnerOf } from "./tokens/token-owner.ts";

export interface McpAuthorizationOptions {
  readonly store: TokenStore;
  readonly reveal?: (value: MaybeSecret) => Promise<string>;
  /** Without it, errors contain the sign-in URL. */
  readonly onSignIn?: OnSignIn;
  readonly guard?: AuthEgressOptions;
  /** Overrides the machine grant of the server's configuration. */
  readonly machine?: (
    server: RemoteServerWithId,
    principal: Principal | undefined,
  ) => MachineGrant | undefined;
  readonly known?: Pick<KnownSecrets, "add">;
  readonly signInTimeoutMs?: number;
  readonly now?: () => number;
  readonly random?: () => string;
}

export interface McpAuthorizations {
  /** Returns undefined if OAuth is disabled or the configuration sets an Authorization header. */
  readonly authorize: (
    server: RemoteServerWithId,
    principal: Principal | undefined,
  ) => McpAuthorization | undefined;
  /** `finishSignIn` can run in another process. */
  readonly beginSignIn: (
    server: RemoteServerWithId,
    principal: Principal | undefined,
  ) => Promise<{ readonly url: string; readonly state: string }>;
  /** Accepts the query fields or the complete redirect URL. */
  readonly finishSignIn: (
    server: RemoteServerWithId,
    principal: Principal | undefined,
    answer: RedirectAnswer | string,
  ) => Promise<void>;
  readonly signOut: (server: RemoteServerWithId, principal: Principal | undefined) => Promise<void>;
  readonly close: () => void;
}

const oauthOptionsOf = ({ oauth }: RemoteServerWithId): McpOAuth => (typeof oauth === "object" ? oauth : {});

const rejectSecretRef = (value: MaybeSecret): Promise<string> =>
  typeof value === "string"
    ? Promise.resolve(value)
    : Promise.reject(
        new CredentialsError(
          "secret_missing",
          `This runtime has no secrets, so it cannot resolve ${JSON.stringify(value.secret.slice(0, 80))}.`,
          { ran: false },
        ),
      );

const machineGrantOf = ({ id }: RemoteServerWithId, oauth: McpOAuth): MachineGrant | undefined => {
  if (oauth.grant !== "client_credentials") return undefined;
  const { clientId, clientSecret, issuer } = oauth;
  if (clientId === undefined || clientSecret === undefined)
    throw notRetryableAuthError(
      id,
      "uses the grant client_credentials, which requires oauth.clientId and oauth.clientSecret",
    );
  return clientCredentialsGrant({ clientId, clientSecret, ...(issuer === undefined ? {} : { issuer }) });
};

/** A WebSocket handshake is an HTTP request. */
const toHttpServer = (server: RemoteServerWithId): RemoteServerWithId => ({
  ...server,
  url: server.url.replace(/^ws(?=s?:)/i, "http"),
});

const readRedirectAnswer = (id: string, answer: RedirectAnswer | string): RedirectAnswer => {
  if (typeof answer !== "string") return answer;
  const read = URL.canParse(answer) ? readRedirect(new URL(answer).searchParams) : undefined;
  if (read === undefined)
    throw signInFailedError(id, "needs the full URL that the browser was redirected to");
  return read;
};

/** Tokens are stored per caller, server and URL, and used only with the issuer that gave them. */
export const createMcpAuthorizations = (options: McpAuthorizationOptions): McpAuthorizations => {
  const { now = Date.now, reveal = rejectSecretRef } = options;
  const redirects = new Set<LoopbackRedirect>();
  const services: AuthServices = {
    bundles: createTokenBundleStore(options.store, now, options.known),
    now,
    random: options.random ?? (() => randomBytes(32).toString("base64url")),
    reveal,
    onSignIn: options.onSignIn,
    signInTimeoutMs: options.signInTimeoutMs ?? 300_000,
    redirects,
    lastPromptAt: new Map(),
  };
  const requests = keyedTasks<void, unknown>();

  const authCallerOf = (named: RemoteServerWithId, principal: Principal | undefined): AuthCaller => {
    const server = toHttpServer(named);
    const oauth = oauthOptionsOf(server);
    return {
      owner: tokenOwnerOf(server, principal),
      server,
      principal,
      oauth,
      machine: options.machine?.(server, principal) ?? machineGrantOf(server, oauth),
      fetch: createGuardedFetch(server.url, options.guard),
    };
  };

  return {
    authorize: (server, principal) => {
      const hasOwnHeader = Object.keys(server.headers ?? {}).some(
        (name) => name.toLowerCase() === "authorization",
      );
      if (server.oauth === false || hasOwnHeader) return undefined;
      return createCallerAuthorization(services, authCallerOf(server, principal), requests);
    },
    beginSignIn: async (server, principal) => {
      const caller = authCallerOf(server, principal);
      if (caller.machine !== undefined)
        throw notRetryableAuthError(server.id, "uses the grant client_credentials, which has no sign-in");
      const { url, state } = await storePendingSignIn(
        services,
        caller,
        await prepareSignIn(services, caller, await probeChallenge(caller)),
      );
      return { url, state };
    },
    finishSignIn: async (server, principal, answer) => {
      const caller = authCallerOf(server, principal);
      const { owner } = caller;
      const read = readRedirectAnswer(owner.id, answer);
      const waiting = await services.bundles.withLock(owner, async () => {
        const { waiting: found, ...rest } = await services.bundles.read(owner);
        // An answer with another state must not consume the pending sign-in.
        if (found === undefined || found.state !== read.state)
          throw signInFailedError(
            owner.id,
            "has no pending request with this state: it was already used, restarted, or started by another caller",
          );
        await services.bundles.write(owner, rest);
        return found;
      });
      const issuedAt = now();
      const tokens = await finishSignIn(services, caller, waiting, read);
      await services.bundles.write(owner, bundleAfterSignIn(waiting, toStoredTokens(tokens, issuedAt)));
      services.lastPromptAt.delete(owner.key);
    },
    signOut: (server, principal) => services.bundles.remove(tokenOwnerOf(toHttpServer(server), principal)),
    close: () => {
      for (const redirect of redirects) redirect.close();
    },
  };
};
