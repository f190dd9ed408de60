import { type AgentWithLibrary, collectAgentTools } from "../../agent/collect-agent-tools.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import { definitionHash } from "../../tools/definition-hash.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import { resolveActingPrincipal } from "../../types/principal.ts";
import type { Registration } from "../../types/tool.ts";
import { plainText } from "../screen.ts";

/** The runtime permanently voids an answer if its tool has changed. A wrong flag must not cause that. */
export const requireUnchangedTools = (
  answered: readonly ApprovalRecord[],
  haft: Haft,
  asked?: AgentWithLibrary,
): void => {
  if (answered.length === 0) return;
  const { registry, policy } = sharedRuntimes.get(haft)!;
  const caller = haft.principal;
  const agentToolMap = asked === undefined ? undefined : collectAgentTools(registry, asked);
  const problems = answered.flatMap((record) => {
    const principal = caller === undefined ? undefined : resolveActingPrincipal(record.principal, caller);
    if (principal === undefined) return [];
    const found = findApprovedTool(record, registry, agentToolMap);
    const isHidden = found !== undefined && policy.visible(principal, found).effect === "deny";
    const why = isHidden ? "this caller may not use it" : toolDifference(record, found);
    return why === undefined ? [] : [`${plainText(record.tool)}: ${why}`];
  });
  if (problems.length === 0) return;
  throw new Error(
    `Nothing was done, and every answer remains valid. These answered calls cannot run here:\n  ${problems.join("\n  ")}\n` +
      "Use the same tools, library and rights as before. --force resumes anyway and does not run these calls.",
  );
};

const findApprovedTool = (
  { rawTool }: ApprovalRecord,
  registry: ToolRegistry,
  shown: ReadonlyMap<string, Registration> | undefined,
): Registration | undefined => {
  const own = shown?.get(rawTool);
  if (own?.origin === "agent") return own;
  const found = registry.get(rawTool);
  if (shown === undefined || found === undefined) return found;
  return shown.get(found.wireName) === found ? found : undefined;
};

const toolDifference = (record: ApprovalRecord, found: Registration | undefined): string | undefined => {
  if (found === undefined) return "the tool does not exist";
  if (found.key !== record.tool) return `${plainText(found.key)} now has its name`;
  if (definitionHash(found.tool.spec) !== record.definition) return "its definition has changed";
  return undefined;
};
