import { randomBytes } from "node:crypto";
import { inFlight } from "../../../credentials/in-flight.ts";
import type { KnownSecrets } from "../../../credentials/known-secrets.ts";
import { CredentialsError } from "../../../words/errors.ts";
import type { MaybeSecret, McpOAuth } from "../../../words/mcp.ts";
import type { Principal } from "../../../words/principal.ts";
import { knock } from "./challenge.ts";
import { type AuthGuard, guardedFetch } from "./guarded-fetch.ts";
import { bundleBook } from "./kept/bundle-book.ts";
import { signedIn, toKept } from "./kept/kept-tokens.ts";
import { ownerOf, type RemoteServerWithId } from "./kept/owner-of.ts";
import type { LoopbackRedirect } from "./loopback-redirect.ts";
import { clientCredentials, type MachineGrant } from "./machine-grant.ts";
import { prepare } from "./obtain.ts";
import type { AuthParty, AuthServices, OnSignIn } from "./party.ts";
import { type McpAuthorization, partyAuthorization } from "./party-authorization.ts";
import { never, notSignedIn } from "./refusals.ts";
import { leaveSignIn } from "./sign-in/ask-person.ts";
import { type RedirectAnswer, readRedirect } from "./sign-in/redirect-answer.ts";
import { finishSignIn } from "./sign-in/sign-in.ts";
import type { McpTokenStore } from "./token-store.ts";

export interface McpAuthorizationOptions {
  /** In memory, in a directory only the user can read, or of the user's own making. */
  readonly store: McpTokenStore;
  readonly reveal?: (value: MaybeSecret) => Promise<string>;
  /** Shows a page to a person. Missing where there is nobody: then errors say where to sign in. */
  readonly onSignIn?: OnSignIn;
  readonly guard?: AuthGuard;
  /** How tokens of a server are had without a person, where its configuration alone cannot say. */
  readonly machine?: (
    server: RemoteServerWithId,
    principal: Principal | undefined,
  ) => MachineGrant | undefined;
  /** Hears every token and secret, so that they are masked wherever they turn up. */
  readonly known?: Pick<KnownSecrets, "add">;
  readonly signInTimeoutMs?: number;
  readonly now?: () => number;
  readonly random?: () => string;
}

export interface McpAuthorizations {
  /** Nothing, where the configuration switches it off or sends a header of its own. */
  readonly authorize: (
    server: RemoteServerWithId,
    principal: Principal | undefined,
  ) => McpAuthorization | undefined;
  /** Where a person goes to sign in. What comes back is for `finishSignIn`, in this or another process. */
  readonly beginSignIn: (
    server: RemoteServerWithId,
    principal: Principal | undefined,
  ) => Promise<{ readonly url: string; readonly state: string }>;
  /** Takes the fields that came to the redirect URL, or all of that URL as the browser shows it. */
  readonly finishSignIn: (
    server: RemoteServerWithId,
    principal: Principal | undefined,
    answer: RedirectAnswer | string,
  ) => Promise<void>;
  /** Forgets the tokens, and the client that was made for them. */
  readonly signOut: (server: RemoteServerWithId, principal: Principal | undefined) => Promise<void>;
  /** Ends sign-ins that wait for somebody. */
  readonly close: () => void;
}

const oauthOf = ({ oauth }: RemoteServerWithId): McpOAuth => (typeof oauth === "object" ? oauth : {});

const refuseSecret = (value: MaybeSecret): Promise<string> =>
  typeof value === "string"
    ? Promise.resolve(value)
    : Promise.reject(
        new CredentialsError(
          "secret_missing",
          `No secrets are known here, so there is none named ${JSON.stringify(value.secret.slice(0, 80))}.`,
          { ran: false },
        ),
      );

const machineOf = ({ id }: RemoteServerWithId, oauth: McpOAuth): MachineGrant | undefined => {
  if (oauth.grant !== "client_credentials") return undefined;
  const { clientId, clientSecret, issuer } = oauth;
  if (clientId === undefined || clientSecret === undefined)
    throw never(id, "has the grant client_credentials, which needs oauth.clientId and oauth.clientSecret");
  return clientCredentials({ clientId, clientSecret, ...(issuer === undefined ? {} : { issuer }) });
};

/** A WebSocket begins as a request of HTTP, and its authorization is that of HTTP. */
const asHttp = (server: RemoteServerWithId): RemoteServerWithId => ({
  ...server,
  url: server.url.replace(/^ws(?=s?:)/i, "http"),
});

const readAnswer = (id: string, answer: RedirectAnswer | string): RedirectAnswer => {
  if (typeof answer !== "string") return answer;
  const read = URL.canParse(answer) ? readRedirect(new URL(answer).searchParams) : undefined;
  if (read === undefined) throw notSignedIn(id, "needs the whole address that the browser was sent back to");
  return read;
};

/** OAuth 2.1 towards MCP servers: each caller's tokens are its own, kept for one server, one URL and one issuer. */
export const mcpAuthorization = (options: McpAuthorizationOptions): McpAuthorizations => {
  const { now = Date.now, reveal = refuseSecret } = options;
  const redirects = new Set<LoopbackRedirect>();
  const services: AuthServices = {
    book: bundleBook(options.store, now, options.known),
    now,
    random: options.random ?? (() => randomBytes(32).toString("base64url")),
    reveal,
    onSignIn: options.onSignIn,
    signInTimeoutMs: options.signInTimeoutMs ?? 300_000,
    redirects,
    unanswered: new Map(),
  };
  const requests = inFlight<void, unknown>();

  const partyOf = (named: RemoteServerWithId, principal: Principal | undefined): AuthParty => {
    const server = asHttp(named);
    const oauth = oauthOf(server);
    return {
      owner: ownerOf(server, principal),
      server,
      principal,
      oauth,
      machine: options.machine?.(server, principal) ?? machineOf(server, oauth),
      fetch: guardedFetch(server.url, options.guard),
    };
  };

  return {
    authorize: (server, principal) => {
      const hasOwn = Object.keys(server.headers ?? {}).some((name) => name.toLowerCase() === "authorization");
      if (server.oauth === false || hasOwn) return undefined;
      return partyAuthorization(services, partyOf(server, principal), requests);
    },
    beginSignIn: async (server, principal) => {
      const party = partyOf(server, principal);
      if (party.machine !== undefined) throw never(server.id, "gives tokens to machines; nobody signs in");
      const { url, state } = await leaveSignIn(
        services,
        party,
        await prepare(services, party, await knock(party)),
      );
      return { url, state };
    },
    finishSignIn: async (server, principal, answer) => {
      const party = partyOf(server, principal);
      const { owner } = party;
      const read = readAnswer(owner.id, answer);
      const waiting = await services.book.holding(owner, async () => {
        const { waiting: found, ...rest } = await services.book.read(owner);
        // Somebody else's answer does not use it up.
        if (found === undefined || found.state !== read.state)
          throw notSignedIn(
            owner.id,
            "is not waiting under this state: it was used, or begun again or by another",
          );
        await services.book.write(owner, rest);
        return found;
      });
      const issuedAt = now();
      const tokens = await finishSignIn(services, party, waiting, read);
      await services.book.write(owner, signedIn(waiting, toKept(tokens, issuedAt)));
      services.unanswered.delete(owner.key);
    },
    signOut: (server, principal) => services.book.remove(ownerOf(asHttp(server), principal)),
    close: () => {
      for (const redirect of redirects) redirect.close();
    },
  };
};
