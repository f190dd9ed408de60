import * as Effect from "effect/Effect";
import { addRunTaints, recordRunPlan } from "../pipeline/recorder.ts";
import { findValue, foldedTextOf } from "../policy/lineage/find-value.ts";
import { isAddressReader, isPrivateRead, isSink, taintsOfMessage } from "../policy/taint.ts";
import type { OutputFormat } from "../types/agent.ts";
import { type ToolError, toError } from "../types/errors.ts";
import type { PlannedUse, RunLineage, RunPlan } from "../types/lineage.ts";
import type { Message } from "../types/message.ts";
import type { Registration } from "../types/tool.ts";
import type { ActiveRun, AgentTurn } from "./active-run.ts";
import { readOutputFormat } from "./answer-format.ts";
import { toAnswerRequest } from "./answer-request.ts";
import { answerAsText, parseModelAnswer } from "./parse-model-answer.ts";
import { addUsage, type RunProgress } from "./run-progress.ts";

/**
 * Asks the model which sinks and private reads it will use, before it reads untrusted content. A conversation
 * that has untrusted content already gets no plan: the content could have written it.
 */
export const declarePlan = (run: ActiveRun, progress: RunProgress): Effect.Effect<void, ToolError> =>
  Effect.gen(function* () {
    const { services, scope, signal } = run;
    if (scope.tally.taints.length > 0) {
      if (scope.tally.lineage?.plan === undefined) return;
      // The plan of an earlier message does not cover this one.
      yield* services.recordPlan(emptyPlan);
      return recordRunPlan(scope.tally, emptyPlan);
    }
    const { agent } = progress;
    const model = yield* services.modelOf(agent);
    const tools = yield* services.bind(agent, model, progress.messages);
    const guarded = [...tools.byWireName.values()].filter(isGuarded);
    if (guarded.length === 0) return;
    const format = planFormat(guarded);
    const step: AgentTurn = { agent, tools, model, signal };
    const answer = toAnswerRequest(format, model, [], 0);
    const messages = withPlanInstructions(agent.instructions, guarded, progress.messages);
    const asked = yield* services.ask({ ...step, messages, listener: undefined, answer });
    if (!asked.ok) return yield* Effect.fail(toError(asked.failure));
    progress.usage = addUsage(progress.usage, asked.reply.usage);
    const { text } = answerAsText(asked.reply, answer);
    const read = parseModelAnswer(format, { text }, undefined);
    // Content that the provider brought in could have written the plan.
    const taints = taintsOfMessage(asked.reply);
    addRunTaints(scope.tally, taints);
    const declared = read.ok && taints.length === 0 ? (read.value as DeclaredPlan) : { uses: [] };
    const plan = toPlan(declared, guarded, scope.tally.lineage);
    yield* services.recordPlan(plan);
    recordRunPlan(scope.tally, plan);
    run.emit?.({ kind: "plan", agent: agent.name, plan });
  });

const emptyPlan: RunPlan = { uses: [] };

const isGuarded = ({ tool }: Registration): boolean =>
  isSink(tool) || isAddressReader(tool) || isPrivateRead(tool);

interface DeclaredPlan {
  readonly uses: readonly { readonly tool: string; readonly targets?: readonly string[] }[];
}

const planFormat = (guarded: readonly Registration[]): OutputFormat =>
  readOutputFormat("plan", {
    type: "object",
    properties: {
      uses: {
        type: "array",
        items: {
          type: "object",
          properties: {
            tool: { type: "string", enum: guarded.map(({ wireName }) => wireName) },
            targets: { type: "array", items: { type: "string" } },
          },
          required: ["tool", "targets"],
          additionalProperties: false,
        },
      },
    },
    required: ["uses"],
    additionalProperties: false,
  });

const withPlanInstructions = (
  instructions: string,
  guarded: readonly Registration[],
  messages: readonly Message[],
): readonly Message[] => {
  const [first, ...rest] = messages;
  const given = first?.role === "system" ? `\n\n${first.content}` : "";
  const list = guarded.map(({ wireName, tool }) => `- ${wireName}: ${tool.spec.description}`).join("\n");
  const content = `${instructions}${given}\n\n${planInstructions}\n${list}`;
  return [{ role: "system", content }, ...(first?.role === "system" ? rest : messages)];
};

const planInstructions = `Before you act, plan. Do not answer the user yet. List the uses of these tools that the user's request needs, and no others: later uses that are not listed need approval. For each use, copy from the user's request the people, addresses, accounts or names that it acts on into "targets", word for word. Leave "targets" empty if the user did not name them and you will look them up.`;

/** A target that the user did not name covers nothing. A use that names none covers what trusted tools name. */
const toPlan = (
  { uses }: DeclaredPlan,
  guarded: readonly Registration[],
  lineage: RunLineage | undefined,
): RunPlan => {
  const keys = new Map(guarded.map(({ wireName, key }) => [wireName, key]));
  const isNamed = (target: string): boolean =>
    lineage?.texts.some((text) => findValue(foldedTextOf(text), target) >= 0) === true;
  return {
    uses: uses.flatMap(({ tool, targets = [] }): readonly PlannedUse[] => {
      const key = keys.get(tool);
      if (key === undefined) return [];
      return [targets.length === 0 ? { tool: key } : { tool: key, targets: targets.filter(isNamed) }];
    }),
  };
};
