/** A part of the source that is mutated together, and the tests that must detect the mutants. */
export interface MutatedModule {
  readonly name: string;
  readonly folder: string;
  /** Patterns of test files in execution order: the first failure ends a mutant, so fast ones come first. */
  readonly tests: readonly string[];
  /** Size of the sample with a fixed seed; default: all mutants. */
  readonly sample?: number;
  /**
   * An excluded file with its test: every step of a mutated file is counted, and this test takes sixty
   * million.
   */
  readonly without?: string;
  /** Timeout of one test, for the same reason; default: 5,000. */
  readonly testTimeoutMs?: number;
}

// Neither PostgreSQL nor child processes nor a browser: a mutant must be tested within seconds.
const pipelineTests = [
  "test/{approval,approval-in-runs,approval-later,attacks,pipeline,effect-api}.test.ts",
  "test/{effectful-policy,haft-api}.test.ts",
  "test/{hydrate,hydrate-paused,hydration-result}.test.ts",
  "test/{idempotency,identity,ledger-keys,peer-failures,recover,run-tally,taint}.test.ts",
  "test/{time,replay,turn,variants}.test.ts",
  "test/pins/{events,failures,layer-order,ledger-entry,replies}.test.ts",
  "test/regression/{answers-taint-and-budgets,borrowed-context,approved-arguments,budgets,cost-turns}.test.ts",
  "test/regression/{durable-promises,exact-arguments,exact-values,forged-ledger,gate,guards-of-bound-code}.test.ts",
  "test/regression/{hostile-values,late-answers,layer-calls,layer-view,ledger-and-config,masked-rows,nested-calls}.test.ts",
  "test/regression/{invalid-approvals,missed-mutants,class-tool-rights,resumed-turns,echoed-secrets}.test.ts",
  "test/regression/exact-records.test.ts",
];

export const mutatedModules: readonly MutatedModule[] = [
  {
    name: "call",
    folder: "src/pipeline",
    tests: [
      "src/pipeline/**/*.test.ts",
      "test/agent-{run,resume}.test.ts",
      ...pipelineTests,
      "test/approvals/sqlite.test.ts",
      "test/hydration-fuzz.test.ts",
    ],
  },
  {
    name: "policy",
    folder: "src/policy",
    tests: [
      "src/policy/{policy,rule,right-tables,taint,delegation-chain,circumstances,condition,explain,explain-policy,compile-pattern}.test.ts",
      "test/cli/{explain,narrow}.test.ts",
      "test/{effectful-policy,taint}.test.ts",
      "test/regression/{gate,class-tool-rights}.test.ts",
      "src/policy/**/*.test.ts",
    ],
  },
  {
    name: "layers",
    folder: "src/pipeline/layers",
    sample: 350,
    tests: [
      "src/pipeline/layers/**/*.test.ts",
      "test/{approval,time,turn}.test.ts",
      "test/regression/{budgets,gate}.test.ts",
    ],
  },
  {
    name: "agent",
    folder: "src/agent",
    sample: 300,
    testTimeoutMs: 20_000,
    tests: [
      "src/agent/{next-step,conversation-calls,stop-policies,agents-from-specs,agent,resume,run-agent}.test.ts",
      "src/tools/gram/agent-file.test.ts",
      "test/agent-{run,resume}.test.ts",
      "test/{variants,approval,approval-in-runs,peer-failures,taint,turn}.test.ts",
      "test/regression/{answers-taint-and-budgets,budgets,durable-promises,exact-values,forged-ledger}.test.ts",
      "test/regression/{guards-of-bound-code,late-answers,missed-mutants,class-tool-rights,resumed-turns}.test.ts",
      "test/cli/runs.test.ts",
      "src/agent/{validate-conversation.mutants,validate-conversation}.test.ts",
      "test/model-loops.test.ts",
    ],
  },
  {
    name: "experiment",
    folder: "src/agent/experiments",
    sample: 300,
    testTimeoutMs: 20_000,
    without: "src/agent/experiments/statistics/bootstrap",
    tests: [
      "src/agent/experiments/analysis/{format-amounts,to-verdict,to-experiment-result,compare-arms}.test.ts",
      "src/agent/experiments/{measure-run,order-runs,report/axis,report-rows}.test.ts",
      "src/agent/experiments/statistics/{random-stream,sign-flips}.test.ts",
      "src/agent/experiments/{run-experiment,report-page,experiment-journal,replay,report-html}.test.ts",
      "test/cli/{ab,replay}.test.ts",
      "test/experiment.test.ts",
    ],
  },
  {
    name: "ledger",
    folder: "src/ledger/durable",
    sample: 550,
    tests: [
      "src/ledger/durable/{group-writer,server-clock,leases/check-leases,leases/process-identity,payloads/key-file,chain/batch-size}.test.ts",
      "src/ledger/durable/{write-entries,call-index,runs/run-store,leases/owner-presence,leases/ledger-owners,payloads/blobs}.test.ts",
      "src/ledger/durable/chain/{tables,verify-chains,prune-chain,macs.sqlite}.test.ts",
      "src/ledger/sqlite/{faults,secrets,replaced-file,reading}.test.ts",
      "src/ledger/sqlite-database.test.ts",
      "src/ledger/durable/{chain/chain-keys}.test.ts",
      "src/ledger/{store-parity,ledger-admin}.test.ts",
      "test/{approvals/sqlite,ledger-keys,idempotency}.test.ts",
      "test/regression/{durable-promises,forged-ledger,masked-rows,resumed-turns}.test.ts",
    ],
  },
];

export const mutatedModuleNamed = (name: string): MutatedModule => {
  const found = mutatedModules.find((each) => each.name === name);
  if (found === undefined)
    throw new Error(
      `Unknown module "${name}". The modules are ${mutatedModules.map(({ name }) => name).join(", ")}.`,
    );
  return found;
};
