import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { ToolRegistry } from "../catalog/registry.ts";
import type { McpTool } from "../dialects/mcp/to-mcp.ts";
import { redactor } from "../json/redact.ts";
import type { Served, ServedCall } from "../mcp/serve/served.ts";
import type { McpServersService } from "../mcp/servers.ts";
import { remoteOf } from "../mcp/to-tool.ts";
import type { Offer } from "../offer/offer.ts";
import { toPrincipalKey } from "../offer/principal-key.ts";
import { ConfigurationError, ToolError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import { CurrentCaller, type McpCaller } from "../words/mcp.ts";
import type { Reply } from "../words/reply.ts";
import { cancelled } from "./cancelled.ts";
import { conversations } from "./conversations.ts";
import type { Haft } from "./haft.ts";
import { toOffering } from "./offering.ts";
import { sharedBy } from "./shared.ts";

export interface ServedAs {
  readonly info: Served["info"];
  readonly instructions?: string;
  /** Whose words make a later call of the same client suspect: those of other servers, of all, or of none. */
  readonly taint?: "others" | "all" | "off";
}

/** A runtime as the protocol sees it. Every call goes down the same corridor as any other. */
export const servedBy = async (
  haft: Haft,
  { info, instructions, taint = "others" }: ServedAs,
): Promise<Served> => {
  const shared = sharedBy.get(haft);
  if (shared === undefined) throw new ConfigurationError("invalid_config", "Only a Haft can be served.");
  const { tools, events, offers, inFlight } = shared;
  const { servers } = await shared.mcp.open();
  const now = (): number => Context.get(tools.context, Clock.Clock).currentTimeMillisUnsafe();
  const masking = redactor({ secrets: shared.credentials.known });
  const heard = conversations(now);

  const ownerOf = ownersOf(servers, shared.registry);
  /** What a server hears again it has said itself; carried to another it would leave the house. */
  const heardBy = (tool: string, conversation: string): readonly string[] => {
    const taints = taint === "off" ? [] : heard.heardIn(conversation);
    if (taints.length === 0 || taint === "all") return taints;
    const key = shared.registry.get(tool)?.key;
    const owner = key === undefined ? undefined : ownerOf(key);
    return owner === undefined ? taints : taints.filter((each) => ownerOf(each) !== owner);
  };

  const run = (
    effect: Effect.Effect<Reply, unknown>,
    call: { readonly caller: McpCaller; readonly signal: AbortSignal },
    asked: Pick<Reply, "id" | "tool">,
  ): Promise<Reply> =>
    new Promise((resolve) => {
      const mine = Effect.provideService(effect, CurrentCaller, call.caller);
      const fiber = Effect.runForkWith(tools.context)(mine, { signal: call.signal });
      inFlight.add(fiber);
      fiber.addObserver((exit) => {
        inFlight.delete(fiber);
        resolve(Exit.isSuccess(exit) ? exit.value : refused(asked, exit.cause));
      });
    });

  return {
    info,
    ...(instructions === undefined ? {} : { instructions }),
    tools: (principal) => listed(offers.to(principal, now())),
    call: async (call) => {
      const { id, tool, input, principal, idempotencyKey, correlationId } = call;
      const conversation = conversationOf(call);
      const options = { principal, correlationId, idempotencyKey, taints: heardBy(tool, conversation) };
      const turn = Effect.map(tools.turn([{ id, tool, input }], options), (replies) => replies[0]!);
      const reply = await run(turn, call, { id, tool });
      heard.hear(conversation, reply.taints ?? []);
      return reply;
    },
    resume: (approvalId, decision, call) => {
      const { principal, by } = call;
      return run(tools.resume(approvalId, decision, { principal, by }), call, { id: approvalId, tool: "" });
    },
    servers: (principal) => {
      const mayUse = (key: string | undefined): boolean => {
        const registration = key === undefined ? undefined : shared.registry.get(key);
        return registration !== undefined && shared.policy.visible(principal, registration).effect !== "deny";
      };
      return servers.served(principal).flatMap(({ id, session, readResource, getPrompt }) => {
        const reads = mayUse(readResource) ? { readResource: readResource! } : {};
        const prompts = mayUse(getPrompt) ? { getPrompt: getPrompt! } : {};
        // Whoever may use neither has nothing to do with what the server has besides tools.
        return mayUse(readResource) || mayUse(getPrompt) ? [{ id, session, ...reads, ...prompts }] : [];
      });
    },
    onProgress: (listener) => events.on("tools.progress", ({ callId, update }) => listener(callId, update)),
    onNews: (listener) => {
      const changed = (): void => listener({ kind: "tools-changed" }, undefined);
      const off = [
        events.on("tools.registered", changed),
        events.on("tools.unregistered", changed),
        events.on("tools.mcp-connected", changed),
        events.on("tools.mcp-disconnected", changed),
        servers.onNews(listener),
      ];
      return () => {
        for (const stop of off) stop();
      };
    },
    redact: masking.text,
  };
};

/** Which server a tool came from, by its full name. */
const ownersOf = (
  { list }: McpServersService,
  registry: ToolRegistry,
): ((key: string) => string | undefined) => {
  let owners = new Map<string, string>();
  let version = -1;
  return (key) => {
    if (version !== registry.version) {
      owners = new Map(list().flatMap(({ id, tools }) => tools.map((tool) => [tool, id] as const)));
      version = registry.version;
    }
    return owners.get(key);
  };
};

/** What a session heard stays with it; without one, with its caller. */
const conversationOf = ({ conversation, principal }: ServedCall): string =>
  JSON.stringify([toPrincipalKey(principal) ?? principal.agent, conversation ?? ""]);

const refused = ({ id, tool }: Pick<Reply, "id" | "tool">, cause: Cause.Cause<unknown>): Reply => {
  const error = Cause.squash(cause);
  const failure: Failure =
    ToolError.is(error) && !Cause.hasInterruptsOnly(cause) ? error.failure : cancelled(tool).failure;
  return { id, tool, ok: false, text: `Error: ${failure.message}`, flow: { kind: "continue" }, failure };
};

const lists = new WeakMap<Offer, readonly McpTool[]>();

/** A remote tool keeps the schemas that were reviewed; what it may claim of itself is what its spec says. */
const listed = (offer: Offer): readonly McpTool[] => {
  const before = lists.get(offer);
  if (before !== undefined) return before;
  const { tools } = toOffering(offer, "mcp");
  const whole = tools.map((tool, index): McpTool => {
    const remote = remoteOf(offer.registrations[index]!.tool);
    if (remote === undefined) return tool;
    const { inputSchema, outputSchema } = remote;
    return Object.freeze({
      ...tool,
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    });
  });
  const list = Object.freeze(whole);
  lists.set(offer, list);
  return list;
};
