import { isObject } from "../../../base/json/json-value.ts";
import { type BuiltValue, type CallDraft, type CallDrafts, endDraft } from "../calls/call-drafts.ts";
import {
  type EventReader,
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
} from "../calls/wire-reader.ts";

/** A complete reply has the shape of one stream event. */
export const readGeminiReply = (drafts: CallDrafts, body: ForeignFields): void =>
  geminiEvents(drafts).read(body);

/** Other reasons mean that the reply was truncated. */
const completeReasons: ReadonlySet<unknown> = new Set([
  "STOP",
  "FINISH_REASON_UNSPECIFIED",
  "UNEXPECTED_TOOL_CALL",
]);

interface PartialLeaf {
  readonly steps: readonly (string | number)[];
  readonly pieces: string[] | undefined;
  readonly value: unknown;
  open: boolean;
}

/** Only strings are split. */
interface PartialArguments {
  readonly add: (entry: unknown) => void;
  readonly isOpen: () => boolean;
  readonly build: () => BuiltValue;
}

const scalarOf = ({ stringValue, numberValue, boolValue, nullValue }: ForeignFields): unknown => {
  if (typeof stringValue === "string") return undefined;
  if (typeof numberValue === "number") return numberValue;
  if (typeof boolValue === "boolean") return boolValue;
  return nullValue === undefined ? undefined : null;
};

type Container = Record<string | number, unknown>;

/** `__proto__` must be an ordinary key. */
const setMember = (container: Container, key: string | number, value: unknown): void => {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
};

/** Refuses to overwrite a value or to leave an array gap. */
const setAtPath = (root: Container, steps: PartialLeaf["steps"], value: unknown): boolean => {
  let container = root;
  for (const [depth, key] of steps.entries()) {
    const fits = Array.isArray(container)
      ? typeof key === "number" && key <= container.length
      : typeof key === "string";
    if (!fits) return false;
    const known = Object.hasOwn(container, key) ? container[key] : undefined;
    if (depth === steps.length - 1) {
      if (known !== undefined) return false;
      setMember(container, key, value);
      return true;
    }
    if (known !== undefined && (typeof known !== "object" || known === null)) return false;
    const next = known ?? (typeof steps[depth + 1] === "number" ? [] : {});
    if (known === undefined) setMember(container, key, next);
    container = next as Container;
  }
  return false;
};

const partialArguments = (): PartialArguments => {
  const leaves = new Map<string, PartialLeaf>();
  let sound = true;

  const begin = (path: unknown, entry: ForeignFields): PartialLeaf | undefined => {
    const steps = typeof path === "string" ? readJsonPath(path) : undefined;
    if (steps === undefined) return undefined;
    const value = scalarOf(entry);
    const pieces = typeof entry.stringValue === "string" ? [] : undefined;
    if (pieces === undefined && value === undefined) return undefined;
    const leaf: PartialLeaf = { steps, pieces, value, open: false };
    leaves.set(path as string, leaf);
    return leaf;
  };

  return {
    add: (given) => {
      const entry = foreignFieldsOf(given);
      const { jsonPath: path, stringValue: text } = entry;
      const known = typeof path === "string" ? leaves.get(path) : undefined;
      const leaf = known ?? begin(path, entry);
      if (leaf === undefined || (known !== undefined && scalarOf(entry) !== undefined)) sound = false;
      if (leaf === undefined) return;
      if (typeof text === "string") {
        if (leaf.pieces === undefined) sound = false;
        else leaf.pieces.push(text);
      }
      leaf.open = entry.willContinue === true;
    },
    isOpen: () => [...leaves.values()].some(({ open }) => open),
    build: () => {
      const root: Container = {};
      let fits = sound;
      for (const { steps, pieces, value } of leaves.values()) {
        fits = setAtPath(root, steps, pieces === undefined ? value : pieces.join("")) && fits;
      }
      return { value: root, isConsistent: fits };
    },
  };
};

