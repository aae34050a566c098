export interface Looking {
  look(): Promise<void>;
  /** Ends the looks, after the one under way. */
  end(): Promise<void>;
}

/** Looks at once and then every `interval` milliseconds, one look after another. `look` must not reject. */
export function lookEvery(interval: number, look: () => Promise<void>): Looking {
  let looking: Promise<void> = Promise.resolve();
  const next = () => {
    looking = looking.then(look);
  };
  next();
  const timer = setInterval(next, interval);
  return {
    look,
    async end() {
      clearInterval(timer);
      await looking;
    },
  };
}
