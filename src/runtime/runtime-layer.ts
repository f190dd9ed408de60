import * as Clock from "effect/Clock";
import * as ConfigProvider from "effect/ConfigProvider";
import * as Console from "effect/Console";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Random from "effect/Random";
import * as References from "effect/References";
import * as Scheduler from "effect/Scheduler";
import * as Scope from "effect/Scope";
import * as Tracer from "effect/Tracer";
import type { Agents } from "../agent/agents.ts";
import { Credentials } from "../base/credentials/credentials.ts";
import { HttpEgress } from "../base/http/http-egress.ts";
import { TraceHeaders } from "../base/http/trace-headers.ts";
import { redactor } from "../base/json/redact.ts";
import { Policy } from "../policy/engine.ts";
import { Registry } from "../registry/tool-registry.ts";
import { Sandboxes } from "../sandbox/sandboxes.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import { Approver } from "../types/approval.ts";
import { CurrentCall } from "../types/call.ts";
import { type AnyToolError, ConfigurationError } from "../types/errors.ts";
import { type EventBus, Events } from "../types/event.ts";
import { Ledger } from "../types/ledger.ts";
import { CurrentMcpCaller } from "../types/mcp.ts";
import { CurrentPrincipal } from "../types/principal.ts";
import { agentsLayer } from "./agents-layer.ts";
import { Audit, auditedLedger } from "./audit.ts";
import { checkOptions } from "./check-options.ts";
import { Configuration, configurationLayer } from "./configuration.ts";
import { addListeners, type WarningTexts, warningTexts } from "./event-bus.ts";
import type { EventListeners, HaftOptions, MissingServices } from "./haft-options.ts";
import { Mcp, observableMcpLayer } from "./mcp-layer.ts";
import { type Offers, offersLayer } from "./offers-layer.ts";
import { type PolicyWatcher, policyOptionsOf, watchPolicy } from "./policy-watcher.ts";
import { readPrincipal } from "./read-principal.ts";
import { thrownToTaggedError, tryTagged } from "./run-in-runtime.ts";
import {
  type AnyHaftOptions,
  credentialsLayer,
  eventsLayer,
  httpEgressLayer,
  ledgerLayer,
  pipelineLayer,
  policyLayer,
  sandboxesLayer,
  sourceLayers,
  type ToolServices,
  toolsLayer,
} from "./tool-runtime-layer.ts";
import {
  InternalTools,
  mergedRegistryLayer,
  OrgTools,
  ProjectTools,
  type ToolSources,
  withSkills,
} from "./tool-sources.ts";
import type { OtherSources } from "./tool-types.ts";

/** All services of the runtime. */
export type RuntimeServices = ToolServices | Agents | Offers | Mcp;

/**
 * Services that `parts` may replace. A `Policy` is combined with the runtime's own and can only restrict it.
 */
export type RuntimeParts =
  | Policy
  | Audit
  | Ledger
  | Events
  | Credentials
  | HttpEgress
  | Sandboxes
  | ToolSources;

/** Options of `Haft.open`, plus services as Effect layers. */
export interface RuntimeOptions<
  Tools extends readonly ToolOrClass[] = readonly ToolOrClass[],
  Env = unknown,
  Services extends Layer.Any = Layer.Any,
  Parts extends Layer.Any = Layer.Any,
> extends Omit<HaftOptions<Tools, never, Env>, "services" | "fleet"> {
  /** Services that tools require. Unless set: none. */
  readonly services?: Services;
  /**
   * Services that replace the runtime's own, such as `Policy` and `Audit` of an identity service. Unless set:
   * none.
   */
  readonly parts?: Parts;
}

/** Does not compile while a layer requires an `env` that is missing. */
export type RequiredEnv<Env> = unknown extends Env ? unknown : { readonly env: Env };

type RuntimeRequirements<
  Tools extends readonly ToolOrClass[],
  Services extends Layer.Any,
  Parts extends Layer.Any,
  Sources,
> =
  | MissingServices<Tools, Layer.Success<Services>, Sources>
  | Layer.Services<Services>
  | Layer.Services<Parts>;

