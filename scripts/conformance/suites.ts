import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** One conformance suite for one side of the protocol and one revision. */
export interface ConformanceSuite {
  readonly name: string;
  readonly side: "server" | "client";
  readonly referee: string;
  readonly arguments: readonly string[];
  /** Minimum number of scenarios: a suite that aborts must not count as passed. */
  readonly least: number;
  /** Time-sensitive scenarios, which are repeated alone when they fail under load. */
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
