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
        title: "is a ToolComponent and still what its author wrote",
      },
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "keeps its name, its length and its statics, which live on",
      },
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "has subclasses: one without a decorator is no tool, one with a decorator is its own",
      },
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "keeps its private statics, its accessors and a static name that comes after the decorator",
      },
      {
        file: "test/system/decorators/types.test.ts",
        title: "the compiler says the same under experimentalDecorators as it does of standard decorators",
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
        title: "has a definition that is normalized, frozen and out of sight",
      },
      {
        file: "test/system/decorators/reflect-metadata.test.ts",
        title: "where Reflect has metadata, the definition is there too: %s",
      },
      {
        file: "src/tools/decorator.test.ts",
        title: "is frozen all the way down, and leaves what the author holds alone",
      },
      {
        file: "src/tools/decorator.test.ts",
        title: "lies under a symbol that nobody sees by accident or can write",
      },
    ],
  },
  {
    id: "S4.3",
    sentence:
      "Run is the entry and the constructor receives the validated arguments; the run of a hydrated instance takes the call on down the corridor and is no way around it.",
    mutant: {
      breaks: "The constructor of a tool receives a member that was not validated.",
      export: "classImplementation",
      as: "(original) => (Class) => original(new Proxy(Class, { construct: (target, [input], newTarget) => Reflect.construct(target, [{ ...input, unvalidated: true }], newTarget) }))",
    },
    status: "proven",
    tests: [
      {
        file: "test/system/decorators/decorators.test.ts",
        title: "is constructed with the validated arguments alone, and answers with what run says",
      },
      {
        file: "test/hydrate-door.test.ts",
        title: "is handed over as its instance, whose run leads down the corridor",
      },
      { file: "test/hydrate-door.test.ts", title: "is not constructed for a caller who may not see it" },
      {
        file: "test/hydrate-door.test.ts",
        title: "leads through policy: what nobody allows is hydrated but does not run",
      },
      {
        file: "test/hydrate-door.test.ts",
        title: "takes a call on down the corridor when it is told to, and only once",
      },
    ],
  },
  {
    id: "S4.4",
    sentence:
      "A definition accepts parameters as JSON Schema or as bare properties with required beside them and refuses what is neither; capability tags (read-only, human-approval, full) only make a tool stricter; without a schema registration fails unless allowNoSchema, and then the call is marked unvalidated and needs approval by policy.",
    mutant: {
      breaks: "Everything that is not JSON Schema counts as bare properties.",
      export: "isBareProperties",
      as: "() => () => true",
    },
    status: "proven",
    tests: [
      {
        file: "src/base/schema/forms/bare-properties.test.ts",
        title: "become an object schema with their required list",
      },
      { file: "src/base/schema/forms/bare-properties.test.ts", title: "are not what this is: %j" },
      { file: "src/tools/read-definition.test.ts", title: "is refused unless it says so" },
      { file: "src/tools/read-definition.test.ts", title: "is marked, and waits for a person by default" },
      {
        file: "src/policy/policy.test.ts",
        title:
          "a tool without a schema needs a person, save one that only reads or one in full mode with a waiver",
      },
      {
        file: "src/tools/decorator.test.ts",
        title: "loosen nothing: read-only does not make a tool read-only, nor does full waive anything",
      },
      {
        file: "src/tools/decorator.test.ts",
        title: "ask a person when they say human-approval, unless the definition says otherwise",
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
        title: "judges in the place of the built-in one, and is named with its version",
      },
      {
        file: "src/base/schema/schema-compiler.test.ts",
        title: "compiles at definition unless it says otherwise, and once",
      },
      {
        file: "src/base/schema/schema-compiler.test.ts",
        title: "compiles at the first call when it is to be lazy, and once",
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
        file: "test/hydrate-door.test.ts",
        title: "gives a result for each call, in order, and runs nothing",
      },
      { file: "test/hydrate-door.test.ts", title: "says where the value comes from, down to the exact text" },
      { file: "test/hydration-result.test.ts", title: "is told in full of a text" },
      {
        file: "test/hydration-result.test.ts",
        title: "names no tool where there is none, and no value where nothing can be read",
      },
      {
        file: "src/pipeline/1-hydrate/hydrate-arguments.test.ts",
        title: "%j means no arguments, which a required property refuses",
      },
      { file: "test/hydrate-door.test.ts", title: "is off unless it is asked for" },
      { file: "test/hydrate-door.test.ts", title: "repairs a call once, and the ledger keeps every change" },
      { file: "test/hydrate-door.test.ts", title: "makes a call that writes wait for a person" },
      {
        file: "test/hydrate-door.test.ts",
        title:
          "asks nobody a second time when the model's answer is as bad, and refuses the call for what came",
      },
      { file: "test/hydrate-door.test.ts", title: "fails to hydrate when its constructor throws" },
      {
        file: "test/regression/rights-follow.test.ts",
        title: "does not run when a caller whom policy denies hydrates its call, and the denial is on record",
      },
      {
        file: "test/regression/rights-follow.test.ts",
        title: "runs when the person who must agree has said yes, and not before",
      },
    ],
  },
  {
    id: "S4.7",
    sentence: "A provider's tool id maps back to the registered class or tool.",
    mutant: {
      breaks: "A name that was changed for the provider does not lead back to its tool.",
      export: "toOffer",
      as: "(original) => (...args) => { const offer = original(...args); const own = [...offer.byWireName].filter(([name, { tool }]) => name === tool.spec.name); return { ...offer, byWireName: new Map(own) }; }",
    },
    status: "proven",
    tests: [
      {
        file: "src/registry/offer/offer.test.ts",
        title: "spells every spec by the name the model calls it, and leads that name back to its tool",
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
          "stand in a user's content for chat completions, those of a result in the user message behind all replies",
      },
      {
        file: "src/models/media.test.ts",
        title: "stand in the output of their call for the responses interface",
      },
      {
        file: "src/models/media.test.ts",
        title: "stand in the result of their call for Anthropic",
      },
      {
        file: "src/models/media.test.ts",
        title:
          "stand in the response of their function for Gemini 3, and behind all responses for older ones",
      },
      {
        file: "src/models/media.test.ts",
        title: "stand beside the words for Ollama, and the words say where",
      },
      {
        file: "test/sessions/shared-by-turns.test.ts",
        title: "gives its tools as copies that may be changed",
      },
      {
        file: "test/model-loops.test.ts",
        title: "answers two parallel calls, one of which fails, and comes to its last word",
      },
      {
        file: "test/model-loops.test.ts",
        title: "does the same while it is streamed, and goes on with the conversation",
      },
      {
        file: "src/models/tool-caller.test.ts",
        title: "a list of tools has a corridor of its own, in which a result runs its call",
      },
      {
        file: "src/models/tool-caller.test.ts",
        title: "a runtime shows its own offer, and hydrates against that very offer",
      },
      {
        file: "src/models/tool-caller.test.ts",
        title: "shows tools and decorated classes, and hydrates all calls but the provider's own",
      },
      {
        file: "test/model-loops.test.ts",
        title: "hydrates every call of a reply by toolCall, and runs none of them",
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
        file: "test/hydrate-door.test.ts",
        title: "gives a result for each call, in order, and runs nothing",
      },
      { file: "test/hydrate-door.test.ts", title: "waits with an approval when the call was hydrated first" },
      { file: "test/hydrate-door.test.ts", title: "runs nothing any more once the runtime is closed" },
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
        title: "gives at most three, and as many as asked for",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "gives a place from the least score on and none below",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "are skipped before they are scored, and debug says why",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "may answer later, with a reason and details",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "a scorer that takes too long is left, and the first tools in order of registration are taken",
      },
      {
        file: "src/registry/selection/pick-from-source.test.ts",
        title: "gives the best first, with score and reason, and details only when asked for",
      },
      {
        file: "src/registry/selection/tool-index.test.ts",
        title: "whatever came and went, it answers as one that was filled at once",
      },
      {
        file: "test/system/suites/suites.test.ts",
        title: "a question whose tool is not among the first five lowers the score of tool selection",
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
        title:
          "a known secret is in no file of the ledger, and the exact texts are still there for who has the key",
      },
      {
        file: "src/ledger/sqlite/secrets.test.ts",
        title: "exact texts go with their call, and long ones with their files",
      },
      {
        file: "src/server/studio-api/studio.test.ts",
        title: "shows a call as eight stages, and where a failed one ended",
      },
      { file: "test/hydrate-door.test.ts", title: "repairs a call once, and the ledger keeps every change" },
      {
        file: "test/hydrate-door.test.ts",
        title: "asks a model once when it is told to, and marks what it said as repaired",
      },
      {
        file: "src/ledger/sqlite/secrets.test.ts",
        title: "exact texts stay until they are pruned where the keeper wants that",
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
        file: "test/hydrate-door.test.ts",
        title:
          "says which part of the reply a call came from and how long validating took, also of a refused one",
      },
      {
        file: "test/hydrate-door.test.ts",
        title: "is named in the provenance once it is made, and not where it was not",
      },
      {
        file: "src/models/dialects/reply-part.test.ts",
        title: "the part of a call leads to it in a reply of %s",
      },
      {
        file: "src/models/dialects/read-calls.property.test.ts",
        title:
          "parallel calls come out the same however their chunks interleave and however the stream is fed",
      },
      {
        file: "src/tools/read-meta.test.ts",
        title: "is kept in the spec as it was said, frozen, and apart from the author's object",
      },
      { file: "src/tools/read-meta.test.ts", title: "goes to MCP clients as _meta, and to no model" },
      { file: "src/tools/read-meta.test.ts", title: "refuses %s, and says what would be right" },
      {
        file: "src/models/tool-caller.test.ts",
        title:
          "a model that cannot be had is one failed result, which says what it is and whether to ask again",
      },
    ],
  },
];
