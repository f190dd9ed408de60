import { isStrictScopeSuperset } from "@modelcontextprotocol/client";
import type { AuthorizationServer } from "../authorization-server.ts";
import { isLoopback } from "../guarded-fetch.ts";
import type { Bundle, KeptSignIn } from "../kept/bundle.ts";
import { signedIn, toKept } from "../kept/kept-tokens.ts";
import { type LoopbackRedirect, loopbackRedirect } from "../loopback-redirect.ts";
import type { AuthParty, AuthServices } from "../party.ts";
import { notSignedIn, signInRequired } from "../refusals.ts";
import { chooseClient, isFixedClient } from "./choose-client.ts";
import { beginSignIn, finishSignIn } from "./sign-in.ts";

export interface SignInQuestion {
  readonly server: AuthorizationServer;
  readonly scope: string | undefined;
  readonly isBound: boolean;
  /** What the party has of this issuer. */
  readonly mine: Bundle;
}

/** Nobody listens here: the person copies the address of the page that does not load. */
const deadEnd = "http://127.0.0.1:27483/callback";

const begin = async (
  services: AuthServices,
  party: AuthParty,
  { server, scope, isBound, mine }: SignInQuestion,
  { redirectUrl, state }: { readonly redirectUrl: string; readonly state: string },
): Promise<KeptSignIn> => {
  const client = await chooseClient(services, party, { server, redirectUrl, scope, kept: mine.client });
  return beginSignIn(services, party, { server, client, redirectUrl, state, scope, isBound });
};

/** A sign-in that whoever runs us finishes later. While it waits it stays the same page, however often it is wanted. */
export const leaveSignIn = async (
  services: AuthServices,
  party: AuthParty,
  question: SignInQuestion,
): Promise<KeptSignIn> => {
  const { book, now, random } = services;
  const before = await book.read(party.owner);
  const { waiting } = before;
  const isSame =
    waiting !== undefined &&
    waiting.until > now() &&
    waiting.server.issuer === question.server.issuer &&
    !isStrictScopeSuperset(question.scope, waiting.asked);
  if (isSame) return waiting;
  const redirectUrl = party.oauth.redirectUrl ?? deadEnd;
  const begun = await begin(services, party, question, { redirectUrl, state: random() });
  await book.write(party.owner, { ...before, waiting: begun });
  return begun;
};

/** Clients that were made known beforehand come back to where they said; others to a path that is used once. */
const listen = (
  { random, signInTimeoutMs: timeoutMs }: AuthServices,
  party: AuthParty,
  server: AuthorizationServer,
  state: string,
): Promise<LoopbackRedirect> => {
  const { redirectUrl } = party.oauth;
  if (redirectUrl !== undefined) {
    const { pathname: path, port } = new URL(redirectUrl);
    return loopbackRedirect({ path, port: Number(port), state, timeoutMs });
  }
  const path = isFixedClient(party, server) ? "/callback" : `/${random()}`;
  return loopbackRedirect({ path, port: 0, state, timeoutMs });
};

/** As the operator wrote it, with the port that it got. */
const redirectUrlOf = ({ oauth }: AuthParty, listening: LoopbackRedirect): string => {
  if (oauth.redirectUrl === undefined) return listening.url;
  const url = new URL(oauth.redirectUrl);
  url.port = new URL(listening.url).port;
  return url.href;
};

const canListen = ({ oauth }: AuthParty): boolean => {
  if (oauth.redirectUrl === undefined) return true;
  const url = new URL(oauth.redirectUrl);
  return url.protocol === "http:" && isLoopback(url);
};

/** How long nobody is shown a page of their own accord after they did not finish one. */
const restMs = 60 * 60_000;

const mayAsk = ({ onSignIn, unanswered, now }: AuthServices, party: AuthParty): boolean => {
  const since = unanswered.get(party.owner.key);
  return onSignIn !== undefined && canListen(party) && (since === undefined || now() - since >= restMs);
};

/** Shows the page and waits for the person; undefined where nobody could be shown anything. */
const askNow = async (
  services: AuthServices,
  party: AuthParty,
  question: SignInQuestion,
): Promise<Bundle | undefined> => {
  const { onSignIn, redirects, unanswered, random, now, signInTimeoutMs } = services;
  const { owner, server, principal } = party;
  if (onSignIn === undefined || !mayAsk(services, party)) return undefined;
  const state = random();
  const listening = await listen(services, party, question.server, state).catch(() => undefined);
  if (listening === undefined) return undefined;
  redirects.add(listening);
  try {
    const waiting = await begin(services, party, question, {
      redirectUrl: redirectUrlOf(party, listening),
      state,
    });
    unanswered.set(owner.key, now());
    try {
      await onSignIn(server, new URL(waiting.url), principal);
    } catch {
      return undefined;
    }
    const answer = await listening.answered.catch(() => {
      throw notSignedIn(owner.id, `was not finished within ${Math.round(signInTimeoutMs / 1_000)} seconds`);
    });
    const issuedAt = now();
    const tokens = await finishSignIn(services, party, waiting, answer);
    unanswered.delete(owner.key);
    return signedIn(waiting, toKept(tokens, issuedAt));
  } finally {
    redirects.delete(listening);
    listening.close();
  }
};

/** Asks the person at this machine, or says where somebody must sign in. */
export const askPerson = async (
  services: AuthServices,
  party: AuthParty,
  question: SignInQuestion,
): Promise<void> => {
  const bundle = await askNow(services, party, question);
  if (bundle !== undefined) return services.book.write(party.owner, bundle);
  const { url } = await leaveSignIn(services, party, question);
  throw signInRequired(party.owner.id, url);
};
