import { describe, expect, it } from "vitest";
import type { Agent } from "../../types/agent.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Json } from "../../types/json.ts";
import type { ToolSpec } from "../../types/tool.ts";
import { tool } from "../tool.ts";
import { readAgent, readTools, toAgentJson, writeAgent } from "./agent-file.ts";
import type { AgentSpec, ReadAgentOptions, ReadAgentResult } from "./agents/agent-spec.ts";

type Found = Extract<ReadAgentResult, { ok: true }>;

const read = (source: unknown, options?: ReadAgentOptions): Found => {
  const reading = readAgent(source, options);
  if (!reading.ok) throw new Error(JSON.stringify(reading.diagnostics, null, 1));
  return reading;
};

const toolOf = (text: string): ToolSpec => {
  const [spec] = read(`[a:Agent {instruction: "i"} | ${text}]`).tools;
  if (spec === undefined) throw new Error("no tool");
  return spec;
};

/** Returns `code line:column` of each diagnostic in text order. */
const complaints = (source: unknown, options?: ReadAgentOptions): readonly string[] => {
  const reading = readAgent(source, options);
  return reading.ok ? [] : reading.diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`);
};

const helloFile = `// The agent that greets.
{kind: "agents"}

[hello_world_agent:Agent {
  description: "A friendly agent that uses the sayHello tool to greet users",
  instruction: \`\`\`
You are a friendly assistant. Have friendly conversations with the user.
When the user greets you or says hello, use the \`sayHello\` tool to respond with a personalized greeting.
\`\`\`,
  model: "OpenAI/gpt-3.5-turbo"
} |
  [sayHello:Tool {description: "Returns a friendly greeting message for the given name"} |
    (personName::String {default: "world"})==>(::String)
  ]
]
`;

const sayHello: ToolSpec = {
  name: "sayHello",
  description: "Returns a friendly greeting message for the given name",
  signature: '(personName::String {default: "world"})==>(::String)',
  input: {
    type: "object",
    properties: { personName: { type: "string", default: "world" } },
    required: [],
    additionalProperties: false,
  },
  output: { type: "string" },
  category: "custom",
  risk: "low",
  requiresApproval: false,
  source: "function",
  tags: [],
  annotations: {},
  validate: "strict",
  strict: false,
};

const helloAgent: AgentSpec = {
  name: "hello_world_agent",
  description: "A friendly agent that uses the sayHello tool to greet users",
  instructions:
    "You are a friendly assistant. Have friendly conversations with the user.\n" +
    "When the user greets you or says hello, use the `sayHello` tool to respond with a personalized greeting.\n",
  model: "OpenAI/gpt-3.5-turbo",
  tools: [sayHello],
  handoffs: [],
};

describe("hello_world agent file", () => {
  it("is read completely", () => {
    expect(read(helloFile)).toEqual({ ok: true, agent: helloAgent, agents: [helloAgent], tools: [sayHello] });
  });

  it("is written unchanged except for header and comment", () => {
    expect(writeAgent(helloAgent)).toBe(helloFile.slice(helloFile.indexOf("[hello")));
    expect(read(writeAgent(helloAgent, { pretty: false })).agent).toEqual(helloAgent);
  });

  it("survives conversion to JSON text", () => {
    expect(read(JSON.stringify(toAgentJson(helloAgent))).agent).toEqual(helloAgent);
    expect(read(toAgentJson(helloAgent)).agent).toEqual(helloAgent);
  });

  it("may define its tool in a toolSpecification block", () => {
    const text = `[hello_world_agent:Agent {instruction: "Greet.", model: "OpenAI/gpt-3.5-turbo"} | sayHello]

toolSpecification: sayHello
  name: "sayHello"
  description: "Returns a friendly greeting message for the given name"
  typeSignature: "(name: Text) --> IO Text"
`;
    expect(read(text).agent.tools).toEqual([
      {
        ...sayHello,
        signature: "(name: Text) --> IO Text",
        input: {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
          additionalProperties: false,
        },
      },
    ]);
  });

  it("is deeply frozen", () => {
    const { agent, agents, tools } = read(helloFile);
    expect(
      [agent, agents, tools, agent.tools, agent.tools[0], sayHelloOf(agent).input].every(Object.isFrozen),
    ).toBe(true);
  });
});

const sayHelloOf = (agent: AgentSpec): ToolSpec => agent.tools[0] as ToolSpec;

describe("tool in an agent file", () => {
  it("may have a classic signature, which is kept as text", () => {
    const spec = toolOf(`[t:Tool {description: "d", typeSignature: "( name:Text )  --> IO [Int]"}]`);
    expect(spec).toMatchObject({
      signature: "( name:Text )  --> IO [Int]",
      input: { properties: { name: { type: "string" } }, required: ["name"] },
      output: { type: "array", items: { type: "integer" } },
    });
  });

  it("may have JSON schemas, which makes its signature plain text", () => {
    const spec = toolOf(`[t:Tool {description: "d", typeSignature: "whatever", inputSchema: \`\`\`json
{"type": "object", "anyOf": [{"required": ["a"]}]}
\`\`\`, outputSchema: json\`{"type": "object"}\`}]`);
    expect(spec).toMatchObject({
      signature: "whatever",
      input: { type: "object", anyOf: [{ required: ["a"] }] },
      output: { type: "object" },
    });
  });

  it("may describe an object parameter in a second element", () => {
    const spec = toolOf(
      '[t:Tool {description:"d"} | (address::Object)==>(::String), [address:Object | (city::String), (zip::String {optional:true})]]',
    );
    const address = {
      type: "object",
      properties: { city: { type: "string" }, zip: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    expect(spec.input).toEqual({
      type: "object",
      properties: { address },
      required: ["address"],
      additionalProperties: false,
    });
  });

  it("may describe input and output as shapes without a signature", () => {
    const spec = toolOf(
      '[t:Tool {description: "d"} | [input:Object | (a::String)], (output::Integer {minimum: 0})]',
    );
    expect(spec).not.toHaveProperty("signature");
    expect(spec.input).toMatchObject({ properties: { a: { type: "string" } }, required: ["a"] });
    expect(spec.output).toEqual({ type: "integer", minimum: 0 });
  });

  it("has no output schema when outputSchema is true", () => {
    expect(toolOf('[t:Tool {description: "d", outputSchema: true} | ()==>(::String)]')).not.toHaveProperty(
      "output",
    );
  });

  it("may omit the schema with noSchemaMode", () => {
    expect(toolOf('[t:Tool {description: "d", noSchemaMode: "read-only"}]')).toMatchObject({
      input: { type: "object" },
      noSchemaMode: "read-only",
    });
  });

  it("reads all other fields from its record", () => {
    const spec =
      toolOf(`[t:Tool {description: "d", returnType: "Weather", category: http, risk: high, timeoutMs: 1500,
      requiresApproval: true, source: "mcp", tags: [a, b], annotations: {title: "T", readOnly: true},
      validate: lenient, strict: true} | ()==>(::String)]`);
    expect(spec).toMatchObject({
      returnType: "Weather",
      category: "http",
      risk: "high",
      timeoutMs: 1500,
      requiresApproval: true,
      source: "mcp",
      tags: ["a", "b"],
      annotations: { title: "T", readOnly: true },
      validate: "lenient",
      strict: true,
    });
  });

  it("may be written as an annotation or a node", () => {
    const spec = (text: string) => read(`[a:Agent {instruction: "i"} | t] ${text}`).agent.tools[0];
    const bracket = spec('[t:Tool {description: "d"} | ()==>(::String)]');
    expect(spec('@@t:Tool @description("d") ()==>(::String)')).toEqual(bracket);
    expect(spec('(t:Tool {description: "d", typeSignature: "() --> Text"})')).toMatchObject({ name: "t" });
  });

  it("uses its name when it differs from its identity", () => {
    expect(toolOf('[t1:Tool {name: "search", description: "d"} | ()==>(::String)]').name).toBe("search");
  });
});

describe("references in an agent file", () => {
  const file = `[a:Agent {instruction: "i"} | one, [two:Tool {description: "d"} | ()==>(::String)], (three)]
    [b:Agent {instruction: "i", handoffs: ["a"]} | two, \`*\`]
    [one:Tool {description: "d"} | ()==>(::String)]
    [gathered | [three:Tool {description: "d"} | ()==>(::String)]]`;

  it("find tools anywhere in the file", () => {
    const { agents, tools } = read(file);
    expect(
      agents.map((agent) => agent.tools.map((each) => (typeof each === "string" ? each : each.name))),
    ).toEqual([
      ["one", "two", "three"],
      ["two", "*"],
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["two", "one", "three"]);
    expect(agents[1]?.handoffs).toEqual(["a"]);
  });

  it("select one of several agents by name", () => {
    expect(read(file).agent.name).toBe("a");
    expect(read(file, { agent: "b" }).agent.name).toBe("b");
    expect(complaints(file, { agent: "c" })).toEqual(["no-agent 1:1"]);
  });

  it("find tools of other files with resolve and stay names without it", () => {
    const text = '[a:Agent {instruction: "i"} |\n  elsewhere]';
    const found = readTools('[elsewhere:Tool {description: "d"} | ()==>(::String)]');
    const tools = found.ok ? found.tools : [];
    const resolve = (name: string) => tools.find((each) => each.name === name);
    expect(read(text, { resolve }).agent.tools).toEqual(tools);
    expect(read(text).agent.tools).toEqual(["elsewhere"]);
    expect(complaints(text, { resolve: () => undefined })).toEqual(["unknown-tool 2:3"]);
    expect(complaints({ name: "a", instructions: "i", tools: ["x"] }, { resolve: () => undefined })).toEqual([
      "unknown-tool 1:1",
    ]);
  });
});

describe("invalid agent file", () => {
  const good = '[t:Tool {description: "d"} | ()==>(::String)]';
  it.each([
    ["", "no-agent 1:1"],
    ["(a)", "no-agent 1:1"],
    [good, "no-agent 1:1"],
    ['[a:Agent {instruction: "i",}]', "trailing-comma 1:27"],
    ['[:Agent {instruction: "i"}]', "missing-name 1:1"],
    ["[a:Agent]", "missing-instructions 1:2"],
    ['[a:Agent {instruction: " "}]', "missing-instructions 1:11"],
    ['[a:Agent {instruction: "i", instructions: "i"}]', "duplicate-key 1:29"],
    ['[a:Agent {instruction: "i", modle: "m"}]', "unknown-key 1:29"],
    ['[a:Agent {instruction: "i", model: 5}]', "wrong-value 1:29"],
    ['[a:Agent {instruction: "i", handoffs: [b, b]}]', "wrong-value 1:29"],
    ['[a:Agent {instruction: "i", settings: {heat: 1}}]', "wrong-value 1:29"],
    ['[a:Agent {instruction: "i", toolSearch: {allways: 1}}]', "wrong-value 1:29"],
    ['[a:Agent {instruction: "i", toolSearch: "yes"}]', "wrong-value 1:29"],
    ['[a:Agent {instruction: "i", settings: {temperature: hot}}]', "wrong-value 1:29"],
    ['[a:Agent {instruction: "i", description: 1..2}]', "wrong-value 1:42"],
    ['[a:Agent {instruction: "i"} | (x)-->(y)]', "wrong-part 1:31"],
    ['[a:Agent {instruction: "i"} | b] [b:Agent {instruction: "i"}]', "wrong-part 1:31"],
    ['[a:Agent {instruction: "i"}] [a:Agent {instruction: "i"}]', "duplicate-agent 1:31"],
    [`[a:Agent {instruction: "i"} | ${good}, t, t]`, "duplicate-tool 1:78"],
    [`[a:Agent {instruction: "i"} | t] ${good} ${good}`, "ambiguous-tool 1:31"],
    ['[a:Agent {instruction: "i"} | [t:Tool | ()==>(::String)]]', "wrong-description 1:32"],
    ['[a:Agent {instruction: "i"} | [t:Tool {description: ""} | ()==>(::String)]]', "wrong-description 1:40"],
    [
      '[a:Agent {instruction: "i"} | [`say hello`:Tool {description: "d"} | ()==>(::String)]]',
      "refused-name 1:32",
    ],
    ['[a:Agent {instruction: "i"} | [t:Tool {description: "d"}]]', "missing-signature 1:32"],
    ['[a:Agent {instruction: "i"} | [t:Tool {description: "d"} | (::String)]]', "missing-result 1:60"],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d"} | ()==>(::String), ()==>(::String)]]',
      "several-signatures 1:77",
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d", typeSignature: "() --> Text"} | ()==>(::String)]]',
      "said-twice 1:58",
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d", inputSchema: json`{"type": "object"}`} | ()==>(::String)]]',
      "said-twice 1:58",
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d", typeSignature: "(a: Txt) --> Text"}]]',
      "unknown-type 1:78",
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d"} | (x::Foo)==>(::String)]]',
      "unknown-type 1:62",
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d", risk: huge} | ()==>(::String)]]',
      "wrong-value 1:58",
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d", timeoutMs: 0} | ()==>(::String)]]',
      "wrong-value 1:58",
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d", annotations: {readonly: true}} | ()==>(::String)]]',
      "wrong-value 1:58",
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d", tag: x} | ()==>(::String)]]',
      "unknown-key 1:58",
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d", inputSchema: json`{"type": "text"}`}]]',
      "refused-schema 1:58",
    ],
    ['[a:Agent {instruction: "i"} | [t:Tool {description: "d", inputSchema: json`{`}]]', "wrong-value 1:71"],
    ['{"name": "a", "instructions": "i",}', "not-json 1:35"],
    ['{"name": "a"}', "missing-instructions 1:1"],
    ['{"name": "a", "instructions": "i", "tools": {}}', "wrong-value 1:1"],
    ['{"name": "a", "instructions": "i", "tools": [{"name": "t"}]}', "missing-signature 1:1"],
    ['toolSpecification: t\n  description: "d"\n  typeSignature: "() --> Foo"\n', "unknown-type 3:26"],
    ["toolSpecification: t\n  description: d e\n", "unexpected 2:18"],
  ])("is rejected with its position: %s", (text, first) => {
    expect(complaints(text)[0]).toBe(first);
  });

  it.each([
    ['[a:Agent {instruction: "i", modle: "m"}]', 'Did you mean "model"?'],
    ['[a:Agent {instrution: "i"}]', 'Did you mean "instruction"?'],
    ['[a:Agent {instruction: "i", settings: {temprature: 1}}]', 'Did you mean "temperature"?'],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {desription: "d"} | (x::String)==>(::String)]]',
      'Did you mean "description"?',
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d"} | (x::String {defualt: "w"})==>(::String)]]',
      'Did you mean "default"?',
    ],
    [
      '[a:Agent {instruction: "i"} | [t:Tool {description: "d"} | (x::Strng)==>(::String)]]',
      'Did you mean "String"?',
    ],
  ])("suggests the intended key in %s with its position", (text, suggestion) => {
    const reading = readAgent(text);
    const found = reading.ok ? [] : reading.diagnostics;
    const said = found.find(({ message, hint = "" }) => `${message} ${hint}`.includes(suggestion));
    expect(said).toMatchObject({ line: 1, column: expect.any(Number) });
  });

  it("reports all errors at once with hints", () => {
    const reading = readAgent(`[a:Agent {model: 1} |
  [t:Tool | (x::Foo)==>(::String)],
  [u:Tool {description: "d", risk: huge} | (::String)==>(::String)]
]`);
    expect(reading.ok ? [] : reading.diagnostics.map(({ code, line }) => `${line} ${code}`)).toEqual([
      "1 missing-instructions",
      "1 wrong-value",
      "2 wrong-description",
      "2 unknown-type",
      "3 wrong-value",
      "3 unnamed-parameter",
    ]);
    expect(reading.ok || reading.diagnostics.every(({ hint }) => hint !== undefined && hint !== "")).toBe(
      true,
    );
  });

  it("reports the pointer for JSON", () => {
    const reading = readAgent([
      { name: "a", instructions: "i", tools: [{ ...sayHello, risk: "huge" } as never] },
    ]);
    expect(reading.ok ? "" : reading.diagnostics[0]?.message).toContain("(at /0/tools/0/risk)");
  });

  it.each([undefined, null, 5, () => {}, new Map(), Number.NaN, [1], "\uD800", "[".repeat(10_000)])(
    "does not throw: %s",
    (source) => {
      expect(readAgent(source).ok).toBe(false);
      expect(readTools(source)).toBeTypeOf("object");
    },
  );
});

describe("writeAgent", () => {
  const weather = tool({
    name: "get_weather",
    description: "Current weather for a city",
    input: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
    output: { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] },
    run: () => ({ celsius: 21 }),
  });

  it("writes the spec of a tool, the id of a model and the name of an agent but no code", () => {
    const other = { name: "other" } as Agent;
    const whole = {
      name: "forecaster",
      instructions: "Say how the weather is.",
      model: { id: "openai/gpt-4o-mini", generate: () => {}, stream: () => {} },
      settings: { temperature: 0.2, stop: ["END"] },
      tools: [weather, "search"],
      handoffs: [other],
      layers: [() => {}],
      modelLayers: [],
    } as unknown as Agent;
    const text = writeAgent(whole);
    expect(text).toBe(`[forecaster:Agent {
  instruction: "Say how the weather is.",
  model: "openai/gpt-4o-mini",
  settings: json\`{"temperature":0.2,"stop":["END"]}\`,
  handoffs: ["other"]
} |
  [get_weather:Tool {
    description: "Current weather for a city",
    outputSchema: \`\`\`json
{
  "type": "object",
  "properties": {
    "celsius": {
      "type": "number"
    }
  },
  "required": [
    "celsius"
  ]
}
\`\`\`
  } |
    [input::Object | (city::String)]
  ],
  search
]
`);
    expect(read(text).agent).toEqual({
      name: "forecaster",
      instructions: "Say how the weather is.",
      model: "openai/gpt-4o-mini",
      settings: { temperature: 0.2, stop: ["END"] },
      tools: [weather.spec, "search"],
      handoffs: ["other"],
    });
    expect(JSON.parse(JSON.stringify(toAgentJson(whole)))).toEqual(read(text).agent);
  });

  it("writes a shared tool once and separates tools that share only a name", () => {
    const agent = (name: string, ...tools: AgentSpec["tools"]): AgentSpec => ({
      name,
      instructions: "i",
      tools,
      handoffs: [],
    });
    const spec = weather.spec;
    const agents = [
      agent("a", spec, "search"),
      agent("b", spec),
      agent("c", { ...spec, description: "Another" }),
      agent("d", { ...spec, name: "search" }),
      agent("search", { ...spec, name: "a" }),
    ];
    const text = writeAgent(agents);
    expect(text.match(/\[\w+:(?:Tool|Agent)/g)).toEqual([
      "[a:Agent",
      "[get_weather:Tool",
      "[b:Agent",
      "[c:Agent",
      "[get_weather_2:Tool",
      "[d:Agent",
      "[search_3:Tool",
      "[search_2:Agent",
      "[a_2:Tool",
    ]);
    expect(read(text).agents).toEqual(agents);
  });

  it.each([
    { name: "", instructions: "i", tools: [], handoffs: [] },
    { name: "a", instructions: "", tools: [], handoffs: [] },
    { name: "a", instructions: "i", tools: [sayHello, "sayHello"], handoffs: [] },
    { name: "a", instructions: "i", tools: [{ ...sayHello, input: { type: "text" } }], handoffs: [] },
    { name: "a", instructions: "i", tools: [], handoffs: [], settings: { temperature: Number.NaN } },
  ])("rejects an agent that could not be read again: %j", (agent) => {
    expect(() => writeAgent(agent)).toThrow(ConfigurationError);
    expect(() => toAgentJson(agent)).toThrow(ConfigurationError);
  });

  it("rejects two agents of the same name", () => {
    expect(() => writeAgent([helloAgent, helloAgent])).toThrow('Two agents are called "hello_world_agent".');
  });
});

it("readTools reads tools from files without agents, JSON and blocks", () => {
  const names = (source: unknown) => {
    const reading = readTools(source);
    return reading.ok ? reading.tools.map(({ name }) => name) : reading.diagnostics;
  };
  expect(
    names('[a:Tool {description: "d"} | ()==>(::String)] [b:Tool {description: "d"} | ()==>(::String)]'),
  ).toEqual(["a", "b"]);
  expect(names(JSON.stringify([sayHello]))).toEqual(["sayHello"]);
  expect(names({ name: "t", description: "d", signature: "() --> Text" } satisfies Json)).toEqual(["t"]);
  expect(names('toolSpecification: t\n  description: "d"\n  typeSignature: "() --> Text"')).toEqual(["t"]);
});
