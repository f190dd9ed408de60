import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { type Redactor, redactor } from "../../base/json/redact.ts";
import { remoteToolOf } from "../../mcp/client/create-remote-tool.ts";
import type { McpServersService } from "../../mcp/client/mcp-servers.ts";
import { isVisibleToModels } from "../../mcp/client/to-tool/tool-link.ts";
import type { McpTool } from "../../models/dialects/mcp/to-mcp.ts";
import { type PendingCallStatus, toReply } from "../../pipeline/pipeline.ts";
import { RunRecorder } from "../../pipeline/recorder.ts";
import { addEarlierCalls } from "../../pipeline/run-counters.ts";
import { taintSourceOf } from "../../policy/taint.ts";
import { type Offer, toOffer } from "../../registry/offer/offer.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { Haft } from "../../runtime/haft.ts";
import { callCancelledError } from "../../runtime/run-in-runtime.ts";
import { type SharedRuntime, sharedRuntimes } from "../../runtime/shared-runtime.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import type { RunCounters } from "../../types/call.ts";
import { ConfigurationError, ToolError } from "../../types/errors.ts";
import type { Failure } from "../../types/failure.ts";
import { CurrentMcpCaller, type McpCaller, type McpProtocolError } from "../../types/mcp.ts";
import { failed, type Reply } from "../../types/outcome.ts";
import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import { isIdempotent, type Registration } from "../../types/tool.ts";
import {
  type ConversationCounters,
  type ConversationTaints,
  createConversationCounters,
  createConversationTaints,
} from "./conversation-taints.ts";
import type { BackendCall, GatewayBackend } from "./gateway-backend.ts";
import { toListedTools } from "./listed-tools.ts";
import {
  isSearchToolName,
  type ListedOffer,
  readSearchSettings,
  toServableOffer,
} from "./search/short-list.ts";
import type { ServeSearch } from "./serve-options.ts";
import { createUiAddresses } from "./ui-addresses.ts";
import { createRecentResults, recallWaitingCalls, type WaitingCalls } from "./waiting-calls.ts";

export interface RuntimeBackendOptions {
  readonly info: GatewayBackend["info"];
  readonly instructions?: string;
  readonly taint?: "all" | "others" | "off";
  readonly search?: boolean | ServeSearch;
  /** Of a replaced runtime. */
  readonly conversationTaints?: ConversationTaints;
  /** Of a replaced runtime. */
  readonly conversationCounters?: ConversationCounters;
  /** Of a replaced runtime. */
  readonly waitingCalls?: WaitingCalls;
}

type CallClient = Pick<BackendCall, "principal" | "caller" | "signal" | "conversation" | "trace">;

