import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { PipelineOptions } from "../pipeline/call-state.ts";
import { addRunTaints, RunRecorder, recordRunText } from "../pipeline/recorder.ts";
import { type LeaseEnd, withRunLease } from "../pipeline/run-lease.ts";
import { writeRunNote } from "../pipeline/run-note.ts";
import { textsOfMessages } from "../pipeline/texts-of-messages.ts";
import { parentCallOf, taintsReadBy } from "../pipeline/tools.ts";
import type { ToolsService } from "../pipeline/tools-service.ts";
import { narrow } from "../policy/options.ts";
import { collectConversationTaints, taintSourceOf } from "../policy/taint.ts";
import { type IsAvailable, isToolAvailable } from "../registry/offer/offer.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Agent, AgentEvent, AgentResponse, RunInput } from "../types/agent.ts";
import {
  type CallObserver,
  CurrentCall,
  observerOf,
  type RunningCall,
  type RunScope,
} from "../types/call.ts";
import { type AnyToolError, ConfigurationError, type ToolError, toTaggedError } from "../types/errors.ts";
import type { RunText } from "../types/lineage.ts";
import type { Message } from "../types/message.ts";
import type { Model } from "../types/model.ts";
import { CurrentPrincipal, type Principal } from "../types/principal.ts";
import type { LayerScopes, Registration } from "../types/tool.ts";
import type { AgentTurn, RunServices } from "./active-run.ts";
import { withToolChoice } from "./answer-request.ts";
import { type AgentBindingOptions, type BoundAgent, bindAgent, toTurnTools } from "./bind-agent.ts";
import { isSearchHidden, notSearchable, searchFallback } from "./bind-search.ts";
import {
  type ClaimedRun,
  claimRun,
  findAgentByName,
  findResumableRun,
  runStopSignal,
  runWriter,
} from "./claim-run.ts";
import { forwardCallEvents } from "./forward-call-events.ts";
import { type ModelCaller, modelCaller } from "./model-caller.ts";
import { modelRepairer } from "./model-repairer.ts";
import { modelResolver } from "./model-resolver.ts";
import { type AgentRunOptions, readRun } from "./read-run.ts";
import { runAgent } from "./run-agent.ts";
import { toOptionsError } from "./to-options-error.ts";

/** Runs agents as Effects, like `haft.run`. */
export interface AgentsService {
  readonly run: <Output = unknown>(
    agent: Agent<Output>,
    input: RunInput | undefined,
    options?: AgentRunOptions,
  ) => Effect.Effect<AgentResponse<Output>, AnyToolError>;
  /** Makes one model request for an external loop. */
  readonly ask: ModelCaller;
}

/** The service that runs agents. */
export class Agents extends Context.Service<Agents, AgentsService>()("haft/Agents") {}

export interface AgentsOptions {
  readonly services: PipelineOptions;
  readonly tools: ToolsService;
  readonly model: Model | string | undefined;
  readonly principal: Principal | undefined;
  readonly isAvailable: IsAvailable | undefined;
  readonly observer: CallObserver | undefined;
}

