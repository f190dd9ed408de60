import * as Effect from "effect/Effect";
import type { AuthorizedCall, RunScope } from "../../src/words/call.ts";
import type { Principal } from "../../src/words/principal.ts";
import type { Annotations, ToolSpec } from "../../src/words/spec.ts";
import type { AnyTool, Registration } from "../../src/words/tool.ts";
import type { Validation, Validator } from "../../src/words/validator.ts";

export interface TestCallOptions {
  readonly id?: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly principal?: Principal;
  readonly scope?: RunScope;
  readonly annotations?: Annotations;
  readonly validate?: (value: unknown) => Validation;
  readonly env?: unknown;
  readonly registration?: Registration;
}

export const testRegistration = (options: TestCallOptions = {}): Registration => {
  const { tool = "get_weather", annotations = {}, validate = (value) => ({ ok: true, value }) } = options;
  const spec: ToolSpec = {
    name: tool,
    description: "A tool of the tests",
    input: { type: "object" },
    category: "custom",
    risk: "low",
    requiresApproval: false,
    source: "function",
    tags: [],
    annotations,
    validate: "strict",
    strict: false,
  };
  const input: Validator = Object.assign(validate, { engine: "test" });
  const run = () => Effect.succeed(undefined);
  const made = { spec, input, layers: [], implementation: { _tag: "test", bind: () => run } };
  return { key: tool, wireName: tool, origin: "internal", tool: made as unknown as AnyTool };
};

let count = 0;
const runs = new WeakMap<AnyTool, AuthorizedCall["run"]>();

/** A call as stage 3 hands it to the layers. Calls that share a registration share its code, as in the corridor. */
export const testCall = (options: TestCallOptions = {}): AuthorizedCall => {
  const registration = options.registration ?? testRegistration(options);
  const { principal = { agent: "tester", session: "one" }, input = { city: "Oslo" }, env } = options;
  const id = options.id ?? `call-${++count}`;
  let run = runs.get(registration.tool);
  if (run === undefined) {
    run = registration.tool.implementation.bind(registration.tool.spec) as AuthorizedCall["run"];
    runs.set(registration.tool, run);
  }
  return {
    trip: {
      raw: { id, tool: registration.key, input },
      entryId: `entry-${id}`,
      scope: options.scope ?? { id: "run-1", agent: "tester" },
      principal,
      correlationId: undefined,
      env,
      notes: [],
    },
    principal,
    registration,
    spec: registration.tool.spec,
    input,
    validated: true,
    run,
    env,
    grant: { principal, registration, input, run, decision: "test" },
  } as unknown as AuthorizedCall;
};
