import type { Requirement } from "./requirement.ts";

/** S3: specification apart from implementation, gram, and the hello-world agent. */
export const specification: readonly Requirement[] = [
  {
    id: "S3.1",
    sentence:
      "A tool specification has a name, a description, a type signature and the JSON Schema generated from it; it is serializable and validated, and an implementation is bound to it at run time.",
    status: "open",
    reason: "comes with type signatures",
  },
  {
    id: "S3.2",
    sentence:
      "Type signatures become JSON Schema, in the classic text form with Text, Int, Double, Bool, lists, records, Maybe and nesting, and in gram's path form with any number of parameters.",
    status: "open",
    reason: "comes with type signatures",
  },
  {
    id: "S3.3",
    sentence:
      "Gram is read and written: whole documents and agents with tool specifications, round trip without loss, errors with line and column; the indented toolSpecification block is an input form of its own.",
    status: "open",
    reason: "comes with gram",
  },
  {
    id: "S3.4",
    sentence:
      "A tool library is immutable and registers, looks up and binds; binding checks name, description and schema, exactly, compatibly or by name, and says which check failed.",
    status: "open",
    reason: "comes with the library",
  },
  {
    id: "S3.5",
    sentence:
      "An agent has a name, description, model, instructions and tool specifications with unique names, is written to gram and JSON without implementations, and works without tools.",
    status: "open",
    reason: "comes with the agent",
  },
  {
    id: "S3.6",
    sentence:
      "Executing an agent with a library binds, asks the model with tool definitions, validates, invokes, sends results and ends with text; the response has content and the tools used in order, the conversation keeps its roles across turns, and a failing tool is told to the model instead of ending the run.",
    status: "proven",
    tests: [
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
    status: "open",
    reason: "comes with experiments",
  },
  {
    id: "S3.8",
    sentence: "The hello-world agent with sayHello runs from its gram file.",
    status: "open",
    reason: "comes with gram and the agent",
  },
];
