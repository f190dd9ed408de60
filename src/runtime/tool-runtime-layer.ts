import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Scope from "effect/Scope";
import { lazyModel } from "../agent/models-by.ts";
import type { CorridorOptions } from "../call/call-services.ts";
import { Corridor, corridor } from "../call/corridor.ts";
import { tools } from "../call/tools.ts";
import { Tools } from "../call/tools-service.ts";
import { Registry } from "../catalog/registry.ts";
import { Credentials, checkCredentials, credentials } from "../credentials/credentials.ts";
import { onFirstUse } from "../credentials/on-first-use.ts";
import { outside } from "../http/client.ts";
import { Outside } from "../http/outside.ts";
import type { JsonLimits } from "../json/limits.ts";
import { redactor } from "../json/redact.ts";
import { isOwnEngine, Policy, type PolicyEngine } from "../policy/engine.ts";
import { guard } from "../policy/guard.ts";
import { Sandboxes, type SandboxPool } from "../sandbox/sandboxes.ts";
import type { Toolish } from "../tool/decorator.ts";
import { type ApprovalDecision, type ApprovalDesk, Approver } from "../words/approval.ts";
import type { AnyToolError } from "../words/errors.ts";
import { Events } from "../words/event.ts";
import type { Repairer } from "../words/hydration.ts";
import { Ledger, type LedgerStore, type Masking } from "../words/ledger.ts";
import type { Model } from "../words/model.ts";
import type { Config } from "./config.ts";
import { Configuration, configurationLayer } from "./configuration.ts";
import { addListeners, eventBus } from "./events.ts";
import { warningEvents } from "./logged-events.ts";
import type { AllServices, AskPerson, HaftOptions, Listeners } from "./options.ts";
import { asTagged } from "./or-tagged.ts";
import { internalToolsLayer, mergedRegistryLayer, orgToolsLayer, projectToolsLayer } from "./tool-sources.ts";
import type { WebhookOptions } from "./webhook.ts";
import { withSkills } from "./with-skills.ts";

// biome-ignore lint/suspicious/noExplicitAny: what layers need of Env was checked where the runtime was opened
export type AnyOptions = HaftOptions<readonly Toolish[], any, any>;

/** What calls need. Each can be replaced by providing another layer for its tag. */
export type ToolServices =
  | Configuration
  | Events
  | Credentials
  | Outside
  | Sandboxes
  | Policy
  | Registry
  | Ledger
  | Corridor
  | Tools;

/** Builds the bus that tells listeners what happens to calls. */
export const eventsLayer: Layer.Layer<Events> = Layer.sync(Events, () => eventBus());

/** The bus of the promise door: its first listeners are there before the first tool is. */
const listeningLayer = (listeners: Listeners = {}): Layer.Layer<Events> =>
  Layer.sync(Events, () => {
    const bus = warningEvents(eventBus());
    addListeners(bus, listeners);
    return bus;
  });

/** Builds the store of secrets and tokens. */
export const credentialsLayer = (
  options: AnyOptions["credentials"] = {},
): Layer.Layer<Credentials, AnyToolError> =>
  Layer.effect(
    Credentials,
    Effect.map(checkCredentials(options), (configured) => credentials(options, undefined, configured)),
  );

/** Builds the guarded HTTP client. */
export const outsideLayer = (options: AnyOptions["outside"]): Layer.Layer<Outside, AnyToolError> =>
  Layer.effect(Outside, outside(options));

/** Builds the sandboxes. None of them is loaded before the first program, and all end with the runtime. */
export const sandboxesLayer: Layer.Layer<Sandboxes, never, Configuration> = Layer.effect(
  Sandboxes,
  Effect.suspend(() => ownSandboxes),
);

