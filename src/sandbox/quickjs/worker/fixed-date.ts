const RealDate = Date;
let fixedNow = 0;

/** Sets the time at which the clock of this worker stands. */
export const setFixedTime = (now: number): void => {
  fixedNow = now;
};

/** The time stands still, and every place is in UTC. */
class FixedDate extends RealDate {
  constructor(...parts: readonly number[]) {
    if (parts.length === 0) super(fixedNow);
    else super(...(parts as [number]));
  }
  static override now = (): number => fixedNow;
  override getTimezoneOffset = (): number => 0;
  override getSeconds = this.getUTCSeconds;
  override getMinutes = this.getUTCMinutes;
  override getHours = this.getUTCHours;
  override getDay = this.getUTCDay;
  override getDate = this.getUTCDate;
  override getMonth = this.getUTCMonth;
  override getFullYear = this.getUTCFullYear;
}

/**
 * QuickJS asks the `Date` of the worker for the time and for the time zone, and nothing else has a clock. So this one
 * place keeps both from the guest, whatever of the language it uses.
 */
export const installFixedDate = (): void => {
  globalThis.Date = FixedDate as unknown as DateConstructor;
};
