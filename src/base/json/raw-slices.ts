const quote = 34;
const backslash = 92;

export interface SlicePaths {
  isWanted: boolean;
  items: SlicePaths | undefined;
  readonly members: Map<string, SlicePaths>;
}

export interface TextSlice {
  readonly start: number;
  readonly end: number;
}

export interface RawSlices {
  readonly slices: readonly TextSlice[];
  /** A repeated key in an object on the way to a wanted value makes the path ambiguous. */
  readonly repeatedKey: string | undefined;
}

const emptyPaths = (): SlicePaths => ({ isWanted: false, items: undefined, members: new Map() });

/** Parses paths such as `content.*.input`, where `*` is every item of an array. */
export const slicePaths = (...paths: readonly string[]): SlicePaths => {
  const root = emptyPaths();
  for (const path of paths) {
    let node = root;
    for (const step of path.split(".")) {
      if (step === "*") {
        node.items ??= emptyPaths();
        node = node.items;
        continue;
      }
      const next = node.members.get(step) ?? emptyPaths();
      node.members.set(step, next);
      node = next;
    }
    node.isWanted = true;
  }
  return root;
};

/**
 * Finds the raw text of wanted values. Exact for JSON; on any other text it only terminates, so callers must
 * parse the result.
 */
export const findSlices = (text: string, paths: SlicePaths): RawSlices => {
  const scan: Scan = { text, at: 0, slices: [], repeatedKey: undefined };
  scanValue(scan, paths);
  return scan;
};

export interface RewrittenText {
  readonly text: string;
  readonly repeatedKey: string | undefined;
}

export const rewriteSlices = (
  text: string,
  paths: SlicePaths,
  rewrite: (slice: string) => string,
): RewrittenText => {
  const { slices, repeatedKey } = findSlices(text, paths);
  if (slices.length === 0) return { text, repeatedKey: undefined };
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of slices) {
    parts.push(text.slice(from, start), rewrite(text.slice(start, end)));
    from = end;
  }
  parts.push(text.slice(from));
  return { text: parts.join(""), repeatedKey };
};

interface Scan {
  readonly text: string;
  readonly slices: TextSlice[];
  at: number;
  repeatedKey: string | undefined;
}

const scanValue = (scan: Scan, paths: SlicePaths): void => {
  skipSpace(scan);
  const start = scan.at;
  const first = scan.text[start];
  if (paths.isWanted) {
    skipValue(scan);
    scan.slices.push({ start, end: scan.at });
  } else if (first === "{" && paths.members.size > 0) scanObject(scan, paths.members);
  else if (first === "[" && paths.items !== undefined) scanList(scan, paths.items);
  else skipValue(scan);
};

const scanObject = (scan: Scan, members: SlicePaths["members"]): void => {
  const { text } = scan;
  const seen = new Set<string>();
  scan.at++;
  for (;;) {
    skipSpace(scan);
    if (text.charCodeAt(scan.at) !== quote) break;
    const start = scan.at;
    scan.at = stringEnd(text, start);
    const key = keyOf(text.slice(start, scan.at));
    if (seen.has(key)) scan.repeatedKey ??= key;
    seen.add(key);
    skipSpace(scan);
    if (text[scan.at] !== ":") break;
    scan.at++;
    const wanted = members.get(key);
    if (wanted === undefined) skipValue(scan);
    else scanValue(scan, wanted);
    skipSpace(scan);
    if (text[scan.at] !== ",") break;
    scan.at++;
  }
  if (text[scan.at] === "}") scan.at++;
};

const scanList = (scan: Scan, items: SlicePaths): void => {
  const { text } = scan;
  scan.at++;
  skipSpace(scan);
  while (scan.at < text.length && text[scan.at] !== "]") {
    const before = scan.at;
    scanValue(scan, items);
    skipSpace(scan);
    if (text[scan.at] === ",") scan.at++;
    else if (text[scan.at] !== "]") break;
    if (scan.at === before) break;
    skipSpace(scan);
  }
  if (text[scan.at] === "]") scan.at++;
};

const skipSpace = (scan: Scan): void => {
  for (; scan.at < scan.text.length; scan.at++) {
    const code = scan.text.charCodeAt(scan.at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
  }
};

const skipValue = (scan: Scan): void => {
  const { text } = scan;
  skipSpace(scan);
  let depth = 0;
  while (scan.at < text.length) {
    const code = text.charCodeAt(scan.at);
    if (code === quote) {
      scan.at = stringEnd(text, scan.at);
      if (depth === 0) return;
    } else if (code === 123 || code === 91) {
      depth++;
      scan.at++;
    } else if (code === 125 || code === 93) {
      if (depth === 0) return;
      scan.at++;
      if (--depth === 0) return;
    } else if (depth === 0 && (code === 44 || code === 58 || code === 32 || (code >= 9 && code <= 13)))
      return;
    else scan.at++;
  }
};

const stringEnd = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1);
  while (end > 0) {
    let before = end - 1;
    while (before > start && text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end + 1;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
};

const keyOf = (written: string): string => {
  if (!written.includes("\\")) return written.slice(1, -1);
  try {
    return JSON.parse(written) as string;
  } catch {
    return written;
  }
};

const isUnsafeInteger = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);

const hasUnsafeInteger = (root: object): boolean => {
  const seen = new Set<object>([root]);
  for (const each of seen) {
    for (const member of Object.values(each)) {
      if (isUnsafeInteger(member)) return true;
      if (typeof member === "object" && member !== null) seen.add(member);
    }
  }
  return false;
};

const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;

/**
 * For arguments that another library parsed. If an integer may have lost digits, returns JSON text with the
 * number in full, which stage 1 refuses with a reason.
 */
export const preserveLargeIntegers = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  try {
    if (!hasUnsafeInteger(value)) return value;
    return JSON.stringify(value, (_, member) =>
      isUnsafeInteger(member) ? rawJson(String(BigInt(member))) : member,
    );
  } catch {
    return value;
  }
};
