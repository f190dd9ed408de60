import { isObject } from "../../base/json/is-object.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import type { ToolMessage } from "../../types/message.ts";
import type { OfferedTool } from "../dialects/offered-tool.ts";
import { fillInput } from "./fill-input.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An answer in the form that is wanted, made of what tools answered and the request says. Nothing where both lack something. */
export const fillOutput = (
  { spec }: OfferedTool,
  replies: readonly ToolMessage[],
  requested: string,
): string | undefined => {
  const names = Object.keys((spec.input.properties as Fields | undefined) ?? {});
  const replyFields = Object.assign({}, ...replies.map(fieldsIn)) as Fields;
  const known = Object.fromEntries(
    names.flatMap((name) => (name in replyFields ? [[name, replyFields[name]]] : [])),
  );
  const filled = fillInput(spec, requested);
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
