import { headerProblem } from "../../../base/http/headers.ts";
import type { OpenApiParameter, ParsedOperation, ReportLoss } from "../operation.ts";
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

/** Let a request override its method, for example with DELETE. */
const methodNames: ReadonlySet<string> = new Set([
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "_method",
]);

/** An override would bypass the risk of the method. */
export const changesMethod = (name: string): boolean => methodNames.has(name.trim().toLowerCase());

/** Excludes secrets, headers of the client, method overrides and the content type. */
export const sentParameters = (
  { parameters, body }: ParsedOperation,
  isSecret: (parameter: OpenApiParameter) => boolean,
  reportLoss: ReportLoss,
): readonly OpenApiParameter[] =>
  parameters.filter((each) => {
    if (isSecret(each)) return false;
    if (each.in !== "path" && changesMethod(each.name)) {
      reportLoss(
        each.pointer,
        `The parameter "${each.name}" is left out: it would change the method of the request.`,
      );
      return false;
    }
    if (each.in !== "header") return true;
    if (body !== undefined && each.name.toLowerCase() === "content-type") return false;
    const reason = headerProblem(each.name, "");
    if (reason !== undefined) reportLoss(each.pointer, `A parameter is left out: ${reason}.`);
    return reason === undefined;
  });
