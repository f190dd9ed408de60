import {
  type AuthProvider,
  computeScopeUnion,
  type DpopSession,
  extractWWWAuthenticateParams,
  type FetchLike,
  isStrictScopeSuperset,
  withDpop,
} from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import type { KeyedTasks } from "../../../base/credentials/keyed-tasks.ts";
import { ToolError } from "../../../types/errors.ts";
import type { AuthCaller, AuthServices } from "./auth-caller.ts";
import { readChallenge, type TokenChallenge } from "./challenge.ts";
import { obtainTokens, refreshTokens } from "./obtain-tokens.ts";
import { createDpopSession, findUsableTokens } from "./token-bundle.ts";

/**
 * Replaces the SDK's OAuth providers, which send headers meant for the MCP server to authorization servers.
 */
export interface McpAuthorization extends AuthProvider {
  readonly token: () => Promise<string | undefined>;
  readonly onUnauthorized: NonNullable<AuthProvider["onUnauthorized"]>;
  /** Requests more scopes on `insufficient_scope` and adds DPoP proofs. */
  readonly fetch: (base: FetchLike) => FetchLike;
}

const bearerTokenOf = (init: RequestInit | undefined): string | undefined =>
  /^bearer (.+)$/i.exec(new Headers(init?.headers).get("authorization") ?? "")?.[1];

const toEffect = (work: () => Promise<void>): Effect.Effect<void, unknown> =>
  Effect.tryPromise({ try: work, catch: (error) => error });

export const createCallerAuthorization = (
  services: AuthServices,
  caller: AuthCaller,
  requests: KeyedTasks<void, unknown>,
): McpAuthorization => {
  const { bundles, now } = services;
  const { owner, oauth } = caller;
  /** Concurrent requests may use different tokens. */
  const tokenByResponse = new WeakMap<Response, string | undefined>();
  let latest: string | undefined;
  let session: { readonly key: string | undefined; readonly opened: Promise<DpopSession> } | undefined;

  const usableTokens = async () =>
    findUsableTokens(await bundles.read(owner), { issuer: oauth.issuer, now: now() });

  const refreshedToken = async (): Promise<string | undefined> => {
    const found = await usableTokens();
    if (found !== undefined) return found.access_token;
    const { tokens, server } = await bundles.read(owner);
    if (tokens?.refresh_token === undefined || server === undefined) return undefined;
    try {
      const renewal = toEffect(async () => void (await refreshTokens(services, caller, server)));
      await Effect.runPromise(requests.join(owner.key, renewal, "renew"));
    } catch (error) {
      // The response to a request without a token states what the server requires.
      if (!ToolError.is(error)) throw error;
    }
    return (await usableTokens())?.access_token;
  };

  const token = async (): Promise<string | undefined> => {
    latest = await refreshedToken();
    return latest;
  };

  /** Skips the request if a concurrent one already widened the scopes. */
  const requestMoreScopes = async (challenge: TokenChallenge, sent: string): Promise<string | undefined> => {
    const stepUpScope = toEffect(async () => {
      const { asked, tokens } = await bundles.read(owner);
      const had = computeScopeUnion(asked, tokens?.scope);
      const scope = computeScopeUnion(had, challenge.scope);
      if (isStrictScopeSuperset(scope, had))
        await obtainTokens(services, caller, { ...challenge, scope, isStepUp: true });
    });
    await Effect.runPromise(requests.alone(owner.key, stepUpScope));
    const found = await token();
    return found === sent ? undefined : found;
  };

  const dpopSession = async (): Promise<DpopSession | undefined> => {
    const { key } = await bundles.read(owner);
    if (key === undefined) return undefined;
    const opened = session?.key === key.x ? session : { key: key.x, opened: createDpopSession(key) };
    session = opened;
    return opened.opened;
  };

  const boundToken = async (): Promise<string | undefined> => {
    const found = await usableTokens();
    return found?.token_type.toLowerCase() === "dpop" ? found.access_token : undefined;
  };

  return {
    token,
    onUnauthorized: ({ response }) => {
      const refused = tokenByResponse.has(response) ? tokenByResponse.get(response) : latest;
      const challenge = { ...readChallenge(response), rejectedToken: refused };
      const obtainOnce = toEffect(() => obtainTokens(services, caller, challenge));
      return Effect.runPromise(requests.join(owner.key, obtainOnce, "obtain"));
    },
    fetch: (base) => {
      const withProof = withDpop(dpopSession, boundToken)(base);
      const send: FetchLike = async (url, init) => {
        const response = await withProof(url, init);
        tokenByResponse.set(response, bearerTokenOf(init));
        return response;
      };
      return async (url, init) => {
        const response = await send(url, init);
        const sent = bearerTokenOf(init);
        if (response.status !== 403 || sent === undefined) return response;
        const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
        if (error !== "insufficient_scope") return response;
        const more = await requestMoreScopes({ scope, resourceMetadataUrl }, sent);
        if (more === undefined) return response;
        await response.body?.cancel();
        const headers = new Headers(init?.headers);
        headers.set("authorization", `Bearer ${more}`);
        return send(url, { ...init, headers });
      };
    },
  };
};
