import { computeScopeUnion } from "@modelcontextprotocol/client";
import { type AuthorizationServer, findAuthorizationServer } from "./authorization-server.ts";
import type { TokenChallenge } from "./challenge.ts";
import { type Bundle, trimmed } from "./kept/bundle.ts";
import { toKept, usableTokens } from "./kept/kept-tokens.ts";
import { askAsMachine, type MachineGrant } from "./machine-grant.ts";
import { type AuthParty, type AuthServices, checkSecretPlace } from "./party.ts";
import { refresh } from "./refresh.ts";
import { never, toRefusal } from "./refusals.ts";
import { askPerson, type SignInQuestion } from "./sign-in/ask-person.ts";

/** A person who just signed in is not asked again at once: the server would not take that token either. */
const pauseMs = 60_000;

const nothing: Bundle = Object.freeze({ version: 1 });

/** Finds out who gives tokens now, and what to ask of them. */
export const prepare = async (
  services: AuthServices,
  party: AuthParty,
  challenge: TokenChallenge,
): Promise<SignInQuestion> => {
  const { owner, server: mcp, oauth, machine, fetch } = party;
  const server = await findAuthorizationServer({
    id: owner.id,
    serverUrl: mcp.url,
    resourceMetadataUrl: challenge.resourceMetadataUrl,
    issuer: oauth.issuer ?? machine?.issuer,
    fetch,
  });
  const before = await services.book.read(owner);
  // What another issuer gave is nothing to this one.
  const mine = before.server?.issuer === server.issuer ? before : nothing;
  const scope = scopeFor(server, {
    configured: oauth.scope,
    challenged: challenge.scope,
    asked: mine.asked,
    isMachine: machine !== undefined,
  });
  const isBound = challenge.wantsBound === true || server.wantsBound || mine.key !== undefined;
  return { server, scope, isBound, mine };
};

const askMachine = async (
  { book, now, reveal }: AuthServices,
  party: AuthParty,
  grant: MachineGrant,
  { server, scope }: SignInQuestion,
): Promise<void> => {
  const { owner, fetch } = party;
  checkSecretPlace(party, server, grant.issuer ?? party.oauth.issuer);
  const issuedAt = now();
  const asked = {
    server,
    clientSecret: grant.clientSecret === undefined ? undefined : await reveal(grant.clientSecret),
    issuer: server.issuer,
    resource: server.resource,
    scope,
    fetch,
  };
  const tokens = await askAsMachine(grant, asked).catch((error) => {
    throw toRefusal(owner.id, "a token", error);
  });
  await book.write(owner, {
    version: 1,
    server: trimmed(server),
    tokens: toKept(tokens, issuedAt),
    ...(scope === undefined ? {} : { asked: scope }),
  });
};

const justSignedIn = (
  { signedInAt = 0, tokens }: Bundle,
  { refused }: TokenChallenge,
  now: number,
): boolean => tokens !== undefined && tokens.access_token === refused && now - signedInAt < pauseMs;

/** Sees to it that there is a token the server will take, or says why there is none. */
export const obtain = async (
  services: AuthServices,
  party: AuthParty,
  challenge: TokenChallenge,
): Promise<void> => {
  const { owner, oauth, machine } = party;
  const { refused, isStepUp = false } = challenge;
  const before = await services.book.read(owner);
  // Somebody else saw to it meanwhile.
  const usable = usableTokens(before, { issuer: oauth.issuer, refused, now: services.now() });
  if (!isStepUp && usable !== undefined) return;
  const question = await prepare(services, party, challenge);
  if (machine !== undefined) return askMachine(services, party, machine, question);
  const canRefresh = !isStepUp && question.mine.tokens?.refresh_token !== undefined;
  if (canRefresh && (await refresh(services, party, question.server, refused))) return;
  if (!isStepUp && justSignedIn(question.mine, challenge, services.now()))
    throw never(owner.id, "refused a token that it was just given; check its scopes and its audience");
  return askPerson(services, party, canRefresh ? { ...question, mine: nothing } : question);
};

/** Renews an old token where nobody need be asked for it. */
export const renewQuietly = async (
  services: AuthServices,
  party: AuthParty,
  server: AuthorizationServer,
): Promise<void> => {
  await refresh(services, party, server, undefined);
};

interface ScopeWish {
  /** The operator's. */
  readonly configured: string | undefined;
  /** What the MCP server said when it refused us. */
  readonly challenged: string | undefined;
  /** What was asked for before. */
  readonly asked: string | undefined;
  readonly isMachine: boolean;
}

/** What to ask for: as little as the server names, never less than before, and the right to come back unasked. */
const scopeFor = (
  { metadata, scopes }: AuthorizationServer,
  { configured, challenged, asked, isMachine }: ScopeWish,
): string | undefined => {
  const first = computeScopeUnion(configured, challenged) ?? computeScopeUnion(scopes?.join(" "));
  const scope = computeScopeUnion(asked, first);
  const givesOffline = metadata?.scopes_supported?.includes("offline_access") === true;
  return scope === undefined || isMachine || !givesOffline
    ? scope
    : computeScopeUnion(scope, "offline_access");
};
