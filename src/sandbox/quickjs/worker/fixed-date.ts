const RealDate = Date;
let fixedNow = 0;

export const setFixedTime = (now: number): void => {
  fixedNow = now;
};

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

/** QuickJS reads time and time zone only from the worker's `Date`. */
export const installFixedDate = (): void => {
  globalThis.Date = FixedDate as unknown as DateConstructor;
};
