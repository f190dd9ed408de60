import type { Requirement } from "./requirement.ts";

/** M: definitions that apply everywhere. */
export const meanings: readonly Requirement[] = [
  {
    id: "M.1",
    sentence:
      "A tool writes unless annotated read-only and is non-idempotent unless annotated; one that requires approval, or has high or critical risk without a rule or an approver, is refused.",
    mutant: {
      breaks: "A tool counts as idempotent unless it says otherwise.",
      export: "isIdempotent",
      as: "() => ({ annotations }) => annotations?.idempotent !== false",
    },
    status: "proven",
    tests: [
      { file: "src/pipeline/layers/retry.test.ts", title: "retries an idempotent tool that writes" },
      { file: "test/approval.test.ts", title: "is refused without an approver" },
      {
        file: "src/policy/policy.test.ts",
        title: "applies to a tool with requiresApproval unless a rule waives it",
      },
      { file: "src/policy/policy.test.ts", title: "applies to %s risk unless a rule waives it" },
      {
        file: "src/pipeline/layers/retry.test.ts",
        title: "makes $attempts attempts when a tool that writes $title",
      },
      {
        file: "test/pipeline.test.ts",
        title: "no writing tool runs while the ledger cannot open an entry",
      },
    ],
  },
  {
    id: "M.2",
    sentence:
      "A call that waits for a person is pending: turn and run return it with its approval id, and resuming gives every id its one reply.",
    mutant: {
      breaks: "A pending reply does not carry its approval.",
      export: "toReply",
      as: "(original) => (...args) => { const { pending, ...reply } = original(...args); return reply; }",
    },
    status: "proven",
    tests: [
      {
        file: "test/approval.test.ts",
        title: "is pending until it is resumed and then gets its one reply",
      },
      {
        file: "test/system/cli/ledger-process.test.ts",
        title: "a run requested, approved and resumed by three processes executes the tool once",
      },
      {
        file: "test/peer-failures.test.ts",
        title: "a call next to a pending call runs once, also after the run resumes",
      },
    ],
  },
  {
    id: "M.3",
    sentence:
      "Rewrite replaces the reply and the ledger keeps both values; rewritten, cached and final values pass the output check.",
    mutant: {
      breaks: "A rewritten value does not pass the output check.",
      export: "checkResult",
      as: "(original) => (registration, outcome, ...rest) => original(outcome.flow?.kind === 'rewrite' && registration !== undefined ? { ...registration, tool: { ...registration.tool, output: undefined } } : registration, outcome, ...rest)",
    },
    status: "proven",
    tests: [
      {
        file: "test/pipeline.test.ts",
        title: "a rewrite replaces the reply, and the ledger keeps both values",
      },
      {
        file: "test/pipeline.test.ts",
        title: "rewritten, final and cached values are checked against the output schema",
      },
    ],
  },
  {
    id: "M.4",
    sentence: "Durable means surviving kill -9, and tools of high risk use full sync.",
    mutant: {
      breaks: "The start of a call of high risk is not synced to disk.",
      export: "isFullSync",
      as: "() => () => false",
    },
    status: "proven",
    tests: [
      {
        file: "test/system/kill/sqlite.test.ts",
        title:
          "a repeatedly killed process loses no acknowledged row in SQLite, repeats no call, and leaves a valid chain",
      },
      {
        file: "test/identity.test.ts",
        title: "is used with a ledger that syncs the start of high-risk calls, and not of others",
      },
    ],
  },
  {
    id: "M.5",
    sentence:
      "A schema without $schema is draft 2020-12; names shown to a model that are longer than 64 characters are shortened with a hash, and the offer holds the map.",
    mutant: {
      breaks: "A schema without $schema is read as draft-07.",
      export: "latestDialect",
      as: "(original) => ({ ...original, name: 'draft-07', refAlone: true, tuples: true })",
    },
    status: "proven",
    tests: [
      {
        file: "src/base/schema/compile-schema.test.ts",
        title: "ignores keywords next to a reference in draft-07 and applies them later",
      },
      {
        file: "src/tools/tool-name.test.ts",
        title: "uses only characters that every provider accepts",
      },
      {
        file: "src/registry/offer/offer.test.ts",
        title: "names every spec by its wire name and maps that name to its tool",
      },
      {
        file: "src/tools/tool-name.test.ts",
        title: "ends in a hash of the key when it would be ambiguous",
      },
    ],
  },
  {
    id: "M.6",
    sentence:
      "Built-in tools are registered, loaded on demand, only when they are named: by `skills`, or by `builtinTools` of a ToolsConfig, in Haft.open and in every command.",
    mutant: {
      breaks: "A built-in tool is registered without being named.",
      export: "withSkills",
      as: "(original) => (names) => original([...new Set([...(names ?? []), 'file-list'])])",
    },
    status: "proven",
    tests: [
      {
        file: "test/cli/built-in-tools.test.ts",
        title: "are absent from every command unless the configuration names them",
      },
      {
        file: "src/runtime/with-skills.test.ts",
        title: "are only those that are named",
      },
    ],
  },
];
