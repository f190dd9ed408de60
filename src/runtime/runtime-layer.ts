import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import type { Agents } from "../agent/agents.ts";
import { Credentials } from "../credentials/credentials.ts";
import { Outside } from "../http/outside.ts";
import { redactor } from "../json/redact.ts";
import { Policy } from "../policy/engine.ts";
import { Sandboxes } from "../sandbox/sandboxes.ts";
import type { Toolish } from "../tool/decorator.ts";
import { type AnyToolError, ConfigurationError } from "../words/errors.ts";
import { Events } from "../words/event.ts";
import { Ledger } from "../words/ledger.ts";
import { agentsLayer } from "./agents-layer.ts";
import { ambientServices } from "./ambient-services.ts";
import { Audit, auditedLedger } from "./audit.ts";
import { Configuration, configurationLayer } from "./configuration.ts";
import { addListeners } from "./events.ts";
import {
  type AnyOptions,
  corridorLayer,
  credentialsLayer,
  eventsLayer,
  ledgerLayer,
  outsideLayer,
  policyLayer,
  sandboxesLayer,
  sourceLayers,
  type ToolServices,
  toolsLayer,
} from "./live.ts";
import { loggedEvents } from "./logged-events.ts";
import { type Mcp, mcpLayer } from "./mcp-layer.ts";
import { type Offers, offersLayer } from "./offers-layer.ts";
import type { HaftOptions, Listeners, Needed } from "./options.ts";
import { orTagged } from "./or-tagged.ts";
import { checkOptions } from "./read-options.ts";
import { readPrincipal } from "./read-principal.ts";
import {
  InternalTools,
  mergedRegistryLayer,
  OrgTools,
  ProjectTools,
  type ToolSources,
} from "./tool-sources.ts";
import type { OtherSources } from "./tool-types.ts";
import { withSkills } from "./with-skills.ts";

/** Every service of the runtime. */
export type RuntimeServices = ToolServices | Agents | Offers | Mcp;

/** What `parts` may put in place of the runtime's own. `Policy` is asked besides our own and can only narrow it. */
export type RuntimeParts = Policy | Audit | Ledger | Events | Credentials | Outside | Sandboxes | ToolSources;

/** The options of `Haft.open`, and what only Effect can say: whole services as layers, with requirements of their own. */
export interface RuntimeOptions<
  Tools extends readonly Toolish[] = readonly Toolish[],
  Env = unknown,
  Services extends Layer.Any = Layer.Any,
  Parts extends Layer.Any = Layer.Any,
> extends Omit<HaftOptions<Tools, never, Env>, "services" | "fleet"> {
  /** What tools require, besides what is provided to the runtime's layer itself. Unless set: nothing. */
  readonly services?: Services;
  /** Services in place of the runtime's own, such as an identity service as `Policy` and `Audit`. Unless set: none. */
  readonly parts?: Parts;
}

/** Unsatisfiable while a layer needs an `env` that is not there. */
export type NeededEnv<Env> = unknown extends Env ? unknown : { readonly env: Env };

type Requirements<
  Tools extends readonly Toolish[],
  Services extends Layer.Any,
  Parts extends Layer.Any,
  Sources,
> = Needed<Tools, Layer.Success<Services>, Sources> | Layer.Services<Services> | Layer.Services<Parts>;

/**
 * The whole runtime. What its tools require and nobody provides is what the layer requires, so a program that forgets a
 * service does not compile.
 */
export const runtimeLayer = <
  const Tools extends readonly Toolish[] = readonly [],
  Env = unknown,
  Services extends Layer.Any = Layer.Layer<never>,
  Parts extends Layer.Any = Layer.Layer<never>,
  Project extends HaftOptions["project"] = undefined,
  Org extends HaftOptions["org"] = undefined,
>(
  options: RuntimeOptions<Tools, Env, Services, Parts> &
    Omit<OtherSources<unknown, Project, Org>, "mcp" | "skills"> &
    NeededEnv<NoInfer<Env>> = {} as never,
): Layer.Layer<
  RuntimeServices,
  AnyToolError | Layer.Error<Services> | Layer.Error<Parts>,
  Requirements<Tools, Services, Parts, Project | Org>
> => Layer.unwrap(readRuntime(options as never)) as never;

/** What the options come to is known once they are read and the parts are built. */
const readRuntime = (given: AnyOptions & { readonly parts?: Layer.Layer<RuntimeParts, unknown> }) =>
  Effect.gen(function* () {
    const { parts: partsLayer = Layer.empty, ...options } = given;
    yield* orTagged(() => checkOptions(options, "runtimeLayer"));
    if (options.fleet !== undefined) return yield* Effect.fail(noFleet());
    const principal = yield* orTagged(() => readPrincipal(options.principal));
    const ambient = ambientServices(yield* Effect.context<never>());
    const parts = yield* Layer.build(partsLayer as Layer.Layer<never, unknown>);
    if (options.policy !== undefined && hasPart(parts, Policy)) return yield* Effect.fail(twice("policy"));
    if (options.ledger !== undefined && hasPart(parts, Ledger)) return yield* Effect.fail(twice("ledger"));
    const engine = Option.getOrUndefined(Context.getOption(parts, Policy)) ?? options.policy;
    const services = Layer.merge(Layer.succeedContext(ambient), options.services ?? Layer.empty);
    const settled = { ...options, principal, services };
    const base = Layer.mergeAll(
      configurationLayer(options.config),
      loggedEventsLayer(options.on).pipe(Layer.provide(partOr(parts, Events, eventsLayer))),
      partOr(parts, Credentials, credentialsLayer(options.credentials)),
      partOr(parts, Outside, outsideLayer(options.outside)),
      partOr(parts, Sandboxes, Layer.provide(sandboxesLayer, configurationLayer(options.config))),
    );
    const [internal, org, project] = sourceLayers(options);
    const sources = Layer.mergeAll(
      partOr(parts, InternalTools, internal),
      partOr(parts, OrgTools, org),
      partOr(parts, ProjectTools, project),
    );
    return Layer.mergeAll(agentsLayer(settled), offersLayer(settled), mcpLayer(options.mcp, principal)).pipe(
      Layer.provideMerge(toolsLayer(settled)),
      Layer.provideMerge(corridorLayer(options)),
      Layer.provideMerge(
        Layer.mergeAll(
          policyLayer(engine),
          withSkills(options.skills).pipe(Layer.provide(mergedRegistryLayer), Layer.provide(sources)),
          auditedLayer(parts).pipe(Layer.provide(partOr(parts, Ledger, ledgerLayer(options.ledger)))),
        ),
      ),
      Layer.provideMerge(base),
    );
  });

const hasPart = <I, S>(parts: Context.Context<never>, key: Context.Key<I, S>): boolean =>
  Option.isSome(Context.getOption(parts, key));

const partOr = <I, S, E, R>(
  parts: Context.Context<never>,
  key: Context.Key<I, S>,
  own: Layer.Layer<I, E, R>,
): Layer.Layer<I, E, R> =>
  Option.match(Context.getOption(parts, key), {
    onNone: () => own,
    onSome: (part) => Layer.succeed(key, part),
  });

const loggedEventsLayer = (listeners: Listeners = {}): Layer.Layer<Events, never, Events> =>
  Layer.effect(
    Events,
    Effect.gen(function* () {
      const events = loggedEvents(yield* Events, yield* Effect.context<never>());
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

const noFleet = (): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    "runtimeLayer has no `fleet`: runs are submitted by Haft.open({ fleet }).",
  );

const twice = (name: string): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `runtimeLayer: there is a ${name} in \`${name}\` and another in \`parts\`; leave one out.`,
  );
