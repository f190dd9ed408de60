import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** One referee, one side of the protocol, one revision. */
export interface ConformanceSuite {
  readonly name: string;
  readonly side: "server" | "client";
  readonly referee: string;
  readonly arguments: readonly string[];
  /** So many scenarios it has at least: a referee that breaks off must not pass for one that found nothing. */
  readonly least: number;
  /** Measure time, and go wrong where everything runs at once: they are run again alone, and that counts. */
  readonly alone: readonly string[];
}

const firstReferee = "test/system/node_modules/@modelcontextprotocol/conformance/dist/index.js";
const nextReferee = "test/system/node_modules/conformance-next/dist/index.js";

export const conformanceSuites: readonly ConformanceSuite[] = [
  {
    name: "server-2025",
    side: "server",
    referee: firstReferee,
    arguments: ["--suite", "all"],
    least: 32,
    alone: [],
  },
  {
    name: "client-2025",
    side: "client",
    referee: firstReferee,
    arguments: ["--suite", "all", "--timeout", "60000"],
    least: 26,
    alone: ["sse-retry"],
  },
  {
    name: "server-2026",
    side: "server",
    referee: nextReferee,
    arguments: ["--requirements", "2026-07-28"],
    least: 50,
    alone: [],
  },
  {
    name: "client-2026",
    side: "client",
    referee: nextReferee,
    arguments: ["--requirements", "2026-07-28", "--timeout", "60000"],
    least: 39,
    alone: [],
  },
];
