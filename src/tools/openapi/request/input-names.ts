import type { OpenApiParameter, ParsedOperation } from "../operation.ts";
import { withoutInvisible } from "../schema/keywords.ts";

export interface NamedParameter extends OpenApiParameter {
  readonly from: string;
}

export interface InputNames {
  readonly parameters: readonly NamedParameter[];
  readonly body: string;
}

const locationOrder = ["path", "query", "header", "cookie"];

/** Removes invisible characters; duplicate names get their place as prefix: `id`, `query_id`. */
export const nameInputs = ({ parameters }: Pick<ParsedOperation, "parameters">): InputNames => {
  const taken = new Set<string>();
  const claim = (name: string, place: string): string => {
    const seen = withoutInvisible(name).replace(/\s+/g, " ").trim() || place;
    const plain = seen === "__proto__" ? "proto" : seen;
    let free = plain;
    for (let count = 1; taken.has(free); count++)
      free = count === 1 ? `${place}_${plain}` : `${place}_${plain}_${count}`;
    taken.add(free);
    return free;
  };
  const sorted = parameters.toSorted(
    (one, other) => locationOrder.indexOf(one.in) - locationOrder.indexOf(other.in),
  );
  const named = sorted.map((parameter) => ({ ...parameter, from: claim(parameter.name, parameter.in) }));
  return { parameters: named, body: claim("body", "request") };
};
