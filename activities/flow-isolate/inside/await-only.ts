const RealPromise = Promise;
const RealProxy = Proxy;
const promiseThen = Promise.prototype.then;
const { freeze } = Object;

export interface AwaitOnly<T> {
  then<A = T, B = never>(
    onAnswer?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B>;
  catch<B>(onError?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B>;
  finally(onEnd?: (() => void) | null): Promise<T>;
}

/**
 * The return value of an asynchronous call of the session. It can only be awaited. Any other use throws an error about the
 * missing await, instead of "cannot read property of undefined".
 */
export function awaitOnly<T>(
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  on: { await: () => void; misuse: (property: string) => Error },
): AwaitOnly<T> {
  const promise = new RealPromise(start);
  const methods: AwaitOnly<T> = freeze({
    // biome-ignore lint/suspicious/noThenProperty: being awaited is what it is for
    then<A = T, B = never>(
      onAnswer?: ((value: T) => A | PromiseLike<A>) | null,
      onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
    ): Promise<A | B> {
      on.await();
      return Reflect.apply(promiseThen, promise, [onAnswer, onError]);
    },
    catch<B>(onError?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
      return methods.then((value) => value, onError);
    },
    finally(onEnd?: (() => void) | null): Promise<T> {
      return methods.then(
        async (value) => {
          await onEnd?.();
          return value;
        },
        async (error) => {
          await onEnd?.();
          throw error;
        },
      );
    },
  });
  return new RealProxy(methods, {
    get(known, property) {
      if (property === 'then' || property === 'catch' || property === 'finally') return known[property];
      throw on.misuse(String(property));
    },
  });
}
