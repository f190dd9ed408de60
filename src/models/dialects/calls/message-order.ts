const maxPlaces = 2 ** 32;

export interface MessageOrder {
  readonly nextMessage: () => void;
  /** Without a place a call comes after those of its message that began before it. */
  readonly at: (place: number | undefined) => number;
}

/** The place in its message that an order stands for. */
export const placeIn = (order: number): number => order % maxPlaces;

/** Calls are ordered by message first and by their place in it second, whatever order their chunks come in. */
export const messageOrder = (): MessageOrder => {
  let message = 0;
  let next = 0;
  return {
    nextMessage: () => {
      message += 1;
      next = 0;
    },
    at: (place) => {
      const within = Math.min(place ?? next, maxPlaces - 1);
      next = Math.max(next, within + 1);
      return message * maxPlaces + within;
    },
  };
};
