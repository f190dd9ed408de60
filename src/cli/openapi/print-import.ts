import type { OpenApiRequest, OpenApiTools } from "../../tools/openapi/from-openapi.ts";
import type { OpenApiLoss } from "../../tools/openapi/operation.ts";
import type { Terminal } from "../command.ts";
import { alignColumns, painter, plainText, shortenToColumns } from "../screen.ts";

const maxPrintedTools = 30;
const maxPrintedLosses = 20;

export const printImport = (
  { tools, requests }: OpenApiTools,
  losses: readonly OpenApiLoss[],
  terminal: Terminal,
): void => {
  const { bold, yellow, dim } = painter(terminal);
  const rows = tools
    .slice(0, maxPrintedTools)
    .map(({ spec }, index) => [
      spec.name,
      new URL(requests[index]!.server).host,
      spec.risk,
      spec.annotations.readOnly === true ? "reads" : "writes",
      shortenToColumns(spec.description, 200),
    ]);
  const [head, ...lines] = alignColumns(
    [["NAME", "HOST", "RISK", "", "DESCRIPTION"], ...rows],
    terminal.width,
  ).split("\n");
  terminal.out(`${bold(head ?? "")}\n${lines.join("\n")}\n`);
  if (tools.length > maxPrintedTools)
    terminal.out(`${dim(`… and ${tools.length - maxPrintedTools} more`)}\n`);
  printHosts(requests, terminal);
  const grouped = Object.entries(Object.groupBy(losses, ({ what }) => what));
  for (const [what, same = []] of grouped.slice(0, maxPrintedLosses)) {
    const [first] = same;
    const where = first?.operation ?? first?.pointer ?? "";
    const more = same.length > 1 ? ` and ${same.length - 1} more` : "";
    terminal.error(`${yellow("!")} ${plainText(where)}${more}: ${shortenToColumns(what, 400)}\n`);
  }
  if (grouped.length > maxPrintedLosses)
    terminal.error(
      `${dim(`… and ${grouped.length - maxPrintedLosses} other losses; --json has all of them`)}\n`,
    );
};

const printHosts = (requests: readonly OpenApiRequest[], terminal: Terminal): void => {
  const { yellow } = painter(terminal);
  const origins = Map.groupBy(requests, ({ server }) => new URL(server).origin);
  for (const [origin, same] of origins) {
    const names = [...new Set(same.flatMap(({ credentials }) => credentials))];
    const sent = names.length === 0 ? "without a credential" : `with ${names.join(", ")}`;
    const line = `${plainText(origin)}: ${same.length} ${same.length === 1 ? "tool" : "tools"}, ${plainText(sent)}`;
    if (!same.some(({ isElsewhere }) => isElsewhere)) terminal.out(`${line}\n`);
    else
      terminal.out(
        `${yellow("!")} ${line}. The document uses this host for some operations only: ${plainText(same[0]!.operation)}\n`,
      );
  }
};