/** Builds the whole runtime. A service that tools need and nothing provides is a requirement of the layer. */
export const runtimeLayer = <
  const Tools extends readonly ToolOrClass[] = readonly [],
  Env = unknown,
  Services extends Layer.Any = Layer.Layer<never>,
  Parts extends Layer.Any = Layer.Layer<never>,
  Project extends HaftOptions["project"] = undefined,
  Org extends HaftOptions["org"] = undefined,
>(
  options: RuntimeOptions<Tools, Env, Services, Parts> &
    Omit<OtherSources<unknown, Project, Org>, "mcp" | "skills"> &
    RequiredEnv<NoInfer<Env>> = {} as never,
): Layer.Layer<
  RuntimeServices,
  AnyToolError | Layer.Error<Services> | Layer.Error<Parts>,
  RuntimeRequirements<Tools, Services, Parts, Project | Org>
> => Layer.unwrap(buildRuntimeLayer(options as never)) as never;

const buildRuntimeLayer = (given: AnyHaftOptions & { readonly parts?: Layer.Layer<RuntimeParts, unknown> }) =>
  Effect.gen(function* () {
    const { parts: partsLayer = Layer.empty, ...options } = given;
    yield* tryTagged(() => checkOptions(options, "runtimeLayer"));
    if (options.fleet !== undefined) return yield* Effect.fail(fleetUnsupportedError());
    const principal = yield* tryTagged(() => readPrincipal(options.principal));
    const ambient = ambientServices(yield* Effect.context<never>());
    const parts = yield* Layer.build(partsLayer as Layer.Layer<never, unknown>);
    if (options.policy !== undefined && hasPart(parts, Policy))
      return yield* Effect.fail(duplicatePartError("policy"));
    if (options.ledger !== undefined && hasPart(parts, Ledger))
      return yield* Effect.fail(duplicatePartError("ledger"));
    const engine = Option.getOrUndefined(Context.getOption(parts, Policy)) ?? options.policy;
    const services = Layer.merge(Layer.succeedContext(ambient), options.services ?? Layer.empty);
    const resolvedOptions = { ...options, principal, services };
    const base = Layer.mergeAll(
      configurationLayer(options.config, options.approvals),
      loggedEventsLayer(options.on).pipe(Layer.provide(partOrDefault(parts, Events, eventsLayer))),
      partOrDefault(parts, Credentials, credentialsLayer(options.credentials)),
      partOrDefault(parts, HttpEgress, httpEgressLayer(options.httpEgress)),
      partOrDefault(
        parts,
        Sandboxes,
        Layer.provide(sandboxesLayer, configurationLayer(options.config, options.approvals)),
      ),
    );
    const [internal, org, project] = sourceLayers(options);
    const sources = Layer.mergeAll(
      partOrDefault(parts, InternalTools, internal),
      partOrDefault(parts, OrgTools, org),
      partOrDefault(parts, ProjectTools, project),
    );
    const watch = policyWatcherLayer(resolvedOptions, engine);
    return watch.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          agentsLayer(resolvedOptions),
          offersLayer(resolvedOptions),
          observableMcpLayer(options.mcp, principal, watch.recheck),
        ),
      ),
      Layer.provideMerge(toolsLayer(resolvedOptions)),
      Layer.provideMerge(pipelineLayer(options)),
      Layer.provideMerge(
        Layer.mergeAll(
          policyLayer(engine),
          withSkills(options.skills).pipe(Layer.provide(mergedRegistryLayer), Layer.provide(sources)),
          auditedLayer(parts).pipe(Layer.provide(partOrDefault(parts, Ledger, ledgerLayer(options.ledger)))),
        ),
      ),
      Layer.provideMerge(base),
    );
  });

