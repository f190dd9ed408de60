import { type NamedRole, rolesOf } from "../../policy/lineage/argument-roles.ts";
import { isAddressReader, isPrivateRead, isSink, taintSourceOf } from "../../policy/taint.ts";
import type { Registration } from "../../types/tool.ts";
import type { Terminal } from "../command.ts";
import { alignColumns, painter, toJsonLine } from "../screen.ts";

/** What the guard against prompt injection takes a tool and its arguments for. */
interface ToolRoles {
  readonly tool: string;
  /** Returns untrusted content. */
  readonly source: boolean;
  /** `address`: only calls with an address. */
  readonly sink: boolean | "address";
  readonly private: boolean;
  readonly roles: Readonly<Record<string, NamedRole>>;
}

const toToolRoles = (registration: Registration): ToolRoles => {
  const { key, tool } = registration;
  return {
    tool: key,
    source: taintSourceOf(registration) !== undefined,
    sink: isSink(tool) || (isAddressReader(tool) && "address"),
    private: isPrivateRead(tool),
    roles: Object.fromEntries(rolesOf(tool)),
  };
};

export const printRoles = (
  registrations: Iterable<Registration>,
  isJson: boolean,
  terminal: Terminal,
): void => {
  const all = [...registrations].map(toToolRoles);
  if (isJson) {
    for (const each of all) terminal.out(toJsonLine(each));
    return;
  }
  const { bold } = painter(terminal);
  const rows = all.map(({ tool, roles, ...traits }) => [
    tool,
    traitsText(traits),
    Object.entries(roles)
      .map(([argument, { role, from }]) => `${argument}: ${role}${from === "inferred" ? "?" : ""}`)
      .join(", "),
  ]);
  const [head, ...lines] = alignColumns([["NAME", "IS", "ROLES"], ...rows], terminal.width).split("\n");
  terminal.out(`${bold(head ?? "")}\n${lines.join("\n")}\n`);
  terminal.out("? inferred from name and format. Declare roles in the tool, or in `terms` of its server.\n");
};

const traitsText = ({ source, sink, private: isPrivate }: Omit<ToolRoles, "tool" | "roles">): string =>
  [
    ...(source ? ["source"] : []),
    ...(sink === true ? ["sink"] : sink === "address" ? ["sink with an address"] : []),
    ...(isPrivate ? ["private"] : []),
  ].join(", ") || "-";
