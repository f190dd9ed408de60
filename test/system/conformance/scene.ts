/** The context that the conformance suite passes for a scenario. */
export interface Scene {
  readonly name: string;
  readonly url: string;
  readonly context: Readonly<Record<string, unknown>>;
}

export const readScene = (): Scene => {
  const url = process.argv.at(-1) ?? "";
  if (!URL.canParse(url)) throw new Error("the last argument must be the URL of the server");
  return {
    name: process.env.MCP_CONFORMANCE_SCENARIO ?? "",
    url,
    context: JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}"),
  };
};

export const textOf = ({ context }: Scene, field: string): string => {
  const value = context[field];
  if (typeof value !== "string") throw new Error(`the referee did not give ${field}`);
  return value;
};
