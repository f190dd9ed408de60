import { freezeJson, isObject, stringifyValue } from "../base/json/json-value.ts";
import { readJson } from "../base/json/read-json.ts";
import { readAsArguments } from "../pipeline/read-as-arguments.ts";
import type { OutputFormat } from "../types/agent.ts";
import type { Change, RepairMode } from "../types/hydration.ts";
import { correctionStart, isIncompleteFinish } from "../types/message.ts";
import type { FinishReason, ModelReply } from "../types/model.ts";
import type { AnswerRequest } from "./answer-request.ts";

export type AnswerReading =
  | { readonly ok: true; readonly value: unknown; readonly changes: readonly Change[] }
  | { readonly ok: false; readonly problem: string };

export type RawAnswer = Pick<ModelReply, "text" | "nulls">;

/** The answer tool is ignored next to other calls; in a correction, all other calls are dropped. */
export const answerAsText = (reply: ModelReply, { answerTool, isLast }: AnswerRequest): ModelReply => {
  const answer = reply.calls.find(({ tool }) => tool === answerTool?.wireName);
  const others = reply.calls.filter(({ tool }) => tool !== answerTool?.wireName);
  const calls = isLast ? others.filter(({ providerExecuted }) => providerExecuted === true) : others;
  if (calls.length === reply.calls.length) return reply;
  const { echo: _, nulls: __, ...rest } = reply;
  const isEarly = calls.some(({ providerExecuted }) => providerExecuted !== true);
  if (isEarly) return { ...rest, calls };
  if (answer === undefined) return { ...rest, calls, finish: textFinish(reply.finish) };
  return {
    ...rest,
    text: stringifyValue(answer.input),
    calls,
    finish:
      answer.finish === "incomplete" && !isIncompleteFinish(reply.finish)
        ? "length"
        : textFinish(reply.finish),
    ...(answer.nulls === undefined ? {} : { nulls: answer.nulls }),
  };
};

const textFinish = (finish: FinishReason): FinishReason => (isIncompleteFinish(finish) ? finish : "stop");

export const parseModelAnswer = (
  form: OutputFormat,
  { text, nulls }: RawAnswer,
  repair: RepairMode | undefined,
): AnswerReading => {
  const { spec, validate, wrappedAs } = form;
  // Empty text would count as empty arguments.
  if (!/\S/.test(text)) return { ok: false, problem: "it is empty." };
  // No code runs on an answer, so rule-based repair is on by default.
  const mode = repair === "off" ? "off" : "deterministic";
  const read = readAsArguments({ spec, validate, text, nulls, repair: mode });
  if (!read.ok) return { ok: false, problem: problemOf(read.failure.issues, read.problem?.message) };
  const { transformed, changes } = read;
  if (transformed !== undefined) return { ok: true, value: transformed.value, changes };
  const json = freezeJson(read.value);
  return { ok: true, value: wrappedAs === undefined ? json : (json as WrappedAnswer)[wrappedAs], changes };
};

export const readFinalValue = (form: OutputFormat, json: string): AnswerReading => {
  const reading = readJson(json);
  if (!reading.ok) return { ok: false, problem: reading.problem.message };
  const { wrappedAs } = form;
  const value = wrappedAs === undefined ? reading.value : { [wrappedAs]: reading.value };
  return parseModelAnswer(form, { text: JSON.stringify(value) }, "off");
};

type WrappedAnswer = Readonly<Record<string, unknown>>;

const problemOf = (issues: readonly { readonly message: string }[] | undefined, unread?: string): string =>
  issues === undefined
    ? `it is not JSON: ${unread ?? "it was cut off."}`
    : `${issues.map(({ message }) => message).join("; ")}.`;

export const unwrapAnswer = ({ wrappedAs }: OutputFormat, value: unknown): unknown => {
  if (wrappedAs === undefined) return value;
  return isObject(value) ? value[wrappedAs] : undefined;
};

const maxSchemaLength = 4_000;

export const toCorrection = ({ spec }: OutputFormat, problem: string): string => {
  const schema = JSON.stringify(spec.input);
  const form = schema.length > maxSchemaLength ? "the requested schema" : `this JSON Schema: ${schema}`;
  return `${correctionStart}${problem} Answer again with exactly one JSON object that matches ${form}`;
};
