import type { KnownSecrets } from "../../../base/credentials/credentials.ts";
import { keyedTasks } from "../../../base/credentials/keyed-tasks.ts";
import { authRejectedError } from "../../../base/credentials/oauth/credential-errors.ts";
import {
  type LoopbackRedirect,
  type RedirectAnswer,
  readRedirect,
} from "../../../base/credentials/oauth/loopback-redirect.ts";
import type { TokenStore } from "../../../base/credentials/oauth/token-store.ts";
import type { MaybeSecret, McpOAuth } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import {
  type AuthCaller,
  type AuthServices,
  type MachineGrant,
  type OnSignIn,
  type RemoteServerWithId,
  tokenOwnerOf,
} from "./auth-caller.ts";
import { createCallerAuthorization, type McpAuthorization } from "./caller-authorization.ts";
import { mcpServerLabel, probeChallenge, signInFailedError } from "./challenge.ts";
import { type AuthEgressOptions, createGuardedClient, toFetch } from "./guarded-fetch.ts";
import { prepareSignIn } from "./obtain-tokens.ts";
import { storePendingSignIn } from "./sign-in/request-sign-in.ts";
import { finishSignIn } from "./sign-in/sign-in.ts";
import { bundleAfterSignIn, createTokenBundleStore } from "./token-bundle.ts";

export interface McpAuthorizationOptions {
  readonly store: TokenStore;
  readonly reveal: (value: MaybeSecret) => Promise<string>;
  /** Without it, errors contain the sign-in URL. */
  readonly onSignIn?: OnSignIn;
  readonly guard?: AuthEgressOptions;
  /** Overrides the machine grant of the server's configuration. */
  readonly machine?: (
    server: RemoteServerWithId,
    principal: Principal | undefined,
  ) => MachineGrant | undefined;
  readonly known: Pick<KnownSecrets, "add">;
  readonly signInTimeoutMs?: number;
  readonly now?: () => number;
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

const machineGrantOf = ({ id }: RemoteServerWithId, oauth: McpOAuth): MachineGrant | undefined => {
  if (oauth.grant !== "client_credentials") return undefined;
  const { clientId, clientSecret, issuer } = oauth;
  if (clientId === undefined || clientSecret === undefined)
    throw authRejectedError(
      mcpServerLabel(id),
      "uses the grant client_credentials, which requires oauth.clientId and oauth.clientSecret",
    );
  return {
    clientId,
    clientSecret,
    ...(issuer === undefined ? {} : { issuer }),
    form: () => ({ grant_type: "client_credentials" }),
  };
};

/** A WebSocket handshake is an HTTP request. */
const toHttpServer = (server: RemoteServerWithId): RemoteServerWithId => ({
  ...server,
  url: server.url.replace(/^ws(?=s?:)/i, "http"),
});

const readRedirectAnswer = (label: string, answer: RedirectAnswer | string): RedirectAnswer => {
  if (typeof answer !== "string") return answer;
  const read = URL.canParse(answer) ? readRedirect(new URL(answer).searchParams) : undefined;
  if (read === undefined)
    throw signInFailedError(label, "needs the full URL that the browser was redirected to");
  return read;
};

/** Tokens are stored per caller, server and URL, and used only with the issuer that gave them. */
export const createMcpAuthorizations = (options: McpAuthorizationOptions): McpAuthorizations => {
  const { now = Date.now, reveal, known } = options;
  const redirects = new Set<LoopbackRedirect>();
  const services: AuthServices = {
    bundles: createTokenBundleStore(options.store, known, now),
    now,
    known,
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
    const egress = createGuardedClient(server.url, options.guard);
    return {
      owner: tokenOwnerOf(server, principal),
      server,
      principal,
      oauth,
      machine: options.machine?.(server, principal) ?? machineGrantOf(server, oauth),
      egress,
      fetch: toFetch(egress),
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
        throw authRejectedError(
          caller.owner.label,
          "uses the grant client_credentials, which has no sign-in",
        );
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
      const read = readRedirectAnswer(owner.label, answer);
      const waiting = await services.bundles.withLock(owner, async () => {
        const { waiting: found, ...rest } = await services.bundles.read(owner);
        // An answer with another state must not consume the pending sign-in.
        if (found === undefined || found.state !== read.state)
          throw signInFailedError(
            owner.label,
            "has no pending request with this state: it was already used, restarted, or started by another caller",
          );
        await services.bundles.write(owner, rest);
        return found;
      });
      const tokens = await finishSignIn(services, caller, waiting, read);
      await services.bundles.write(owner, bundleAfterSignIn(waiting, tokens));
      services.lastPromptAt.delete(owner.key);
    },
    signOut: (server, principal) => services.bundles.remove(tokenOwnerOf(toHttpServer(server), principal)),
    close: () => {
      for (const redirect of redirects) redirect.close();
    },
  };
};
