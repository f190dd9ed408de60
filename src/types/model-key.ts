/** The name under which a ledger entry records a request to a model. Names of tools contain no colon. */
export const modelKeyOf = (modelId: string): string => `model:${modelId}`;

export const isModelKey = (key: string): boolean => key.startsWith("model:");
