import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { type AnyTool, type FormattedOffer, Tool, type ToolTimeoutError, tool, workspace } from "haft";
import {
  type AgentsService,
  type AnyToolError,
  Audit,
  call,
  internalToolsLayer,
  type McpService,
  Offers,
  orgToolsLayer,
  Policy,
  projectToolsLayer,
  type RuntimeServices,
  runtimeLayer,
  Tools,
} from "haft/effect";
import type { ToolLayer } from "haft/layers";
import type { ErrorName } from "../src/types/failures.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

type ErrorOf<Operation> = Operation extends Effect.Effect<infer _A, infer E, infer _R> ? E : never;

class Clouds extends Context.Service<Clouds, { readonly cover: number }>()("test/Clouds") {}
class Identity extends Context.Service<Identity, { readonly may: Effect.Effect<boolean, Error> }>()(
  "test/Identity",
) {}

const any = { type: "object" } as const;
const sky = tool({
  name: "sky",
  description: "Looks at the sky",
  input: { type: "object", properties: { at: { type: "string" } }, required: ["at"] } as const,
  run: () => Effect.map(Clouds, ({ cover }) => cover),
});
const plain = tool({ name: "plain", description: "Plain", input: any, run: () => "plain" });

@Tool({ description: "Overcast", parameters: [] })
class Overcast {
  run(): Effect.Effect<{ readonly cover: number }, Error, Clouds> {
    return Effect.map(Clouds, ({ cover }) => ({ cover }));
  }
}

const clouds = Layer.succeed(Clouds, { cover: 7 });
const run = <A, E>(_program: Effect.Effect<A, E>): void => {};

// Every name of the failure table is the tag of one class.
holds<Equal<AnyToolError["_tag"], ErrorName>>();

export const operations = (): void => {
  const looked = call(sky, { at: "noon" });
  holds<Equal<typeof looked, Effect.Effect<number, AnyToolError, Tools>>>();
  const classy = call(Overcast, {});
  holds<Equal<typeof classy, Effect.Effect<{ readonly cover: number }, AnyToolError, Tools>>>();
  // @ts-expect-error the input is the tool's
  call(sky, { at: 7 });
  // @ts-expect-error and none of it may be missing
  call(sky, {});
  // @ts-expect-error a name is not a tool
  call("sky", { at: "noon" });

  holds<Equal<ErrorOf<ReturnType<AgentsService["run"]>>, AnyToolError>>();
  holds<Equal<ErrorOf<ReturnType<McpService["connect"]>>, AnyToolError>>();
  holds<Equal<ErrorOf<ReturnType<McpService["disconnect"]>>, AnyToolError>>();
  holds<Equal<ErrorOf<McpService["list"]>, never>>();
};

export const byTheService = Effect.gen(function* () {
  const tools = yield* Tools;
  const turn = tools.turn([]);
  holds<Equal<ErrorOf<typeof turn>, never>>();
  const hydrated = tools.hydrate([]);
  holds<Equal<ErrorOf<typeof hydrated>, never>>();
  const resumed = tools.resume("approval");
  holds<Equal<ErrorOf<typeof resumed>, AnyToolError>>();
  const { offer } = yield* Offers;
  const shown = yield* offer({ format: "anthropic" });
  holds<Equal<typeof shown, FormattedOffer<"anthropic">>>();
  // @ts-expect-error there is no such format
  yield* offer({ format: "antropic" });
});

export const failures = (): void => {
  const looked = call(sky, { at: "noon" });
  const late = looked.pipe(
    Effect.catchTag("ToolTimeoutError", (error) => {
      holds<Equal<typeof error, ToolTimeoutError>>();
      return Effect.succeed(error.code);
    }),
  );
  holds<Equal<ErrorOf<typeof late>, Exclude<AnyToolError, ToolTimeoutError>>>();
  // @ts-expect-error the tag is misspelled
  looked.pipe(Effect.catchTag("ToolTimoutError", () => Effect.void));

  const nothing = () => Effect.succeed(0);
  const every: { readonly [Tag in AnyToolError["_tag"]]: () => Effect.Effect<number> } = {
    ConfigurationError: nothing,
    CredentialsError: nothing,
    DefinitionChangedError: nothing,
    LedgerError: nothing,
    MCPConnectionError: nothing,
    ModelError: nothing,
    HttpEgressError: nothing,
    SandboxError: nothing,
    ToolApprovalError: nothing,
    ToolAuthorizationError: nothing,
    ToolBindingError: nothing,
    ToolCancelledError: nothing,
    ToolDefinitionError: nothing,
    ToolExecutionError: nothing,
    ToolHydrationError: nothing,
    ToolIdempotencyError: nothing,
    ToolInputValidationError: nothing,
    ToolLayerError: nothing,
    ToolNotFoundError: nothing,
    ToolOutputValidationError: nothing,
    ToolOverloadedError: nothing,
    ToolRegistrationError: nothing,
    ToolTimeoutError: nothing,
    ToolUnavailableError: nothing,
  };
  const caught = looked.pipe(Effect.catchTags(every));
  holds<Equal<ErrorOf<typeof caught>, never>>();
};

