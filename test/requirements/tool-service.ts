import type { Requirement } from "./requirement.ts";

/** S0: tools as a service on Effect. */
export const toolService: readonly Requirement[] = [
  {
    id: "S0.1",
    sentence:
      "A tool is metadata a model can choose by and one implementation of an open tagged union: an Effect that may need services, HTTP with mappings of input and output, and further kinds added without touching the executor.",
    mutant: {
      breaks: "Only the built-in kinds of implementation run; a kind that a user adds fails.",
      export: "bindCall",
      as: "(original) => (call) => { const bound = original(call); const known = ['function', 'effect', 'http', 'mcp', 'class', 'worker', 'variants', 'code', 'builtin']; return known.includes(call.registration.tool.implementation._tag) ? bound : { ...bound, run: () => Promise.reject(new Error('unknown kind')) }; }",
    },
    status: "proven",
    tests: [
      { file: "src/tools/tool.test.ts", title: "supports values, promises and Effects" },
      { file: "src/tools/tool.test.ts", title: "may need services that are provided at run time" },
      { file: "src/tools/tool.test.ts", title: "accepts another implementation" },
      { file: "src/tools/http.test.ts", title: "uses mappings instead of the defaults" },
      {
        file: "test/pipeline.test.ts",
        title: "error codes of the run stage pass through from any implementation",
      },
      {
        file: "test/effect/operations.test.ts",
        title: "can be provided to the runtime layer, and services in its options take precedence",
      },
      {
        file: "src/tools/run-implementation.test.ts",
        title: "runs with services of the runtime",
      },
    ],
  },
  {
    id: "S0.2",
    sentence:
      "A toolbox holds the tools of one namespace and a workspace maps namespaces to toolboxes; a fluent builder makes one and rejects an empty namespace, an empty or slashed simple name, and a duplicate.",
    mutant: {
      breaks: "A workspace accepts an empty namespace and one with a slash.",
      export: "checkNamespace",
      as: "() => () => undefined",
    },
    status: "proven",
    tests: [
      {
        file: "src/registry/workspace.test.ts",
        title: "stores the tools of every namespace under simple names",
      },
      { file: "src/registry/workspace.test.ts", title: "rejects the namespace %j" },
      { file: "src/registry/workspace.test.ts", title: "rejects the simple name %j" },
      { file: "src/registry/workspace.test.ts", title: "rejects a second tool of the same name" },
    ],
  },
  {
    id: "S0.3",
    sentence:
      "The registry merges internal (tool), org (org/ns/tool) and project (ns/tool) sources; a full name wins, a short name resolves to project, then org, then internal, an ambiguous one is an error naming the candidates, every shadowed tool gives one override warning, and explain shows which tool answers, from where, and what it shadows.",
    mutant: {
      breaks: "A short name resolves to the organization's tool before the project's.",
      export: "matchesOf",
      as: "(original) => (index) => index?.overridingOrg ?? original(index)",
    },
    status: "proven",
    tests: [
      {
        file: "src/registry/tool-registry.test.ts",
        title: "have the form tool, namespace/tool or org/namespace/tool by origin",
      },
      {
        file: "src/registry/name-resolver.test.ts",
        title: "resolves a full name and a wire name to one tool, whatever else is registered",
      },
      {
        file: "src/registry/name-resolver.test.ts",
        title:
          "resolves a short name to the tool of the project, then of the organization, then to the internal one",
      },
      {
        file: "src/registry/name-resolver.test.ts",
        title: "reports candidates when several tools of one origin have the short name",
      },
      {
        file: "src/registry/registry.events.test.ts",
        title: "warn once about each shadowed tool in any order",
      },
      {
        file: "src/registry/explain-name.test.ts",
        title: "reports the tool that a short name resolves to, its origin and what it shadows",
      },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "are merged by the registry: project wins over org, and org over internal",
      },
    ],
  },
  {
    id: "S0.4",
    sentence:
      "Running a tool by name looks it up, checks permission, decodes input, dispatches and decodes output; visibility is decided before arguments are read, rules on arguments and approval come after validation, and each way to fail is an error of its own.",
    mutant: {
      breaks: "Visibility is not decided at look-up, so arguments of a hidden tool are read and validated.",
      export: "findTool",
      in: "1-hydrate",
      as: "(original) => (services, ...rest) => original({ ...services, policy: Object.create(services.policy, { visible: { value: () => ({ effect: 'allow', ruleIds: [], reason: 'mutant' }) } }) }, ...rest)",
    },
    status: "proven",
    tests: [
      {
        file: "test/pipeline.test.ts",
        title: "the first failing stage is reported when every stage would fail",
      },
      {
        file: "test/pipeline.test.ts",
        title: "an invisible tool is reported as not available, whatever its arguments",
      },
      {
        file: "test/haft-api.test.ts",
        title: "throws a ToolError whose class and fields describe the problem",
      },
      {
        file: "test/pipeline.test.ts",
        title: "a result that breaks the output schema is withheld from the model",
      },
    ],
  },
  {
    id: "S0.5",
    sentence:
      "Permission comes from the principal of the running fiber, with wildcards and named toolkits resolved; without a principal no tool is available, and a denial is its own error.",
    mutant: {
      breaks: "A call without a principal gets one that may use every tool.",
      export: "newCallState",
      as: "(original) => (services, request, principal, ...rest) => original(services, request, principal ?? { agent: 'anyone', allow: ['*'] }, ...rest)",
    },
    status: "proven",
    tests: [
      { file: "test/pipeline.test.ts", title: "no tool can be used without a principal" },
      {
        file: "src/policy/policy.test.ts",
        title: "denies and hides everything without a principal, even when authorization is not required",
      },
      { file: "src/policy/policy.test.ts", title: "is the union of allow and toolkits minus deny" },
      { file: "src/policy/compile-pattern.test.ts", title: "matches %s against %s: %s" },
      {
        file: "test/effect-api.test.ts",
        title: "is the fiber's principal, and no tool can be used without one",
      },
      {
        file: "test/effect/operations.test.ts",
        title: "include nothing of the fiber that built the runtime",
      },
    ],
  },
  {
    id: "S0.6",
    sentence:
      "An HTTP tool sends input as query for GET and DELETE and as a JSON body for POST, PUT and PATCH unless mapped, fills path templates, checks the status before it decodes, and turns network and HTTP errors into execution errors with the status and a bounded excerpt of the body.",
    mutant: {
      breaks: "Every HTTP status counts as success, so the body of an error is decoded as the result.",
      export: "isSuccessStatus",
      as: "() => () => true",
    },
    status: "proven",
    tests: [
      { file: "src/tools/http.test.ts", title: "uses mappings instead of the defaults" },
      { file: "src/tools/http.test.ts", title: "with an error status is neither decoded nor mapped" },
      { file: "src/tools/http.test.ts", title: "includes a short excerpt without control characters" },
      {
        file: "src/tools/http/path-template.test.ts",
        title: "keeps the request on its host and below its path for any value",
      },
      {
        file: "src/tools/http/placed-parts.test.ts",
        title: "are sent in their configured places, and other input is not sent",
      },
      {
        file: "src/tools/openapi/calls.test.ts",
        title: "with an error status fail with status and excerpt",
      },
      { file: "src/tools/http.test.ts", title: "sends input that is not in the path as query for %s" },
      { file: "src/tools/http.test.ts", title: "sends input that is not in the path as JSON for %s" },
    ],
  },
  {
    id: "S0.7",
    sentence:
      "Everything is provided as Effect layers a user composes, and services are tags a user can replace in a test.",
    mutant: {
      breaks: "A policy that a user provides as a service does not decide about calls.",
      export: "guardPolicy",
      as: "(original) => (engine) => engine.settled === undefined && engine.depends === undefined ? { ...original(engine), decide: () => ({ effect: 'allow', ruleIds: [], reason: 'mutant' }) } : original(engine)",
    },
    status: "proven",
    tests: [
      { file: "test/effect-api.test.ts", title: "can be the ledger" },
      { file: "test/effect-api.test.ts", title: "can be the policy" },
      { file: "test/effect-api.test.ts", title: "leaves the other parts unchanged" },
    ],
  },
  {
    id: "S0.8",
    sentence:
      "Credentials are a service that implementations can require, with named secrets and OAuth tokens per principal that refresh; they never reach a model, a ledger row, a log or an error text.",
    mutant: {
      breaks: "Known secrets are not masked in texts, rows and events.",
      export: "redactor",
      as: "(original) => (options) => original({ ...options, secrets: undefined })",
    },
    status: "proven",
    tests: [
      {
        file: "test/attacks/oauth.test.ts",
        title: "act for their own caller, and a tool cannot request the token of another",
      },
      {
        file: "test/attacks/oauth.test.ts",
        title: "do not appear in replies, rows, events or errors, and neither do codes and client secrets",
      },
      {
        file: "src/base/credentials/oauth/oauth-tokens.test.ts",
        title: "is fetched once for a hundred concurrent requests",
      },
    ],
  },
  {
    id: "S0.9",
    sentence:
      "In the Effect API every operation has its output and a union of tagged errors in its type; internal, org and project sources are layers of their own; an override is logged as well as announced, also while the runtime opens; a parameter without a description is warned of.",
    mutant: {
      breaks: "A parameter without a description causes no warning.",
      export: "undescribedParameters",
      as: "() => () => []",
    },
    status: "proven",
    tests: [
      { file: "test/effect/operations.test.ts", title: "fails with the one tag that its handler narrows to" },
      {
        file: "test/effect/operations.test.ts",
        title: "uses its name, or the name in the decorator of a class",
      },
      {
        file: "test/effect/operations.test.ts",
        title: "an error with an unknown tag becomes the error of its code, and keeps the response",
      },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "%s is a typed failure of the layer instead of a defect",
      },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "are merged by the registry: project wins over org, and org over internal",
      },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "can be loaded by an Effect that needs services, and used without the whole runtime",
      },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "about overrides and undescribed parameters are logged while the runtime opens",
      },
      {
        file: "test/effect/runtime-layer.test.ts",
        title: "are logged and emitted once for each tool that is registered later",
      },
    ],
  },
];
