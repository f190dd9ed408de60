import type { Reply } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import { type ToolInput, type ToolOutput, unreadableEnvelope } from "./envelope.ts";

const maxCachedPrincipals = 1_000;
const principalCache = new WeakMap<Principal, Map<string, Principal>>();

/**
 * Limited to the rights of the code that passes the envelope on. Cached, because policy caches by principal
 * identity.
 */
export const toEnvelopePrincipal = (
  input: ToolInput,
  rights: Principal | undefined,
): Principal | undefined => {
  if (rights === undefined) return undefined;
  if (!Object.isFrozen(rights)) return delegatePrincipal(input, rights);
  let cached = principalCache.get(rights);
  if (cached === undefined || cached.size > maxCachedPrincipals) {
    cached = new Map();
    principalCache.set(rights, cached);
  }
  const cacheKey = JSON.stringify([input.agentId, input.sessionId]);
  let principal = cached.get(cacheKey);
  if (principal === undefined) {
    principal = delegatePrincipal(input, rights);
    cached.set(cacheKey, principal);
  }
  return principal;
};

/** The session in an envelope is not authenticated, so the delegator is part of the identity. */
const delegatePrincipal = (input: ToolInput, rights: Principal): Principal => {
  const { agentId, sessionId } = input;
  if (input === unreadableEnvelope || (agentId === rights.agent && sessionId === rights.session))
    return rights;
  return Object.freeze({ ...rights, agent: agentId, session: sessionId, within: rights });
};

export const toEnvelopeOutput = (input: ToolInput, reply: Reply, executionTimeMs: number): ToolOutput => ({
  toolName: input.toolName,
  success: reply.ok,
  result: reply.ok ? reply.value : null,
  ...(reply.parts === undefined ? {} : { parts: reply.parts }),
  ...(reply.ok
    ? {}
    : {
        error: input === unreadableEnvelope ? notAnEnvelopeMessage : (reply.failure?.message ?? reply.text),
      }),
  executionTimeMs,
  metadata: {
    callId: reply.id,
    flow: reply.flow.kind,
    ...(input.correlationId === undefined ? {} : { correlationId: input.correlationId }),
    ...(reply.failure === undefined ? {} : { code: reply.failure.code }),
    ...(reply.pending === undefined ? {} : { approvalId: reply.pending.id }),
  },
});

const notAnEnvelopeMessage =
  "This is not an envelope: it needs the strings toolName, agentId and sessionId, and the tool's arguments.";
