import type { BuiltValue } from "../calls/call-draft.ts";
import { type ForeignFields, foreignFieldsOf } from "../calls/read-untyped-fields.ts";

interface PartialLeaf {
  readonly steps: readonly (string | number)[];
  readonly pieces: string[] | undefined;
  readonly value: unknown;
  open: boolean;
}

/** Only strings are split. */
export interface PartialArguments {
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

export const partialArguments = (): PartialArguments => {
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
