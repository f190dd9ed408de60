/** A fenced block of a page. `from` and `to` are the lines of its content, `to` excluded. */
export interface Fence {
  readonly language: string;
  readonly options: Readonly<Record<string, string>>;
  readonly indent: string;
  readonly from: number;
  readonly to: number;
}

export interface SnippetProblem {
  readonly line: number;
  readonly message: string;
}

/** A fence that differs from its source. */
export interface StaleFence {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface SyncedPage {
  readonly text: string;
  readonly stale: readonly StaleFence[];
  readonly problems: readonly SnippetProblem[];
}

const openingFencePattern = /^(\s*)(`{3,}|~{3,})\s*(\S*)\s*([^`]*)$/;
const isTypeScript = (language: string): boolean => /^(ts|tsx|mts|typescript)$/.test(language);

export const readFences = (lines: readonly string[]): readonly Fence[] => {
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const match = openingFencePattern.exec(lines[at]!);
    if (match === null) continue;
    const [, indent = "", mark = "", language = "", info = ""] = match;
    const from = at + 1;
    const closes = (line: string): boolean => line.trim().startsWith(mark) && /^(`+|~+)$/.test(line.trim());
    at = from;
    while (at < lines.length && !closes(lines[at]!)) at += 1;
    const pairs = info.split(/\s+/).filter((word) => word !== "");
    const options = Object.fromEntries(pairs.map((pair) => [pair.split("=")[0]!, pair.split("=")[1] ?? ""]));
    fences.push({ language, options, indent, from, to: at });
  }
  return fences;
};

/** The lines between `//#region name` and its `//#endregion`, without markers and common indentation. */
export const readRegion = (source: string, region: string | undefined): readonly string[] | undefined => {
  const taken: string[] = [];
  // Names of the open regions.
  const open: string[] = [];
  let seen = region === undefined;
  for (const line of source.trimEnd().split("\n")) {
    const begin = line.match(/^\s*\/\/\s*#region\s+(\S+)\s*$/)?.[1];
    if (begin !== undefined) {
      open.push(begin);
      seen ||= begin === region;
    } else if (/^\s*\/\/\s*#endregion\b/.test(line)) open.pop();
    else if (region === undefined || open.includes(region)) taken.push(line);
  }
  if (!seen) return undefined;
  const depths = taken.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const depth = Math.min(...depths, Number.MAX_SAFE_INTEGER);
  const text = taken.map((line) => line.slice(depth)).join("\n");
  return text.replace(/^\n+|\s+$/g, "").split("\n");
};

/**
 * Updates each fence of a page from its source. A fence names its source with `file=… region=…`; TypeScript
 * fences must, unless it is a bare signature and says `type=signature`.
 */
export const syncSnippets = (page: string, read: (file: string) => string | undefined): SyncedPage => {
  const lines = page.split("\n");
  const problems: SnippetProblem[] = [];
  const stale: StaleFence[] = [];
  const fences = readFences(lines).filter(
    ({ language, options }) => isTypeScript(language) || options.file !== undefined,
  );
  // In reverse order, so that earlier line numbers stay valid.
  for (const { options, indent, from, to } of fences.toReversed()) {
    const { file, region, type } = options;
    const complain = (message: string) => problems.unshift({ line: from, message });
    if (type === "signature") continue;
    if (file === undefined) {
      complain("this fence has no source: add file=… region=…, or mark it type=signature");
      continue;
    }
    const source = read(file);
    const content = source === undefined ? undefined : readRegion(source, region);
    if (source === undefined) complain(`${file} does not exist`);
    else if (content === undefined) complain(`${file} has no region ${region}`);
    else {
      const after = content.map((line) => (line === "" ? "" : indent + line));
      const before = lines.splice(from, to - from, ...after);
      if (before.join("\n") !== after.join("\n")) stale.unshift({ line: from, before, after });
    }
  }
  return { text: lines.join("\n"), stale, problems };
};
