import { modelContract } from "../../test/contracts/model-contract.ts";
import { openai } from "./openai.ts";

for (const api of ["chat", "responses"] as const) {
  modelContract(`openai (${api})`, (origin) =>
    openai("gpt-x", { apiKey: "sk-test", baseUrl: `${origin}/v1`, api }),
  );
}
