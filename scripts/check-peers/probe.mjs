// Runs in a project with Haft installed. Imports every named entry point, opens its integration, and prints
// the results as one line of JSON.
const request = { messages: [{ role: "user", content: "hi" }], tools: [] };
const closedPort = "http://127.0.0.1:9";
const generate = (model) => model.generate(request);

/** Loads the peers that an import alone does not load. */
const open = {
  "haft/models/anthropic": ({ anthropic }) => generate(anthropic("m", { apiKey: "k", baseUrl: closedPort })),
  "haft/models/gemini": ({ gemini }) => generate(gemini("m", { apiKey: "k", baseUrl: closedPort })),
  "haft/models/ollama": ({ ollama }) => generate(ollama("m", { host: closedPort })),
  "haft/models/openai": ({ openai }) => generate(openai("m", { apiKey: "k", baseUrl: closedPort })),
  "haft/cedar": ({ cedarPolicy }) => cedarPolicy({ policies: "permit (principal, action, resource);" }),
  "haft/ledger": ({ openLedger }) => openLedger("postgres://127.0.0.1:9/none"),
  "haft/openapi": ({ fromOpenApi }) =>
    fromOpenApi("openapi: 3.1.0\ninfo: { title: t, version: '1' }\npaths: {}\n"),
};

const results = {};
for (const entryPoint of process.argv.slice(2)) {
  try {
    const entry = await import(entryPoint);
    await open[entryPoint]?.(entry);
    results[entryPoint] = { message: "" };
  } catch (error) {
    results[entryPoint] = { code: error?.code, message: String(error?.message ?? error) };
  }
}
console.log(JSON.stringify(results));
process.exit(0);
