import type { Requirement } from "./requirement.ts";

/** S4: the Tool decorator, hydration, providers and selection. */
export const hydration: readonly Requirement[] = [
  {
    id: "S4.1",
    sentence:
      "The Tool decorator turns a class into a ToolComponent subclass that keeps constructor, methods and statics, with TypeScript's standard decorators and with experimentalDecorators.",
    mutant: {
      breaks: "A decorated class is not a ToolComponent.",
      export: "ToolComponent",
      as: "(original) => class ToolComponent extends original { static [Symbol.hasInstance]() { return false; } }",
    },
    status: "proven",
    tests: [
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "is an instance of ToolComponent and of the class its author wrote",
      },
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "keeps its name, length and live static members",
      },
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "makes a subclass its own tool only with a decorator",
      },
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "keeps private statics, accessors and a static name defined after the decorator",
      },
      {
        file: "test/system/decorators/types.test.ts",
        title: "experimental and standard decorators pass the same type tests",
      },
    ],
  },
  {
    id: "S4.2",
    sentence:
      "The static getDefinition gives the frozen definition, kept under a symbol, and through Reflect.defineMetadata where that exists, neither enumerable nor serialized.",
    mutant: {
      breaks: "The definition of a class can be changed.",
      export: "toClassDefinition",
      as: "(original) => (...args) => ({ ...original(...args) })",
    },
    status: "proven",
    tests: [
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "has a normalized, frozen and non-enumerable definition",
      },
      {
        file: "test/system/decorators/reflect-metadata.test.ts",
        title: "stores the definition in Reflect metadata when it is available: %s",
      },
      {
        file: "src/tools/decorator.test.ts",
        title: "is deeply frozen and does not freeze the given object",
      },
      {
        file: "src/tools/decorator.test.ts",
        title: "is stored under a symbol that is not enumerable or writable",
      },
    ],
  },
  {
    id: "S4.3",
    sentence:
      "Run is the entry and the constructor receives the validated arguments; the run of a hydrated instance continues the call through the pipeline and cannot bypass it.",
    mutant: {
      breaks: "The constructor of a tool receives a member that was not validated.",
      export: "classImplementation",
      as: "(original) => (Class) => original(new Proxy(Class, { construct: (target, [input], newTarget) => Reflect.construct(target, [{ ...input, unvalidated: true }], newTarget) }))",
    },
    status: "proven",
    tests: [
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "is constructed with the validated arguments, and returns the value of run",
      },
      {
        file: "test/hydrate.test.ts",
        title: "is returned as its instance, whose run continues through the pipeline",
      },
      { file: "test/hydrate.test.ts", title: "is not constructed for a caller that may not see it" },
      {
        file: "test/hydrate.test.ts",
        title: "applies the policy: a denied call is hydrated but does not run",
      },
      {
        file: "test/hydrate.test.ts",
        title: "continues a call through the pipeline on run, and only once",
      },
    ],
  },
  {
    id: "S4.4",
    sentence:
      "A definition accepts parameters as JSON Schema or as bare properties with a list `required` and refuses what is neither; capability tags (read-only, human-approval, full) only make a tool stricter; without a schema registration fails unless allowNoSchema, and then the call is marked unvalidated and needs approval by policy.",
    mutant: {
      breaks: "Everything that is not JSON Schema counts as bare properties.",
      export: "isBareProperties",
      as: "() => () => true",
    },
    status: "proven",
    tests: [
      {
        file: "src/base/schema/forms/bare-properties.test.ts",
        title: "become an object schema with its required list",
      },
      { file: "src/base/schema/forms/bare-properties.test.ts", title: "do not match %j" },
      { file: "src/tools/read-definition.test.ts", title: "is rejected unless allowNoSchema is set" },
      { file: "src/tools/read-definition.test.ts", title: "is marked and requires approval by default" },
      {
        file: "src/policy/policy.test.ts",
        title: "applies to a tool without a schema unless it is read-only or in full mode with a waiver",
      },
      {
        file: "src/tools/decorator.test.ts",
        title: "read-only and full do not relax anything",
      },
      {
        file: "src/tools/decorator.test.ts",
        title: "human-approval requires approval unless the definition overrides it",
      },
    ],
  },
  {
    id: "S4.5",
    sentence: "Validators are pluggable, and run eagerly at decoration or lazily at hydration.",
    mutant: {
      breaks: "A lazy validator compiles when its tool is defined.",
      export: "compileWith",
      as: "(original) => (compiler, read) => original({ ...compiler, when: 'definition' }, read)",
    },
    status: "proven",
    tests: [
      {
        file: "src/base/schema/schema-compiler.test.ts",
        title: "replaces the built-in validator and reports its name and version",
      },
      {
        file: "src/base/schema/schema-compiler.test.ts",
        title: "compiles once at definition by default",
      },
      {
        file: "src/base/schema/schema-compiler.test.ts",
        title: 'compiles once at the first call when `when` is "hydration"',
      },
    ],
  },
  {
    id: "S4.6",
    sentence:
      "Hydration parses, validates and instantiates, tolerant without hiding errors; it keeps the original string, makes one auditable repair only where allowed and marks it untrusted, returns results with stage errors and full provenance, and never throws. Policy is asked between validating and instantiating.",
    mutant: {
      breaks: "Arguments are repaired without permission.",
      export: "readArguments",
      as: "(original) => (target, raw, options) => original(target, raw, { ...options, repair: 'deterministic' })",
    },
    status: "proven",
    tests: [
      {
        file: "test/hydrate.test.ts",
        title: "returns a result for each call, in order, and runs nothing",
      },
      {
        file: "test/hydrate.test.ts",
        title: "records the provenance of the value, including the exact text",
      },
      { file: "test/hydration-result.test.ts", title: "is complete for a text" },
      {
        file: "test/hydration-result.test.ts",
        title: "names no tool if there is none, and no value if it cannot be read",
      },
      {
        file: "src/pipeline/1-hydrate/hydrate-arguments.test.ts",
        title: "treats %j as empty arguments, which fail a required property",
      },
      { file: "test/hydrate.test.ts", title: "is off by default" },
      {
        file: "test/hydrate.test.ts",
        title: "repairs a call once, and the ledger records every change",
      },
      { file: "test/hydrate.test.ts", title: "makes a repaired write require approval" },
      {
        file: "test/hydrate.test.ts",
        title: "does not ask the model again when its answer is invalid, and reports the original failure",
      },
      { file: "test/hydrate.test.ts", title: "fails to hydrate when its constructor throws" },
      {
        file: "test/regression/class-tool-rights.test.ts",
        title: "does not run when policy denies the hydrated call, and the denial is recorded",
      },
      {
        file: "test/regression/class-tool-rights.test.ts",
        title: "runs after the approval of its call, and not before",
      },
    ],
  },
  {
    id: "S4.7",
    sentence: "A provider's tool id maps back to the registered class or tool.",
    mutant: {
      breaks: "A name that was changed for the provider does not resolve to its tool.",
      export: "toOffer",
      as: "(original) => (...args) => { const offer = original(...args); const own = [...offer.byWireName].filter(([name, { tool }]) => name === tool.spec.name); return { ...offer, byWireName: new Map(own) }; }",
    },
    status: "proven",
    tests: [
      {
        file: "src/registry/offer/offer.test.ts",
        title: "names every spec by its wire name and maps that name to its tool",
      },
    ],
  },
  {
    id: "S4.8",
    sentence:
      "Ollama, OpenAI, Anthropic and Gemini are reached through their official SDKs: translated on copies, dispatched and hydrated, each client with toolCall from messages and tools to hydration results.",
    mutant: {
      breaks: "A client's toolCall hydrates only the first call of a reply.",
      export: "toolCaller",
      as: "(original) => (...args) => { const caller = original(...args); return { toolCall: async (...asked) => (await caller.toolCall(...asked)).slice(0, 1) }; }",
    },
    status: "proven",
    tests: [
      {
        file: "src/models/media.test.ts",
        title:
          "of users stay in their message, and those of results follow all results in a user message for chat completions",
      },
      {
        file: "src/models/media.test.ts",
        title: "stay in the output of their call for OpenAI responses",
      },
      {
        file: "src/models/media.test.ts",
        title: "stay in the result of their call for Anthropic",
      },
      {
        file: "src/models/media.test.ts",
        title: "stay in the function response for Gemini 3 and follow all responses for older models",
      },
      {
        file: "src/models/media.test.ts",
        title: "are sent next to the text for Ollama, with references in the text",
      },
      {
        file: "test/sessions/shared-by-turns.test.ts",
        title: "returns its tools as copies that may be changed",
      },
      {
        file: "test/model-loops.test.ts",
        title: "answers two parallel calls, one of which fails, and returns the final text",
      },
      {
        file: "test/model-loops.test.ts",
        title: "does the same when it is streamed, and continues the conversation",
      },
      {
        file: "src/models/tool-caller.test.ts",
        title: "hydrates with its own pipeline for a list of tools, and a result runs its call",
      },
      {
        file: "src/models/tool-caller.test.ts",
        title: "sends and hydrates against the offer of a runtime",
      },
      {
        file: "src/models/tool-caller.test.ts",
        title: "sends tools and decorated classes and hydrates all calls except provider-executed ones",
      },
      {
        file: "test/model-loops.test.ts",
        title: "hydrates every call of a reply by toolCall and runs none of them",
      },
    ],
  },
  {
    id: "S4.9",
    sentence:
      "The orchestrator decides when run is called, so that approval and policy come before side effects.",
    mutant: {
      breaks: "A call runs as soon as it is hydrated.",
      export: "hydrateOnly",
      as: "(original, Effect) => (...args) => Effect.tap(original(...args), (call) => (call.kind === 'paused' ? call.resume() : Effect.void))",
    },
    status: "proven",
    tests: [
      {
        file: "test/hydrate.test.ts",
        title: "returns a result for each call, in order, and runs nothing",
      },
      {
        file: "test/hydrate.test.ts",
        title: "makes a repaired call pending when it was hydrated first",
      },
      { file: "test/hydrate.test.ts", title: "runs nothing after the runtime is closed" },
    ],
  },
  {
    id: "S4.10",
    sentence:
      "pickTools returns at most 3 candidates above 0.05 by default and no unsafe tool (high or critical risk, destructive, or without a schema) unless allowed, takes an async scorer, falls back to registration order on timeout, gives reasons for debugging, and its keyword scorer is real and measured.",
    mutant: {
      breaks: "Unsafe tools are picked without permission.",
      export: "unsafeReason",
      as: "() => () => undefined",
    },
    status: "proven",
    tests: [
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "returns at most three tools or maxCandidates",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "includes tools from the minimum score on",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "are skipped before scoring and reported to debug",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "may be asynchronous with a reason and details",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "a slow scorer falls back to the first tools in registration order",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "returns the best tools first with score and reason, and details with debug",
      },
      {
        file: "src/registry/selection/tool-index.test.ts",
        title: "toolIndex returns the same results after any changes as a fresh index",
      },
      {
        file: "test/system/suites/suites.test.ts",
        title: "a tool outside the first five results lowers the tool selection score",
      },
    ],
  },
  {
    id: "S4.11",
    sentence:
      "Provenance is persisted for every attempt: the row holds the hash of the exact bytes and a redacted copy, and the bytes live in a payload store with its own retention (until the run ends unless kept), from which resume and replay read.",
    mutant: {
      breaks: "A ledger row holds the exact arguments instead of a redacted copy.",
      export: "maskLedgerText",
      as: "() => (text) => text",
    },
    status: "proven",
    tests: [
      {
        file: "src/ledger/sqlite/secrets.test.ts",
        title: "writes no known secret to a file and returns the exact texts to a reader with the key",
      },
      {
        file: "src/ledger/sqlite/secrets.test.ts",
        title: "deletes exact texts with their call and long ones with their files",
      },
      {
        file: "src/server/studio-api/studio.test.ts",
        title: "shows a call as eight stages, and where a failed one ended",
      },
      {
        file: "test/hydrate.test.ts",
        title: "repairs a call once, and the ledger records every change",
      },
      {
        file: "test/hydrate.test.ts",
        title: "asks a model once and marks its arguments as repaired",
      },
      {
        file: "src/ledger/sqlite/secrets.test.ts",
        title: "keeps exact texts until they are pruned when keepPayloads is set",
      },
    ],
  },
  {
    id: "S4.12",
    sentence:
      "Provenance also has the time validation took, the class that was made, and the part of the provider's reply that the call came from; tool metadata is extensible, kept and exported; a provider client's failure is a structured result.",
    mutant: {
      breaks: "Provenance does not say how long validation took.",
      export: "withPartAndTiming",
      as: "(original) => (note, part) => original(note, part, undefined)",
    },
    status: "proven",
    tests: [
      {
        file: "test/hydrate.test.ts",
        title: "records the part of the reply and the validation time, also for a refused call",
      },
      {
        file: "test/hydrate.test.ts",
        title: "is named in the provenance only if it was constructed",
      },
      {
        file: "src/models/dialects/reply-part.test.ts",
        title: "part points to the call in a reply of %s",
      },
      {
        file: "src/models/dialects/read-calls.property.test.ts",
        title: "parallel calls do not depend on the interleaving or chunking of the stream",
      },
      {
        file: "src/tools/read-meta.test.ts",
        title: "is copied into the spec and frozen",
      },
      { file: "src/tools/read-meta.test.ts", title: "is sent to MCP clients as _meta and to no model" },
      { file: "src/tools/read-meta.test.ts", title: "rejects %s with an explanation" },
      {
        file: "src/models/tool-caller.test.ts",
        title: "returns one failed result with code and retryability when the model fails",
      },
    ],
  },
];
