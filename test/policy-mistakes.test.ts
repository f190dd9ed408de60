import {
  ConfigurationError,
  Haft,
  type HaftOptions,
  type PolicyOptions,
  type Rule,
  tool,
  workspace,
} from "haft";
import { describe, expect, it } from "vitest";
import { importTool, toImportedTools } from "../src/tools/import-tool.ts";

const refund = tool({
  name: "refund",
  description: "Refunds an order",
  input: {
    type: "object",
    properties: {
      order: { type: "string", minLength: 1 },
      euros: { type: "number", minimum: 0, maximum: 500 },
      currency: { enum: ["EUR", "USD"] },
      customer: {
        type: "object",
        properties: { name: { type: "string" }, country: { type: "string" } },
        required: ["name"],
      },
      lines: {
        type: "array",
        items: { type: "object", properties: { sku: { type: "string" }, count: { type: "integer" } } },
      },
    },
    required: ["order", "euros"],
  },
  risk: "high",
  tags: ["money"],
  run: () => "done",
});
const findOrder = tool({
  name: "find_order",
  description: "Finds an order",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  annotations: { readOnly: true },
  run: () => "found",
});
const shop = workspace().toolbox("shop").add(findOrder.withName("ship_order")).build();

interface Mistake {
  readonly place: string;
  readonly ruleId: string | undefined;
  readonly text: string;
}

/** Opens a runtime and returns what it refuses or warns about. */
const mistakesIn = async (options: Partial<HaftOptions>): Promise<readonly Mistake[]> => {
  const found: Mistake[] = [];
  try {
    const haft = await Haft.open({
      tools: [refund, findOrder],
      project: shop,
      principal: { agent: "clerk", user: "ada", tenant: "acme", allow: ["*"] },
      ...options,
      on: {
        "policy.problem": ({ place, ruleId, message, suggestion = "" }) =>
          found.push({ place, ruleId, text: `${message} ${suggestion}` }),
      },
    } as HaftOptions);
    await haft.close();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    const { issues = [] } = (error as ConfigurationError).failure;
    for (const { pointer, message } of issues) {
      const [, rule] = /^Rule "([^"]+)"/.exec(message) ?? /^(rules\[\d+\])/.exec(message) ?? [];
      found.push({ place: pointer, ruleId: rule, text: message });
    }
  }
  return found;
};

const mistaken = "the-mistake";

/** A rule with these fields next to a rule that allows every call. */
const withRule = (rule: object, rest: Partial<PolicyOptions> = {}): Partial<HaftOptions> => ({
  policy: {
    toolkits: { money: ["refund"] },
    ...rest,
    rules: [
      { effect: "allow", agents: ["clerk"], tools: ["*"] },
      { id: mistaken, effect: "deny", ...rule } as Rule,
    ],
  },
});
const withWhen = (when: object): Partial<HaftOptions> => withRule({ tools: ["refund"], when });
const about = (properties: object): Partial<HaftOptions> => withWhen({ properties });
const known = {
  rights: {
    agents: { clerk: { allow: ["*"] } },
    users: { ada: { allow: ["*"] } },
    tenants: { acme: { allow: ["*"] } },
  },
};
const caller = (principal: object): Partial<HaftOptions> => ({
  principal: { agent: "clerk", ...principal },
  policy: { toolkits: { money: ["refund"] } },
});

