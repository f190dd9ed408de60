/** What a table of the campaign has a row for. */
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

/** What runs programs without any barrier, to prove that an attack does harm where nothing holds it. */
export const openEngines = ["vm", "worker", "node", "deno -A", "python3", "pyodide in node"] as const;
export type OpenEngineName = (typeof openEngines)[number];

/** Every harm that is noticed, and how it is counted: `e` escaped, `h` the host died or hung, `m` more than its limits allow. */
export const letters = {
  /** What only the host knows is in what the program gave back, or went out over the network. */
  secret: "e",
  /** So is the place of the host's own files. Counted only for attacks that are after it. */
  path: "e",
  /** A file outside was made, changed or removed. */
  write: "e",
  network: "e",
  signal: "e",
  /** The host was asked for a function that it never granted. */
  "foreign call": "e",
  /** The host's own objects were changed. */
  pollution: "e",
  death: "h",
  hang: "h",
  /** `run` itself failed, which no program may bring about. */
  failure: "h",
  memory: "m",
  calls: "m",
  "long call": "m",
  processes: "m",
  output: "m",
  files: "m",
  /** Memory of the machine that belongs to no process: files in places that are memory. */
  "shared memory": "m",
} as const;
export type Harm = keyof typeof letters;

/** A program that does harm wherever it can. */
export interface Attack {
  readonly name: string;
  readonly group: Group;
  readonly language: "javascript" | "python";
  readonly source: string;
  /** Where nothing holds it, and what it does there: proved by every campaign. */
  readonly on: OpenEngineName;
  readonly harm: Harm;
}

/** What an attack finds as `input`: everything that it could wish to know of the host. */
export interface Target {
  /** Begins the name of whatever this run writes, and stands in whatever it sends. */
  readonly mark: string;
  readonly secretFile: string;
  /** The same as lines of `NAME=value`. */
  readonly secretLines: string;
  /** The name of a variable of the host. */
  readonly variable: string;
  readonly writeFile: string;
  readonly http: string;
  readonly webSocket: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  /** Of a process that notices signals; only for attacks that send some. */
  readonly signalPid?: number | undefined;
  readonly hostPid: number;
  readonly list: readonly number[];
}

type Case = Pick<Attack, "source" | "harm"> & { readonly on?: OpenEngineName };

/** The attacks of one group by their names. */
export const attacks = (
  group: Group,
  { on, language = "javascript" }: { readonly on: OpenEngineName; readonly language?: Attack["language"] },
  cases: Readonly<Record<string, Case>>,
): readonly Attack[] => Object.entries(cases).map(([name, each]) => ({ on, ...each, name, group, language }));
