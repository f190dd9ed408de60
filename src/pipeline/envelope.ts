import type { Failure } from "../types/failure.ts";
import type { ContentPart } from "../types/message.ts";
import type { Reply } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";

/** A call for `haft.execute`, with the names of its caller. */
export interface ToolInput {
  readonly toolName: string;
  readonly arguments: unknown;
  readonly agentId: string;
  readonly sessionId: string;
  readonly correlationId?: string;
}

/** Result of `haft.execute`. */
export interface ToolOutput {
  readonly toolName: string;
  readonly success: boolean;
  readonly result: unknown;
  /** Media that the tool returned with the value. */
  readonly parts?: readonly ContentPart[];
  readonly error?: string;
  readonly executionTimeMs: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

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

export const refusedOutput = (input: ToolInput, { code, message }: Failure): ToolOutput => ({
  toolName: input.toolName,
  success: false,
  result: null,
  error: message,
  executionTimeMs: 0,
  metadata: { code },
});

/** An unreadable envelope becomes a call without a tool name, so that it is recorded and refused. */
export const readEnvelope = (given: unknown): ToolInput => {
  try {
    const { toolName, arguments: input, agentId, sessionId, correlationId } = given as ToolInput;
    const names = [toolName, agentId, sessionId];
    if (!names.every((name) => typeof name === "string")) return unreadableEnvelope;
    return {
      toolName,
      arguments: input,
      agentId,
      sessionId,
      ...(typeof correlationId === "string" ? { correlationId } : {}),
    };
  } catch {
    return unreadableEnvelope;
  }
};

const unreadableEnvelope: ToolInput = Object.freeze({
  toolName: "",
  arguments: undefined,
  agentId: "",
  sessionId: "",
});

const notAnEnvelopeMessage =
  "This is not an envelope: it needs the strings toolName, agentId and sessionId, and the tool's arguments.";
