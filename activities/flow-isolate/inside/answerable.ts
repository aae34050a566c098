import { summaryProperties } from './stage-summary.ts';

const RealPromise = Promise;
const promiseThen = Promise.prototype.then;
const { defineProperty, freeze } = Object;

/**
 * What `session.run` and `session.sleep` return. It can be awaited; any other use says that await is missing,
 * instead of "cannot read property of undefined".
 */
export class Answerable<T> implements PromiseLike<T> {
  readonly #promise: Promise<T>;
  readonly #onAwait: () => void;

  constructor(
    start: (resolve: (value: T) => void) => void,
    on: { await: () => void; misuse: (property: string) => Error },
  ) {
    this.#promise = new RealPromise(start);
    this.#onAwait = on.await;
    for (const name of summaryProperties) {
      const get = () => {
        throw on.misuse(name);
      };
      defineProperty(this, name, { get });
    }
    freeze(this);
  }

  // biome-ignore lint/suspicious/noThenProperty: being awaited is what it is for
  then<A, B>(
    onAnswer?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#onAwait();
    return Reflect.apply(promiseThen, this.#promise, [onAnswer, onError]);
  }

  catch<B>(onError?: ((reason: unknown) => B | PromiseLike<B>) | null) {
    return this.then((value) => value, onError);
  }

  finally(onEnd?: (() => void) | null) {
    return this.then((value) => {
      onEnd?.();
      return value;
    });
  }
}
freeze(Answerable.prototype);
