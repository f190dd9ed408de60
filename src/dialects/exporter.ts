import type { ToolSpec } from "../words/spec.ts";
import type { Export, Loss, NoteLoss } from "./export.ts";
import type { OfferedTool } from "./listed.ts";

interface Spelled<Wire> {
  readonly name: string;
  readonly wire: Wire | undefined;
  readonly losses: readonly Loss[];
  /** The same spec under another name. */
  readonly other: Spelled<Wire> | undefined;
}

const none: readonly Loss[] = [];

/**
 * Turns the spelling of one tool into the export of a list. A spec is frozen, so what was spelled for it once
 * holds for as long as it lives; a frozen list is remembered whole. `undefined` leaves a tool out. What is
 * spelled must be frozen to the leaf, and `frozen` makes it so: it is shared from here on.
 */
export const exporter = <Wire>(
  spell: (tool: OfferedTool, note: NoteLoss) => Wire | undefined,
): ((tools: readonly OfferedTool[]) => Export<Wire>) => {
  const lists = new WeakMap<readonly OfferedTool[], Export<Wire>>();
  const specs = new WeakMap<ToolSpec, Spelled<Wire>>();

  const spelled = (tool: OfferedTool): Spelled<Wire> => {
    const known = specs.get(tool.spec);
    for (let at = known; at !== undefined; at = at.other) if (at.name === tool.wireName) return at;
    let losses: Loss[] | undefined;
    const wire = spell(tool, (pointer, keyword, note) => {
      losses ??= [];
      losses.push(Object.freeze({ tool: tool.wireName, pointer, keyword, note }));
    });
    const fresh = { name: tool.wireName, wire, losses: losses ?? none, other: known };
    specs.set(tool.spec, fresh);
    return fresh;
  };

  return (list) => {
    const before = lists.get(list);
    if (before !== undefined) return before;
    const tools: Wire[] = [];
    const report: Loss[] = [];
    for (const listed of list) {
      const { wire, losses } = spelled(listed);
      if (wire !== undefined) tools.push(wire);
      for (const loss of losses) report.push(loss);
    }
    const whole = Object.freeze({ tools: Object.freeze(tools), report: Object.freeze(report) });
    if (Object.isFrozen(list)) lists.set(list, whole);
    return whole;
  };
};
