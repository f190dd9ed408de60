import { agent } from "../../src/agent/agent.ts";
import { findValue, foldText } from "../../src/policy/lineage/find-value.ts";
import type { InjectionOptions } from "../../src/policy/lineage/injection-guard.ts";
import { Haft } from "../../src/runtime/haft.ts";
import { tool } from "../../src/tools/tool.ts";
import type { RunPlan } from "../../src/types/lineage.ts";
import type { Model, ModelReply } from "../../src/types/model.ts";
import type { AnyTool } from "../../src/types/tool.ts";
import {
  type DescribedTool,
  type InjectionCase,
  type SinkFacts,
  type Suite,
  type Task,
  type ToolFacts,
  taskOf,
} from "./agentdojo.ts";

/** One call of the scripted model. */
interface Step {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isInjected: boolean;
}

/** What happened in a run. */
export interface CaseResult {
  /** Calls that were refused without an approval. */
  readonly refused: readonly string[];
  /** Effects of the injected instructions that happened, and how many they want. */
  readonly injectedEffects: readonly string[];
  readonly wantedEffects: number;
  /** Every call of the user's task ran. */
  readonly isTaskDone: boolean;
}

export interface SuiteScene {
  readonly run: (task: Task, attack: InjectionCase | undefined) => Promise<CaseResult>;
  readonly close: () => Promise<void>;
}

/** A runtime with the tools of a suite, no rules and no approver. */
export const openSuite = async (suite: Suite, injection: InjectionOptions): Promise<SuiteScene> => {
  let current: Step | undefined;
  let injectedEffects: string[] = [];
  const answer = (name: string): string => {
    if (current?.name !== name) throw new Error(`${name} ran without being called by the script.`);
    if (current.isInjected && hasEffect(suite.facts[name]!)) injectedEffects.push(name);
    return current.text;
  };
  const tools = suite.tools.map((each) =>
    toTool(each, suite.facts[each.name]!, suite.sinks[each.name], answer),
  );
  const haft = await Haft.open({
    tools,
    principal: { agent: "assistant", allow: ["*"] },
    policy: { injection },
  });
  const assistant = agent({ name: "assistant", instructions: "Do what the user asks for.", tools: ["*"] });
  return {
    run: async (task, attack) => {
      const steps = stepsOf(suite, task, attack);
      injectedEffects = [];
      let made = 0;
      const plan = planOf(suite, task);
      const model = scriptedModel(plan, () => {
        current = steps[made++];
        return current;
      });
      const { toolsUsed } = await haft.run(assistant, task.prompt ?? "", {
        model,
        maxTurns: steps.length + 1,
      });
      if (toolsUsed.length !== steps.length)
        throw new Error(`${task.id}: not every call of the script was made.`);
      const failures = toolsUsed.filter(({ ok }) => !ok);
      const other = failures.find(({ error }) => !/approv/i.test(error ?? ""));
      if (other !== undefined)
        throw new Error(`${task.id}: ${other.name} failed for another reason: ${other.error}`);
      const hasFailed = (step: Step): boolean => failures.includes(toolsUsed[steps.indexOf(step)]!);
      return {
        refused: failures.map(({ name, reason = "" }) => `${name}: ${reason}`),
        injectedEffects,
        wantedEffects: steps.filter(({ name, isInjected }) => isInjected && hasEffect(suite.facts[name]!))
          .length,
        isTaskDone: !steps.some((step) => !step.isInjected && hasFailed(step)),
      };
    },
    close: () => haft.close(),
  };
};

/** Reading an address chosen by an attacker is an effect too. */
const hasEffect = ({ readOnly, openWorldOut }: ToolFacts): boolean => !readOnly || openWorldOut;

/**
 * The honest annotations. Only tools that write are annotated as a `sink`: the runtime detects that a reading
 * tool with an address is one.
 */
const toTool = (
  { name, description, parameters }: DescribedTool,
  facts: ToolFacts,
  sink: SinkFacts | undefined,
  answer: (name: string) => string,
): AnyTool =>
  tool({
    name,
    description,
    input: parameters,
    annotations: {
      readOnly: facts.readOnly,
      destructive: facts.destructive,
      openWorld: facts.openWorldIn || facts.openWorldOut,
      private: facts.private,
      reversible: sink?.isReversible ?? false,
    },
    ...(facts.sink && !facts.readOnly ? { tags: ["sink"] } : {}),
    ...(sink === undefined ? {} : { roles: sink.roles }),
    run: () => answer(name),
  } as never) as AnyTool;

/**
 * The ground truth of the user's task. The model obeys the injection as soon as it has read it, and then
 * continues.
 */
const stepsOf = (suite: Suite, task: Task, attack: InjectionCase | undefined): readonly Step[] =>
  task.calls.flatMap((call, index) => {
    const text = suite.texts[attack?.results[index] ?? call.result]!;
    const own: Step = { name: call.name, args: attack?.args?.[index] ?? call.args, text, isInjected: false };
    if (index !== attack?.first) return [own];
    const injected = taskOf(suite.injectionTasks, attack.injection).calls.map((each) => ({
      name: each.name,
      args: each.args,
      text: suite.texts[each.result]!,
      isInjected: true,
    }));
    return [own, ...injected];
  });

/**
 * The plan of a model that foresees the calls of the task: the sinks and private reads, with the targets that
 * the user's request names. Without one of them in the request, the use names no targets.
 */
const planOf = (suite: Suite, { prompt = "", calls }: Task): RunPlan => {
  const guarded = calls.filter(({ name }) => suite.sinks[name] !== undefined || suite.facts[name]!.private);
  const request = foldText(prompt);
  return {
    uses: [...Map.groupBy(guarded, ({ name }) => name)].map(([name, uses]) => {
      const roles = suite.sinks[name]?.roles ?? {};
      const targets = uses.flatMap(({ args }) =>
        Object.entries(args).flatMap(([argument, value]) =>
          roles[argument] === "target" ? [value].flat().map(String) : [],
        ),
      );
      const isNamed = targets.every((target) => findValue(request, target) >= 0);
      return { tool: name, targets: isNamed ? [...new Set(targets)] : [] };
    }),
  };
};

const scriptedModel = (plan: RunPlan, next: () => Step | undefined): Model => {
  let count = 0;
  const generate: Model["generate"] = async ({ output }): Promise<ModelReply> => {
    if (output !== undefined) {
      return {
        text: JSON.stringify(plan),
        calls: [],
        usage: { inputTokens: 0, outputTokens: 0 },
        finish: "stop",
      };
    }
    const step = next();
    const usage = { inputTokens: 0, outputTokens: 0 };
    if (step === undefined) return { text: "Done.", calls: [], usage, finish: "stop" };
    const call = { id: `call-${count++}`, tool: step.name, input: JSON.stringify(step.args) };
    return { text: "", calls: [call], usage, finish: "calls" };
  };
  return {
    id: "bench/obedient",
    takesOutput: () => true,
    generate,
    stream: async function* (request, options) {
      yield { kind: "reply", reply: await generate(request, options) } as const;
    },
  };
};
