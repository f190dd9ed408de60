import { ConfigurationError } from "../../words/errors.ts";

export const readTime = (before: Date): number => {
  const time = before instanceof Date ? before.getTime() : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw new ConfigurationError("invalid_config", "prune takes a Date: what was over before it goes.");
};
