import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Scope from "effect/Scope";
import { lazyModel } from "../agent/model-resolver.ts";
import { Credentials, checkCredentials, credentials } from "../base/credentials/credentials.ts";
import { openOnce } from "../base/credentials/open-once.ts";
import { HttpEgress } from "../base/http/http-egress.ts";
import type { JsonLimits } from "../base/json/json-problem.ts";
import { redactor } from "../base/json/redact.ts";
import { protectFromWrites } from "../base/platform/protected-files.ts";
import type { PipelineOptions } from "../pipeline/call-state.ts";
import { createPipeline, Pipeline } from "../pipeline/pipeline.ts";
import { createTools } from "../pipeline/tools.ts";
import { Tools } from "../pipeline/tools-service.ts";
import { isOwnEngine, Policy, type PolicyEngine } from "../policy/engine.ts";
import { guardPolicy } from "../policy/guard-policy.ts";
import { Registry } from "../registry/tool-registry.ts";
import { Sandboxes, type SandboxPool } from "../sandbox/sandboxes.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import { type ApprovalDecision, Approver, type ApproverService } from "../types/approval.ts";
import type { AnyToolError } from "../types/errors.ts";
import { Events } from "../types/event.ts";
import type { Repairer } from "../types/hydration.ts";
import { Ledger, type LedgerStore, type Masking } from "../types/ledger.ts";
import type { Model } from "../types/model.ts";
import type { WebhookOptions } from "./approval-webhook.ts";
import type { Config } from "./config.ts";
import { Configuration, configurationLayer } from "./configuration.ts";
import { addListeners, eventBus, withProcessWarnings } from "./event-bus.ts";
import type { ApprovalHandler, EventListeners, HaftOptions, RequireAllServices } from "./haft-options.ts";
import { thrownToTaggedError, tryTagged } from "./run-in-runtime.ts";
import {
  internalToolsLayer,
  mergedRegistryLayer,
  orgToolsLayer,
  projectToolsLayer,
  withSkills,
} from "./tool-sources.ts";

// biome-ignore lint/suspicious/noExplicitAny: what layers need of Env was checked where the runtime was opened
export type AnyHaftOptions = HaftOptions<readonly ToolOrClass[], any, any>;

/** Services that calls need. Each can be replaced by another layer for its tag. */
export type ToolServices =
  | Configuration
  | Events
  | Credentials
  | HttpEgress
  | Sandboxes
  | Policy
  | Registry
  | Ledger
  | Pipeline
  | Tools;

/** Builds the event bus. */
export const eventsLayer: Layer.Layer<Events> = Layer.sync(Events, () => eventBus());

const eventListenersLayer = (listeners: EventListeners = {}): Layer.Layer<Events> =>
  Layer.sync(Events, () => {
    const bus = withProcessWarnings(eventBus());
    addListeners(bus, listeners);
    return bus;
  });

/** Builds the store of secrets and tokens. */
export const credentialsLayer = (
  options: AnyHaftOptions["credentials"] = {},
): Layer.Layer<Credentials, AnyToolError> =>
  Layer.effect(
    Credentials,
    Effect.map(checkCredentials(options), (configured) => credentials(options, undefined, configured)),
  );

/** Builds the guarded HTTP client. */
export const httpEgressLayer = (
  options: AnyHaftOptions["httpEgress"],
): Layer.Layer<HttpEgress, AnyToolError> =>
  Layer.effect(
    HttpEgress,
    Effect.flatMap(
      Effect.promise(() => import("../base/http/open-http-egress.ts")),
      ({ openHttpEgress }) => openHttpEgress(options),
    ),
  );

/** Builds the sandboxes. Engines are loaded with the first program and end with the runtime. */
export const sandboxesLayer: Layer.Layer<Sandboxes, never, Configuration> = Layer.effect(
  Sandboxes,
  Effect.suspend(() => runtimeSandboxes),
);

const runtimeSandboxes = Effect.gen(function* () {
  const { execution } = yield* Configuration;
  const scope = yield* Effect.scope;
  const opened = openOnce(async () => {
    const { openSandboxes } = await import("../sandbox/open-sandboxes.ts");
    return Effect.runSync(Scope.provide(openSandboxes, scope));
  });
  const sandboxes: SandboxPool = {
    run: (program, engine) => Effect.flatMap(Effect.promise(opened), (pool) => pool.run(program, engine)),
    threads: execution.sandboxEnabled,
    scope,
  };
  return sandboxes;
});

/** Builds the policy. A custom engine is combined with the built-in one and can only restrict it. */
export const policyLayer = (
  options: AnyHaftOptions["policy"],
): Layer.Layer<Policy, AnyToolError, Configuration> =>
  Layer.effect(
    Policy,
    Effect.gen(function* () {
      const { security, skills } = yield* Configuration;
      const own = { ...security, pathBase: skills.files.read[0] ?? skills.files.write[0] ?? "." };
      if (isPolicyEngine(options) && isOwnEngine(options)) return options;
      const { narrowEngine, createPolicyEngine } = yield* Effect.promise(() => import("../policy/policy.ts"));
      return yield* tryTagged(() =>
        isPolicyEngine(options)
          ? narrowEngine(createPolicyEngine(own), options)
          : createPolicyEngine({ ...own, ...options }),
      );
    }),
  );

