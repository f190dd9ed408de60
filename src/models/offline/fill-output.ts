import type { OfferedTool } from "../../dialects/listed.ts";
import { isObject } from "../../json/is-object.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import type { ToolMessage } from "../../words/message.ts";
import { fill } from "./fill.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An answer in the form that is wanted, made of what tools answered and the request says. Nothing where both lack something. */
export const fillOutput = (
  { spec }: OfferedTool,
  replies: readonly ToolMessage[],
  asked: string,
): string | undefined => {
  const names = Object.keys((spec.input.properties as Fields | undefined) ?? {});
  const told = Object.assign({}, ...replies.map(fieldsIn)) as Fields;
  const known = Object.fromEntries(names.flatMap((name) => (name in told ? [[name, told[name]]] : [])));
  const filled = fill(spec, asked);
  const judge = compileSchema(spec.input);
  const candidates = filled.ok ? [known, { ...filled.input, ...known }] : [known];
  const fitting = candidates.find((each) => judge(structuredClone(each)).ok);
  return fitting && JSON.stringify(fitting);
};

const fieldsIn = ({ content, ok }: ToolMessage): Fields => {
  try {
    const value: unknown = ok ? JSON.parse(content) : undefined;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};
