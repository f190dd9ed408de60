import type { Requirement } from "./requirement.ts";

/** S4: the Tool decorator, hydration, providers and selection. */
export const hydration: readonly Requirement[] = [
  {
    id: "S4.1",
    sentence:
      "The Tool decorator turns a class into a ToolComponent subclass that keeps constructor, methods and statics, with TypeScript's standard decorators and with experimentalDecorators.",
    status: "open",
    reason: "comes with the decorator",
  },
  {
    id: "S4.2",
    sentence:
      "The static getDefinition gives the frozen definition, kept under a symbol, and through Reflect.defineMetadata where that exists, neither enumerable nor serialized.",
    status: "open",
    reason: "comes with the decorator",
  },
  {
    id: "S4.3",
    sentence:
      "Run is the entry and the constructor receives the validated arguments; the run of a hydrated instance takes the call on down the corridor and is no way around it.",
    status: "open",
    reason: "comes with the decorator and hydration",
  },
  {
    id: "S4.4",
    sentence:
      "A definition accepts parameters as JSON Schema or as bare properties with required beside them and refuses what is neither; without a schema registration fails unless allowNoSchema, and then the call is marked unvalidated and needs approval by policy.",
    status: "proven",
    tests: [
      {
        file: "src/define/schema/forms/bare-properties.test.ts",
        title: "become an object schema with their required list",
      },
      { file: "src/define/schema/forms/bare-properties.test.ts", title: "are not what this is: %j" },
      { file: "src/define/read-definition.test.ts", title: "is refused unless it says so" },
      { file: "src/define/read-definition.test.ts", title: "is marked, and waits for a person by default" },
      {
        file: "src/policy/policy.test.ts",
        title:
          "a tool without a schema needs a person, save one that only reads or one in full mode with a waiver",
      },
    ],
  },
  {
    id: "S4.5",
    sentence: "Validators are pluggable, and run eagerly at decoration or lazily at hydration.",
    status: "open",
    reason: "comes with the decorator",
  },
  {
    id: "S4.6",
    sentence:
      "Hydration parses, validates and instantiates, tolerant without hiding errors; it keeps the original string, makes one auditable repair only where allowed and marks it untrusted, returns results with stage errors and full provenance, and never throws.",
    status: "open",
    reason: "comes with hydration",
  },
  {
    id: "S4.7",
    sentence: "A provider's tool id maps back to the registered class or tool.",
    status: "proven",
    tests: [
      {
        file: "src/offer/offer.test.ts",
        title: "spells every spec by the name the model calls it, and leads that name back to its tool",
      },
    ],
  },
  {
    id: "S4.8",
    sentence:
      "Ollama, OpenAI, Anthropic and Gemini are reached through their official SDKs: translated on copies, dispatched and hydrated, each client with toolCall from messages and tools to hydration results.",
    status: "open",
    reason: "comes with the models",
  },
  {
    id: "S4.9",
    sentence:
      "The orchestrator decides when run is called, so that approval and policy come before side effects.",
    status: "open",
    reason: "comes with the corridor",
  },
  {
    id: "S4.10",
    sentence:
      "pickTools returns at most 3 candidates above 0.05 by default and no unsafe tool unless allowed, takes an async scorer, falls back to registration order on timeout, gives reasons for debugging, and its keyword scorer is real and measured.",
    status: "open",
    reason: "comes with tool selection",
  },
  {
    id: "S4.11",
    sentence:
      "Provenance is persisted for every attempt: the row holds the hash of the exact bytes and a redacted copy, and the bytes live in a payload store with its own retention, from which resume and replay read.",
    status: "open",
    reason: "comes with the durable ledger",
  },
];
