import type { Requirement } from "./requirement.ts";

/** S3: specification apart from implementation, gram, and the hello-world agent. */
export const specification: readonly Requirement[] = [
  {
    id: "S3.1",
    sentence:
      "A tool specification has a name, a description, a type signature and the JSON Schema generated from it; it is serializable and validated, and an implementation is bound to it at run time.",
    mutant: {
      breaks: "A specification loses its type signature.",
      export: "toToolSpec",
      as: "(original) => (fields) => { const spec = original(fields); if (spec === undefined) return undefined; const { signature, ...rest } = spec; return rest; }",
    },
    status: "proven",
    tests: [
      {
        file: "src/tools/gram/agent-file.test.ts",
        title: "may say its signature as classic text, which is kept as it is",
      },
      {
        file: "src/tools/gram/signature-to-schema.test.ts",
        title: "every schema is one that a tool may have, and judges values",
      },
      {
        file: "src/tools/gram/agent-file.test.ts",
        title: "is told everything that is wrong at once, with hints",
      },
      { file: "test/agent-run.test.ts", title: "lets a library answer an agent's specs by name" },
    ],
  },
  {
    id: "S3.2",
    sentence:
      "Type signatures become JSON Schema, in the classic text form with Text, Int, Double, Bool, lists, records, Maybe and nesting, and in gram's path form with any number of parameters.",
    mutant: {
      breaks: "An optional parameter becomes a required one in the schema.",
      export: "shapeToSchema",
      as: "(original) => (shape) => { const schema = original(shape); return schema.properties === undefined ? schema : { ...schema, required: Object.keys(schema.properties) }; }",
    },
    status: "proven",
    tests: [
      { file: "src/tools/gram/read-signature.test.ts", title: "is read into parameters, result and effect" },
      {
        file: "src/tools/gram/read-signature.test.ts",
        title: "nests lists and records, and runs over lines",
      },
      { file: "src/tools/gram/read-signature.test.ts", title: "is read with any number of parameters" },
      {
        file: "src/tools/gram/read-signature.test.ts",
        title: "may have parentheses around a type, and gives nothing where there is none in them: %s",
      },
      {
        file: "src/tools/gram/signature-to-schema.test.ts",
        title: "nests what the profile's second element says",
      },
      { file: "src/tools/gram/signature-to-schema.test.ts", title: "(%s::String)==>(::String)" },
      { file: "src/tools/gram/signature-to-schema.test.ts", title: "become their JSON Schema: %s" },
    ],
  },
  {
    id: "S3.3",
    sentence:
      "Gram is read and written: whole documents and agents with tool specifications, round trip without loss, errors with line and column; the indented toolSpecification block is an input form of its own.",
    mutant: {
      breaks: "Comments are lost when gram is written.",
      export: "writeGram",
      as: "(original) => (...args) => original(...args).replaceAll(/^\\s*\\/\\/.*$/gm, '')",
    },
    status: "proven",
    tests: [
      { file: "src/tools/gram/vectors.test.ts", title: "reads %j" },
      { file: "src/tools/gram/vectors.test.ts", title: "refuses %j" },
      {
        file: "test/agent-file-round-trip.test.ts",
        title: "come back from gram as they were, and the same text comes of them again",
      },
      {
        file: "test/gram-round-trip.test.ts",
        title: "is read, or refused at a place in it, and what is read is written the same twice",
      },
      {
        file: "src/tools/gram/agent-file.test.ts",
        title: "may have its tool in an indented block beside it",
      },
      {
        file: "test/gram-rules.test.ts",
        title: "hold for whatever is written, with the same texts in it",
      },
      {
        file: "test/cli/cli.test.ts",
        title: "gives one answer about %s, whether it is checked, formatted or run",
      },
      {
        file: "src/tools/gram/write-gram.test.ts",
        title: "keeps every comment beside its node when another node is put between",
      },
    ],
  },
  {
    id: "S3.4",
    sentence:
      "A tool library is immutable and registers, looks up and binds; binding checks name, description and schema, exactly, compatibly or by name, and says which check failed.",
    mutant: {
      breaks: "Compatible binding accepts every schema.",
      export: "isCompatible",
      as: "() => () => ({ ok: true })",
    },
    status: "proven",
    tests: [
      { file: "src/registry/library.test.ts", title: "is a value: what is registered is in another library" },
      {
        file: "src/registry/library.test.ts",
        title: "says every check that failed and where the two sides differ",
      },
      {
        file: "src/registry/library.test.ts",
        title: "binds what says the same, in whatever order its keys are",
      },
      { file: "src/registry/library.test.ts", title: "binds code that takes more: %s" },
      {
        file: "src/registry/library.test.ts",
        title:
          "binds a tool that promises nothing of its result, notes it, and holds each result to the spec",
      },
      {
        file: "src/registry/library.test.ts",
        title: "binds whatever has the name, and skips every other check",
      },
      { file: "src/registry/library.test.ts", title: "gives the tool that its spec names" },
      { file: "src/registry/library.test.ts", title: "fails by another %s" },
      { file: "src/registry/library.test.ts", title: "minds what a tool calls itself" },
      { file: "src/registry/library.test.ts", title: "does not bind code that takes less: %s" },
      {
        file: "src/registry/library.test.ts",
        title: "does not bind a tool that promises another result than the spec",
      },
      { file: "src/registry/library.test.ts", title: "puts an entry in the place of another of its name" },
    ],
  },
  {
    id: "S3.5",
    sentence:
      "An agent has a name, description, model, instructions and tool specifications with unique names, is written to gram and JSON without implementations, and works without tools.",
    mutant: {
      breaks: "An agent loses its description when it is written as JSON.",
      export: "toAgentJson",
      as: "(original) => (agent) => { const { description, ...rest } = original(agent); return rest; }",
    },
    status: "proven",
    tests: [
      {
        file: "src/tools/gram/agent-file.test.ts",
        title: "takes the spec of a whole tool, the id of a model and the name of an agent, and no code",
      },
      {
        file: "test/agent-file-round-trip.test.ts",
        title: "come back from JSON as they were, as text and as a value",
      },
      { file: "test/agent-run.test.ts", title: "runs an agent without tools" },
      { file: "src/agent/agent.test.ts", title: "with %j" },
    ],
  },
  {
    id: "S3.6",
    sentence:
      "Executing an agent with a library binds, asks the model with tool definitions, validates, invokes, sends results and ends with text; the response has content and the tools used in order, the conversation keeps its roles across turns, and a failing tool is told to the model instead of ending the run.",
    mutant: {
      breaks: "The tools that were used are listed in the reverse order.",
      export: "toInvocations",
      as: "(original) => (...args) => original(...args).toReversed()",
    },
    status: "proven",
    tests: [
      {
        file: "test/media/runs.test.ts",
        title: "shows it to a model that takes pictures, beside a value that keeps to the output schema",
      },
      {
        file: "test/media/runs.test.ts",
        title:
          "is told in words to a model that takes none, once among the losses, in the events and in the ledger",
      },
      {
        file: "test/system/media/kept.test.ts",
        title:
          "a run whose process was killed goes on in another with the pictures of its user and of its tools",
      },
      { file: "test/agent-run.test.ts", title: "lets a library answer an agent's specs by name" },
      {
        file: "test/agent-run.test.ts",
        title: "holds arguments against the agent's spec and against the code's own",
      },
      {
        file: "test/agent-run.test.ts",
        title: "asks the model, answers its calls in order, and asks again until it has its last word",
      },
      { file: "test/agent-run.test.ts", title: "feeds a failing tool back to the model and goes on" },
      { file: "test/agent-run.test.ts", title: "goes on with a conversation" },
    ],
  },
  {
    id: "S3.7",
    sentence: "The same agent runs with library A and library B, measured and compared.",
    mutant: {
      breaks: "Both libraries are measured by the runs of the first.",
      export: "compareArms",
      as: "(original) => (compared) => original({ ...compared, runsOf: () => compared.runsOf(compared.baseline) })",
    },
    status: "proven",
    tests: [
      { file: "test/experiment.test.ts", title: "compares two libraries of a real agent" },
      {
        file: "test/experiment.test.ts",
        title: "is found: one arm is 30 % faster, the other right more often",
      },
      {
        file: "src/agent/experiments/statistics/agreement.test.ts",
        title: "of %i inputs holds the truth, whatever it is: counted over every outcome",
      },
    ],
  },
  {
    id: "S3.8",
    sentence: "The hello-world agent with sayHello runs from its gram file.",
    mutant: {
      breaks: "The agent that is read from a gram file has no tools.",
      export: "readAgentFile",
      as: "(original) => async (file) => ({ ...(await original(file)), tools: [] })",
    },
    status: "proven",
    tests: [
      {
        file: "test/cli/cli.test.ts",
        title: "greets from a gram file with the library beside it, offline where there is no key",
      },
      {
        file: "test/system/cli/process.test.ts",
        title: "with a key it asks the provider that the agent names",
      },
    ],
  },
];
