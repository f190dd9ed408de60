/**
 * Imported first, so that no module has read the real clock. HAFT_CLOCK_AHEAD_MS is the offset of the wall
 * clock from the start; the monotonic clock follows with a jump, as after a machine slept.
 */
const aheadMs = Number(process.env.HAFT_CLOCK_AHEAD_MS ?? 0);
let jumpMs = 0;

export const jumpMonotonicClock = (): void => {
  jumpMs = aheadMs;
};

if (aheadMs !== 0) {
  const RightDate = Date;
  const now = (): number => RightDate.now() + aheadMs;
  globalThis.Date = new Proxy(RightDate, {
    construct: (target, given) => Reflect.construct(target, given.length === 0 ? [now()] : given),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  const rightNow = performance.now.bind(performance);
  performance.now = () => rightNow() + jumpMs;
  const rightNanos = process.hrtime.bigint.bind(process.hrtime);
  process.hrtime.bigint = () => rightNanos() + BigInt(jumpMs) * 1_000_000n;
}
