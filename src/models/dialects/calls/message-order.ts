const maxPlaces = 2 ** 32;

export interface MessageOrder {
  readonly nextMessage: () => void;
  readonly at: (place: number | undefined) => number;
}

export const placeIn = (order: number): number => order % maxPlaces;

/** Chunks may arrive in any order. */
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
