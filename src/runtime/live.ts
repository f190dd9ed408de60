import { readFileSync } from "node:fs";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { lazyModel } from "../agent/lazy-model.ts";
import { toToolError } from "../agent/to-tool-error.ts";
import type { CorridorOptions } from "../call/call-services.ts";
import { Corridor, corridor } from "../call/corridor.ts";
import { Tools, tools } from "../call/tools.ts";
import { Registry, registry } from "../catalog/registry.ts";
import { Credentials, checkCredentials, credentials } from "../credentials/credentials.ts";
import { lookAhead } from "../dialects/schema/is-plain.ts";
import { outside } from "../http/client.ts";
import { Outside } from "../http/outside.ts";
import type { JsonLimits } from "../json/limits.ts";
import { redactor } from "../json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";
import { isOwnEngine, Policy, type PolicyEngine } from "../policy/engine.ts";
import { guard } from "../policy/guard.ts";
import type { Toolish } from "../tool/decorator.ts";
import { type ApprovalDecision, type ApprovalDesk, Approver } from "../words/approval.ts";
import { ConfigurationError, type ToolError } from "../words/errors.ts";
import { Events } from "../words/event.ts";
import type { Repairer } from "../words/hydration.ts";
import { Ledger } from "../words/ledger.ts";
import type { Model } from "../words/model.ts";
import { type Config, type ConfigInput, readConfig } from "./config.ts";
import { eventBus } from "./events.ts";
import { type AskPerson, type HaftOptions, toTools } from "./options.ts";
import type { WebhookOptions } from "./webhook.ts";
import { withBooks } from "./with-books.ts";

// biome-ignore lint/suspicious/noExplicitAny: what layers need of Env was checked where the runtime was opened
export type AnyOptions = HaftOptions<readonly Toolish[], any, any>;

/** Settings as a service, so that every layer reads the same ones. */
export class Configuration extends Context.Service<Configuration, Config>()("haft/Configuration") {}

/** What calls need. Each can be replaced by providing another layer for its tag. */
export type ToolServices =
  | Configuration
  | Events
  | Credentials
  | Outside
  | Policy
  | Registry
  | Ledger
  | Corridor
  | Tools;

/** Reads and checks the settings of a runtime, from a value or a JSON file. */
export const configurationLayer = (config: AnyOptions["config"]): Layer.Layer<Configuration> =>
  Layer.sync(Configuration, () => (typeof config === "string" ? readConfigFile(config) : readConfig(config)));

/** Builds the bus that tells listeners what happens to calls. */
export const eventsLayer: Layer.Layer<Events> = Layer.sync(Events, () => eventBus());

/** Builds the store of secrets and tokens. */
export const credentialsLayer = (
  options: AnyOptions["credentials"] = {},
): Layer.Layer<Credentials, ToolError> =>
  Layer.effect(
    Credentials,
    Effect.map(checkCredentials(options), () => credentials(options)),
  );

/** Builds the guarded HTTP client. */
export const outsideLayer = (options: AnyOptions["outside"]): Layer.Layer<Outside, ToolError> =>
  Layer.effect(Outside, outside(options));

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
export const registryLayer = (options: AnyOptions): Layer.Layer<Registry, never, Configuration | Events> =>
  Layer.effect(
    Registry,
    Effect.gen(function* () {
      const config = yield* Configuration;
      const all = registry({ ...config.registry, events: yield* Events });
      all.registerAll(toTools(options.tools ?? []));
      const { org, project } = options;
      if (org !== undefined) {
        const named = "workspace" in org ? org : { name: "org", workspace: org };
        all.registerWorkspace(named.workspace, { origin: "org", org: named.name });
      }
      if (project !== undefined) all.registerWorkspace(project, { origin: "project" });
      lookAhead(all.ordered().map((one) => one.tool));
      return all;
    }),
  );

/** A ledger that is opened here is closed here; one that was passed in belongs to whoever made it. */
export const ledgerLayer = (
  ledger: AnyOptions["ledger"],
): Layer.Layer<Ledger, ToolError, Configuration | Credentials> =>
  Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const config = yield* Configuration;
      const secrets = yield* Credentials;
      const masking = redactor({ secrets: secrets.known });
      if (typeof ledger === "object") {
        const stop = ledger.alsoMask?.(masking);
        if (stop !== undefined) yield* Effect.addFinalizer(() => Effect.sync(stop));
        return withBooks(ledger, masking);
      }
      if (ledger === undefined || ledger === "memory") {
        return memoryLedger({ keep: config.ledger.keep, redactor: masking });
      }
      const { keepPayloads } = config.ledger;
      const opening = Effect.tryPromise({
        try: async () =>
          (await import("../ledger/open-ledger.ts")).openLedger(ledger, { redactor: masking, keepPayloads }),
        catch: toToolError,
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
    const ledger = withBooks(yield* Ledger, masking);
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
export const toolsLayer = (
  options: Pick<AnyOptions, "principal" | "env" | "services" | "approver" | "approvals" | "model">,
): Layer.Layer<Tools, unknown, Configuration | Corridor | Outside | Credentials | Events> =>
  Layer.effect(
    Tools,
    Effect.gen(function* () {
      const services = yield* Layer.build((options.services ?? Layer.empty) as Layer.Layer<never, unknown>);
      // Whoever is told of questions means to answer them, so they wait.
      const approver = options.approver ?? (options.approvals?.webhook === undefined ? undefined : later);
      const config = yield* Configuration;
      const context = services.pipe(
        Context.add(Outside, yield* Outside),
        Context.add(Credentials, yield* Credentials),
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
export const toolRuntimeLayer = (options: AnyOptions): Layer.Layer<ToolServices, unknown> => {
  const base = Layer.mergeAll(
    configurationLayer(options.config),
    eventsLayer,
    credentialsLayer(options.credentials),
    outsideLayer(options.outside),
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

/** The settings that stand in a file. */
export const readConfigFile = (path: string): Config => {
  let input: ConfigInput;
  try {
    input = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError("invalid_config", `The configuration file ${path} cannot be read: ${why}`);
  }
  return readConfig(input, path);
};
