import { isStrictScopeSuperset } from "@modelcontextprotocol/client";
import { randomToken } from "../../../../base/credentials/oauth/authorization-request.ts";
import {
  type LoopbackRedirect,
  openLoopbackRedirect,
} from "../../../../base/credentials/oauth/loopback-redirect.ts";
import { isLoopbackUrl } from "../../../../base/credentials/oauth/oauth-credential.ts";
import type { AuthCaller, AuthServices } from "../auth-caller.ts";
import type { AuthorizationServer } from "../authorization-server.ts";
import { mcpSignInRequiredError, signInFailedError } from "../challenge.ts";
import { bundleAfterSignIn, type PendingSignIn, type TokenBundle } from "../token-bundle.ts";
import { beginSignIn, finishSignIn, isFixedClient, type SignInRequest } from "./sign-in.ts";

/** No server listens on this URL: the user copies the address of the page that fails to load. */
const manualRedirectUrl = "http://127.0.0.1:27483/callback";

/**
 * Another process may finish the sign-in. An equivalent pending one is reused, so that its URL stays the
 * same.
 */
export const storePendingSignIn = async (
  services: AuthServices,
  caller: AuthCaller,
  request: SignInRequest,
): Promise<PendingSignIn> => {
  const { bundles, now } = services;
  const before = await bundles.read(caller.owner);
  const { waiting } = before;
  const isSame =
    waiting !== undefined &&
    waiting.until > now() &&
    waiting.server.issuer === request.server.issuer &&
    !isStrictScopeSuperset(request.scope, waiting.asked);
  if (isSame) return waiting;
  const redirectUrl = caller.oauth.redirectUrl ?? manualRedirectUrl;
  const started = await beginSignIn(services, caller, request, { redirectUrl, state: randomToken() });
  await bundles.write(caller.owner, { ...before, waiting: started });
  return started;
};

const openRedirect = (
  { signInTimeoutMs: timeoutMs }: AuthServices,
  caller: AuthCaller,
  server: AuthorizationServer,
  state: string,
): Promise<LoopbackRedirect> => {
  const { redirectUrl } = caller.oauth;
  if (redirectUrl !== undefined) {
    const { pathname: path, port } = new URL(redirectUrl);
    return openLoopbackRedirect({ path, port: Number(port), state, timeoutMs });
  }
  const path = isFixedClient(caller, server) ? "/callback" : `/${randomToken()}`;
  return openLoopbackRedirect({ path, port: 0, state, timeoutMs });
};

const redirectUrlOf = ({ oauth }: AuthCaller, redirect: LoopbackRedirect): string => {
  if (oauth.redirectUrl === undefined) return redirect.url;
  const url = new URL(oauth.redirectUrl);
  url.port = new URL(redirect.url).port;
  return url.href;
};

const canUseLoopbackRedirect = ({ oauth }: AuthCaller): boolean => {
  if (oauth.redirectUrl === undefined) return true;
  const url = new URL(oauth.redirectUrl);
  return url.protocol === "http:" && isLoopbackUrl(url);
};

const promptCooldownMs = 60 * 60_000;

const canPrompt = ({ lastPromptAt, now }: AuthServices, caller: AuthCaller): boolean => {
  const since = lastPromptAt.get(caller.owner.key);
  return canUseLoopbackRedirect(caller) && (since === undefined || now() - since >= promptCooldownMs);
};

/** Returns undefined if no page can be shown. */
const promptForSignIn = async (
  services: AuthServices,
  caller: AuthCaller,
  request: SignInRequest,
): Promise<TokenBundle | undefined> => {
  const { onSignIn, redirects, lastPromptAt, now, signInTimeoutMs } = services;
  const { owner, server, principal } = caller;
  if (onSignIn === undefined || !canPrompt(services, caller)) return undefined;
  const state = randomToken();
  const redirect = await openRedirect(services, caller, request.server, state).catch(() => undefined);
  if (redirect === undefined) return undefined;
  redirects.add(redirect);
  try {
    const waiting = await beginSignIn(services, caller, request, {
      redirectUrl: redirectUrlOf(caller, redirect),
      state,
    });
    lastPromptAt.set(owner.key, now());
    try {
      await onSignIn(server, new URL(waiting.url), principal);
    } catch {
      return undefined;
    }
    const answer = await redirect.answered.catch(() => {
      throw signInFailedError(
        owner.label,
        `was not completed within ${Math.round(signInTimeoutMs / 1_000)} seconds`,
      );
    });
    const tokens = await finishSignIn(services, caller, waiting, answer);
    lastPromptAt.delete(owner.key);
    return bundleAfterSignIn(waiting, tokens);
  } finally {
    redirects.delete(redirect);
    redirect.close();
  }
};

export const requestSignIn = async (
  services: AuthServices,
  caller: AuthCaller,
  request: SignInRequest,
): Promise<void> => {
  const bundle = await promptForSignIn(services, caller, request);
  if (bundle !== undefined) return services.bundles.write(caller.owner, bundle);
  const { url } = await storePendingSignIn(services, caller, request);
  throw mcpSignInRequiredError(caller.owner.label, url);
};
