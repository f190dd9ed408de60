import type { Requirement } from "./requirement.ts";

/** S2: layered execution after Tower. */
export const layeredExecution: readonly Requirement[] = [
  {
    id: "S2.1",
    sentence:
      "A tool is a service from request to response whose behavior is changed only by layers around it; nothing reaches into the tools of another level.",
    mutant: {
      breaks: "Adding a layer to a tool also changes the original tool.",
      export: "assembleTool",
      as: "(original) => { const assemble = (parts) => { const layers = [...parts.layers]; const made = { ...original({ ...parts, layers }) }; made.layer = (...more) => { layers.push(...more); return assemble({ ...parts, layers }); }; return made; }; return assemble; }",
    },
    status: "proven",
    tests: [
      {
        file: "test/pipeline.test.ts",
        title: "layers run in the order run, agent, tool, and the last layer of a scope is outermost",
      },
      {
        file: "src/tools/tool.test.ts",
        title: "adds layers to a copy, the last one outermost",
      },
    ],
  },
  {
    id: "S2.2",
    sentence:
      "A response carries the flow, continue, rewrite, final or handoff, and the turn runner honors all four.",
    mutant: {
      breaks: "Calls of a turn still start after one of them returned a final value or a handoff.",
      export: "runTurn",
      as: "(original, Effect) => (pipeline, requests, options) => { const flows = new Map(); const call = (request, more) => Effect.map(pipeline.call(request, more), (reply) => { flows.set(reply.id, reply.flow); return { ...reply, flow: { kind: 'continue' } }; }); const hidden = Object.create(pipeline, { call: { value: call } }); return Effect.map(original(hidden, requests, options), (replies) => replies.map((reply) => ({ ...reply, flow: flows.get(reply.id) ?? reply.flow }))); }",
    },
    status: "proven",
    tests: [
      {
        file: "test/pipeline.test.ts",
        title: "a rewrite replaces the reply, and the ledger keeps both values",
      },
      {
        file: "test/turn.test.ts",
        title: "after a %s, calls that have not started are answered without running",
      },
      {
        file: "test/turn.test.ts",
        title: "calls that run at the same time as a final outcome are answered with their own results",
      },
    ],
  },
  {
    id: "S2.3",
    sentence: "Scopes nest as run, agent, tool, base with run outermost, and the outermost final wins.",
    mutant: {
      breaks: "An agent's layers are outside those of the run.",
      export: "createLayerStackCache",
      as: "(original) => (...args) => { const stackOf = original(...args); const swapped = new WeakMap(); return (tool, scopes) => { const other = swapped.get(scopes) ?? { ...scopes, run: scopes.agent, agent: scopes.run }; swapped.set(scopes, other); return stackOf(tool, other); }; }",
    },
    status: "proven",
    tests: [
      {
        file: "test/pipeline.test.ts",
        title: "an agent's layers run between those of the run and those of the tool",
      },
      {
        file: "test/pipeline.test.ts",
        title: "layers run in the order run, agent, tool, and the last layer of a scope is outermost",
      },
      { file: "test/pipeline.test.ts", title: "the outermost final outcome wins" },
    ],
  },
  {
    id: "S2.4",
    sentence: "The same layer value works at run, agent and tool scope.",
    mutant: {
      breaks: "A layer that is used at several scopes works at only one of them.",
      export: "buildLayerStack",
      as: "(original) => (layers, ...rest) => original([...new Set(layers)], ...rest)",
    },
    status: "proven",
    tests: [
      { file: "test/layer-scopes.test.ts", title: "%s works with parallel calls" },
      {
        file: "test/layer-scopes.test.ts",
        title: "the table below has every layer that haft/layers exports",
      },
      { file: "test/approval.test.ts", title: "of run, agent and tool are asked before the tool runs" },
      {
        file: "src/pipeline/layers/limit.test.ts",
        title: "counts the calls of all tools that share it",
      },
    ],
  },
  {
    id: "S2.5",
    sentence:
      "A tool manages its own layers: layer returns a tool, withName renames one, and an agent cannot configure a tool's internals.",
    mutant: {
      breaks: "A renamed tool keeps its old name.",
      export: "assembleTool",
      as: "(original) => { const assemble = (parts) => { const made = { ...original(parts) }; made.withName = (name) => { original(parts).withName(name); return made; }; return made; }; return assemble; }",
    },
    status: "proven",
    tests: [
      {
        file: "src/tools/tool.test.ts",
        title: "adds layers to a copy, the last one outermost",
      },
      {
        file: "src/tools/tool.test.ts",
        title: "renames a copy and rejects an invalid name",
      },
    ],
  },
  {
    id: "S2.6",
    sentence:
      "Stock layers check the input schema again after layers that rewrite the input (lenient audits and passes on, strict refuses; without the layer the mode of the tool applies, strict by default), time out, retry, request approval by a predicate or an Env (declaratively, so that no layer waits for a person), keep run and agent context, and trace; their state is safe under parallel calls and nothing is locked while the inner call runs.",
    mutant: {
      breaks: "Agents that share an agent context see each other's state.",
      export: "agentContext",
      as: "(original) => (options) => { let shared; return original({ ...options, step: (state, call, outcome) => { const step = options.step(shared ?? state, call, outcome); shared = step[0]; return step; } }); }",
    },
    status: "proven",
    tests: [
      {
        file: "src/pipeline/layers/input-schema.test.ts",
        title: "refuses a changed input that breaks the schema in strict mode, with the issues",
      },
      {
        file: "src/pipeline/layers/input-schema.test.ts",
        title: "runs a changed input that breaks the schema in lenient mode and adds a note",
      },
      {
        file: "test/pipeline.test.ts",
        title: "a lenient tool receives an invalid input, and the ledger records the violation",
      },
      {
        file: "src/pipeline/layers/timeout.test.ts",
        title: "stops a slow call and reports the tool and the limit",
      },
      {
        file: "src/pipeline/layers/retry.test.ts",
        title: "stops at the first success and notes the number of attempts",
      },
      { file: "test/approval.test.ts", title: "of run, agent and tool are asked before the tool runs" },
      {
        file: "src/pipeline/layers/run-context.test.ts",
        title: "loses no update of %s in parallel calls and does not serialize them",
      },
      { file: "test/layer-scopes.test.ts", title: "%s works with parallel calls" },
      {
        file: "src/pipeline/layers/trace.test.ts",
        title: "creates a span named after the tool, without arguments or results, for %s",
      },
      {
        file: "src/pipeline/layers/agent-context.test.ts",
        title: "keeps the state of each agent apart",
      },
      {
        file: "src/pipeline/layers/approval.test.ts",
        title: "requests approval when the condition holds, and leaves other calls alone",
      },
      { file: "src/pipeline/layers/approval.test.ts", title: "adds its reason to the approval request" },
      {
        file: "src/pipeline/layers/approval.test.ts",
        title: "uses the approve method of the Env",
      },
      {
        file: "src/pipeline/layers/run-context.test.ts",
        title: "keeps the state of each run apart, even with the same run id",
      },
      {
        file: "src/pipeline/layers/input-schema.test.ts",
        title: "leaves the mode of the tool in force when the layer is absent",
      },
    ],
  },
  {
    id: "S2.7",
    sentence: "Advanced users have a typed Env, everybody else a default one.",
    mutant: {
      breaks: "The env of a runtime reaches neither layers nor tools.",
      export: "createTools",
      in: "pipeline/",
      as: "(original) => (given) => original({ ...given, env: undefined })",
    },
    status: "proven",
    tests: [
      {
        file: "src/pipeline/layers/approval.test.ts",
        title: "declares the Env that it needs in its type",
      },
      {
        file: "test/typed-env.test.ts",
        title: "a runtime accepts only an env that fits its layers, and layers and tools receive it",
      },
      {
        file: "test/typed-env.test.ts",
        title: "an env of a run reaches the layers of its run, its agent and its tools",
      },
      {
        file: "test/typed-env.test.ts",
        title: "layers and tools receive undefined when no env is given",
      },
      {
        file: "test/approval.test.ts",
        title: "can leave the decision to the Env of the run",
      },
      {
        file: "test/effect/operations.test.ts",
        title: "layers receive the env of the runtime, or the env of the call",
      },
    ],
  },
  {
    id: "S2.8",
    sentence:
      "The calls of one turn run in parallel up to maxConcurrency, replies keep the model's order, and every call id gets exactly one reply, also under final, handoff, denial, failure and cancellation.",
    mutant: {
      breaks: "The limit of concurrent calls is ignored.",
      export: "runTurn",
      as: "(original) => (pipeline, requests, options) => original(pipeline, requests, { ...options, maxConcurrency: undefined })",
    },
    status: "proven",
    tests: [
      {
        file: "test/sessions/replay.test.ts",
        title: "answers each id once, in the order of the calls",
      },
      {
        file: "test/system/frameworks/langchain/repeated-node.test.ts",
        title: "is replayed when its ToolNode is retried because another tool failed",
      },
      {
        file: "test/turn.test.ts",
        title: "replies keep the order of the calls, even when the first call is slowest",
      },
      { file: "test/turn.test.ts", title: "at most maxConcurrency calls run at once" },
      {
        file: "test/turn.test.ts",
        title: "aborting the signal cancels every call, aborts every tool, and every id still gets its reply",
      },
      {
        file: "test/random-turns.test.ts",
        title:
          "over 2,000 random turns each id gets one reply in order, entries open and close once, and memory returns to base",
      },
    ],
  },
  {
    id: "S2.9",
    sentence: "A handoff to another agent is carried out by the runner.",
    mutant: {
      breaks: "The runner does not know the handoff targets of an agent.",
      export: "handoffsOf",
      as: "() => () => []",
    },
    status: "proven",
    tests: [
      {
        file: "test/agent-run.test.ts",
        title: "passes the conversation to the other agent after every sibling call has a reply",
      },
      { file: "test/agent-run.test.ts", title: "reports a missing handoff target to the model" },
    ],
  },
  {
    id: "S2.10",
    sentence:
      "Function tools are typed, with schemas from Standard Schema libraries, Effect Schema or plain JSON Schema.",
    mutant: {
      breaks: "A schema of Valibot is not recognized.",
      export: "isValibotSchema",
      as: "() => () => false",
    },
    status: "proven",
    tests: [
      { file: "src/base/schema/read-schema.test.ts", title: "keeps the validator of the schema library" },
      {
        file: "src/base/schema/forms/effect-schema.test.ts",
        title: "becomes a number schema with its checks",
      },
      {
        file: "src/base/schema/forms/valibot-schema.test.ts",
        title: "becomes an equivalent JSON Schema",
      },
      {
        file: "src/tools/openapi/from-openapi.test.ts",
        title: "convert Swagger 2 to the same tools as OpenAPI 3",
      },
    ],
  },
  {
    id: "S2.11",
    sentence: "Tool outputs are JSON strings in tool messages, and errors become text only at that boundary.",
    mutant: {
      breaks: "The model receives the message of every failure, including those for operators only.",
      export: "toModelText",
      as: "() => (failure) => 'Error: ' + failure.message",
    },
    status: "proven",
    tests: [
      {
        file: "test/pipeline.test.ts",
        title: "a valid call passes every stage and returns its result as JSON text",
      },
      {
        file: "test/pipeline.test.ts",
        title: "a result that breaks the output schema is withheld from the model",
      },
    ],
  },
  {
    id: "S2.12",
    sentence: "Benchmarks show what parallel execution wins and what layers cost.",
    mutant: {
      breaks: "The calls of one turn run in sequence.",
      export: "runTurn",
      as: "(original) => (pipeline, requests, options) => original(pipeline, requests, { ...options, maxConcurrency: 1 })",
    },
    status: "proven",
    tests: [
      {
        file: "test/time.test.ts",
        title: "eight calls of 50 ms take 50 ms in one turn, and 400 ms one after another",
      },
    ],
  },
  {
    id: "S2.13",
    sentence: "The model call is a service too, wrapped by the same kind of layer.",
    mutant: {
      breaks: "The layers of an agent around its model are ignored.",
      export: "agent",
      as: "(original) => (definition) => original({ ...definition, modelLayers: [] })",
    },
    status: "proven",
    tests: [
      {
        file: "test/system/frameworks/langchain/middleware.test.ts",
        title: "records results of provider tools before the calls of the same message are authorized",
      },
      {
        file: "test/system/frameworks/langchain/middleware.test.ts",
        title: "runs layers around each model request, and records it in the session",
      },
      {
        file: "test/system/frameworks/ai-sdk/model.test.ts",
        title: "each model request of %s passes the layers and has an entry in the session",
      },
      {
        file: "test/system/frameworks/openai-agents/model.test.ts",
        title: "runs its layers and records its requests in the session (streamed: %s)",
      },
      {
        file: "test/agent-run.test.ts",
        title: "applies the model layers of run and agent around a model call",
      },
      {
        file: "test/agent-run.test.ts",
        title: "lets a layer refuse the model call before it is made",
      },
      { file: "test/agent-run.test.ts", title: "lets a layer change the request to the model" },
      { file: "test/agent-run.test.ts", title: "counts the tokens of each model call" },
      { file: "test/agent-run.test.ts", title: "retries a retryable error" },
    ],
  },
  {
    id: "S2.14",
    sentence:
      "A run-scoped context is asked before an agent-scoped one, and its final stops the latter; the documents say how a layer keeps state under parallel calls, with an example that runs.",
    mutant: {
      breaks:
        "A context handles the outcome when its own inner call ends, so an agent's context runs before the run's.",
      export: "createOrderedLayer",
      as: "(original, Effect) => (label, take) => Object.assign((next) => (call) => Effect.map(next(call), (outcome) => take(call, outcome)), { label })",
    },
    status: "proven",
    tests: [
      {
        file: "test/layer-scopes.test.ts",
        title:
          "run in this order, and a final outcome of the run's context stops the agent's and ends the run",
      },
      {
        file: "src/pipeline/layers/ordered-layer.test.ts",
        title: "steps first at any depth and through other layers",
      },
      {
        file: "src/pipeline/layers/ordered-layer.test.ts",
        title: "steps an inner context for each attempt of a retry and the outer one for the last attempt",
      },
      {
        file: "src/pipeline/layers/run-context.test.ts",
        title: "loses no update of %s in parallel calls and does not serialize them",
      },
    ],
  },
];