const ownSandboxes = Effect.gen(function* () {
  const { execution } = yield* Configuration;
  const scope = yield* Effect.scope;
  const opened = onFirstUse(async () => {
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

/** An engine of somebody else's is asked besides our own, and can only narrow what that one says. */
export const policyLayer = (options: AnyOptions["policy"]): Layer.Layer<Policy, never, Configuration> =>
  Layer.effect(
    Policy,
    Effect.gen(function* () {
      const { security } = yield* Configuration;
      if (isEngine(options) && isOwnEngine(options)) return options;
      const { narrowedBy, policy } = yield* Effect.promise(() => import("../policy/policy.ts"));
      return isEngine(options) ? narrowedBy(policy(security), options) : policy({ ...security, ...options });
    }),
  );

/** Builds the registry and fills it with the tools of the runtime, the organization and the project. */
export const registryLayer = (
  options: Pick<AnyOptions, "tools" | "org" | "project" | "skills">,
): Layer.Layer<Registry, AnyToolError, Configuration | Events> =>
  withSkills(options.skills).pipe(
    Layer.provide(mergedRegistryLayer),
    Layer.provide(Layer.mergeAll(...sourceLayers(options))),
  );

/** The three sources as they stand in the options of a runtime. */
export const sourceLayers = ({ tools, org, project }: Pick<AnyOptions, "tools" | "org" | "project">) => {
  const named = org === undefined || "workspace" in org ? org : { name: "org", workspace: org };
  return [
    internalToolsLayer(tools),
    orgToolsLayer(named?.workspace, named?.name),
    projectToolsLayer(project),
  ] as const;
};

/** The room of ledgers is loaded when a runtime opens: a program that only defines tools needs none of it. */
const withBooks = (store: LedgerStore, masking: Masking) =>
  Effect.map(
    Effect.promise(() => import("../ledger/with-books.ts")),
    (books) => books.withBooks(store, masking),
  );

/** A ledger that is opened here is closed here; one that was passed in belongs to whoever made it. */
export const ledgerLayer = (
  ledger: AnyOptions["ledger"],
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
        return yield* withBooks(ledger, masking);
      }
      if (ledger === undefined || ledger === "memory") {
        const { memoryLedger } = yield* Effect.promise(() => import("../ledger/memory.ts"));
        return memoryLedger({ keep: config.ledger.keep, redactor: masking });
      }
      const { keepPayloads, anchorEveryMs: everyMs, anchorFile: file, anchorUrl: url } = config.ledger;
      const opening = Effect.tryPromise({
        try: async () =>
          (await import("../ledger/open-ledger.ts")).openDurableLedger(ledger, {
            redactor: masking,
            keepPayloads,
            anchors: { everyMs, file, url },
          }),
        catch: asTagged,
      });
      return yield* Effect.acquireRelease(opening, (store) => Effect.promise(() => store.end()));
    }),
  );

/** Builds the corridor with the operator's layers over the services that it needs. */
export const corridorLayer = (
  options: Pick<AnyOptions, "layers">,
): Layer.Layer<Corridor, never, CorridorServices> =>
  Layer.effect(
    Corridor,
    Effect.gen(function* () {
      // What was granted before the runtime is closed starts nothing after it.
      let isOpen = true;
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          isOpen = false;
        }),
      );
      return corridor(yield* corridorOptions([...(options.layers ?? [])], () => isOpen));
    }),
  );

/** The services that a corridor works with. */
export type CorridorServices = Configuration | Events | Credentials | Policy | Registry | Ledger;

export const corridorOptions = (
  layers: CorridorOptions["layers"],
  isOpen: () => boolean,
): Effect.Effect<CorridorOptions, never, CorridorServices> =>
  Effect.gen(function* () {
    const config = yield* Configuration;
    const secrets = yield* Credentials;
    const masking = redactor({ secrets: secrets.known });
    const ledger = yield* withBooks(yield* Ledger, masking);
    const registry = yield* Registry;
    return {
      registry,
      // There is one registry in a runtime, and no other runtime has it.
      runtime: registry,
      policy: guard(yield* Policy),
      ledger,
      approvals: ledger.approvals,
      events: yield* Events,
      redactor: masking,
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
        json: jsonLimits(config),
      },
    };
  });

const jsonLimits = ({ limits }: Config): JsonLimits => ({
  maxLength: limits.maxInputLength,
  maxDepth: limits.maxInputDepth,
});

/**
 * A tool finds the services it requires whoever calls it. Nothing else of the fiber that builds the runtime is
 * taken along: its principal and its clock are its own, and callers have theirs.
 */
export const toolsLayer = <Services extends Layer.Any = Layer.Layer<never>>(
  options: Pick<AnyOptions, "principal" | "env" | "approver" | "approvals" | "model" | "fleet" | "ledger"> & {
    readonly services?: Services;
  },
): Layer.Layer<
  Tools,
  AnyToolError | Layer.Error<Services>,
  Configuration | Corridor | Outside | Credentials | Events | Registry | Policy | Layer.Services<Services>
