import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { type Binding, type BoundAgent, bindAgent, showTools } from "../agent/bind-tools.ts";
import { keepRun, type RunKeeper } from "../agent/keep-run.ts";
import { modelCalls } from "../agent/model-call.ts";
import { type RunHouse, runAgent, type Step } from "../agent/run.ts";
import { tripOf } from "../call/call.ts";
import type { House } from "../call/house.ts";
import { taintsIn } from "../call/run-tally.ts";
import { addTaints, joined, newTally } from "../call/tally.ts";
import { type IsAvailable, isOnOffer } from "../offer/available.ts";
import { narrow } from "../policy/narrow.ts";
import type { Agent, AgentEvent, AgentResponse } from "../words/agent.ts";
import { CurrentTrip, type RunScope, type Trip } from "../words/call.ts";
import { ConfigurationError, type ToolError } from "../words/errors.ts";
import type { Message } from "../words/message.ts";
import type { Model } from "../words/model.ts";
import { CurrentPrincipal, type Principal } from "../words/principal.ts";
import type { Registration } from "../words/tool.ts";
import { alarmFor } from "./alarm.ts";
import { tellCalls } from "./call-events.ts";
import { agentNamed, claimRun, findRun } from "./claim-run.ts";
import { menderBy } from "./mender.ts";
import { modelsBy } from "./models-by.ts";
import { type AgentRunOptions, readRun } from "./read-run.ts";
import { toToolError } from "./to-tool-error.ts";
import type { ToolsService } from "./tools.ts";

export interface AgentsService {
  readonly run: (
    agent: Agent,
    input: string | readonly Message[] | undefined,
    options?: AgentRunOptions,
  ) => Effect.Effect<AgentResponse, ToolError>;
}

/** Whole runs: a model is asked, its calls go down the corridor, and it is asked again. */
export class Agents extends Context.Service<Agents, AgentsService>()("haft/Agents") {}

export interface AgentsOptions {
  readonly house: House;
  readonly tools: ToolsService;
  readonly model: Model | string | undefined;
  /** Who runs agents when nobody else is named. */
  readonly principal: Principal | undefined;
  /** What the operator's layers say of a tool, besides its own. */
  readonly isAvailable: IsAvailable | undefined;
}

export const agents = (runtime: AgentsOptions): AgentsService => {
  const { house, tools } = runtime;
  const ask = modelCalls(house);
  const models = modelsBy(runtime.model);
  return {
    run: (agent, input, options = {}) =>
      Effect.gen(function* () {
        const read = yield* attempt(() => readRun(agent, input, options));
        const { stop, library, mode } = read;
        const { resume, parent: context } = options;
        const named = context === undefined ? undefined : tripOf(context);
        const parent = named ?? (yield* CurrentTrip);
        const caller =
          options.principal ?? named?.principal ?? (yield* CurrentPrincipal) ?? runtime.principal;
        const own = yield* attempt(() => narrowed(caller, options));
        if (own === undefined && agent.tools.length > 0) return yield* Effect.fail(nobody(agent));
        const clock = yield* Clock.Clock;
        const left = resume === undefined ? undefined : yield* findRun(house.ledger, resume, agent, own);
        const principal = left === undefined ? own : left.principal;
        const tally = newTally(heardBefore(parent, options));
        const scope: RunScope = { id: resume ?? tools.newId("run"), agent: agent.name, tally };
        const tell = options.tell && unshaken(options.tell);
        const { env, maxConcurrency, repair, layers = [], modelLayers = [] } = options;
        const layersOf = perAgent((each) => ({ run: layers, agent: each.layers }));
        const modelLayersOf = perAgent((each) => ({ run: modelLayers, agent: each.modelLayers }));
        const { registry, policy } = house;
        const boundOf = boundOnce({ registry, library, mode });
        const isVisible = (one: Registration): boolean => policy.visible(principal, one).effect !== "deny";
        const toStep = ({ agent: each, tools: shown, model, signal }: Step) => ({
          scope,
          scopes: layersOf(each),
          shown,
          principal,
          env,
          signal,
          maxConcurrency,
          repair,
          parent: context,
          mender: menderBy(() => Promise.resolve(model), house.settings.defaultTimeoutMs),
        });
        const within: RunHouse = {
          bind: (each) =>
            attempt(() => {
              const now = clock.currentTimeMillisUnsafe();
              return showTools(
                boundOf(each),
                (one) => isVisible(one) && isOnOffer(one, now, runtime.isAvailable),
              );
            }),
          modelOf: (each) => models(options.model ?? each.model, each),
          newCallId: () => tools.newId("call"),
          ask: (question) =>
            ask({
              ...question,
              listed: question.tools.listed,
              settings: options.settings ?? question.agent.settings,
              layers: modelLayersOf(question.agent),
              scope,
              principal,
              env,
              entryId: tools.newId("entry"),
            }),
          turn: (calls, step) => tools.step(calls, toStep(step)),
          recover: (calls, step) => tools.recover(calls, toStep(step)),
        };
        const first = left?.agent ?? agent;
        const { registrations } = yield* attempt(() => boundOf(first));
        if (registrations.length > 0 && !registrations.some(isVisible)) {
          return yield* Effect.fail(nothingShown(first, principal));
        }
        // From here on the run is this process's, so whatever could refuse it has been asked before.
        const before = resume === undefined ? undefined : yield* claimRun(house.ledger, resume, clock);
        const messages = before?.record.messages ?? read.messages;
        Object.assign(tally, before?.tally, { taints: tally.taints });
        addTaints(tally, [...taintsIn(messages), ...(before?.tally.taints ?? [])]);
        const agentOf = (name: string): Agent | undefined => agentNamed(agent, name);
        const { runs } = house.ledger;
        const at = clock.currentTimeMillisUnsafe();
        if (runs !== undefined && before === undefined) {
          yield* runs.begin({ runId: scope.id, agent: agent.name, principal, messages, at });
        }
        const keeper = runs && keepRun(runs, scope.id, messages, clock);
        const deaf = tell === undefined ? nothing : tellCalls(house.events, scope.id, tell);
        const alarm = yield* alarmFor(stop, options.signal);
        const run = runAgent({
          house: within,
          scope,
          agent: agentOf(before?.record.agent ?? first.name) ?? first,
          agentOf,
          messages,
          stop,
          tell,
          keeper,
          before: before?.record,
          ...alarm,
        });
        const over = Effect.sync(() => {
          deaf();
          hearAll(parent, tally.taints);
        });
        return yield* Effect.ensuring(keeper === undefined ? run : ended(run, keeper), over);
      }),
  };
};

