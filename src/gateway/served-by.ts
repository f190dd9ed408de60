import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { type AskedAgain, toReply } from "../call/corridor.ts";
import { type Offer, toOffer } from "../catalog/offer/offer.ts";
import type { McpTool } from "../dialects/mcp/to-mcp.ts";
import { type Redactor, redactor } from "../json/redact.ts";
import { isForModels } from "../mcp/client/to-tool/ui-of.ts";
import { remoteOf } from "../mcp/client/to-tool.ts";
import { taintOf } from "../policy/taint.ts";
import { cancelled } from "../runtime/cancelled.ts";
import type { Haft } from "../runtime/haft.ts";
import { sharedBy } from "../runtime/shared.ts";
import { ConfigurationError, ToolError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import { CurrentCaller, type McpCaller, type Refusal } from "../words/mcp.ts";
import { failed } from "../words/outcome.ts";
import { type Principal, partyOf } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import { type Conversations, conversations } from "./conversations.ts";
import { keptResults } from "./kept-results.ts";
import { listedTools } from "./listed-tools.ts";
import type { ListedOffer } from "./search/handful.ts";
import { isOwnName } from "./search/own-names.ts";
import { readSearch } from "./search/search-settings.ts";
import type { ServeSearch } from "./serve-options.ts";
import type { Served, ServedCall } from "./served.ts";
import { ownersOf } from "./tool-owners.ts";
import { uiAddresses } from "./ui-addresses.ts";
import { type WaitingCalls, waitingCalls } from "./waiting-calls.ts";

export interface ServedAs {
  readonly info: Served["info"];
  readonly instructions?: string;
  /** Whose words make a later call of the same client suspect: those of other servers, of all, or of none. */
  readonly taint?: "others" | "all" | "off";
  /** Whether clients of many tools are listed a handful and search the others, and how. */
  readonly search?: boolean | ServeSearch;
  /** What clients have heard until now, where another runtime was served to them before. */
  readonly conversationTaints?: Conversations;
  /** What clients were told waits, likewise. */
  readonly waitingCalls?: WaitingCalls;
}

type CallingClient = Pick<ServedCall, "principal" | "caller" | "signal" | "conversation" | "trace">;

/** A runtime as the protocol sees it. Every call goes down the same corridor as any other. */
export const servedBy = async (haft: Haft, given: ServedAs): Promise<Served> => {
  const { info, instructions, taint = "others", conversationTaints: before, waitingCalls: asked } = given;
  const shared = sharedBy.get(haft);
  if (shared === undefined) throw new ConfigurationError("invalid_config", "Only a Haft can be served.");
  const { tools, events, offers, inFlight } = shared;
  const { servers } = await shared.mcp.open();
  const now = (): number => Context.get(tools.context, Clock.Clock).currentTimeMillisUnsafe();
  const masking = redactor({ secrets: shared.credentials.known });
  const conversationTaints = before ?? conversations(now);
  const waiting = asked ?? waitingCalls();
  const results = keptResults();

  const ownerOf = ownersOf(servers, shared.registry);
  const ui = uiAddresses(servers, shared.registry);
  const lists = new WeakMap<Offer, readonly McpTool[]>();
  const widened = new WeakMap<Offer, { readonly keys: string; readonly offer: Offer }>();
  /** Tools for apps alone are in no offer, since no model is told of them. */
  const withAppTools = (offer: Offer, principal: Principal): Offer => {
    const appTools = servers
      .served(principal)
      .flatMap(({ keys }) => keys)
      .flatMap((key) => shared.registry.get(key) ?? [])
      .filter(({ tool }) => !isForModels(remoteOf(tool) ?? {}))
      .filter((one) => shared.policy.visible(principal, one).effect !== "deny");
    if (appTools.length === 0) return offer;
    const keys = appTools.map(({ key }) => key).join();
    const before = widened.get(offer);
    if (before?.keys === keys) return before.offer;
    const all = [...offer.registrations, ...appTools].toSorted((one, other) =>
      one.key < other.key ? -1 : 1,
    );
    const wide = toOffer(offer.principal, offer.version, all);
    widened.set(offer, { keys, offer: wide });
    return wide;
  };
  const listedTo = (principal: Principal, showsApps = false): ListedOffer => {
    const plain = offers.to(principal, now());
    const offer = showsApps ? withAppTools(plain, principal) : plain;
    let list = lists.get(offer);
    if (list === undefined) {
      list = listedTools(offer, (key, uri) => ui.addressOf(ownerOf(key) ?? "", uri));
      lists.set(offer, list);
    }
    return { offer, list };
  };
  const settings = readSearch(given.search);
  const search = settings && (await (await loadSearch()).openSearch(shared, settings, listedTo));
  const isOwn = (name: string): boolean => search !== undefined && isOwnName(name);
  /** What a server hears again it has said itself; carried to another it would leave this process. */
  const heardBy = (tool: string, conversation: string): readonly string[] => {
    const taints = taint === "off" ? [] : conversationTaints.heardIn(conversation);
    if (taints.length === 0 || taint === "all") return taints;
    const key = shared.registry.get(tool)?.key;
    const owner = key === undefined ? undefined : ownerOf(key);
    return owner === undefined ? taints : taints.filter((each) => ownerOf(each) !== owner);
  };

  const run = (
    effect: Effect.Effect<Reply, unknown>,
    call: CallingClient,
    asked: Pick<Reply, "id" | "tool">,
  ): Promise<Reply> =>
    new Promise((resolve) => {
      const { trace, caller } = call;
      const traced = trace === undefined ? undefined : shared.observer?.within(trace, effect);
      const mine = Effect.provideService(traced ?? effect, CurrentCaller, caller);
      const fiber = Effect.runForkWith(tools.context)(mine, { signal: call.signal });
      inFlight.add(fiber);
      fiber.addObserver((exit) => {
        inFlight.delete(fiber);
        const reply = Exit.isSuccess(exit) ? exit.value : refused(asked, exit.cause, masking);
        // Whichever way a call came to its end, its client hears what it says.
        conversationTaints.hear(conversationOf(call), reply.taints ?? []);
        resolve(reply);
      });
    });

  /** Goes on with a call that waited, which another client may have begun: this one hears the whole result too. */
  const goOn = async (
    effect: Effect.Effect<Reply, unknown>,
    call: CallingClient & { readonly id?: string },
    asked: Pick<Reply, "id" | "tool">,
  ): Promise<Reply> => {
    const { caller, id } = call;
    const refusals = new Map<string, Refusal>();
    let hasHeard = false;
    const keeping: McpCaller = {
      ...caller,
      received: (value, result, callId) => {
        results.keep(callId, { value, result });
        hasHeard ||= callId === id;
        caller.received?.(value, result, callId);
      },
      refused: (refusal, callId) => {
        refusals.set(callId, refusal);
        caller.refused?.(refusal, callId);
      },
    };
    const reply = await run(effect, { ...call, caller: keeping }, asked);
    // The call has the id of the request that began it; its client knows only its own.
    if (id === undefined || hasHeard) return reply;
    const kept = results.find(reply.id);
    if (kept !== undefined) caller.received?.(kept.value, kept.result, id);
    const refusal = refusals.get(reply.id);
    if (refusal !== undefined && id !== reply.id) caller.refused?.(refusal, id);
    return reply;
  };

  /** Once a call that waited is over, the same request is another call. Until then, and if this breaks, it is the same. */
  const settle = (
    approvalId: string,
    going: Effect.Effect<AskedAgain, ToolError>,
  ): Effect.Effect<Reply, ToolError> =>
    Effect.map(going, ({ reply, isOver }) => {
      if (isOver) waiting.drop(approvalId);
      if (reply.pending === undefined) return reply;
      return { ...reply, pending: waiting.move(approvalId, reply.pending) };
    });

  return {
    info,
    ...(instructions === undefined ? {} : { instructions }),
    tools: (principal, { showsApps } = {}) => listedTo(principal, showsApps).list,
    search: search && {
      shown: (principal, { showsApps, loaded }) =>
        search.shown(principal, listedTo(principal, showsApps), loaded),
    },
    isRemote: (name) => {
      const found = isOwn(name) ? undefined : shared.registry.get(name);
      const remote = found === undefined ? undefined : remoteOf(found.tool);
      return remote !== undefined && remote.outputSchema === undefined;
    },
    listedName: (name) => (isOwn(name) ? name : (shared.registry.get(name)?.wireName ?? name)),
    call: async (call) => {
      const { id, tool, input, principal, idempotencyKey, correlationId } = call;
      if (search !== undefined && isOwn(tool)) return run(search.call(call), call, { id, tool });
      const before = waiting.find(call);
      if (before !== undefined) {
        const going = settle(before.id, tools.askAgain(before, { principal }));
        return goOn(going, call, { id, tool });
      }
      const taints = heardBy(tool, conversationOf(call));
      const options = { principal, correlationId, idempotencyKey, taints };
      const turn = Effect.map(tools.turn([{ id, tool, input }], options), (replies) => replies[0]!);
      const reply = await run(turn, call, { id, tool });
      if (reply.pending !== undefined) waiting.keep(call, reply.pending);
      return reply;
    },
    resume: (approvalId, decision, call) => {
      const { tool = "", principal, by } = call;
      const asked = { id: approvalId, callId: approvalId, tool };
      const answering = Effect.map(tools.resume(approvalId, decision, { principal, by }), (reply) => ({
        reply,
        isOver: reply.pending === undefined,
      }));
      // Where somebody else answered first, that counts: a yes hears what came of it, a no that it came too late.
      const going = Effect.catchIf(
        answering,
        ({ code }) => code === "unknown_approval" && decision.kind !== "deny",
        () => tools.askAgain(asked, { principal }),
      );
      return goOn(settle(approvalId, going), call, asked);
    },
    servers: (principal) => {
      const mayUse = (key: string | undefined): boolean => {
        const registration = key === undefined ? undefined : shared.registry.get(key);
        return registration !== undefined && shared.policy.visible(principal, registration).effect !== "deny";
      };
      return servers
        .served(principal)
        .flatMap(({ id, session, readResource, getPrompt, completeArgument }) => {
          const reads = mayUse(readResource) ? { readResource: readResource! } : {};
          const prompts = mayUse(getPrompt) ? { getPrompt: getPrompt! } : {};
          const completes = mayUse(completeArgument) ? { completeArgument: completeArgument! } : {};
          // Whoever may use neither has nothing to do with what the server has besides tools.
          if (!mayUse(readResource) && !mayUse(getPrompt)) return [];
          return [{ id, session, ...reads, ...prompts, ...completes }];
        });
    },
    uiOwner: ui.ownerOf,
    onProgress: (listener) =>
      events.on("tools.progress", ({ callId, update, taints }) => listener(callId, update, taints)),
    heard: (names, by) => {
      const taints = names.flatMap((name) => {
        const registration = shared.registry.get(name);
        // One that is gone may have said anything.
        return (registration === undefined ? name : taintOf(registration)) ?? [];
      });
      conversationTaints.hear(conversationOf(by), taints);
    },
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

/** Loaded where a gateway is searched. */
const loadSearch = () => import("./search/served-search.ts");

/** What a session heard stays with it; without one, with its caller, whatever the rights it comes back with. */
const conversationOf = ({
  conversation,
  principal,
}: Pick<ServedCall, "conversation" | "principal">): string => {
  const { agent, session, user, tenant } = partyOf(principal);
  return JSON.stringify([tenant, user, agent, session, conversation ?? ""]);
};

/** In the words of stage 8, like any reply: a client reads no more of a failure than a model may. */
const refused = (
  asked: Pick<Reply, "id" | "tool">,
  cause: Cause.Cause<unknown>,
  masking: Pick<Redactor, "text" | "value">,
): Reply => {
  const error = Cause.squash(cause);
  const failure: Failure =
    ToolError.is(error) && !Cause.hasInterruptsOnly(cause) ? error.failure : cancelled(asked.tool).failure;
  return toReply(asked, failed(failure), "", masking);
};
