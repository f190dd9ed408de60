import type { MetricUnit } from "../experiment-result.ts";

const formatNumber = (value: number, decimals: number): string =>
  (Number(value.toFixed(decimals)) || 0)
    .toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    .replace("-", "−");

export const formatShort = (value: number): string => {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-6) return value.toPrecision(2).replace("-", "−");
  const decimals = Math.max(0, Math.min(8, 2 - Math.floor(Math.log10(size))));
  const text = formatNumber(value, decimals);
  return decimals === 0 ? text : text.replace(/\.?0+$/, "");
};

export const formatAmount = (value: number, unit: MetricUnit): string => {
  if (unit === "share") return `${formatShort(value * 100)} %`;
  if (unit === "count" && Math.abs(value) >= 0.01) return formatShort(Number(value.toFixed(2)));
  if (unit !== "ms") return formatShort(value);
  const size = Math.abs(value);
  if (size < 1_000) return `${formatShort(value)} ms`;
  return size < 60_000 ? `${formatShort(value / 1_000)} s` : `${formatShort(value / 60_000)} min`;
};

/** With as many decimals as needed to avoid 0. */
export const formatRange = (one: number, other: number): string => {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const decimals = low >= 2 ? 0 : Math.min(6, Math.max(1, -Math.floor(Math.log10(Math.max(low, 1e-6)))));
  const [from, to] = [formatNumber(low, decimals), formatNumber(high, decimals)];
  return from === to ? from : `${from}–${to}`;
};

export const joinWords = (names: readonly string[], word: "and" | "or"): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
