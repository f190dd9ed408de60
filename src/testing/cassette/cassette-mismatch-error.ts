import { CassetteError } from "./cassette-error.ts";
import { recordVariable } from "./choose-mode.ts";
import type { CassetteReport, Drift, Miss } from "./report.ts";

/** Unused entries and changed definitions count only in strict mode. */
export const cassetteMismatchError = (
  report: CassetteReport,
  isStrict: boolean,
): CassetteError | undefined => {
  const { path, missed, unused, drifted } = report;
  const parts = [
    ...describeGroup("not on the tape", missed, (miss) => missLines(miss, path)),
    ...(isStrict
      ? describeGroup("on the tape, but never made", unused, ({ tool, line }) => [
          `${tool} (${path}:${line})`,
        ])
      : []),
    ...(isStrict ? describeGroup("of a tool whose definition changed since", drifted, driftLines) : []),
  ];
  if (parts.length === 0) return undefined;
  return new CassetteError(
    [
      `The cassette ${path} does not fit what was called.`,
      ...parts,
      `If the calls are right, record again: delete the file or set ${recordVariable}=record, and run the test once where CI is not set.`,
    ].join("\n"),
  );
};

const describeGroup = <Each>(
  what: string,
  all: readonly Each[],
  linesOf: (each: Each) => readonly string[],
): readonly string[] =>
  all.length === 0
    ? []
    : [
        `${all.length} ${all.length === 1 ? "call is" : "calls are"} ${what}:`,
        ...all.flatMap(linesOf).map(indent),
      ];

const indent = (line: string): string => `  ${line}`;

const missLines = ({ tool, callId, why, nearest, ...miss }: Miss, path: string): readonly string[] => {
  const head = `${tool} (call ${callId}): ${why}`;
  if (nearest === undefined) return [head, ...indentedJsonLines(miss.arguments)];
  const where = `nearest: ${path}:${nearest.entry.line} (${nearest.entry.pointer})`;
  if (nearest.diff === "") return [head, where, ...indentedJsonLines(miss.arguments)];
  return [head, `${where}; - is on the tape, + was asked`, ...nearest.diff.split("\n").map(indent)];
};

const indentedJsonLines = (value: unknown): readonly string[] =>
  (JSON.stringify(value, null, 2) ?? "null").split("\n").map((line) => `    ${line}`);

const driftLines = ({ tool, recorded, now }: Drift): readonly string[] => [
  `${tool} (recorded as ${recorded.slice(0, 12)}, now ${now.slice(0, 12)})`,
];