describe("a mistake in a rule", () => {
  it.each<readonly [what: string, options: Partial<HaftOptions>, place: string, suggestion: string]>([
    ["effect", withRule({ effect: "alow" }), "effect", 'Did you mean "allow"?'],
    ["a field", withRule({ tool: ["refund"] }), "tool", 'Did you mean "tools"?'],
    ["agents, not a list", withRule({ agents: "clerk" }), "agents", 'Write ["clerk"].'],
    ["agents, misspelled", withRule({ agents: ["clrek"] }, known), "agents/0", 'Did you mean "clerk"?'],
    ["users, a pattern", withRule({ users: ["ad*"] }), "users/0", "List the names"],
    ["users, misspelled", withRule({ users: ["adda"] }, known), "users/0", 'Did you mean "ada"?'],
    ["tenants, misspelled", withRule({ tenants: ["amce"] }, known), "tenants/0", 'Did you mean "acme"?'],
    ["roles, a pattern", withRule({ roles: ["cl*rk"] }), "roles/0", "List the names"],
    ["roles, empty", withRule({ roles: [] }), "roles", "Omit the field"],
    ["tools, misspelled", withRule({ tools: ["refund", "refnd"] }), "tools/1", 'Did you mean "refund"?'],
    ["tools, a prefix", withRule({ tools: ["refnud*"] }), "tools/0", 'Did you mean "refund*"?'],
    ["tools, a namespace", withRule({ tools: ["shp/*"] }), "tools/0", 'Did you mean "shop/*"?'],
    [
      "tools, a separator",
      withRule({ tools: ["shop.ship_order"] }),
      "tools/0",
      'Did you mean "shop/ship_order"?',
    ],
    [
      "tools, a short name",
      withRule({ tools: ["ship_order"] }),
      "tools/0",
      'Did you mean "shop/ship_order"?',
    ],
    ["from, a source", withRule({ from: { order: ["usr"] } }), "from/order/0", 'Did you mean "user"?'],
    ["from, an argument", withRule({ from: { oder: ["user"] } }), "from/oder", 'Did you mean "order"?'],
    ["path, misspelled", withRule({ path: { withn: "./notes" } }), "path/withn", 'Did you mean "within"?'],
    [
      "path, no folder",
      withRule({ path: { argument: "order" } }),
      "path",
      'Write path: { within: "./notes" }',
    ],
    [
      "path, an argument that no tool has",
      withRule({ tools: ["refund"], path: { argument: "ordr", within: "./notes" } }),
      "path",
      'Did you mean "order"?',
    ],
    [
      "tellModel, in a rule that allows",
      withRule({ effect: "allow", tellModel: "Ask ada." }),
      "tellModel",
      'make the effect "deny"',
    ],
    ["toolkits", withRule({ toolkits: ["mony"] }), "toolkits/0", 'Did you mean "money"?'],
    ["risk, misspelled", withRule({ risk: ["hihg"] }), "risk/0", 'Did you mean "high"?'],
    [
      "risk that its tools do not have",
      withRule({ tools: ["refund"], risk: ["low"] }),
      "risk",
      "They have high.",
    ],
    ["source", withRule({ source: ["functoin"] }), "source", 'Did you mean "function"?'],
    ["tags", withRule({ tags: ["mony"] }), "tags", 'Did you mean "money"?'],
    [
      "annotations, misspelled",
      withRule({ annotations: { readonly: true } }),
      "annotations/readonly",
      '"readOnly"?',
    ],
    [
      "annotations that its tools do not have",
      withRule({ tools: ["refund"], annotations: { readOnly: true } }),
      "annotations",
      "Annotate the tools",
    ],
    [
      "when, an unknown argument",
      about({ amount: { minimum: 100 } }),
      "when/properties/amount",
      "There are order, euros",
    ],
    ["when, a misspelled argument", about({ eurs: { minimum: 100 } }), "when/properties/eurs", '"euros"?'],
    [
      "when, a misspelled keyword",
      about({ euros: { minimun: 100 } }),
      "when/properties/euros/minimun",
      '"minimum"?',
    ],
    [
      "when, an argument without properties",
      withWhen({ euros: { minimum: 100 } }),
      "when/euros",
      'under "properties"',
    ],
    [
      "when, a keyword of no draft",
      about({ euros: { nullable: true } }),
      "when/properties/euros/nullable",
      '"x-"',
    ],
    [
      "when, inside of an object",
      about({ customer: { properties: { contry: { const: "DE" } } } }),
      "when/properties/customer/properties/contry",
      'Did you mean "country"?',
    ],
    [
      "when, inside of a list",
      about({ lines: { items: { properties: { cuont: { minimum: 2 } } } } }),
      "when/properties/lines/items/properties/cuont",
      'Did you mean "count"?',
    ],
    [
      "when, under not",
      withWhen({ not: { properties: { curency: { const: "EUR" } } } }),
      "when/not/properties/curency",
      'Did you mean "currency"?',
    ],
    [
      "when, in a choice",
      withWhen({ anyOf: [{ properties: { order: { minLenght: 3 } } }] }),
      "when/anyOf/0/properties/order/minLenght",
      'Did you mean "minLength"?',
    ],
    ["when, required", withWhen({ required: ["euro"] }), "when/required/0", 'Did you mean "euros"?'],
    ["when, a type", about({ euros: { const: "100" } }), "when/properties/euros", "of type number"],
    [
      "when, an enum",
      about({ currency: { const: "EURO" } }),
      "when/properties/currency",
      'Did you mean "EUR"?',
    ],
    ["when, a bound", about({ euros: { minimum: 1000 } }), "when/properties/euros", "from 0 up to 500"],
    [
      "when, a format",
      about({ order: { format: "emial" } }),
      "when/properties/order/format",
      'Did you mean "email"?',
    ],
    [
      "when, a format that is not checked",
      about({ order: { format: "iban" } }),
      "when/properties/order/format",
      'Use "pattern"',
    ],
    [
      "when, dependentRequired",
      withWhen({ dependentRequired: { order: ["curency"] } }),
      "when/dependentRequired/order/0",
      'Did you mean "currency"?',
    ],
    [
      "when, dependentSchemas",
      withWhen({ dependentSchemas: { ordr: { required: ["euros"] } } }),
      "when/dependentSchemas/ordr",
      'Did you mean "order"?',
    ],
    [
      "when, always true",
      withWhen({ properties: { euros: { minimum: 0 } }, required: ["euros"] }),
      "when",
      "Remove the condition",
    ],
    ["when, no schema", withWhen({ type: "strin" }), "when", "type"],
    ["when, not an object", withRule({ when: "euros > 5" }), "when", "must be a JSON Schema object"],
    ["tainted, misspelled", withRule({ taintd: true }), "taintd", 'Did you mean "tainted"?'],
    ["tainted, not a flag", withRule({ tainted: "yes" }), "tainted", "must be true or false"],
    ["repaired", withRule({ repaird: true }), "repaird", 'Did you mean "repaired"?'],
    ["spent, misspelled", withRule({ spent: { call: 5 } }), "spent/call", 'Did you mean "calls"?'],
    ["spent, negative", withRule({ spent: { cost: -1 } }), "spent/cost", "a number of at least 0"],
    ["spent, nothing", withRule({ spent: { calls: 0 } }), "spent", "Set the amount"],
    ["spent, not a number", withRule({ spent: { calls: "5" } }), "spent/calls", "a number of at least 0"],
    ["reason", withRule({ reason: 5 }), "reason", "must be a non-empty string"],
    ["waivesApproval", withRule({ waivesApproval: true }), "waivesApproval", 'make the effect "allow"'],
    [
      "covered by a wider rule",
      withRule({ effect: "allow", agents: ["clerk"], tools: ["refund"], tainted: false }),
      "",
      "Remove it, or narrow",
    ],
  ])("is reported with the rule and a suggestion: %s", async (_what, options, place, suggestion) => {
    const found = await mistakesIn(options);
    expect(found).toEqual([
      {
        place: `/policy/rules/1${place === "" ? "" : `/${place}`}`,
        ruleId: mistaken,
        text: expect.stringContaining(suggestion),
      },
    ]);
    expect(found[0]!.text).toContain(`"${mistaken}"`);
  });

  it("is reported when a stricter rule wins for the same callers and tools", async () => {
    const rules: readonly Rule[] = [
      { effect: "allow", tools: ["find_order"] },
      { id: "no-refunds", effect: "deny", tools: ["refund", "shop/**"] },
      { id: "boss", effect: "allow", tools: ["refund"], roles: ["boss"], waivesApproval: true },
    ];
    expect(await mistakesIn({ policy: { rules } })).toEqual([
      {
        place: "/policy/rules/2",
        ruleId: "boss",
        text: expect.stringContaining('"no-refunds" has the effect "deny" for the same callers and tools'),
      },
    ]);
  });

  it("is reported when two rules share one id", async () => {
    const rules: readonly Rule[] = [
      { id: "one", effect: "allow", tools: ["refund"] },
      { id: "one", effect: "deny", tools: ["find_order"] },
    ];
    const found = await mistakesIn({ policy: { rules } });
    expect(found).toMatchObject([{ place: "/policy/rules/1/id", ruleId: "one" }]);
  });
});