/** Builds the registry with the tools of the runtime, the organization and the project. */
export const registryLayer = (
  options: Pick<AnyHaftOptions, "tools" | "org" | "project" | "skills">,
): Layer.Layer<Registry, AnyToolError, Configuration | Events> =>
  withSkills(options.skills).pipe(
    Layer.provide(mergedRegistryLayer),
    Layer.provide(Layer.mergeAll(...sourceLayers(options))),
  );

export const sourceLayers = ({ tools, org, project }: Pick<AnyHaftOptions, "tools" | "org" | "project">) => {
  const named = org === undefined || "workspace" in org ? org : { name: "org", workspace: org };
  return [
    internalToolsLayer(tools),
    orgToolsLayer(named?.workspace, named?.name),
    projectToolsLayer(project),
  ] as const;
};

/** Loaded when a runtime opens, because programs that only define tools do not need ledgers. */
const loadCompleteStore = (store: LedgerStore, masking: Masking) =>
  Effect.map(
    Effect.promise(() => import("../ledger/complete-store.ts")),
    (module) => module.completeStore(store, masking),
  );

/** Opens the ledger, and closes it with the layer. A store that was passed in is not closed. */
export const ledgerLayer = (
  ledger: AnyHaftOptions["ledger"],
): Layer.Layer<Ledger, AnyToolError, Configuration | Credentials> =>
  Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const config = yield* Configuration;
      const secrets = yield* Credentials;
      const masking = redactor({ secrets: secrets.known });
      if (typeof ledger === "object") {
        const stop = ledger.alsoMask?.(masking);
        if (stop !== undefined) yield* Effect.addFinalizer(() => Effect.sync(stop));
        return yield* loadCompleteStore(ledger, masking);
      }
      if (ledger === undefined || ledger === "memory") {
        const { memoryLedger } = yield* Effect.promise(() => import("../ledger/memory.ts"));
        return memoryLedger({ keep: config.ledger.keep, redactor: masking });
      }
      const { keepPayloads, anchorEveryMs: everyMs, anchorFile: file, anchorUrl: url } = config.ledger;
      if (file !== undefined) protectFromWrites(file);
      const opening = Effect.tryPromise({
        try: async () =>
          (await import("../ledger/open-durable-ledger.ts")).openDurableLedger(ledger, {
            redactor: masking,
            keepPayloads,
            anchors: { everyMs, file, url },
          }),
        catch: thrownToTaggedError,
      });
      return yield* Effect.acquireRelease(opening, (store) => Effect.promise(() => store.end()));
    }),
  );

/** Builds the call pipeline with the operator's layers. */
export const pipelineLayer = (
  options: Pick<AnyHaftOptions, "layers">,
): Layer.Layer<Pipeline, never, PipelineServices> =>
  Layer.effect(
    Pipeline,
    Effect.gen(function* () {
      let isOpen = true;
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          isOpen = false;
        }),
      );
      return createPipeline(yield* collectPipelineOptions([...(options.layers ?? [])], () => isOpen));
    }),
  );

export type PipelineServices = Configuration | Events | Credentials | Policy | Registry | Ledger;

export const collectPipelineOptions = (
  layers: PipelineOptions["layers"],
  isOpen: () => boolean,
): Effect.Effect<PipelineOptions, never, PipelineServices> =>
  Effect.gen(function* () {
    const config = yield* Configuration;
    const secrets = yield* Credentials;
    const masking = redactor({ secrets: secrets.known });
    const ledger = yield* loadCompleteStore(yield* Ledger, masking);
    const registry = yield* Registry;
    return {
      registry,
      // The registry identifies the runtime.
      runtime: registry,
      policy: guardPolicy(yield* Policy),
      ledger,
      approvals: ledger.approvals,
      events: yield* Events,
      redactor: masking,
      secret: secrets.secret,
      layers,
      newId: () => crypto.randomUUID(),
      isOpen,
      settings: {
        defaultTimeoutMs: config.execution.defaultTimeoutMs,
        maxTimeoutMs: config.execution.maxTimeoutMs,
        readsWithoutLedger: config.ledger.readsWithoutLedger,
        maxResultBytes: config.limits.maxResultBytes,
        maxMediaParts: config.limits.maxMediaParts,
        maxMediaBytes: config.limits.maxMediaBytes,
        fullSync: config.ledger.fullSync,
        approvalsExpireMs: config.approvals.expireAfterMs,
        json: jsonLimitsOf(config),
      },
    };
  });

const jsonLimitsOf = ({ limits }: Config): JsonLimits => ({
  maxLength: limits.maxInputLength,
  maxDepth: limits.maxInputDepth,
});

