import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { AskedAgain } from "../call/corridor.ts";
import { type Offer, toOffer } from "../catalog/offer/offer.ts";
import type { McpTool } from "../dialects/mcp/to-mcp.ts";
import { redactor } from "../json/redact.ts";
import { isForModels } from "../mcp/client/to-tool/ui-of.ts";
import { remoteOf } from "../mcp/client/to-tool.ts";
import { taintOf } from "../policy/taint.ts";
import type { Haft } from "../runtime/haft.ts";
import { sharedBy } from "../runtime/shared.ts";
import type { ApprovalRequest } from "../words/approval.ts";
import { ConfigurationError, type ToolError } from "../words/errors.ts";
import { CurrentCaller, type McpCaller, type Refusal } from "../words/mcp.ts";
import { type Principal, partyOf } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import { type Conversations, conversations } from "./conversations.ts";
import { keptResults } from "./kept-results.ts";
import { listedTools } from "./listed-tools.ts";
import { isAnsweredIn, recordedCall, refusedReply } from "./recorded-call.ts";
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
  const heardBy = async (tool: string, conversation: string): Promise<readonly string[]> => {
    const taints = taint === "off" ? [] : await conversationTaints.heardIn(conversation);
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
        const reply = Exit.isSuccess(exit) ? exit.value : refusedReply(asked, exit.cause, masking);
        // Whichever way a call came to its end, its client hears what it says.
        const heard = conversationTaints.hear(conversationOf(call), reply.taints ?? []);
        if (heard === undefined) resolve(reply);
        else
          heard.then(
            () => resolve(reply),
            (error) => resolve(refusedReply(asked, Cause.fail(error), masking)),
          );
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
    Effect.flatMap(going, ({ reply, isOver }) =>
      Effect.promise(async () => {
        if (isOver) await waiting.drop(approvalId);
        if (reply.pending === undefined) return reply;
        return { ...reply, pending: await waiting.move(approvalId, reply.pending) };
      }),
    );

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
      let before: ApprovalRequest | undefined;
      let taints: readonly string[];
      try {
        before = await waiting.find(call);
        taints = before === undefined ? await heardBy(tool, conversationOf(call)) : [];
      } catch (error) {
        return refusedReply({ id, tool }, Cause.fail(error), masking);
      }
      if (before !== undefined) {
        const going = settle(before.id, tools.askAgain(before, { principal }));
        return goOn(going, call, { id, tool });
      }
      const options = { principal, correlationId, idempotencyKey, taints };
      const turn = Effect.map(tools.turn([{ id, tool, input }], options), (replies) => replies[0]!);
      const reply = await run(turn, call, { id, tool });
      if (reply.pending === undefined) return reply;
      try {
        await waiting.keep(call, reply.pending);
        return reply;
      } catch (error) {
        return refusedReply({ id, tool }, Cause.fail(error), masking);
      }
    },
    isWaiting: async (request) => (await waiting.find(request)) !== undefined,
    recorded: recordedCall(shared, masking),
    isAnswered: isAnsweredIn(shared.ledger),
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
      // Where it cannot be told to others, it counts here, and the call's own end tries once more.
      Promise.resolve(conversationTaints.hear(conversationOf(by), taints)).catch(() => {});
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
