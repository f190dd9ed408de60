import { haftUid, type PlainEntity } from "./entities.ts";
import { type InputKind, inputKinds } from "./input-kinds-read.ts";

const maxInputValues = 2_000;

const cedarTypeNames: Readonly<Record<InputKind, string>> = {
  text: "Text",
  number: "Number",
  decimal: "Decimal",
  flag: "Flag",
  list: "List",
};

export const inputReferences = Object.fromEntries(
  inputKinds.map((kind) => [kind, { __entity: haftUid(cedarTypeNames[kind], "input") }]),
);

/**
 * Throws on values that Cedar cannot represent and on duplicate paths: leaving them out could bypass a
 * `forbid`.
 */
export const inputEntities = (input: unknown, reads: ReadonlySet<InputKind>): PlainEntity[] => {
  if (reads.size === 0) return [];
  const tags = new Map([...reads].map((kind) => [kind, new Map<string, unknown>()]));
  const write = (kind: InputKind, path: string, value: unknown): void => {
    const written = tags.get(kind);
    if (written?.has(path)) throw new Error(`two arguments have the path ${path}`);
    written?.set(path, value);
  };
  const stack: [path: string, value: unknown][] = [["", input]];
  for (let seen = 0; stack.length > 0; seen += 1) {
    if (seen === maxInputValues) throw new Error(`the arguments have more than ${maxInputValues} parts`);
    const [path, value] = stack.pop()!;
    if (typeof value === "string") write("text", path, value);
    else if (typeof value === "boolean") write("flag", path, value);
    else if (typeof value === "number") {
      write("number", path, toCedarLong(path, value, reads));
      write("decimal", path, toCedarDecimal(value, `the argument ${path}`, reads));
    } else if (typeof value === "object" && value !== null) {
      if (Array.isArray(value))
        write(
          "list",
          path,
          value.filter((entry) => typeof entry === "string"),
        );
      for (const [key, child] of Object.entries(value)) stack.push([joinPath(path, key), child]);
    }
  }
  return [...tags].map(([kind, values]) => ({
    uid: haftUid(cedarTypeNames[kind], "input"),
    attrs: {},
    parents: [],
    tags: Object.fromEntries(values) as never,
  }));
};

/** The empty path is the whole input, so an empty key becomes `~2`. */
const joinPath = (path: string, key: string): string => {
  const step = key === "" ? "~2" : key.replaceAll("~", "~0").replaceAll("/", "~1");
  return path === "" ? step : `${path}/${step}`;
};

const toCedarLong = (path: string, value: number, reads: ReadonlySet<InputKind>): number | undefined => {
  if (!reads.has("number") || Number.isSafeInteger(value)) return value;
  throw new Error(
    `the argument ${path} is ${value}, but \`number\` supports only whole numbers; use \`decimal\``,
  );
};

const toCedarDecimal = (value: number, what: string, reads: ReadonlySet<InputKind>): unknown => {
  if (!reads.has("decimal")) return undefined;
  const text = value.toFixed(4);
  if (Math.abs(value) < 9e14 && Number(text) === value) return cedarDecimal(text);
  throw new Error(
    `${what} is ${value}, but Cedar's decimals have at most 14 digits before and four after the point`,
  );
};

const cedarDecimal = (text: string) => ({ __extn: { fn: "decimal", arg: text } });

/** Rounded up, so that no cost is left out. */
export const toCostDecimal = (cost: number): unknown => {
  if (!(Math.abs(cost) < 9e14)) throw new Error(`the cost of the run is unknown (${cost})`);
  const up = Math.ceil(cost * 1e4) / 1e4;
  return cedarDecimal(up.toFixed(4));
};