describe("a mistake outside of rules", () => {
  it.each<readonly [what: string, options: Partial<HaftOptions>, place: string, suggestion: string]>([
    [
      "a toolkit",
      { policy: { toolkits: { money: ["refnd"] } } },
      "/policy/toolkits/money/0",
      'Did you mean "refund"?',
    ],
    [
      "the right of a user",
      { policy: { rights: { users: { ada: { allow: ["*"], deny: ["refnd"] } } } } },
      "/policy/rights/users/ada/deny/0",
      'Did you mean "refund"?',
    ],
    [
      "the toolkit of a user",
      { policy: { toolkits: { money: ["refund"] }, rights: { users: { ada: { toolkits: ["mony"] } } } } },
      "/policy/rights",
      'Did you mean "money"?',
    ],
    [
      "the argument of known targets",
      { policy: { injection: { knownTargets: { oder: ["7"] } } } },
      "/policy/injection/knownTargets/oder",
      'Did you mean "order"?',
    ],
    [
      "the mode of the injection guard",
      { policy: { injection: { mode: "lineages" as never } } },
      "/policy/injection/mode",
      'Did you mean "lineage"?',
    ],
    ["a flag", { policy: { strict: "true" as never } }, "/policy/strict", "without quotation marks"],
    ["principal.allow", caller({ allow: ["refund", "find_ordr"] }), "/principal/allow/1", '"find_order"?'],
    ["principal.deny", caller({ allow: ["*"], deny: ["refnd"] }), "/principal/deny/0", '"refund"?'],
    ["principal.toolkits", caller({ toolkits: ["mony"] }), "/principal/toolkits/0", '"money"?'],
    ["principal without a right", caller({}), "/principal", 'allow: ["find_order"]'],
    [
      "principal.within",
      caller({ allow: ["*"], within: { agent: "boss", allow: ["refnd"] } }),
      "/principal/within/allow/0",
      '"refund"?',
    ],
    [
      "principal that no rule allows",
      {
        principal: { agent: "guest", allow: ["*"] },
        policy: { rules: [{ effect: "allow", agents: ["clerk"] }] },
      },
      "/principal",
      "no rule allows it",
    ],
  ])("is reported with its place and a suggestion: %s", async (_what, options, place, suggestion) => {
    expect(await mistakesIn(options)).toEqual([
      { place, ruleId: undefined, text: expect.stringContaining(suggestion) },
    ]);
  });

  it("is refused when `about` names none of the tools that are imported", () => {
    const made = importTool(
      { name: "refund", description: "Refunds", input: { type: "object" }, run: () => 1 },
      {},
    );
    expect(() => toImportedTools([made], [], { about: { refnd: { risk: "high" } } })).toThrow(
      'Did you mean "refund"?',
    );
    expect(toImportedTools([made], [], { about: { refund: { risk: "high" } } }).tools).toHaveLength(1);
  });
});
