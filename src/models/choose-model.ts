import { ConfigurationError } from "../types/errors.ts";
import type { Model } from "../types/model.ts";

/** How `chooseModel` finds keys and addresses. */
export interface ChooseModelOptions {
  /** Replaces the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

type Env = ChooseModelOptions["env"];
type OpenModel = (modelId: string, env: Env) => Promise<Model>;

const apiKeyFrom = (env: Env, ...variables: readonly string[]): { readonly apiKey?: string } =>
  env === undefined ? {} : { apiKey: variables.map((variable) => env[variable]).find(Boolean) ?? "" };

const baseUrlFrom = (url: string | undefined): { readonly baseUrl?: string } =>
  url === undefined || url === "" ? {} : { baseUrl: url };

const providers: Readonly<Record<string, OpenModel>> = {
  openai: async (modelId, env) => {
    const { openai } = await import("./openai.ts");
    return openai(modelId, { ...apiKeyFrom(env, "OPENAI_API_KEY"), ...baseUrlFrom(env?.OPENAI_BASE_URL) });
  },
  anthropic: async (modelId, env) => {
    const { anthropic } = await import("./anthropic.ts");
    return anthropic(modelId, {
      ...apiKeyFrom(env, "ANTHROPIC_API_KEY"),
      ...baseUrlFrom(env?.ANTHROPIC_BASE_URL),
    });
  },
  ollama: async (modelId, env) => {
    const { ollama } = await import("./ollama.ts");
    return ollama(modelId, env === undefined ? {} : { host: env.OLLAMA_HOST || "http://127.0.0.1:11434" });
  },
  gemini: async (modelId, env) => {
    const { gemini } = await import("./gemini.ts");
    return gemini(modelId, apiKeyFrom(env, "GEMINI_API_KEY", "GOOGLE_API_KEY"));
  },
  offline: async (modelId) => {
    if (modelId.toLowerCase() !== "planner") throw unknownModelError(`offline/${modelId}`);
    const { offline } = await import("./offline.ts");
    return offline();
  },
};

const providerAliases: Readonly<Record<string, string>> = { google: "gemini" };

const unknownModelError = (name: unknown): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `${JSON.stringify(name) ?? typeof name} is not the name of a model. Write provider/model-id, such as "openai/gpt-5" or "ollama/llama3.2"; ` +
      `the providers are openai, anthropic, ollama, gemini (or google), and offline, which needs no key.`,
  );

/**
 * Opens the model named by `provider/model-id`. The provider name is case-insensitive, and the id may contain
 * slashes.
 */
export const chooseModel = async (name: string, options: ChooseModelOptions = {}): Promise<Model> => {
  if (typeof name !== "string") throw unknownModelError(name);
  const trimmed = name.trim();
  const full = trimmed.toLowerCase() === "offline" ? "offline/planner" : trimmed;
  const slash = full.indexOf("/");
  const provider = full.slice(0, Math.max(0, slash)).trim().toLowerCase();
  const modelId = full.slice(slash + 1).trim();
  const key = providerAliases[provider] ?? provider;
  const open = Object.hasOwn(providers, key) ? providers[key] : undefined;
  if (open === undefined || modelId === "") throw unknownModelError(name);
  return open(modelId, options.env);
};