/** Services of a fiber, which callers must not inherit from the fiber that built the runtime. */
const fiberLocalKeys: ReadonlySet<string> = new Set(
  [
    ...Object.values(References),
    Clock.Clock,
    ConfigProvider.ConfigProvider,
    Console.Console,
    Random.Random,
    Scheduler.Scheduler,
    Scheduler.MaxOpsBeforeYield,
    Scheduler.PreventSchedulerYield,
    Scope.Scope,
    Layer.CurrentMemoMap,
    Tracer.Tracer,
    Tracer.ParentSpan,
    Tracer.DisablePropagation,
    Tracer.CurrentTraceLevel,
    Tracer.MinimumTraceLevel,
    TraceHeaders,
    Approver,
    CurrentCall,
    CurrentMcpCaller,
    CurrentPrincipal,
  ].map(({ key }) => key),
);

const ambientServices = (context: Context.Context<never>): Context.Context<never> =>
  Context.makeUnsafe(new Map([...context.mapUnsafe].filter(([key]) => !fiberLocalKeys.has(key))));

const policyWatcherLayer = (
  { principal, mcp }: Pick<AnyHaftOptions, "principal" | "mcp">,
  policy: AnyHaftOptions["policy"],
) => {
  let watcher: PolicyWatcher | undefined;
  const layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { security } = yield* Configuration;
      const registry = yield* Registry;
      const events = yield* Events;
      const servers = yield* Mcp;
      const options = policyOptionsOf(policy, security);
      const states = () => Effect.runSync(servers.list);
      const configured = mcp?.servers === undefined ? {} : { configuredServers: mcp.servers };
      const opening = Effect.tryPromise({
        try: () =>
          watchPolicy({ registry, events, policy: options, principal, servers: states, ...configured }),
        catch: thrownToTaggedError,
      });
      watcher = yield* Effect.acquireRelease(opening, ({ close }) => Effect.sync(close));
    }),
  );
  return { layer, recheck: () => watcher?.changed() };
};

const hasPart = <I, S>(parts: Context.Context<never>, key: Context.Key<I, S>): boolean =>
  Option.isSome(Context.getOption(parts, key));

const partOrDefault = <I, S, E, R>(
  parts: Context.Context<never>,
  key: Context.Key<I, S>,
  own: Layer.Layer<I, E, R>,
): Layer.Layer<I, E, R> =>
  Option.match(Context.getOption(parts, key), {
    onNone: () => own,
    onSome: (part) => Layer.succeed(key, part),
  });

const loggedEventsLayer = (listeners: EventListeners = {}): Layer.Layer<Events, never, Events> =>
  Layer.effect(
    Events,
    Effect.gen(function* () {
      const events = withLoggedWarnings(yield* Events, yield* Effect.context<never>());
      addListeners(events, listeners);
      return events;
    }),
  );

const auditedLayer = (
  parts: Context.Context<never>,
): Layer.Layer<Ledger, never, Ledger | Credentials | Configuration> =>
  Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const ledger = yield* Ledger;
      const audit = Context.getOption(parts, Audit);
      if (Option.isNone(audit)) return ledger;
      const { known } = yield* Credentials;
      const { execution } = yield* Configuration;
      return auditedLedger(ledger, audit.value, {
        masking: redactor({ secrets: known }),
        withinMs: execution.defaultTimeoutMs,
      });
    }),
  );

const fleetUnsupportedError = (): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    "runtimeLayer does not support `fleet`. Use Haft.open({ fleet }) to submit runs.",
  );

const duplicatePartError = (name: string): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `runtimeLayer: both \`${name}\` and \`parts\` have a ${name}; remove one.`,
  );

const loggedTexts: WarningTexts = {
  ...warningTexts,
  "tools.undescribed": ({ toolName, parameters }) =>
    `The tool "${toolName}" has parameters without a description for the model: ${parameters.join(", ")}.`,
  "tools.search-fallback": ({ agentName, model }) =>
    `The provider of ${model} has no tool search, so the agent "${agentName}" uses Haft's tool search.`,
};

const withLoggedWarnings = (bus: EventBus, context: Context.Context<never>): EventBus => ({
  on: (name, listener) => bus.on(name, listener),
  isHeard: (name) => name in loggedTexts || bus.isHeard(name),
  emit: (name, event) => {
    const toText = loggedTexts[name] as ((payload: typeof event) => string) | undefined;
    if (toText !== undefined) Effect.runForkWith(context)(Effect.logWarning(toText(event)));
    bus.emit(name, event);
  },
});
