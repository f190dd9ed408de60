import type { Requirement } from "./requirement.ts";

/** B: requirements beyond the documents by which the system was specified. */
export const beyondDocuments: readonly Requirement[] = [
  {
    id: "B.1",
    sentence:
      "Rules that cannot match anything are reported when a runtime opens and when its tools change; unknown keywords are errors.",
    mutant: {
      breaks: "A pattern that matches no tool is not reported.",
      export: "checkPatterns",
      in: "src/policy/",
      as: "() => () => []",
    },
    status: "proven",
    tests: [
      { file: "test/policy-mistakes.test.ts", title: "is reported with the rule and a suggestion: %s" },
      { file: "test/policy-mistakes.test.ts", title: "is reported with its place and a suggestion: %s" },
      { file: "test/policy-check.test.ts", title: "reports a rule that loses its last tool, once" },
      { file: "test/policy-check.test.ts", title: "refuses an unknown keyword of a condition" },
      { file: "test/policy-check.test.ts", title: "checks once after many tools were registered" },
      { file: "test/cli/policy.test.ts", title: "prints each problem with its place and fails on errors" },
      { file: "src/policy/check-policy.test.ts", title: "about %s" },
    ],
  },
  {
    id: "B.2",
    sentence:
      "A tool's business key limits its effect to one per key and retention, across runs, sessions, processes and machines.",
    mutant: {
      breaks: "The key of a tool is never claimed.",
      export: "claimKeys",
      as: "() => () => undefined",
    },
    status: "proven",
    tests: [
      {
        file: "test/effect-keys.test.ts",
        title: "a second call from another conversation gets the recorded result and does not run",
      },
      { file: "test/effect-keys.test.ts", title: "calls of one turn at the same time run once" },
      { file: "test/effect-keys.test.ts", title: "other arguments under the same key fail with key_reused" },
      {
        file: "test/effect-keys.test.ts",
        title: "does not pay again after a crash, and gives ids and the settle command only to the operator",
      },
      {
        file: "test/system/kill/order-keys.test.ts",
        title: "three processes killed around the payment of one order in %s pay it once",
      },
    ],
  },
  {
    id: "B.3",
    sentence:
      "A call whose effect is unknown can be settled by an operator or by the tool's `reconcile`; who and why are recorded; later calls with the key use the settlement.",
    mutant: {
      breaks: "A call that took effect is recorded as one that did not, and the other way around.",
      export: "toSettledClosing",
      as: "(original) => (request, tool, at) => original({ ...request, tookEffect: !request.tookEffect }, tool, at)",
    },
    status: "proven",
    tests: [
      {
        file: "test/effect-keys.test.ts",
        title: "replays the result of a settlement, or a plain text if it has none",
      },
      {
        file: "test/effect-keys.test.ts",
        title: "a call that did not take effect is made again, and is settled only once",
      },
      {
        file: "test/effect-keys.test.ts",
        title:
          "calls reconcile before the next call, and stays unknown if reconcile throws or returns nothing",
      },
      {
        file: "test/cli/settle.test.ts",
        title: "records that a call took effect, with its result, author and reason",
      },
    ],
  },
  {
    id: "B.4",
    sentence:
      "For each argument leaf of a call the runtime knows whether its value came from the user, the application, a trusted or an untrusted result, a registry, an approval, or the model alone; approval requests show it; rules can use it.",
    mutant: {
      breaks: "Every value counts as one of the user.",
      export: "findValue",
      as: "() => () => 0",
    },
    status: "proven",
    tests: [
      { file: "src/policy/lineage/trace-arguments.test.ts", title: "names the source of each target" },
      { file: "test/injection-modes.test.ts", title: "in mode taint" },
      { file: "test/injection-modes.test.ts", title: "decide by where a value came from" },
    ],
  },
  {
    id: "B.5",
    sentence:
      "Under the default policy with honest annotations no effect of an injected instruction happens without approval.",
    mutant: {
      breaks: "No tool counts as a sink for data.",
      export: "isSink",
      as: "() => () => false",
    },
    status: "proven",
    tests: [
      { file: "test/injection.test.ts", title: "%s" },
      { file: "test/injection.test.ts", title: "in a later run of the same conversation" },
      { file: "test/injection.test.ts", title: "by a tool whose own code reads and then sends" },
    ],
  },
];
