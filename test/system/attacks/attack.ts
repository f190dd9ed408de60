/** The rows of the campaign's table. */
export const groups = [
  "constructor chains",
  "stack traces, stack overflow",
  "prototype pollution, forged results",
  "hostile values to the host",
  "modules, files, processes, signals",
  "Deno's own functions, file URLs, FFI",
  "network",
  "CPU",
  "memory",
  "Python: ways out",
  "Python: CPU, memory, floods",
] as const;
export type Group = (typeof groups)[number];

/** Engines without isolation, which prove that an attack does harm when it is not stopped. */
export const openEngines = ["vm", "worker", "node", "deno -A", "python3", "pyodide in node"] as const;
export type OpenEngineName = (typeof openEngines)[number];

/** Every kind of harm and its letter: `e` escaped, `h` host died or hung, `m` more memory than allowed. */
export const letters = {
  /** A secret of the host is in the result, or was sent over the network. */
  secret: "e",
  /** The path of the host's files is in the result. Counted only for attacks that look for it. */
  path: "e",
  /** An outside file was created, changed or removed. */
  write: "e",
  network: "e",
  signal: "e",
  /** The host was asked for a function that it did not grant. */
  "foreign call": "e",
  /** Objects of the host were changed. */
  pollution: "e",
  death: "h",
  hang: "h",
  /** `run` itself failed, which no program may cause. */
  failure: "h",
  memory: "m",
  calls: "m",
  "long call": "m",
  processes: "m",
  output: "m",
  files: "m",
  /** Memory that belongs to no process: files in memory file systems. */
  "shared memory": "m",
} as const;
export type Harm = keyof typeof letters;

/** A program that does as much harm as possible. */
export interface Attack {
  readonly name: string;
  readonly group: Group;
  readonly language: "javascript" | "python";
  readonly source: string;
  /** The open engine on which every campaign proves that the attack does harm. */
  readonly on: OpenEngineName;
  readonly harm: Harm;
}

/** The `input` of an attack: everything it could want to know about the host. */
export interface Target {
  /** Prefix of everything that this run writes or sends. */
  readonly mark: string;
  readonly secretFile: string;
  /** The same as lines of `NAME=value`. */
  readonly secretLines: string;
  /** Name of an environment variable of the host. */
  readonly variable: string;
  readonly writeFile: string;
  readonly http: string;
  readonly webSocket: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  /** A process that detects signals; only for attacks that send some. */
  readonly signalPid?: number | undefined;
  readonly hostPid: number;
  readonly list: readonly number[];
}

type Case = Pick<Attack, "source" | "harm"> & { readonly on?: OpenEngineName };

/** The attacks of one group, by name. */
export const attacks = (
  group: Group,
  { on, language = "javascript" }: { readonly on: OpenEngineName; readonly language?: Attack["language"] },
  cases: Readonly<Record<string, Case>>,
): readonly Attack[] => Object.entries(cases).map(([name, each]) => ({ on, ...each, name, group, language }));