> =>
  Layer.effect(
    Tools,
    Effect.gen(function* () {
      const { services: given = Layer.empty, fleet, ledger } = options;
      const ofFleet = fleet?.services(typeof ledger === "string" ? ledger : undefined) ?? Layer.empty;
      const services = yield* Layer.build(
        Layer.merge(ofFleet, given as Layer.Layer<never, Layer.Error<Services>, Layer.Services<Services>>),
      );
      // Whoever is told of questions means to answer them, so they wait.
      const approver = options.approver ?? (options.approvals?.webhook === undefined ? undefined : later);
      const config = yield* Configuration;
      const context = services.pipe(
        Context.add(Outside, yield* Outside),
        Context.add(Credentials, yield* Credentials),
        Context.add(Registry, yield* Registry),
        Context.add(Policy, yield* Policy),
        Context.add(
          Sandboxes,
          Option.getOrUndefined(Context.getOption(services, Sandboxes)) ??
            Option.getOrUndefined(yield* Effect.serviceOption(Sandboxes)) ??
            (yield* ownSandboxes),
        ),
      );
      if (options.approvals?.webhook !== undefined) yield* tellWebhook(options.approvals.webhook);
      return tools({
        corridor: yield* Corridor,
        context: approver === undefined ? context : Context.add(context, Approver, toDesk(approver)),
        principal: options.principal,
        env: options.env,
        newId: () => crypto.randomUUID(),
        repair: config.hydration.repair,
        repairer:
          options.model === undefined
            ? undefined
            : lazyRepairer(options.model, config.execution.defaultTimeoutMs),
        limits: jsonLimits(config),
      });
    }),
  );

const later: AskPerson = () => undefined;

/** Loaded only where somebody wants to be told. */
const tellWebhook = (webhook: WebhookOptions) =>
  Effect.gen(function* () {
    const { approvalWebhook } = yield* Effect.promise(() => import("./webhook.ts"));
    const { known } = yield* Credentials;
    const services = { outside: yield* Outside, redactor: redactor({ secrets: known }) };
    const tell = yield* approvalWebhook(webhook, services);
    const events = yield* Events;
    events.on("tools.pending", ({ approval }) => tell(approval));
  });

/** Everything calls need. Agents are built on it where there are any. */
export const toolRuntimeLayer = <
  const All extends readonly Toolish[] = readonly [],
  Services extends Layer.Any = Layer.Layer<never>,
>(
  options: Omit<AnyOptions, "mcp" | "services" | "tools"> & {
    readonly tools?: All;
    readonly services?: Services;
  } & AllServices<All, Layer.Success<Services>>,
): Layer.Layer<ToolServices, AnyToolError | Layer.Error<Services>, Layer.Services<Services>> => {
  const base = Layer.mergeAll(
    configurationLayer(options.config),
    listeningLayer(options.on),
    credentialsLayer(options.credentials),
    outsideLayer(options.outside),
    Layer.provide(sandboxesLayer, configurationLayer(options.config)),
  );
  return toolsLayer(options).pipe(
    Layer.provideMerge(corridorLayer(options)),
    Layer.provideMerge(
      Layer.mergeAll(policyLayer(options.policy), registryLayer(options), ledgerLayer(options.ledger)),
    ),
    Layer.provideMerge(base),
  );
};

/** Loaded with the first arguments that are to be repaired by a model. */
const lazyRepairer = (model: Model | string, withinMs: number): Repairer => {
  const chosen = lazyModel(model);
  return async (question, asking) =>
    (await import("../agent/repairer.ts")).repairerBy(chosen, withinMs)(question, asking);
};

const isEngine = (options: AnyOptions["policy"]): options is PolicyEngine =>
  options !== undefined && "decide" in options;

const toDesk = (ask: AskPerson): ApprovalDesk => ({
  ask: (request) =>
    Effect.suspend(() => {
      const answer = ask(request);
      if (Effect.isEffect(answer)) return answer;
      return isPromise(answer) ? Effect.promise(() => answer) : Effect.succeed(answer);
    }),
});

const isPromise = (value: object | undefined): value is Promise<ApprovalDecision | undefined> =>
  typeof value === "object" && value !== null && "then" in value;