const pathStep = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Undefined if the path is not a single location. */
const readJsonPath = (path: string): readonly (string | number)[] | undefined => {
  if (!path.startsWith("$")) return undefined;
  const steps: (string | number)[] = [];
  pathStep.lastIndex = 1;
  while (pathStep.lastIndex < path.length) {
    const found = pathStep.exec(path);
    if (found === null) return undefined;
    const [, name, index, single, double] = found;
    const quoted = single ?? double;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(quoted === undefined ? name! : quoted.replace(/\\(.)/g, "$1"));
  }
  return steps;
};

interface PartialCall {
  readonly draft: CallDraft;
  readonly parts: PartialArguments;
}

const emptyArguments: ForeignFields = Object.freeze({});

/** A call is complete, or a name followed by nameless parts with argument leaves and an empty part. */
export const geminiEvents = (drafts: CallDrafts): EventReader => {
  const growing = new Map<string, PartialCall>();
  const unfinished = new Set<PartialCall>();
  let current: PartialCall | undefined;
  let last: CallDraft | undefined;
  let parts = 0;

  const begin = (call: ForeignFields, name: string, part: string): void => {
    const id = foreignTextOf(call.id);
    const partial = call.willContinue === true || call.partialArgs !== undefined;
    if (!partial) {
      last = drafts.add({ id, tool: name, input: call.args ?? emptyArguments, part, isSentWhole: true });
      return;
    }
    const draft = drafts.begin();
    const leaves = partialArguments();
    draft.id = id;
    draft.part = part;
    draft.build = leaves.build;
    draft.isSentWhole = true;
    drafts.name(draft, name);
    current = { draft, parts: leaves };
    if (id !== undefined) growing.set(id, current);
    unfinished.add(current);
    grow(current, call);
  };

  const grow = (call: PartialCall, { args, partialArgs, willContinue }: ForeignFields): void => {
    const { draft, parts } = call;
    for (const entry of foreignListOf(partialArgs)) parts.add(entry);
    if (foreignTextOf(args) !== undefined || (isObject(args) && Object.keys(args).length > 0)) {
      draft.build = undefined;
      draft.whole = { value: args };
    }
    last = draft;
    if (willContinue === true) return;
    endDraft(draft);
    unfinished.delete(call);
    if (draft.id !== undefined) growing.delete(draft.id);
    if (current === call) current = undefined;
  };

  const readPart = (part: ForeignFields, pointer: string): void => {
    if (!isObject(part.functionCall)) {
      if (foreignTextOf(part.text) !== undefined) last = undefined;
      return;
    }
    const call = part.functionCall;
    const name = foreignTextOf(call.name);
    const known = growing.get(foreignTextOf(call.id) ?? "");
    if (known !== undefined) grow(known, call);
    else if (name !== undefined) begin(call, name, pointer);
    else if (current !== undefined) grow(current, call);
    // A call that was sent as complete continues, so it cannot be trusted.
    else if (last !== undefined && foreignListOf(call.partialArgs).length > 0) last.state = "broken";
  };

  const finish = (reason: string): void => {
    const cut = !completeReasons.has(reason);
    for (const { draft, parts } of unfinished) {
      if (!cut && !parts.isOpen()) endDraft(draft);
    }
    unfinished.clear();
    current = undefined;
    if (cut && last?.state === "ended") endDraft(last, true);
  };

  return {
    read: (event) => {
      const found = candidateOf(event);
      if (found === undefined) return;
      const { candidate, place } = found;
      for (const part of foreignListOf(foreignFieldsOf(candidate.content).parts)) {
        readPart(foreignFieldsOf(part), `/candidates/${place}/content/parts/${parts++}`);
      }
      const reason = foreignTextOf(candidate.finishReason);
      if (reason !== undefined) finish(reason);
    },
  };
};

/** The first candidate; others are alternatives. */
export const candidateOf = (
  event: ForeignFields,
): { readonly candidate: ForeignFields; readonly place: number } | undefined => {
  const all = foreignListOf(event.candidates).map(foreignFieldsOf);
  // An index of 0 may be omitted.
  const place = all.findIndex(({ index }) => typeof index !== "number" || index === 0);
  return place < 0 ? undefined : { candidate: all[place]!, place };
};
