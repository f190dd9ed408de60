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
        title: "may have a classic signature, which is kept as text",
      },
      {
        file: "src/tools/gram/signature-to-schema.test.ts",
        title: "signatureToSchema returns a valid tool schema that validates values",
      },
      {
        file: "src/tools/gram/agent-file.test.ts",
        title: "reports all errors at once with hints",
      },
      { file: "test/agent-run.test.ts", title: "binds an agent's specs to the tools of a library by name" },
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
        title: "supports nested lists and records over several lines",
      },
      { file: "src/tools/gram/read-signature.test.ts", title: "supports any number of parameters" },
      {
        file: "src/tools/gram/read-signature.test.ts",
        title: "accepts parentheses around a result type and reads empty ones as null: %s",
      },
      {
        file: "src/tools/gram/signature-to-schema.test.ts",
        title: "nest the shape from a second element",
      },
      {
        file: "src/tools/gram/signature-to-schema.test.ts",
        title: "accept the parameter name in (%s::String)==>(::String)",
      },
      { file: "src/tools/gram/signature-to-schema.test.ts", title: "in classic form become JSON Schema: %s" },
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
      { file: "src/tools/gram/vectors.test.ts", title: "rejects %j" },
      {
        file: "test/agent-file-round-trip.test.ts",
        title: "read an agent back from gram unchanged and write the same text again",
      },
      {
        file: "test/gram-round-trip.test.ts",
        title: "is read, or refused at a position in it, and what is read is written the same twice",
      },
      {
        file: "src/tools/gram/agent-file.test.ts",
        title: "may define its tool in a toolSpecification block",
      },
      {
        file: "test/gram-rules.test.ts",
        title: "hold for every written document, with the same texts in it",
      },
      {
        file: "test/cli/cli.test.ts",
        title: "reports the same about %s from check, format and run",
      },
      {
        file: "src/tools/gram/write-gram.test.ts",
        title: "keeps comments with their nodes when nodes are reordered",
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
      { file: "src/registry/library.test.ts", title: "is immutable: register returns another library" },
      {
        file: "src/registry/library.test.ts",
        title: "reports every failed check with the differences",
      },
      {
        file: "src/registry/library.test.ts",
        title: "binds equal definitions in any key order",
      },
      { file: "src/registry/library.test.ts", title: "binds code that accepts more: %s" },
      {
        file: "src/registry/library.test.ts",
        title: "binds a tool without an output schema, notes it, and validates each result against the spec",
      },
      {
        file: "src/registry/library.test.ts",
        title: "binds any code of the name and skips all other checks",
      },
      { file: "src/registry/library.test.ts", title: "returns the tool that the spec names" },
      { file: "src/registry/library.test.ts", title: "rejects another %s" },
      { file: "src/registry/library.test.ts", title: "compares the name of the tool" },
      { file: "src/registry/library.test.ts", title: "rejects code that accepts less: %s" },
      {
        file: "src/registry/library.test.ts",
        title: "rejects a tool with another output schema",
      },
      { file: "src/registry/library.test.ts", title: "replaces an entry of the same name" },
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
        title: "writes the spec of a tool, the id of a model and the name of an agent but no code",
      },
      {
        file: "test/agent-file-round-trip.test.ts",
        title: "read an agent back from JSON unchanged, as text and as a value",
      },
      { file: "test/agent-run.test.ts", title: "runs an agent without tools" },
      { file: "src/agent/agent.test.ts", title: "is refused with %j" },
    ],
  },
  {
    id: "S3.6",
    sentence:
      "Executing an agent with a library binds, asks the model with tool definitions, validates, invokes, sends results and ends with text; the response has content and the tools used in order, the conversation keeps its roles across turns, and a failing tool is reported to the model instead of ending the run.",
    mutant: {
      breaks: "The tools that were used are listed in the reverse order.",
      export: "toInvocations",
      as: "(original) => (...args) => original(...args).toReversed()",
    },
    status: "proven",
    tests: [
      {
        file: "test/media/runs.test.ts",
        title: "shows it to a model that accepts pictures, next to a value that fits the output schema",
      },
      {
        file: "test/media/runs.test.ts",
        title:
          "describes it in text to a model that accepts none, and reports the loss in the response, the events and the ledger",
      },
      {
        file: "test/system/media/kept.test.ts",
        title: "a killed run resumes in another process with the images of its user and tools",
      },
      { file: "test/agent-run.test.ts", title: "binds an agent's specs to the tools of a library by name" },
      {
        file: "test/agent-run.test.ts",
        title: "validates arguments against the agent's spec and the schema of the bound tool",
      },
      {
        file: "test/agent-run.test.ts",
        title: "calls the model, runs its tool calls in order, and repeats until a reply has no calls",
      },
      { file: "test/agent-run.test.ts", title: "reports a failing tool to the model and continues" },
      { file: "test/agent-run.test.ts", title: "continues a given conversation" },
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
        title: "is found when one arm is 30 % faster and the other succeeds more often",
      },
      {
        file: "src/agent/experiments/analysis/agreement.test.ts",
        title: "covers the true value for %i inputs, over every outcome",
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
        title: "runs a gram file with the library next to it, offline without a key",
      },
      {
        file: "test/system/cli/process.test.ts",
        title: "calls the provider that the agent names when its key is set",
      },
    ],
  },
];
