/** A synchronous loop, which would block the main thread. */
export default ({ below }: { readonly below: number }): number => {
  let count = 0;
  for (let number = 2; number < below; number++) if (isPrime(number)) count += 1;
  return count;
};

const isPrime = (number: number): boolean => {
  for (let factor = 2; factor * factor <= number; factor++) if (number % factor === 0) return false;
  return true;
};
