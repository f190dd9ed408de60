// A server of the old era that sends what its first argument contains, verbatim. Line by line, without an
// SDK.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface ListingServerConfig {
  readonly tools?: readonly unknown[];
  /** The answers of `resources/read`, by URI. */
  readonly pages?: Readonly<Record<string, object>>;
  /** The answers of `tools/call`, by tool. */
  readonly results?: Readonly<Record<string, object>>;
}

/** A long argument is in a file: `@` and its path. */
const configArgument = process.argv[2] ?? "{}";
const {
  tools = [],
  pages = {},
  results = {},
} = JSON.parse(
  configArgument.startsWith("@") ? readFileSync(configArgument.slice(1), "utf8") : configArgument,
) as ListingServerConfig;
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const calls: string[] = [];

const answers: Readonly<Record<string, (params: Record<string, unknown>) => object | undefined>> = {
  initialize: ({ protocolVersion, capabilities }) => {
    calls.push(JSON.stringify(capabilities));
    return {
      protocolVersion,
      capabilities: { tools: {}, ...(Object.keys(pages).length > 0 ? { resources: {} } : {}) },
      serverInfo: { name: "listing", version: "1" },
    };
  },
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) =>
    results[String(name)] ?? { content: [{ type: "text", text: `${name}: ${calls[0]}` }] },
  "resources/list": () => ({ resources: Object.keys(pages).map((uri) => ({ uri, name: uri })) }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => pages[String(uri)],
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  if (result === undefined) send({ id, error: { code: -32601, message: "Method not found" } });
  else send({ id, result });
});
process.stdin.on("end", () => process.exit(0));