/** What whoever starts the run has heard, its agent may have been told. */
const heardBefore = (parent: Trip | undefined, { taints }: AgentRunOptions): readonly string[] =>
  [parent?.scope.tally?.taints, parent?.heard, taints].flatMap((each) => each ?? []);

/** And what the agent has heard, whoever started the run is told. */
const hearAll = (parent: Trip | undefined, taints: readonly string[]): void => {
  if (parent === undefined || taints.length === 0) return;
  parent.heard = joined(parent.heard, taints);
  if (parent.scope.tally !== undefined) addTaints(parent.scope.tally, taints);
};

/** However a run ends, the book is told; whoever waits for its answer need not know when that fails. */
const ended = (
  run: Effect.Effect<AgentResponse, ToolError>,
  keeper: RunKeeper,
): Effect.Effect<AgentResponse, ToolError> =>
  Effect.onExit(run, (exit) => {
    if (Exit.isSuccess(exit)) return Effect.ignore(keeper.end(exit.value));
    const reason = Cause.squash(exit.cause);
    const status = Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : "failed";
    return Effect.ignore(
      keeper.end({ status, reason: reason instanceof Error ? reason.message : undefined }),
    );
  });

/** A run may have less than its caller, and never more. */
const narrowed = (caller: Principal | undefined, { allow, deny }: AgentRunOptions): Principal | undefined => {
  if (caller === undefined || (allow === undefined && deny === undefined)) return caller;
  return narrow(caller, { ...(allow && { allow }), ...(deny && { deny }) });
};

const nobody = ({ name }: Agent): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `Nobody runs the agent "${name}", and nobody may use its tools. Name a principal in Haft.open, such as { agent: "${name}", allow: ["*"] }, or with haft.as().`,
  );

const nothingShown = ({ name }: Agent, principal: Principal | undefined): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `None of the tools of "${name}" may be used by "${principal?.agent}": neither its allow list nor a rule covers any of them.`,
  );

/** A listener that throws is on its own. */
const unshaken =
  (tell: (event: AgentEvent) => void) =>
  (event: AgentEvent): void => {
    try {
      tell(event);
    } catch {
      // What ran has run, and is told to whoever asked for it.
    }
  };

const nothing = (): void => {};

/** Binding holds until a tool comes or goes; a run asks for it at every turn. */
const boundOnce = (binding: Binding): ((agent: Agent) => BoundAgent) => {
  const made = new Map<Agent, { readonly version: number; readonly bound: BoundAgent }>();
  return (agent) => {
    const { version } = binding.registry;
    const before = made.get(agent);
    if (before?.version === version) return before.bound;
    const bound = bindAgent(agent, binding);
    made.set(agent, { version, bound });
    return bound;
  };
};

/** Stacks of layers are kept by the identity of their scopes, so each agent of a run has one. */
const perAgent = <Scopes>(make: (agent: Agent) => Scopes): ((agent: Agent) => Scopes) => {
  const made = new Map<Agent, Scopes>();
  return (agent) => {
    const scopes = made.get(agent) ?? make(agent);
    made.set(agent, scopes);
    return scopes;
  };
};

const attempt = <A>(body: () => A): Effect.Effect<A, ToolError> =>
  Effect.try({ try: body, catch: toToolError });
