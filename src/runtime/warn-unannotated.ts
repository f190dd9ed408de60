import { isRemoteTool, taintSourceOf } from "../policy/taint.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { EventBus } from "../types/event.ts";
import type { AnyTool } from "../types/tool.ts";

/**
 * Warns about tools without annotations once a source of untrusted content is registered, because their
 * effects are unknown. One warning per change of the list.
 */
export const warnUnannotated = (registry: ToolRegistry, events: EventBus): void => {
  let before = "";
  let isScheduled = false;
  const check = (): void => {
    isScheduled = false;
    if (!events.isHeard("tools.unannotated")) return;
    const all = registry.list();
    // Haft's own `read_result` only repeats results of other tools.
    const sources = all.flatMap((one) => (one.key === "read_result" ? [] : (taintSourceOf(one) ?? [])));
    const tools =
      sources.length === 0 ? [] : all.filter(({ tool }) => isUnannotated(tool)).map(({ key }) => key);
    const now = JSON.stringify(tools);
    if (now === before) return;
    before = now;
    if (tools.length > 0)
      events.emit("tools.unannotated", { tools, sources, message: unannotatedMessage(tools, sources) });
  };
  registry.onChange(() => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(check);
  });
  check();
};

const taintTags: ReadonlySet<string> = new Set(["sink", "trusted", "untrusted"]);

/** Unannotated tools count as neither source nor sink and run without approval. */
const isUnannotated = (tool: AnyTool): boolean => {
  const { tags, annotations, requiresApproval, risk } = tool.spec;
  const { readOnly, destructive, openWorld, sink } = annotations;
  return (
    [readOnly, destructive, openWorld, sink].every((each) => each === undefined) &&
    !requiresApproval &&
    (risk === "low" || risk === "medium") &&
    !isRemoteTool(tool) &&
    !tags.some((tag) => taintTags.has(tag))
  );
};

const unannotatedMessage = (tools: readonly string[], sources: readonly string[]): string =>
  `Untrusted content (of ${joinNames(sources, 3)}) can make a model call tools without annotations, and no approval is required for them: ${joinNames(tools, 10)}. Set annotations of each: readOnly if it only reads, sink if it sends data out, destructive if it changes or deletes what is there, or sink: false if neither.`;

const joinNames = (names: readonly string[], maxNames: number): string =>
  names.length <= maxNames
    ? names.join(", ")
    : `${names.slice(0, maxNames).join(", ")} and ${names.length - maxNames} more`;
