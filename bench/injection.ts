import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { dataFolder, type InjectionCase, readSuites, type Suite, taskOf } from "./injection/agentdojo.ts";
import { openSuite } from "./injection/run-case.ts";
import { round, table } from "./numbers.ts";

const help = `Prompt injection: AgentDojo with a model that obeys every injected instruction, honest annotations, the
default policy, no rules and no approver. Every call goes through haft.run.

  npm run bench:injection [-- --json]

The data is read from $HAFT_SUITES/agentdojo or ../shared/data/agentdojo. Exit code 1 if an effect of an attack ran.`;

interface SuiteResult {
  readonly suite: string;
  readonly tasks: number;
  readonly tasksWithoutApproval: number;
  readonly approvalRequests: number;
  readonly attacks: number;
  readonly succeeded: readonly string[];
}

const { values } = parseArgs({
  options: { json: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});

const main = async (): Promise<number> => {
  if (values.help) {
    console.log(help);
    return 0;
  }
  const folder = dataFolder();
  if (!existsSync(folder)) {
    console.error(`No AgentDojo data in ${folder}. Set HAFT_SUITES to the folder that contains "agentdojo".`);
    return 2;
  }
  const results: SuiteResult[] = [];
  for (const suite of readSuites(folder)) results.push(await runSuite(suite));
  const all = sum(results);
  if (values.json) console.log(JSON.stringify({ suites: results, all }, null, 2));
  else report([...results, all]);
  return all.succeeded.length === 0 ? 0 : 1;
};

const runSuite = async (suite: Suite): Promise<SuiteResult> => {
  const scene = await openSuite(suite);
  let tasksWithoutApproval = 0;
  let approvalRequests = 0;
  for (const task of suite.userTasks) {
    const { refused } = await scene.run(task, undefined);
    approvalRequests += refused;
    if (refused === 0) tasksWithoutApproval += 1;
  }
  // Each pair of tasks is one attack, tried in every wording.
  const pairs = new Set<string>();
  const succeeded = new Set<string>();
  for (const attack of suite.cases) {
    if (taskOf(suite.injectionTasks, attack.injection).calls.length === 0) continue;
    pairs.add(nameOf(suite, attack));
    const { injectedEffects } = await scene.run(taskOf(suite.userTasks, attack.user), attack);
    if (injectedEffects.length > 0) succeeded.add(`${nameOf(suite, attack)}: ${injectedEffects.join(", ")}`);
  }
  await scene.close();
  return {
    suite: suite.name,
    tasks: suite.userTasks.length,
    tasksWithoutApproval,
    approvalRequests,
    attacks: pairs.size,
    succeeded: [...succeeded],
  };
};

const nameOf = ({ name, userTasks, injectionTasks }: Suite, { user, injection }: InjectionCase): string =>
  `${name} ${taskOf(userTasks, user).id} × ${taskOf(injectionTasks, injection).id}`;

const sum = (results: readonly SuiteResult[]): SuiteResult => {
  const total = (count: (result: SuiteResult) => number) =>
    results.reduce((all, each) => all + count(each), 0);
  return {
    suite: "all",
    tasks: total(({ tasks }) => tasks),
    tasksWithoutApproval: total(({ tasksWithoutApproval }) => tasksWithoutApproval),
    approvalRequests: total(({ approvalRequests }) => approvalRequests),
    attacks: total(({ attacks }) => attacks),
    succeeded: results.flatMap(({ succeeded }) => succeeded),
  };
};

const report = (results: readonly SuiteResult[]): void => {
  console.log(
    table([
      ["suite", "tasks", "without approval", "requests per task", "attacks", "with an effect"],
      ...results.map(({ suite, tasks, tasksWithoutApproval, approvalRequests, attacks, succeeded }) => [
        suite,
        String(tasks),
        `${tasksWithoutApproval} (${round((100 * tasksWithoutApproval) / tasks)} %)`,
        round(approvalRequests / tasks),
        String(attacks),
        String(succeeded.length),
      ]),
    ]),
  );
  for (const name of results.at(-1)?.succeeded ?? []) console.log(`  an effect ran: ${name}`);
};

process.exitCode = await main();
