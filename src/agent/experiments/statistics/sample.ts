export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** All values must be above 0. */
export const geometricMean = (values: readonly number[]): number => Math.exp(mean(values.map(Math.log)));

export const quantile = (sorted: ArrayLike<number>, share: number): number => {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below]!;
  return low + (at - below) * ((sorted[below + 1] ?? low) - low);
};
