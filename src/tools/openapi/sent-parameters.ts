import { headerProblem } from "../../base/http/headers.ts";
import type { ReportLoss } from "./loss-collector.ts";
import type { OpenApiParameter, ParsedOperation } from "./operation.ts";

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