export const agentsService = (runtime: AgentsOptions): AgentsService => {
  const { services, tools } = runtime;
  const { registry, policy, ledger } = services;
  const ask = modelCaller(services);
  const models = modelResolver(runtime.model);
  return {
    ask,
    run: (agent, input, options = {}) =>
      Effect.gen(function* () {
        const read = yield* toEffectOrError(() => readRun(agent, input, options));
        const { stop, library, mode } = read;
        const { resume, chat } = options;
        const taken = chat?.claimed ?? options.claimed;
        const parent = parentCallOf(options, yield* CurrentCall);
        const owner = parent !== undefined && tools.isOwn(parent) ? parent : undefined;
        const caller =
          options.principal ?? owner?.principal ?? (yield* CurrentPrincipal) ?? runtime.principal;
        const own = yield* toEffectOrError(() => narrowPrincipal(caller, options));
        if (own === undefined && agent.tools.length > 0) return yield* Effect.fail(noPrincipalError(agent));
        const clock = yield* Clock.Clock;
        const left = resume === undefined ? undefined : yield* findResumableRun(ledger, resume, agent, own);
        const principal = left === undefined ? own : left.principal;
        const boundOf = memoizeBinding({ registry, library, mode });
        const isVisible = (one: Registration): boolean => policy.visible(principal, one).effect !== "deny";
        const isShown = (one: Registration): boolean =>
          isVisible(one) && isToolAvailable(one, clock.currentTimeMillisUnsafe(), runtime.isAvailable);
        const tellFallback = searchFallback(services.events, isVisible, principal);
        const first = left?.agent ?? (taken && findAgentByName(agent, taken.record.agent)) ?? agent;
        const { registrations, search } = yield* toEffectOrError(() => boundOf(first));
        if (registrations.length > 0 && !registrations.some(isVisible)) {
          return yield* Effect.fail(noVisibleToolsError(first, principal));
        }
        if (isSearchHidden(search, isVisible)) return yield* Effect.fail(notSearchable(first, principal));
        // Checks the model first, because a resumed run makes its approved calls before the first model
        // request.
        const isAnsweredByLayer = (options.modelLayers ?? []).length + first.modelLayers.length > 0;
        if (left !== undefined && !isAnsweredByLayer) {
          const model = yield* models(options.model ?? first.model, first);
          if (model.prepare !== undefined)
            yield* Effect.tryPromise({ try: model.prepare, catch: toOptionsError });
        }
        // The run is claimed last, after everything that could fail.
        const taints = [
          ...inheritedTaints(parent, options),
          ...collectConversationTaints(read.messages),
          ...unmarkedTaints(read.messages, registry),
        ];
        const claimed =
          taken ?? (resume === undefined ? undefined : yield* claimRun(ledger, resume, taints, clock));
        const messages = claimed?.record.messages ?? read.messages;
        const scope = yield* beginScope({ agent, principal, messages, taints, clock, claimed, owner });
        // Inside of a call, its arguments can be part of the instructions.
        if (owner === undefined) {
          const user = principal?.user === undefined ? "" : `\n${principal.user}`;
          recordRunText(scope.tally, { source: "application", text: first.instructions + user });
        }
        if (claimed === undefined) recordConversation(scope, messages, owner);
        const tell = options.tell && ignoreListenerErrors(options.tell);
        const { env, maxConcurrency, repair, layers = [], modelLayers = [] } = options;
        const layersOf = memoizePerAgent((each) => ({ run: layers, agent: each.layers }));
        const modelLayersOf = memoizePerAgent((each) => ({ run: modelLayers, agent: each.modelLayers }));
        const toStep = ({ agent: each, tools: shown, model, signal }: AgentTurn) => ({
          scope,
          layers: layersOf(each),
          shown,
          principal,
          env,
          signal,
          maxConcurrency,
          repair,
          parent: options.parent,
          repairer: modelRepairer(() => Promise.resolve(model), services.settings.defaultTimeoutMs),
        });
        const runServices: RunServices = {
          bind: (each, model, said) =>
            toEffectOrError(() => {
              const bound = boundOf(each);
              tellFallback(bound, each, model);
              return toTurnTools(bound, isShown, { agent: each.name, model, messages: said });
            }),
          modelOf: (each) =>
            models(
              each.name === agent.name ? (options.model ?? each.model) : (each.model ?? options.model),
              each,
            ),
          newCallId: () => tools.newId("call"),
          ask: (question) =>
            ask({
              ...question,
              listed: question.answer?.listed ?? question.tools.listed,
              settings: withToolChoice(options.settings ?? question.agent.settings, question.answer),
              output: question.answer?.output,
              layers: modelLayersOf(question.agent),
              scope,
              principal,
              env,
              entryId: tools.newId("entry"),
            }),
          // A run inside of a call is held to the plan of the outer run.
          plansRuns: policy.plansRuns === true && owner === undefined,
          recordPlan: (plan) =>
            writeRunNote(ledger, {
              name: "run:plan",
              entryId: tools.newId("entry"),
              runId: scope.id,
              epoch: scope.epoch,
              principal,
              input: plan,
            }),
          turn: (calls, step) => tools.step(calls, toStep(step)),
          recover: (calls, step) => tools.recover(calls, toStep(step)),
        };
        const agentOf = (name: string): Agent | undefined => findAgentByName(agent, name);
        const { id: runId, epoch } = scope;
        const writer =
          ledger.runs === undefined || epoch === undefined
            ? undefined
            : runWriter(ledger.runs, { runId, epoch }, messages, clock, chat?.onStored);
        const stopTelling = tell === undefined ? noop : forwardCallEvents(services.events, runId, tell);
        const runUntil = (lost: AbortSignal | undefined) =>
          Effect.flatMap(runStopSignal(stop, anySignal(options.signal, lost)), (alarm) =>
            runAgent({
              services: runServices,
              scope,
              agent: agentOf(claimed?.record.agent ?? first.name) ?? first,
              agentOf,
              messages,
              expectedAnswer: agent.output && { form: agent.output, repair },
              stop,
              emit: tell,
              runWriter: writer,
              record: claimed?.record,
              chat,
              isTriedAgain: options.claimed !== undefined,
              ...alarm,
            }),
          );
        const answered =
          ledger.runs === undefined || epoch === undefined
            ? runUntil(undefined)
            : chat !== undefined
              ? runUntil(chat.lease.lost)
              : withRunLease(
                  ledger.runs,
                  { runId, claim: Effect.succeed(epoch), endOf: endOfRun },
                  ({ lost }) => runUntil(lost),
                );
        const over = Effect.sync(() => {
          stopTelling();
          parent?.addTaints(scope.tally.taints);
        });
        const whole = Effect.ensuring(answered, over);
        const observer = runtime.observer ?? observerOf(layers, agent.layers, modelLayers, agent.modelLayers);
        if (observer === undefined) return yield* whole;
        const { name } = first;
        const model = modelIdOf(options.model ?? first.model ?? runtime.model);
        const isResumed = resume !== undefined || chat !== undefined || (taken?.record.turns ?? 0) > 0;
        return yield* observer.run({ id: runId, agent: name, model, principal, isResumed }, whole);
        // The output was validated against the agent's format.
      }).pipe(Effect.mapError(toTaggedError)) as Effect.Effect<AgentResponse<never>, AnyToolError>,
  };

  /** Inside of a call, its arguments decided the input, so the input is no message of the user. */
  function recordConversation(
    { tally }: RunScope,
    messages: readonly Message[],
    owner: RunningCall | undefined,
  ): void {
    for (const text of textsOfMessages(messages, { isSource: isSourceIn(registry) })) {
      const isGiven = owner !== undefined && text.source !== "result";
      recordRunText(tally, isGiven ? givenText(text.text, owner) : text);
    }
  }

  function beginScope(start: RunSetup): Effect.Effect<RunScope, ToolError> {
    const { agent, principal, messages, taints, clock, claimed, owner } = start;
    if (claimed !== undefined) {
      const { record, epoch, tally } = claimed;
      addRunTaints(tally, collectConversationTaints(messages));
      return Effect.succeed(Object.freeze({ id: record.runId, agent: agent.name, epoch, tally }));
    }
    const id = tools.newId("run");
    // A run inside a call also counts toward that call's run.
    const tally = new RunRecorder({ taints }, owner?.request.scope.tally);
    const scope = { id, agent: agent.name, tally };
    const { runs } = ledger;
    if (runs === undefined) return Effect.succeed(Object.freeze(scope));
    const at = clock.currentTimeMillisUnsafe();
    return Effect.map(runs.begin({ runId: id, agent: agent.name, principal, messages, at }), (epoch) =>
      Object.freeze({ ...scope, epoch }),
    );
  }
};