/** Builds the service that calls tools, without the fiber-local state of the building fiber. */
export const toolsLayer = <Services extends Layer.Any = Layer.Layer<never>>(
  options: Pick<
    AnyHaftOptions,
    "principal" | "env" | "approver" | "approvals" | "model" | "fleet" | "ledger"
  > & {
    readonly services?: Services;
  },
): Layer.Layer<
  Tools,
  AnyToolError | Layer.Error<Services>,
  Configuration | Pipeline | HttpEgress | Credentials | Events | Registry | Policy | Layer.Services<Services>
> =>
  Layer.effect(
    Tools,
    Effect.gen(function* () {
      const { services: userServices = Layer.empty, fleet, ledger } = options;
      const fleetServicesLayer =
        fleet?.services(typeof ledger === "string" ? ledger : undefined) ?? Layer.empty;
      const services = yield* Layer.build(
        Layer.merge(
          fleetServicesLayer,
          userServices as Layer.Layer<never, Layer.Error<Services>, Layer.Services<Services>>,
        ),
      );
      // A webhook means that answers come later, so calls become pending.
      const approver =
        options.approver ?? (options.approvals?.webhook === undefined ? undefined : deferApproval);
      const config = yield* Configuration;
      const context = services.pipe(
        Context.add(HttpEgress, yield* HttpEgress),
        Context.add(Credentials, yield* Credentials),
        Context.add(Registry, yield* Registry),
        Context.add(Policy, yield* Policy),
        Context.add(
          Sandboxes,
          Option.getOrUndefined(Context.getOption(services, Sandboxes)) ??
            Option.getOrUndefined(yield* Effect.serviceOption(Sandboxes)) ??
            (yield* runtimeSandboxes),
        ),
      );
      if (options.approvals?.webhook !== undefined) yield* openApprovalWebhook(options.approvals.webhook);
      return createTools({
        pipeline: yield* Pipeline,
        context:
          approver === undefined ? context : Context.add(context, Approver, toApproverService(approver)),
        principal: options.principal,
        env: options.env,
        newId: () => crypto.randomUUID(),
        repair: config.hydration.repair,
        repairer:
          options.model === undefined
            ? undefined
            : lazyRepairer(options.model, config.execution.defaultTimeoutMs),
        limits: jsonLimitsOf(config),
      });
    }),
  );

const deferApproval: ApprovalHandler = () => undefined;

const openApprovalWebhook = (webhook: WebhookOptions) =>
  Effect.gen(function* () {
    const { approvalWebhook } = yield* Effect.promise(() => import("./approval-webhook.ts"));
    const { known } = yield* Credentials;
    const services = { outside: yield* HttpEgress, redactor: redactor({ secrets: known }) };
    const tell = yield* approvalWebhook(webhook, services);
    const events = yield* Events;
    events.on("tools.pending", ({ approval }) => tell(approval));
  });

/** Builds the services that calls need, without agents. */
export const toolRuntimeLayer = <
  const All extends readonly ToolOrClass[] = readonly [],
  Services extends Layer.Any = Layer.Layer<never>,
>(
  options: Omit<AnyHaftOptions, "mcp" | "services" | "tools"> & {
    readonly tools?: All;
    readonly services?: Services;
  } & RequireAllServices<All, Layer.Success<Services>>,
): Layer.Layer<ToolServices, AnyToolError | Layer.Error<Services>, Layer.Services<Services>> => {
  const base = Layer.mergeAll(
    configurationLayer(options.config, options.approvals),
    eventListenersLayer(options.on),
    credentialsLayer(options.credentials),
    httpEgressLayer(options.httpEgress),
    Layer.provide(sandboxesLayer, configurationLayer(options.config, options.approvals)),
  );
  return toolsLayer(options).pipe(
    Layer.provideMerge(pipelineLayer(options)),
    Layer.provideMerge(
      Layer.mergeAll(policyLayer(options.policy), registryLayer(options), ledgerLayer(options.ledger)),
    ),
    Layer.provideMerge(base),
  );
};

const lazyRepairer = (model: Model | string, withinMs: number): Repairer => {
  const chosen = lazyModel(model);
  return async (question, asking) =>
    (await import("../agent/model-repairer.ts")).modelRepairer(chosen, withinMs)(question, asking);
};

const isPolicyEngine = (options: AnyHaftOptions["policy"]): options is PolicyEngine =>
  options !== undefined && "decide" in options;

const toApproverService = (ask: ApprovalHandler): ApproverService => ({
  ask: (request) =>
    Effect.suspend(() => {
      const answer = ask(request);
      if (Effect.isEffect(answer)) return answer;
      return isPromise(answer) ? Effect.promise(() => answer) : Effect.succeed(answer);
    }),
});

const isPromise = (value: object | undefined): value is Promise<ApprovalDecision | undefined> =>
  typeof value === "object" && value !== null && "then" in value;