export const services = (): void => {
  const program = call(sky, { at: "noon" });
  run(Effect.provide(program, runtimeLayer({ tools: [sky], services: clouds })));
  run(program.pipe(Effect.provide(runtimeLayer({ tools: [sky] })), Effect.provide(clouds)));
  run(program.pipe(Effect.provide(Layer.provide(runtimeLayer({ tools: [sky] }), clouds))));
  // @ts-expect-error Clouds is not provided
  run(Effect.provide(program, runtimeLayer({ tools: [sky] })));
  // @ts-expect-error nor for a class that requires them
  run(Effect.provide(program, runtimeLayer({ tools: [plain, Overcast] })));
  const needs = runtimeLayer({ tools: [plain, sky] });
  holds<Equal<typeof needs, Layer.Layer<RuntimeServices, AnyToolError, Clouds>>>();

  // The runtime has the errors and the requirements of the layer of services.
  const made = Layer.effect(
    Clouds,
    Effect.flatMap(Identity, ({ may }) => Effect.as(may, { cover: 1 })),
  );
  const both = runtimeLayer({ tools: [sky], services: made });
  holds<Equal<typeof both, Layer.Layer<RuntimeServices, AnyToolError | Error, Identity>>>();
};

declare const userLayer: ToolLayer<{ readonly user: string }>;

export const environments = (): void => {
  runtimeLayer({ layers: [userLayer], env: { user: "ada" } });
  runtimeLayer({ tools: [plain] });
  // @ts-expect-error the layer needs a user, and there is no env
  runtimeLayer({ tools: [plain], layers: [userLayer] });
  // @ts-expect-error the user is a text
  runtimeLayer({ layers: [userLayer], env: { user: 7 } });
  // @ts-expect-error an option is misspelled
  runtimeLayer({ tools: [plain], princpal: { agent: "ada" } });
};

export const parts = (): void => {
  const deny = { effect: "deny", reason: "it says no", ruleIds: [] } as const;
  const identity = Layer.mergeAll(
    Layer.effect(
      Policy,
      Effect.map(Identity, ({ may }) => ({
        visible: () => ({ ...deny, effect: "allow" as const }),
        decide: () => Effect.as(may, deny),
      })),
    ),
    Layer.effect(
      Audit,
      Effect.map(Identity, ({ may }) => ({ record: () => Effect.asVoid(may) })),
    ),
  );
  const layer = runtimeLayer({ tools: [plain], parts: identity });
  holds<Equal<typeof layer, Layer.Layer<RuntimeServices, AnyToolError, Identity>>>();
  // @ts-expect-error Identity is not provided
  run(Effect.provide(call(plain, {}), layer));
};

/** The runtime requires what the tools of a source require, for every kind of source. */
export const sources = (): void => {
  const project = workspace().toolbox("weather").add(plain).add(sky, Overcast).toolbox("more").build();
  holds<Equal<Layer.Services<ReturnType<typeof ofProject>>, Clouds>>();
  const ofProject = () => runtimeLayer({ project });
  const ofOrg = runtimeLayer({ org: { name: "acme", workspace: project } });
  holds<Equal<Layer.Services<typeof ofOrg>, Clouds>>();
  const ofParts = [
    runtimeLayer({ parts: projectToolsLayer(project) }),
    runtimeLayer({ parts: orgToolsLayer(project, "acme") }),
    runtimeLayer({ parts: internalToolsLayer([sky]) }),
  ] as const;
  holds<Equal<Layer.Services<(typeof ofParts)[number]>, Clouds>>();
  const provided = runtimeLayer({ project, services: clouds });
  holds<Equal<Layer.Services<typeof provided>, never>>();
  // The requirements of tools collected at run time are unknown.
  const loaded = workspace()
    .toolbox("weather")
    .add(...([] as readonly AnyTool[]))
    .build();
  const ofLoaded = runtimeLayer({ project: loaded });
  holds<Equal<Layer.Services<typeof ofLoaded>, never>>();
  // @ts-expect-error Clouds must be provided
  run(Effect.provide(Tools, ofProject()));
};