export const openRuntimeBackend = async (
  haft: Haft,
  backendOptions: RuntimeBackendOptions,
): Promise<GatewayBackend> => {
  const {
    info,
    instructions,
    taint = "all",
    conversationTaints: priorTaints,
    waitingCalls: priorWaitingCalls,
  } = backendOptions;
  const shared = sharedRuntimes.get(haft);
  if (shared === undefined) throw new ConfigurationError("invalid_config", "Only a Haft can be served.");
  const { tools, events, offers, inFlight } = shared;
  const { servers } = await shared.mcp.open();
  const now = (): number => Context.get(tools.context, Clock.Clock).currentTimeMillisUnsafe();
  const masking = redactor({ secrets: shared.credentials.known });
  const conversationTaints = priorTaints ?? createConversationTaints(now);
  const conversationCounters = backendOptions.conversationCounters ?? createConversationCounters(now);
  const waitingStore = priorWaitingCalls ?? (await recallWaitingCalls(shared.ledger));
  const recentResults = createRecentResults();

  const serverIdOf = toolServerLookup(servers, shared.registry);
  const ui = createUiAddresses(servers, shared.registry);
  const listsByOffer = new WeakMap<Offer, readonly McpTool[]>();
  const offersWithAppTools = new WeakMap<Offer, { readonly keys: string; readonly offer: Offer }>();
  /** Offers leave out tools for apps, because models do not see them. */
  const withAppTools = (offer: Offer, principal: Principal): Offer => {
    const appTools = servers
      .usableUpstreams(principal)
      .flatMap(({ keys }) => keys)
      .flatMap((key) => shared.registry.get(key) ?? [])
      .filter(({ tool }) => !isVisibleToModels(remoteToolOf(tool) ?? {}))
      .filter((one) => shared.policy.visible(principal, one).effect !== "deny");
    if (appTools.length === 0) return offer;
    const keys = appTools.map(({ key }) => key).join();
    const known = offersWithAppTools.get(offer);
    if (known?.keys === keys) return known.offer;
    const all = [...offer.registrations, ...appTools].toSorted((one, other) =>
      one.key < other.key ? -1 : 1,
    );
    const withApps = toOffer(offer.principal, offer.version, all);
    offersWithAppTools.set(offer, { keys, offer: withApps });
    return withApps;
  };
  const settings = readSearchSettings(backendOptions.search);
  const listedTo = (principal: Principal, showsApps = false): ListedOffer => {
    const allowed = offers.get(principal, now());
    const modelOffer = settings === undefined ? allowed : toServableOffer(allowed);
    const offer = showsApps ? withAppTools(modelOffer, principal) : modelOffer;
    let list = listsByOffer.get(offer);
    if (list === undefined) {
      list = toListedTools(offer, (key, uri) => ui.addressOf(serverIdOf(key) ?? "", uri));
      listsByOffer.set(offer, list);
    }
    return { offer, list };
  };
  const search = settings && (await (await searchModule()).openGatewaySearch(shared, settings, listedTo));
  const isGatewayTool = (name: string): boolean => search !== undefined && isSearchToolName(name);
  const taintsFor = async (call: BackendCall): Promise<readonly string[]> => {
    const taints = taint === "off" ? [] : await conversationTaints.taintsOf(call);
    if (taints.length === 0 || taint === "all") return taints;
    const key = shared.registry.get(call.tool)?.key;
    const owner = key === undefined ? undefined : serverIdOf(key);
    return owner === undefined ? taints : taints.filter((each) => serverIdOf(each) !== owner);
  };

  const isLedgerDurable = shared.ledger.approvals?.isDurable === true;
  const findEarlierCalls = (counters: RunCounters, tool: string, principal: Principal) =>
    Effect.suspend(() => {
      const since = now() - repeatedCallWindowMs;
      return addEarlierCalls(shared.ledger, counters, { tool, caller: callerIdentityOf(principal), since });
    });

  const runEffect = (
    effect: Effect.Effect<Reply, unknown>,
    call: CallClient,
    request: Pick<Reply, "id" | "tool">,
  ): Promise<Reply> =>
    new Promise((resolve) => {
      const { trace, caller } = call;
      const traced = trace === undefined ? undefined : shared.observer?.within(trace, effect);
      const mine = Effect.provideService(traced ?? effect, CurrentMcpCaller, caller);
      const fiber = Effect.runForkWith(tools.context)(mine, { signal: call.signal });
      inFlight.add(fiber);
      fiber.addObserver((exit) => {
        inFlight.delete(fiber);
        const reply = Exit.isSuccess(exit) ? exit.value : failedReply(request, exit.cause, masking);
        const recorded = conversationTaints.addTaints(call, reply.taints ?? []);
        if (recorded === undefined) resolve(reply);
        else
          recorded.then(
            () => resolve(reply),
            (error) => resolve(failedReply(request, Cause.fail(error), masking)),
          );
      });
    });

  /** Another client may have started the call; this one gets the complete result too. */
  const resumeWaitingCall = async (
    effect: Effect.Effect<Reply, unknown>,
    call: CallClient & { readonly id?: string },
    request: Pick<Reply, "id" | "tool">,
  ): Promise<Reply> => {
    const { caller, id } = call;
    const protocolErrors = new Map<string, McpProtocolError>();
    let hasReceivedResult = false;
    const recordingCaller: McpCaller = {
      ...caller,
      received: (value, result, callId) => {
        recentResults.keep(callId, { value, result });
        hasReceivedResult ||= callId === id;
        caller.received?.(value, result, callId);
      },
      refused: (refusal, callId) => {
        protocolErrors.set(callId, refusal);
        caller.refused?.(refusal, callId);
      },
    };
    const reply = await runEffect(effect, { ...call, caller: recordingCaller }, request);
    // The call keeps the ID of the first request; this client knows its own.
    if (id === undefined || hasReceivedResult) return reply;
    const kept = recentResults.find(reply.id);
    if (kept !== undefined) caller.received?.(kept.value, kept.result, id);
    const refusal = protocolErrors.get(reply.id);
    if (refusal !== undefined && id !== reply.id) caller.refused?.(refusal, id);
    return reply;
  };

  /** Once the call is over, the same request starts a new one. */
  const settleWaitingCall = (
    approvalId: string,
    polling: Effect.Effect<PendingCallStatus, ToolError>,
  ): Effect.Effect<Reply, ToolError> =>
    Effect.flatMap(polling, ({ reply, isOver }) =>
      Effect.promise(async () => {
        if (isOver) await waitingStore.delete(approvalId);
        if (reply.pending === undefined) return reply;
        return { ...reply, pending: await waitingStore.replace(approvalId, reply.pending) };
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
      const found = isGatewayTool(name) ? undefined : shared.registry.get(name);
      const remote = found === undefined ? undefined : remoteToolOf(found.tool);
      return remote !== undefined && remote.outputSchema === undefined;
    },
    listedName: (name) => (isGatewayTool(name) ? name : (shared.registry.get(name)?.wireName ?? name)),
    call: async (call) => {
      const { id, tool, input, principal, idempotencyKey, correlationId } = call;
      if (search !== undefined && isGatewayTool(tool))
        return runEffect(search.call(call), call, { id, tool });
      let waiting: ApprovalRequest | undefined;
      let taints: readonly string[];
      try {
        waiting = await waitingStore.find(call);
        taints = waiting === undefined ? await taintsFor(call) : [];
      } catch (error) {
        return failedReply({ id, tool }, Cause.fail(error), masking);
      }
      if (waiting !== undefined) {
        const polling = settleWaitingCall(waiting.id, tools.askAgain(waiting, { principal }));
        return resumeWaitingCall(polling, call, { id, tool });
      }
      const tally = new RunRecorder({ taints }, conversationCounters.of(call));
      const registration = shared.registry.get(tool);
      const scope = { id: tools.newId("run"), agent: principal.agent, tally };
      const options = { principal, correlationId, idempotencyKey, scope };
      // The full name is recorded even if the process dies before the call is over.
      const calls = [{ id, tool: registration?.key ?? tool, input }];
      const turn = Effect.map(tools.turn(calls, options), (replies) => replies[0]!);
      const checked =
        registration !== undefined && isLedgerDurable && canTakeEffectTwice(registration)
          ? Effect.flatMap(findEarlierCalls(tally, registration.key, principal), () => turn)
          : turn;
      const reply = await runEffect(checked, call, { id, tool });
      if (reply.pending === undefined) return reply;
      try {
        await waitingStore.set(call, reply.pending);
        return reply;
      } catch (error) {
        return failedReply({ id, tool }, Cause.fail(error), masking);
      }
    },
    isWaiting: async (request) => (await waitingStore.find(request)) !== undefined,
    isAnswered: approvalAnsweredCheck(shared.ledger),
    resume: (approvalId, decision, call) => {
      const { tool = "", principal, by } = call;
      const request = { id: approvalId, callId: approvalId, tool };
      const answering = Effect.map(tools.resume(approvalId, decision, { principal, by }), (reply) => ({
        reply,
        isOver: reply.pending === undefined,
      }));
      // If another process answered first, an approval returns the recorded result and a denial fails.
      const polling = Effect.catchIf(
        answering,
        ({ code }) => code === "unknown_approval" && decision.kind !== "deny",
        () => tools.askAgain(request, { principal }),
      );
      return resumeWaitingCall(settleWaitingCall(approvalId, polling), call, request);
    },
    servers: (principal) => {
      const canUse = (key: string | undefined): boolean => {
        const registration = key === undefined ? undefined : shared.registry.get(key);
        return registration !== undefined && shared.policy.visible(principal, registration).effect !== "deny";
      };
      return servers
        .usableUpstreams(principal)
        .flatMap(({ id, session, readResource, getPrompt, completeArgument }) => {
          const reads = canUse(readResource) ? { readResource: readResource! } : {};
          const prompts = canUse(getPrompt) ? { getPrompt: getPrompt! } : {};
          const completes = canUse(completeArgument) ? { completeArgument: completeArgument! } : {};
          if (!canUse(readResource) && !canUse(getPrompt)) return [];
          return [{ id, session, ...reads, ...prompts, ...completes }];
        });
    },
    uiOwner: ui.ownerOf,
    onProgress: (listener) =>
      events.on("tools.progress", ({ callId, update, taints }) => listener(callId, update, taints)),
    onContentForwarded: (names, by) => {
      const taints = names.flatMap((name) => {
        const registration = shared.registry.get(name);
        // A removed tool counts as untrusted.
        return (registration === undefined ? name : taintSourceOf(registration)) ?? [];
      });
      // If sharing fails, it is retried when the call ends.
      Promise.resolve(conversationTaints.addTaints(by, taints)).catch(() => {});
    },
    onChange: (listener) => {
      const changed = (): void => listener({ kind: "tools-changed" }, undefined);
      const off = [
        events.on("tools.registered", changed),
        events.on("tools.unregistered", changed),
        events.on("tools.mcp-connected", changed),
        events.on("tools.mcp-disconnected", changed),
        servers.onNotification(listener),
      ];
      return () => {
        for (const stop of off) stop();
      };
    },
    redact: masking.text,
  };
};

/** With the text of stage 8: clients read no more of a failure than models. */
const failedReply = (
  request: Pick<Reply, "id" | "tool">,
  cause: Cause.Cause<unknown>,
  masking: Pick<Redactor, "text" | "value">,
): Reply => {
  const error = Cause.squash(cause);
  const failure: Failure =
    ToolError.is(error) && !Cause.hasInterruptsOnly(cause)
      ? error.failure
      : callCancelledError(request.tool).failure;
  return toReply(request, failed(failure), "", masking);
};

/** Only durable ledgers can have answers from other processes. */
const approvalAnsweredCheck = ({
  approvals,
}: Pick<SharedRuntime["ledger"], "approvals">): ((approvalId: string) => Promise<boolean>) | undefined =>
  approvals?.isDurable === true
    ? async (approvalId) => {
        const record = await Effect.runPromise(approvals.find(approvalId));
        return record !== undefined && record.status !== "waiting";
      }
    : undefined;

/** Clients repeat calls in new sessions, so the run's counters alone do not know them. */
const repeatedCallWindowMs = 24 * 3_600_000;

/** The ledger replays or refuses calls of tools with a key. */
const canTakeEffectTwice = ({ tool }: Registration): boolean =>
  !isIdempotent(tool.spec) && tool.key === undefined;

const searchModule = () => import("./search/gateway-search.ts");

/** Looks up a tool's server by full tool name. */
const toolServerLookup = (
  { list, companions }: McpServersService,
  registry: ToolRegistry,
): ((key: string) => string | undefined) => {
  let owners = new Map<string, string>();
  let version = -1;
  return (key) => {
    if (version !== registry.version) {
      owners = new Map(
        list().flatMap(({ id, tools }) =>
          [...tools, ...Object.values(companions(id))].map((tool) => [tool, id] as const),
        ),
      );
      version = registry.version;
    }
    return owners.get(key);
  };
};