const memoizeBinding = (options: AgentBindingOptions): ((agent: Agent) => BoundAgent) => {
  const made = new Map<Agent, { readonly version: number; readonly bound: BoundAgent }>();
  return (agent) => {
    const { version } = options.registry;
    const before = made.get(agent);
    if (before?.version === version) return before.bound;
    const bound = bindAgent(agent, options);
    made.set(agent, { version, bound });
    return bound;
  };
};

/** Layer stacks are cached by the identity of their scopes, so each agent of a run needs one object. */
const memoizePerAgent = (make: (agent: Agent) => LayerScopes): ((agent: Agent) => LayerScopes) => {
  const made = new Map<Agent, LayerScopes>();
  return (agent) => {
    const scopes = made.get(agent) ?? make(agent);
    made.set(agent, scopes);
    return scopes;
  };
};

interface RunSetup {
  readonly agent: Agent;
  readonly principal: Principal | undefined;
  readonly messages: readonly Message[];
  readonly taints: readonly string[];
  readonly clock: Clock.Clock;
  readonly claimed: ClaimedRun | undefined;
  readonly owner: RunningCall | undefined;
}

const isSourceIn =
  (registry: ToolRegistry) =>
  (tool: string): boolean => {
    const registration = registry.get(tool);
    return registration === undefined || taintSourceOf(registration) !== undefined;
  };

