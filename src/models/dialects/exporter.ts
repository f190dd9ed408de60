import type { ToolSpec } from "../../types/spec.ts";
import type { OfferedTool } from "./offered-tool.ts";
import type { ExportLoss, ReportExportLoss, ToolExport } from "./tool-export.ts";

interface ExportedTool<Wire> {
  readonly name: string;
  readonly wire: Wire | undefined;
  /** Pointer, keyword and text of each loss, flattened. */
  readonly notes: readonly string[] | undefined;
  readonly other: ExportedTool<Wire> | undefined;
}

/** Caches per frozen spec and list, so `spell` must return deeply frozen values. Undefined omits the tool. */
export const exporter = <Wire>(
  exportTool: (tool: OfferedTool, note: ReportExportLoss) => Wire | undefined,
): ((tools: readonly OfferedTool[]) => ToolExport<Wire>) => {
  const lists = new WeakMap<readonly OfferedTool[], ToolExport<Wire>>();
  const specs = new WeakMap<ToolSpec, ExportedTool<Wire>>();

  let notes: string[] | undefined;
  const note: ReportExportLoss = (pointer, keyword, text) => {
    notes ??= [];
    notes.push(pointer, keyword, text);
  };

  const spelled = (tool: OfferedTool): ExportedTool<Wire> => {
    const known = specs.get(tool.spec);
    for (let at = known; at !== undefined; at = at.other) if (at.name === tool.wireName) return at;
    notes = undefined;
    const wire = exportTool(tool, note);
    const fresh = { name: tool.wireName, wire, notes, other: known };
    specs.set(tool.spec, fresh);
    return fresh;
  };

  return (list) => {
    const before = lists.get(list);
    if (before !== undefined) return before;
    const tools: Wire[] = [];
    const lossy: ExportedTool<Wire>[] = [];
    for (const listed of list) {
      const one = spelled(listed);
      if (one.wire !== undefined) tools.push(one.wire);
      if (one.notes !== undefined) lossy.push(one);
    }
    let report: readonly ExportLoss[] | undefined;
    const whole = Object.freeze({
      tools: Object.freeze(tools),
      get report() {
        report ??= Object.freeze(lossy.flatMap(lossesOf));
        return report;
      },
    });
    if (Object.isFrozen(list)) lists.set(list, whole);
    return whole;
  };
};

const lossesOf = ({ name: tool, notes = [] }: ExportedTool<unknown>): readonly ExportLoss[] => {
  const losses: ExportLoss[] = [];
  for (let at = 0; at < notes.length; at += 3) {
    const [pointer, keyword, note] = [notes[at]!, notes[at + 1]!, notes[at + 2]!];
    losses.push(Object.freeze({ tool, pointer, keyword, note }));
  }
  return losses;
};
