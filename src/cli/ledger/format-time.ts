import { CommandUsageError } from "../command-usage-error.ts";

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const parseDuration = (text: string): number | undefined => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim()) ?? [];
  return unit === undefined ? undefined : Number(count) * unitMs[unit]!;
};

export const readMoment = (name: string, text: string, now: number): number => {
  const span = parseDuration(text);
  if (span !== undefined) return now - span;
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(date)) return date;
  throw new CommandUsageError(
    `--${name} must be a time such as 2h, 3d, 2026-11-16 or 2026-11-16T09:00:00Z, not "${text}".`,
  );
};

export const formatTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

export const formatTimeOfDay = (at: number): string => formatTime(at).slice(11);

export const formatElapsed = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
};

export const formatMilliseconds = (milliseconds: number): string =>
  milliseconds.toFixed(milliseconds < 100 ? 1 : 0);
