import type { ToolSpec } from "../../types/tool.ts";

interface ExportedTool<Wire> {
  readonly name: string;
  readonly wire: Wire | undefined;
  /** Pointer, keyword and text of each loss, flattened. */
  readonly notes: readonly string[] | undefined;
  readonly other: ExportedTool<Wire> | undefined;
}

/**
 * What a format drops or rewrites in a tool. The pointer refers to the tool's spec and follows references, so
 * its target may be in "/input/$defs".
 */
export interface ExportLoss {
  readonly tool: string;
  readonly pointer: string;
  readonly keyword: string;
  readonly note: string;
}

export type ReportExportLoss = (pointer: string, keyword: string, note: string) => void;

export interface ToolExport<Wire> {
  /** Deeply frozen and shared between exports. */
  readonly tools: readonly Wire[];
  readonly report: readonly ExportLoss[];
}

export interface OfferedTool {
  readonly wireName: string;
  readonly spec: ToolSpec;
  /** Shown only by the provider's tool search. */
  readonly deferred?: true;
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

type PlainObject = Record<string, unknown>;

const frozenValues = new WeakSet<object>();

const freezeList = (list: readonly unknown[]): readonly unknown[] => {
  let copy: unknown[] | undefined = Object.isFrozen(list) ? undefined : list.slice();
  for (let index = 0; index < list.length; index++) {
    const value = list[index];
    if (typeof value !== "object" || value === null) continue;
    const next = toFrozen(value);
    if (next === value) continue;
    copy ??= list.slice();
    copy[index] = next;
  }
  return copy === undefined ? list : Object.freeze(copy);
};

const freezeObject = (object: PlainObject): PlainObject => {
  let copy: PlainObject | undefined = Object.isFrozen(object) ? undefined : { ...object };
  for (const key in object) {
    const value = object[key];
    if (typeof value !== "object" || value === null) continue;
    const next = toFrozen(value);
    if (next === value) continue;
    copy ??= { ...object };
    copy[key] = next;
  }
  return copy === undefined ? object : Object.freeze(copy);
};

/** Never freezes the caller's object. */
export const toFrozen = <Value>(value: Value): Value => {
  if (typeof value !== "object" || value === null || frozenValues.has(value)) return value;
  return (Array.isArray(value) ? freezeList(value) : freezeObject(value as PlainObject)) as Value;
};

export const freezeInPlace = <Made extends object>(made: Made): Made => {
  const fields = made as PlainObject;
  for (const key in fields) {
    const value = fields[key];
    if (typeof value !== "object" || value === null) continue;
    const next = toFrozen(value);
    if (next !== value) fields[key] = next;
  }
  return Object.freeze(made);
};

/** The caller guarantees that the value is deeply frozen. */
export const markFrozen = (value: object): void => {
  frozenValues.add(value);
};

export const isKnownFrozen = (value: object): boolean => frozenValues.has(value);
