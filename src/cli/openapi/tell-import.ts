import type { OpenApiTools } from "../../bridges/openapi/from-openapi.ts";
import type { OpenApiLoss } from "../../bridges/openapi/losses.ts";
import type { Terminal } from "../command.ts";
import { painter, plain, shorten, table } from "../screen.ts";

const mostTools = 30;
const mostLosses = 20;

/** What would be tools, which secrets they need, and what was not carried over. */
export const tellImport = (
  { tools }: OpenApiTools,
  losses: readonly OpenApiLoss[],
  terminal: Terminal,
): void => {
  const { bold, yellow, dim } = painter(terminal);
  const rows = tools
    .slice(0, mostTools)
    .map(({ spec }) => [
      spec.name,
      spec.risk,
      spec.annotations.readOnly === true ? "reads" : "writes",
      shorten(spec.description, 200),
    ]);
  const [head, ...lines] = table([["NAME", "RISK", "", "DESCRIPTION"], ...rows], terminal.width).split("\n");
  terminal.out(`${bold(head ?? "")}\n${lines.join("\n")}\n`);
  if (tools.length > mostTools) terminal.out(`${dim(`… and ${tools.length - mostTools} more`)}\n`);
  const grouped = Object.entries(Object.groupBy(losses, ({ what }) => what));
  for (const [what, same = []] of grouped.slice(0, mostLosses)) {
    const [first] = same;
    const where = first?.operation ?? first?.pointer ?? "";
    const more = same.length > 1 ? ` and ${same.length - 1} more` : "";
    terminal.error(`${yellow("!")} ${plain(where)}${more}: ${shorten(what, 400)}\n`);
  }
  if (grouped.length > mostLosses)
    terminal.error(`${dim(`… and ${grouped.length - mostLosses} other losses; --json has all of them`)}\n`);
};
