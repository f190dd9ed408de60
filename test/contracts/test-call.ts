import * as Effect from "effect/Effect";
import { addCost, CallRecorder, RunRecorder } from "../../src/call/recorder.ts";
import { type AuthorizedCall, type RunScope, seal } from "../../src/words/call.ts";
import { noLayers } from "../../src/words/layer.ts";
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

/** A run that nothing has been counted of yet. */
export const testScope = (id: string, agent: string | undefined): RunScope => ({
  id,
  agent,
  tally: new RunRecorder(),
});

let count = 0;

const mask = (text: string): string => text;

/** A call as stage 3 hands it to the layers. */
export const testCall = (options: TestCallOptions = {}): AuthorizedCall => {
  const registration = options.registration ?? testRegistration(options);
  const { principal = { agent: "tester", session: "one" }, input = { city: "Oslo" }, env } = options;
  const id = options.id ?? `call-${++count}`;
  const scope = options.scope ?? testScope("run-1", "tester");
  return seal({
    request: {
      raw: { id, tool: registration.key, input },
      entryId: `entry-${id}`,
      scope,
      layers: noLayers,
      principal,
      correlationId: undefined,
      env,
    },
    principal,
    registration,
    spec: registration.tool.spec,
    input,
    env,
    implementation: "test",
    grant: { input, decision: "test", ruleIds: [] },
    recorder: new CallRecorder(scope.tally, mask),
  });
};

/** As a tool says that it cost something. */
export const spend = ({ recorder }: AuthorizedCall, amount: number): void =>
  addCost(recorder as CallRecorder, amount);

/** What a call of the tests was noted down. */
export const notesOf = ({ recorder }: AuthorizedCall): readonly string[] => (recorder as CallRecorder).notes;
