import type { Settings } from './config.ts';
import type { CollectionIndexes, Db } from './database.ts';
import type { Engine } from './engine/temporal.ts';
import type { Logger } from './log.ts';

/** What every area may need: the store, the engine, the settings of the process and its log. */
export interface Kernel {
  db: Db;
  engine: Engine;
  settings: Settings;
  log: Logger;
}

/** An area of the domain as everybody outside it knows it. */
export interface Area<Name extends string, Needs, Operations> {
  /** Under this name its operations are given to the areas above it and to the programs. */
  readonly name: Name;
  /** Its collections. */
  readonly indexes: readonly CollectionIndexes[];
  /** Makes its operations from the kernel and the operations of areas below it. Starts nothing by itself. */
  readonly create: (needs: Needs) => Operations;
  /** Ends what its operations hold, such as threads. */
  readonly close?: (operations: Operations) => Promise<void>;
}

/** Declares an area; its types follow from `create`. */
export function defineArea<const Name extends string, Needs, Operations>(
  area: Area<Name, Needs, Operations>,
): Area<Name, Needs, Operations> {
  return area;
}

/** Areas in an order in which each needs only those before it. */
export interface Areas<Operations extends object> {
  /** Every collection with its indexes. */
  readonly collections: readonly CollectionIndexes[];

  /** The same areas and one above them. */
  with<Name extends string, Made>(
    area: Area<Name, Kernel & Operations, Made>,
  ): Areas<Operations & Record<Name, Made>>;

  /** Brings the areas to a process: the operations of each are made when they are first asked for. */
  open(kernel: Kernel): {
    areas: Operations;
    /** Ends what the areas that were made hold; database and engine belong to the caller. */
    close(): Promise<void>;
  };
}

/** To be called before the first area. */
export const noAreas: Areas<object> = areasOver([], (kernel) => ({ ...kernel }));

type Close = () => Promise<void>;

/** @param provide what an area above these may need; notes in `closing` what ends those that were made */
function areasOver<Operations extends object>(
  collections: readonly CollectionIndexes[],
  provide: (kernel: Kernel, closing: Close[]) => Kernel & Operations,
): Areas<Operations> {
  return {
    collections,
    with<Name extends string, Made>(area: Area<Name, Kernel & Operations, Made>) {
      const { name, indexes, create, close } = area;
      return areasOver<Operations & Record<Name, Made>>([...collections, ...indexes], (kernel, closing) => {
        const needs = provide(kernel, closing);
        addWhenAsked(needs, name, () => {
          const made = create(needs);
          if (close) closing.push(() => close(made));
          return made;
        });
        return needs;
      });
    },
    open(kernel) {
      const closing: Close[] = [];
      return {
        areas: provide(kernel, closing),
        close: async () => void (await Promise.all(closing.splice(0).map((end) => end()))),
      };
    },
  };
}

/** Gives an object a property whose value is made when it is first read. */
function addWhenAsked<Target extends object, Name extends string, Value>(
  target: Target,
  name: Name,
  make: () => Value,
): asserts target is Target & Record<Name, Value> {
  let made: { value: Value } | undefined;
  Object.defineProperty(target, name, {
    enumerable: true,
    get() {
      made ??= { value: make() };
      return made.value;
    },
  });
}