const inheritedTaints = (parent: RunningCall | undefined, { taints }: AgentRunOptions): readonly string[] => [
  ...(parent === undefined ? [] : taintsReadBy(parent)),
  ...(taints ?? []),
];

const givenText = (text: string, { request }: RunningCall): RunText => ({
  source: "result",
  text,
  tool: request.raw.tool,
  input: { text },
});

/** Taints of a stored context whose messages lack them. */
const unmarkedTaints = (messages: readonly Message[], registry: ToolRegistry): readonly string[] =>
  messages.flatMap((message) => {
    if (message.role !== "tool" || message.taints !== undefined || !message.ok) return [];
    const registration = registry.get(message.tool);
    return (registration && taintSourceOf(registration)) ?? [];
  });

const anySignal = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((each) => each !== undefined));

const endOfRun = (exit: Exit.Exit<AgentResponse, ToolError>): LeaseEnd => {
  if (Exit.isSuccess(exit)) return { status: exit.value.status, reason: exit.value.reason };
  const reason = Cause.squash(exit.cause);
  const status = Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : "failed";
  return { status, reason: reason instanceof Error ? reason.message : undefined };
};

const narrowPrincipal = (
  caller: Principal | undefined,
  { allow, deny }: AgentRunOptions,
): Principal | undefined => {
  if (caller === undefined || (allow === undefined && deny === undefined)) return caller;
  return narrow(caller, { ...(allow && { allow }), ...(deny && { deny }) });
};

const noPrincipalError = ({ name }: Agent): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `The agent "${name}" has no principal, so its tools may not be used. Set a principal in Haft.open, such as { agent: "${name}", allow: ["*"] }, or with haft.as().`,
  );

const noVisibleToolsError = ({ name }: Agent, principal: Principal | undefined): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `"${principal?.agent}" may not use any tool of "${name}": its allow list and the rules cover none of them.`,
  );

const ignoreListenerErrors =
  (emit: (event: AgentEvent) => void) =>
  (event: AgentEvent): void => {
    try {
      emit(event);
    } catch {}
  };

const noop = (): void => {};

const modelIdOf = (model: Model | string | undefined): string | undefined =>
  typeof model === "string" ? model : model?.id;

const toEffectOrError = <A>(body: () => A): Effect.Effect<A, ToolError> =>
  Effect.try({ try: body, catch: toOptionsError });
