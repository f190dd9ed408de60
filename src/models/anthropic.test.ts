import { modelContract } from "../../test/contracts/model-contract.ts";
import { anthropic } from "./anthropic.ts";

modelContract("anthropic", (origin) => anthropic("claude-x", { apiKey: "sk-test", baseUrl: origin }));
