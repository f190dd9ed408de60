import * as Effect from "effect/Effect";
import { CallRecorder, RunRecorder } from "../../src/pipeline/recorder.ts";
import { type AuthorizedCall, type RunScope, sealCall } from "../../src/types/call.ts";
import type { Principal } from "../../src/types/principal.ts";
import {
  type Annotations,
  type AnyTool,
  noLayerScopes,
  type Registration,
  type ToolSpec,
  type Validation,
  type Validator,
} from "../../src/types/tool.ts";

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

export const createTestRegistration = (options: TestCallOptions = {}): Registration => {
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

/** A run without recorded calls. */
export const createTestScope = (id: string, agent: string | undefined): RunScope => ({
  id,
  agent,
  tally: new RunRecorder(),
});

let count = 0;

const maskNothing = (text: string): string => text;

/** A call as stage 3 passes it to the layers. */
export const createTestCall = (options: TestCallOptions = {}): AuthorizedCall => {
  const registration = options.registration ?? createTestRegistration(options);
  const { principal = { agent: "tester", session: "one" }, input = { city: "Oslo" }, env } = options;
  const id = options.id ?? `call-${++count}`;
  const scope = options.scope ?? createTestScope("run-1", "tester");
  return sealCall({
    request: {
      raw: { id, tool: registration.key, input },
      entryId: `entry-${id}`,
      scope,
      layers: noLayerScopes,
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
    recorder: new CallRecorder(scope.tally, maskNothing),
  });
};

/** Adds a cost, as a tool does. */
export const addTestCost = ({ recorder }: AuthorizedCall, amount: number): void =>
  (recorder as CallRecorder).addCost(amount);

/** The notes that were recorded for a call. */
export const notesOfCall = ({ recorder }: AuthorizedCall): readonly string[] =>
  (recorder as CallRecorder).notes;
