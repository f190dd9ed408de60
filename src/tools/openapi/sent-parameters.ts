import { headerProblem } from "../../base/http/headers.ts";
import type { ReportLoss } from "./loss-collector.ts";
import type { OpenApiParameter, ParsedOperation } from "./operation.ts";

/** By these a server is told to take a request for one of another method, such as DELETE. */
const methodNames: ReadonlySet<string> = new Set([
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "_method",
]);

/** Whether a parameter or a field of a form would make another method of the request, whose risk nobody judged. */
export const changesMethod = (name: string): boolean => methodNames.has(name.trim().toLowerCase());

/**
 * Without secrets, without headers that the client sets itself, without what would change the method, and without the
 * content type, which is that of the body.
 */
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
